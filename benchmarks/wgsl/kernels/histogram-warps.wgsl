// histogram_warps_kernel, compiled from Python for 1056 blocks of 256 threads.

const x_size: i32 = 33554432;
const BINS: i32 = 256;
const blockDim_x: i32 = 256;

@group(0) @binding(0) var<storage, read> x: array<i32>;
@group(0) @binding(1) var<storage, read_write> counts: array<atomic<i32>>;
var<workgroup> local: array<atomic<u32>, 2048>;

@compute @workgroup_size(256, 1, 1)
fn histogram_warps_kernel(@builtin(local_invocation_id) threadIdx: vec3u, @builtin(workgroup_id) blockIdx: vec3u) {
  var i: i32;
  let tid = i32(threadIdx.x);
  let warp = tid / 32;
  for (var b = tid; b < BINS; b += 256) {
    atomicStore(&local[0 + b], 0u);
    atomicStore(&local[256 + b], 0u);
    atomicStore(&local[512 + b], 0u);
    atomicStore(&local[768 + b], 0u);
    atomicStore(&local[1024 + b], 0u);
    atomicStore(&local[1280 + b], 0u);
    atomicStore(&local[1536 + b], 0u);
    atomicStore(&local[1792 + b], 0u);
  }
  storageBarrier(); workgroupBarrier();
  var i_1: i32 = i32(blockIdx.x) * blockDim_x + i32(threadIdx.x);
  for (; i_1 < 32743424; i_1 += 1081344) {
    i = i_1;
    atomicAdd(&local[warp * 256 + x[i]], 1u);
    i = i_1 + 270336;
    atomicAdd(&local[warp * 256 + x[i]], 1u);
    i = i_1 + 540672;
    atomicAdd(&local[warp * 256 + x[i]], 1u);
    i = i_1 + 811008;
    atomicAdd(&local[warp * 256 + x[i]], 1u);
  }
  for (; i_1 < x_size; i_1 += 270336) {
    i = i_1;
    atomicAdd(&local[warp * 256 + x[i]], 1u);
  }
  storageBarrier(); workgroupBarrier();
  var w: i32 = 7;
  for (var b = tid; b < BINS; b += 256) {
    var count = 0u;
    count = 0u + atomicLoad(&local[0 + b]);
    count += atomicLoad(&local[256 + b]);
    count += atomicLoad(&local[512 + b]);
    count += atomicLoad(&local[768 + b]);
    count += atomicLoad(&local[1024 + b]);
    count += atomicLoad(&local[1280 + b]);
    count += atomicLoad(&local[1536 + b]);
    count += atomicLoad(&local[1792 + b]);
    atomicAdd(&counts[b], i32(count));
    w = 7;
  }
}

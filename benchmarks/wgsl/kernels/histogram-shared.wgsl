// histogram_shared_kernel, compiled from Python for 264 blocks of 1024 threads.

const x_size: i32 = 33554432;
const BINS: i32 = 256;
const blockDim_x: i32 = 1024;

@group(0) @binding(0) var<storage, read> x: array<i32>;
@group(0) @binding(1) var<storage, read_write> counts: array<atomic<i32>>;
var<workgroup> local: array<atomic<u32>, 256>;

@compute @workgroup_size(1024, 1, 1)
fn histogram_shared_kernel(@builtin(local_invocation_id) threadIdx: vec3u, @builtin(workgroup_id) blockIdx: vec3u) {
  var b: i32;
  var i: i32;
  let tid = i32(threadIdx.x);
  let threads = blockDim_x;
  var b_1: i32 = tid;
  for (; b_1 < i32(-2816); b_1 += 4096) {
    b = b_1;
    atomicStore(&local[b], 0u);
    b = b_1 + 1024;
    atomicStore(&local[b], 0u);
    b = b_1 + 2048;
    atomicStore(&local[b], 0u);
    b = b_1 + 3072;
    atomicStore(&local[b], 0u);
  }
  for (; b_1 < BINS; b_1 += 1024) {
    b = b_1;
    atomicStore(&local[b], 0u);
  }
  storageBarrier(); workgroupBarrier();
  var i_2: i32 = i32(blockIdx.x) * blockDim_x + i32(threadIdx.x);
  for (; i_2 < 32743424; i_2 += 1081344) {
    i = i_2;
    atomicAdd(&local[x[i]], 1u);
    i = i_2 + 270336;
    atomicAdd(&local[x[i]], 1u);
    i = i_2 + 540672;
    atomicAdd(&local[x[i]], 1u);
    i = i_2 + 811008;
    atomicAdd(&local[x[i]], 1u);
  }
  for (; i_2 < x_size; i_2 += 270336) {
    i = i_2;
    atomicAdd(&local[x[i]], 1u);
  }
  storageBarrier(); workgroupBarrier();
  var b_3: i32 = tid;
  for (; b_3 < i32(-2816); b_3 += 4096) {
    b = b_3;
    atomicAdd(&counts[b], i32(atomicLoad(&local[b])));
    b = b_3 + 1024;
    atomicAdd(&counts[b], i32(atomicLoad(&local[b])));
    b = b_3 + 2048;
    atomicAdd(&counts[b], i32(atomicLoad(&local[b])));
    b = b_3 + 3072;
    atomicAdd(&counts[b], i32(atomicLoad(&local[b])));
  }
  for (; b_3 < BINS; b_3 += 1024) {
    b = b_3;
    atomicAdd(&counts[b], i32(atomicLoad(&local[b])));
  }
}

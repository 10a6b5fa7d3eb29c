// histogram_global_kernel, compiled from Python for 1056 blocks of 256 threads.

const x_size: i32 = 2097152;
const blockDim_x: i32 = 256;

@group(0) @binding(0) var<storage, read> x: array<i32>;
@group(0) @binding(1) var<storage, read_write> counts: array<atomic<i32>>;

@compute @workgroup_size(256, 1, 1)
fn histogram_global_kernel(@builtin(local_invocation_id) threadIdx: vec3u, @builtin(workgroup_id) blockIdx: vec3u) {
  var i: i32;
  var i_1: i32 = i32(blockIdx.x) * blockDim_x + i32(threadIdx.x);
  for (; i_1 < 1286144; i_1 += 1081344) {
    i = i_1;
    atomicAdd(&counts[x[i]], 1);
    i = i_1 + 270336;
    atomicAdd(&counts[x[i]], 1);
    i = i_1 + 540672;
    atomicAdd(&counts[x[i]], 1);
    i = i_1 + 811008;
    atomicAdd(&counts[x[i]], 1);
  }
  for (; i_1 < x_size; i_1 += 270336) {
    i = i_1;
    atomicAdd(&counts[x[i]], 1);
  }
}

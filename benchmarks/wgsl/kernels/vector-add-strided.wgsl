// add_strided_kernel, compiled from Python for 1056 blocks of 256 threads.

const out_size: i32 = 33554432;
const blockDim_x: i32 = 256;

@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(256, 1, 1)
fn add_strided_kernel(@builtin(local_invocation_id) threadIdx: vec3u, @builtin(workgroup_id) blockIdx: vec3u) {
  var i: i32;
  let step_: i32 = 270336;  // how many threads there are in all
  var i_1: i32 = i32(blockIdx.x) * blockDim_x + i32(threadIdx.x);
  for (; i_1 < 32743424; i_1 += 1081344) {
    i = i_1;
    out[i] = a[i] + b[i];
    i = i_1 + 270336;
    out[i] = a[i] + b[i];
    i = i_1 + 540672;
    out[i] = a[i] + b[i];
    i = i_1 + 811008;
    out[i] = a[i] + b[i];
  }
  for (; i_1 < out_size; i_1 += 270336) {
    i = i_1;
    out[i] = a[i] + b[i];
  }
}

// scatter_kernel, compiled from Python for 32768 blocks of 256 threads.

const blockDim_x: i32 = 256;

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> indices: array<i32>;
@group(0) @binding(2) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(256, 1, 1)
fn scatter_kernel(@builtin(local_invocation_id) threadIdx: vec3u, @builtin(workgroup_id) blockIdx: vec3u) {
  let i = i32(blockIdx.x) * blockDim_x + i32(threadIdx.x);
  out[indices[i]] = x[i];
}

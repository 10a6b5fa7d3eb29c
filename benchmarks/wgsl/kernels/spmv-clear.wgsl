// clear_kernel, compiled from Python for 97 blocks of 128 threads.

const first_rows_size: i32 = 12289;
const y_size: i32 = 1048576;
const blockDim_x: i32 = 128;

@group(0) @binding(0) var<storage, read> first_rows: array<i32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;

@compute @workgroup_size(128, 1, 1)
fn clear_kernel(@builtin(local_invocation_id) threadIdx: vec3u, @builtin(workgroup_id) blockIdx: vec3u) {
  let b = i32(blockIdx.x) * blockDim_x + i32(threadIdx.x);
  if (b < first_rows_size && first_rows[b] < y_size) {
    y[first_rows[b]] = 0.0;
  }
}

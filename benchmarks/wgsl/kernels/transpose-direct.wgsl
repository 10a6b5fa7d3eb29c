// transpose_direct_kernel, compiled from Python for 128 x 512 blocks of 32 x 8 threads.

const a_rows: i32 = 4096;
const a_cols: i32 = 4096;
const out_cols: i32 = 4096;
const blockDim_x: i32 = 32;
const blockDim_y: i32 = 8;

@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(32, 8, 1)
fn transpose_direct_kernel(@builtin(local_invocation_id) threadIdx: vec3u, @builtin(workgroup_id) blockIdx: vec3u) {
  let x = i32(blockIdx.x) * blockDim_x + i32(threadIdx.x);
  let y = i32(blockIdx.y) * blockDim_y + i32(threadIdx.y);
  let rows = a_rows;
  let columns = a_cols;
  out[x * out_cols + y] = a[y * a_cols + x];
}

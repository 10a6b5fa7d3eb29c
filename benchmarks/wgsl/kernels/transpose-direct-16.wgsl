// transpose_direct_kernel, compiled from Python for 256 x 256 blocks of 16 x 16 threads.

const a_cols: i32 = 4096;
const out_cols: i32 = 4096;
const blockDim_x: i32 = 16;
const blockDim_y: i32 = 16;

@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(16, 16, 1)
fn transpose_direct_kernel(@builtin(local_invocation_id) threadIdx: vec3u, @builtin(workgroup_id) blockIdx: vec3u) {
  let column = i32(blockIdx.x) * blockDim_x + i32(threadIdx.x);
  let row = i32(blockIdx.y) * blockDim_y + i32(threadIdx.y);
  out[column * out_cols + row] = a[row * a_cols + column];  // reads side by side, writes a whole row apart
}

// matmul_swapped_kernel, compiled from Python for 64 x 256 blocks of 32 x 8 threads.

const a_cols: i32 = 2048;
const b_cols: i32 = 2048;
const c_cols: i32 = 2048;
const blockDim_x: i32 = 32;
const blockDim_y: i32 = 8;

@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;

@compute @workgroup_size(32, 8, 1)
fn matmul_swapped_kernel(@builtin(local_invocation_id) threadIdx: vec3u, @builtin(workgroup_id) blockIdx: vec3u) {
  var k: i32;
  let row = i32(blockIdx.x) * blockDim_x + i32(threadIdx.x);  // x runs down a column: the one difference
  let column = i32(blockIdx.y) * blockDim_y + i32(threadIdx.y);
  var total: f32 = 0.0;
  var k_1: i32 = 0;
  for (; k_1 < 2045; k_1 += 4) {
    k = k_1;
    total = total + a[row * a_cols + k] * b[k * b_cols + column];
    k = k_1 + 1;
    total = total + a[row * a_cols + k] * b[k * b_cols + column];
    k = k_1 + 2;
    total = total + a[row * a_cols + k] * b[k * b_cols + column];
    k = k_1 + 3;
    total = total + a[row * a_cols + k] * b[k * b_cols + column];
  }
  for (; k_1 < a_cols; k_1 += 1) {
    k = k_1;
    total = total + a[row * a_cols + k] * b[k * b_cols + column];
  }
  c[row * c_cols + column] = total;
}

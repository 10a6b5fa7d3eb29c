// thread_row_kernel, compiled from Python for 16 blocks of 256 threads.

const a_cols: i32 = 4096;
const blockDim_x: i32 = 256;

@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;

@compute @workgroup_size(256, 1, 1)
fn thread_row_kernel(@builtin(local_invocation_id) threadIdx: vec3u, @builtin(workgroup_id) blockIdx: vec3u) {
  var column: i32;
  let row = i32(blockIdx.x) * blockDim_x + i32(threadIdx.x);
  var total: f32 = 0.0;
  var column_1: i32 = 0;
  for (; column_1 < 4093; column_1 += 4) {
    column = column_1;
    total = total + a[row * a_cols + column] * x[column];
    column = column_1 + 1;
    total = total + a[row * a_cols + column] * x[column];
    column = column_1 + 2;
    total = total + a[row * a_cols + column] * x[column];
    column = column_1 + 3;
    total = total + a[row * a_cols + column] * x[column];
  }
  for (; column_1 < a_cols; column_1 += 1) {
    column = column_1;
    total = total + a[row * a_cols + column] * x[column];
  }
  y[row] = total;
}

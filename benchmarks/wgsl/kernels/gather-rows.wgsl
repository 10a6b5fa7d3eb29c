// gather_rows_kernel, compiled from Python for 2048 blocks of 256 threads.

const table_cols: i32 = 1024;
const out_cols: i32 = 1024;
const blockDim_x: i32 = 256;

@group(0) @binding(0) var<storage, read> table: array<f32>;
@group(0) @binding(1) var<storage, read> indices: array<i32>;
@group(0) @binding(2) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(256, 1, 1)
fn gather_rows_kernel(@builtin(local_invocation_id) threadIdx: vec3u, @builtin(workgroup_id) blockIdx: vec3u) {
  var column: i32;
  let lane_ = i32(threadIdx.x) % 32;
  let row = (i32(blockIdx.x) * blockDim_x + i32(threadIdx.x)) / 32;
  let source = indices[row];
  var column_1: i32 = lane_;
  for (; column_1 < 928; column_1 += 128) {
    column = column_1;
    out[row * out_cols + column] = table[source * table_cols + column];
    column = column_1 + 32;
    out[row * out_cols + column] = table[source * table_cols + column];
    column = column_1 + 64;
    out[row * out_cols + column] = table[source * table_cols + column];
    column = column_1 + 96;
    out[row * out_cols + column] = table[source * table_cols + column];
  }
  for (; column_1 < out_cols; column_1 += 32) {
    column = column_1;
    out[row * out_cols + column] = table[source * table_cols + column];
  }
}

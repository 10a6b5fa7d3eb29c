// transpose_tile_kernel, compiled from Python for 128 x 128 blocks of 32 x 8 threads.

const a_rows: i32 = 4096;
const a_cols: i32 = 4096;
const out_cols: i32 = 4096;
const BM: i32 = 32;

@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
var<workgroup> tile: array<array<f32, 33>, 32>;

@compute @workgroup_size(32, 8, 1)
fn transpose_tile_kernel(@builtin(local_invocation_id) threadIdx: vec3u, @builtin(workgroup_id) blockIdx: vec3u) {
  var y: i32;
  let tx = i32(threadIdx.x);
  let ty = i32(threadIdx.y);
  let left = i32(blockIdx.x) * BM;
  let top = i32(blockIdx.y) * BM;
  let rows = a_rows;
  let columns = a_cols;
  var y_1: i32 = ty;
  for (; y_1 < 8; y_1 += 32) {
    y = y_1;
    tile[y][tx] = a[(top + y) * a_cols + (left + tx)];
    y = y_1 + 8;
    tile[y][tx] = a[(top + y) * a_cols + (left + tx)];
    y = y_1 + 16;
    tile[y][tx] = a[(top + y) * a_cols + (left + tx)];
    y = y_1 + 24;
    tile[y][tx] = a[(top + y) * a_cols + (left + tx)];
  }
  for (; y_1 < BM; y_1 += 8) {
    y = y_1;
    tile[y][tx] = a[(top + y) * a_cols + (left + tx)];
  }
  workgroupBarrier();
  var y_2: i32 = ty;
  for (; y_2 < 8; y_2 += 32) {
    y = y_2;
    out[(left + y) * out_cols + (top + tx)] = tile[tx][y];
    y = y_2 + 8;
    out[(left + y) * out_cols + (top + tx)] = tile[tx][y];
    y = y_2 + 16;
    out[(left + y) * out_cols + (top + tx)] = tile[tx][y];
    y = y_2 + 24;
    out[(left + y) * out_cols + (top + tx)] = tile[tx][y];
  }
  for (; y_2 < BM; y_2 += 8) {
    y = y_2;
    out[(left + y) * out_cols + (top + tx)] = tile[tx][y];
  }
}

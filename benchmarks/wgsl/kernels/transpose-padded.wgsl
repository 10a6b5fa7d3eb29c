// transpose_kernel, compiled from Python for 128 x 128 blocks of 32 x 8 threads.

const a_cols: i32 = 4096;
const out_cols: i32 = 4096;

@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
var<workgroup> tile: array<array<f32, 33>, 32>;

@compute @workgroup_size(32, 8, 1)
fn transpose_kernel(@builtin(local_invocation_id) threadIdx: vec3u, @builtin(workgroup_id) blockIdx: vec3u) {
  let x = i32(threadIdx.x);
  let y = i32(threadIdx.y);
  let left = i32(blockIdx.x) * 32;
  let top = i32(blockIdx.y) * 32;
  tile[y + 0][x] = a[(top + y + 0) * a_cols + (left + x)];  // a warp reads one row: one line
  tile[y + 8][x] = a[(top + y + 8) * a_cols + (left + x)];
  tile[y + 16][x] = a[(top + y + 16) * a_cols + (left + x)];
  tile[y + 24][x] = a[(top + y + 24) * a_cols + (left + x)];
  workgroupBarrier();
  out[(left + y + 0) * out_cols + (top + x)] = tile[x][y + 0];  // a warp reads a column of the tile
  out[(left + y + 8) * out_cols + (top + x)] = tile[x][y + 8];
  out[(left + y + 16) * out_cols + (top + x)] = tile[x][y + 16];
  out[(left + y + 24) * out_cols + (top + x)] = tile[x][y + 24];
}

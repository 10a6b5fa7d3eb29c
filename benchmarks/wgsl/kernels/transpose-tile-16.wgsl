// transpose_tile_kernel, compiled from Python for 256 x 256 blocks of 16 x 16 threads.

const a_cols: i32 = 4096;
const out_cols: i32 = 4096;
const TILE: i32 = 16;

@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
var<workgroup> tile: array<array<f32, 17>, 16>;

@compute @workgroup_size(16, 16, 1)
fn transpose_tile_kernel(@builtin(local_invocation_id) threadIdx: vec3u, @builtin(workgroup_id) blockIdx: vec3u) {
  let x = i32(threadIdx.x);
  let y = i32(threadIdx.y);
  let left = i32(blockIdx.x) * TILE;  // the tile's first column and row in a
  let top = i32(blockIdx.y) * TILE;
  tile[y][x] = a[(top + y) * a_cols + (left + x)];  // read a row of a
  workgroupBarrier();  // wait until the whole tile is there
  out[(left + y) * out_cols + (top + x)] = tile[x][y];  // write a row of out
}

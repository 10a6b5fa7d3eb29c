// tiled_kernel, compiled from Python for 128 x 128 blocks of 16 x 16 threads.

const a_cols: i32 = 2048;
const b_rows: i32 = 2048;
const b_cols: i32 = 2048;
const c_cols: i32 = 2048;
const blockDim_x: i32 = 16;
const blockDim_y: i32 = 16;

@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;
var<workgroup> tile_a: array<array<f32, 16>, 16>;
var<workgroup> tile_b: array<array<f32, 16>, 16>;

@compute @workgroup_size(16, 16, 1)
fn tiled_kernel(@builtin(local_invocation_id) threadIdx: vec3u, @builtin(workgroup_id) blockIdx: vec3u) {
  let tx = i32(threadIdx.x);
  let ty = i32(threadIdx.y);
  let column = i32(blockIdx.x) * blockDim_x + i32(threadIdx.x);
  let row = i32(blockIdx.y) * blockDim_y + i32(threadIdx.y);
  var total: f32 = 0.0;
  for (var start: i32 = 0; start < a_cols; start += 16) {
    // Each thread brings one element of either tile, or a zero from outside.
    var inside = start + tx < a_cols;
    tile_a[ty][tx] = select(0.0, a[row * a_cols + (start + tx)], inside);
    inside = start + ty < b_rows;
    tile_b[ty][tx] = select(0.0, b[(start + ty) * b_cols + column], inside);
    workgroupBarrier();  // the tiles are full
    total = total + tile_a[ty][0] * tile_b[0][tx];
    total = total + tile_a[ty][1] * tile_b[1][tx];
    total = total + tile_a[ty][2] * tile_b[2][tx];
    total = total + tile_a[ty][3] * tile_b[3][tx];
    total = total + tile_a[ty][4] * tile_b[4][tx];
    total = total + tile_a[ty][5] * tile_b[5][tx];
    total = total + tile_a[ty][6] * tile_b[6][tx];
    total = total + tile_a[ty][7] * tile_b[7][tx];
    total = total + tile_a[ty][8] * tile_b[8][tx];
    total = total + tile_a[ty][9] * tile_b[9][tx];
    total = total + tile_a[ty][10] * tile_b[10][tx];
    total = total + tile_a[ty][11] * tile_b[11][tx];
    total = total + tile_a[ty][12] * tile_b[12][tx];
    total = total + tile_a[ty][13] * tile_b[13][tx];
    total = total + tile_a[ty][14] * tile_b[14][tx];
    total = total + tile_a[ty][15] * tile_b[15][tx];
    workgroupBarrier();  // nobody needs them any more
  }
  c[row * c_cols + column] = total;
}

// product_kernel, compiled from Python for 7688 x 4 blocks of 16 x 16 threads.

const weights_rows: i32 = 64;
const weights_cols: i32 = 288;
const u_cols: i32 = 123008;
const out_n0: i32 = 32;
const out_n1: i32 = 64;
const out_n2: i32 = 62;
const out_n3: i32 = 62;
const TILE: i32 = 16;

@group(0) @binding(0) var<storage, read> weights: array<f32>;
@group(0) @binding(1) var<storage, read> u: array<f32>;
@group(0) @binding(2) var<storage, read_write> out: array<f32>;
var<workgroup> tile_w: array<array<f32, 16>, 16>;
var<workgroup> tile_u: array<array<f32, 16>, 16>;

fn read_matrix(row: i32, pixel: i32) -> f32 {
  return u[row * u_cols + pixel];
}

@compute @workgroup_size(16, 16, 1)
fn product_kernel(@builtin(local_invocation_id) threadIdx: vec3u, @builtin(workgroup_id) blockIdx: vec3u) {
  let tx = i32(threadIdx.x);
  let ty = i32(threadIdx.y);
  let pixel = i32(blockIdx.x) * TILE + tx;
  let m = i32(blockIdx.y) * TILE + ty;
  let maps = weights_rows;
  let depth = weights_cols;
  let images = out_n0;
  let unused = out_n1;
  let high = out_n2;
  let wide = out_n3;
  let pixels: i32 = 123008;
  var total: f32 = 0.0;
  for (var first: i32 = 0; first < depth; first += TILE) {
    var inside = first + tx < depth;
    tile_w[ty][tx] = select(0.0, weights[m * weights_cols + (first + tx)], inside);
    inside = first + ty < depth;
    tile_u[ty][tx] = select(0.0, read_matrix(first + ty, pixel), inside);
    workgroupBarrier();
    total = total + tile_w[ty][0] * tile_u[0][tx];
    total = total + tile_w[ty][1] * tile_u[1][tx];
    total = total + tile_w[ty][2] * tile_u[2][tx];
    total = total + tile_w[ty][3] * tile_u[3][tx];
    total = total + tile_w[ty][4] * tile_u[4][tx];
    total = total + tile_w[ty][5] * tile_u[5][tx];
    total = total + tile_w[ty][6] * tile_u[6][tx];
    total = total + tile_w[ty][7] * tile_u[7][tx];
    total = total + tile_w[ty][8] * tile_u[8][tx];
    total = total + tile_w[ty][9] * tile_u[9][tx];
    total = total + tile_w[ty][10] * tile_u[10][tx];
    total = total + tile_w[ty][11] * tile_u[11][tx];
    total = total + tile_w[ty][12] * tile_u[12][tx];
    total = total + tile_w[ty][13] * tile_u[13][tx];
    total = total + tile_w[ty][14] * tile_u[14][tx];
    total = total + tile_w[ty][15] * tile_u[15][tx];
    workgroupBarrier();
  }
  out[pixel / 3844 * 246016 + m * 3844 + pixel / wide % high * out_n3 + pixel % wide] = total;
}

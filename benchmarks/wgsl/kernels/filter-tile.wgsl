// filter_tile_kernel, compiled from Python for 128 x 512 blocks of 32 x 8 threads.

const x_rows: i32 = 4096;
const x_cols: i32 = 4096;
const out_cols: i32 = 4096;
const WIDE: i32 = 32;
const HIGH: i32 = 8;

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
const w = array<f32, 49>(0.0012301534, 0.29874554, -0.27413785, -0.89059186, -0.4546708, -0.9916465, 0.0601436, 1.3402152, -0.4922065, -0.6204749, 0.48984206, 0.356887, 0.10541425, -0.930468, -0.029251823, 0.6953032, -1.3442146, -0.45761576, -1.9012227, -1.2895378, -1.841735, -0.23509113, -1.2674465, 0.27126434, 0.15675108, -0.18693094, -2.5167596, -0.5386929, -0.048500944, 0.11330899, -1.5301358, -0.47775328, -0.9785191, -0.80883723, 1.0608987, -0.8075347, -0.032521706, 0.8843899, -0.58360046, -0.11170195, 0.11046414, 0.063781776, -1.2250558, 0.07614023, 1.3588234, -1.5471447, 0.8593827, 0.119354025, -0.6414704);
var<workgroup> tile: array<array<f32, 38>, 14>;

@compute @workgroup_size(32, 8, 1)
fn filter_tile_kernel(@builtin(local_invocation_id) threadIdx: vec3u, @builtin(workgroup_id) blockIdx: vec3u) {
  var s: i32;
  var row: i32;
  var column: i32;
  var value: f32;
  let tx = i32(threadIdx.x);
  let ty = i32(threadIdx.y);
  let left = i32(blockIdx.x) * WIDE;
  let top = i32(blockIdx.y) * HIGH;
  let height = x_rows;
  let width = x_cols;
  for (var r = ty; r < 14; r += HIGH) {
    var s_1: i32 = tx;
    for (; s_1 < i32(-58); s_1 += 128) {
      s = s_1;
      row = top + r - 3;
      column = left + s - 3;
      value = 0.0;
      if ((0 <= row && row < height) && (0 <= column && column < width)) {
        value = x[row * x_cols + column];
      }
      tile[r][s] = value;
      s = s_1 + 32;
      row = top + r - 3;
      column = left + s - 3;
      value = 0.0;
      if ((0 <= row && row < height) && (0 <= column && column < width)) {
        value = x[row * x_cols + column];
      }
      tile[r][s] = value;
      s = s_1 + 64;
      row = top + r - 3;
      column = left + s - 3;
      value = 0.0;
      if ((0 <= row && row < height) && (0 <= column && column < width)) {
        value = x[row * x_cols + column];
      }
      tile[r][s] = value;
      s = s_1 + 96;
      row = top + r - 3;
      column = left + s - 3;
      value = 0.0;
      if ((0 <= row && row < height) && (0 <= column && column < width)) {
        value = x[row * x_cols + column];
      }
      tile[r][s] = value;
    }
    for (; s_1 < 38; s_1 += 32) {
      s = s_1;
      row = top + r - 3;
      column = left + s - 3;
      value = 0.0;
      if ((0 <= row && row < height) && (0 <= column && column < width)) {
        value = x[row * x_cols + column];
      }
      tile[r][s] = value;
    }
  }
  workgroupBarrier();  // everybody fetches and waits; only then some have nothing to write
  let i = top + ty;
  let j = left + tx;
  var total: f32 = 0.0;
  total = total + tile[ty + 0][tx + 0] * w[0];
  total = total + tile[ty + 0][tx + 1] * w[1];
  total = total + tile[ty + 0][tx + 2] * w[2];
  total = total + tile[ty + 0][tx + 3] * w[3];
  total = total + tile[ty + 0][tx + 4] * w[4];
  total = total + tile[ty + 0][tx + 5] * w[5];
  total = total + tile[ty + 0][tx + 6] * w[6];
  total = total + tile[ty + 1][tx + 0] * w[7];
  total = total + tile[ty + 1][tx + 1] * w[8];
  total = total + tile[ty + 1][tx + 2] * w[9];
  total = total + tile[ty + 1][tx + 3] * w[10];
  total = total + tile[ty + 1][tx + 4] * w[11];
  total = total + tile[ty + 1][tx + 5] * w[12];
  total = total + tile[ty + 1][tx + 6] * w[13];
  total = total + tile[ty + 2][tx + 0] * w[14];
  total = total + tile[ty + 2][tx + 1] * w[15];
  total = total + tile[ty + 2][tx + 2] * w[16];
  total = total + tile[ty + 2][tx + 3] * w[17];
  total = total + tile[ty + 2][tx + 4] * w[18];
  total = total + tile[ty + 2][tx + 5] * w[19];
  total = total + tile[ty + 2][tx + 6] * w[20];
  total = total + tile[ty + 3][tx + 0] * w[21];
  total = total + tile[ty + 3][tx + 1] * w[22];
  total = total + tile[ty + 3][tx + 2] * w[23];
  total = total + tile[ty + 3][tx + 3] * w[24];
  total = total + tile[ty + 3][tx + 4] * w[25];
  total = total + tile[ty + 3][tx + 5] * w[26];
  total = total + tile[ty + 3][tx + 6] * w[27];
  total = total + tile[ty + 4][tx + 0] * w[28];
  total = total + tile[ty + 4][tx + 1] * w[29];
  total = total + tile[ty + 4][tx + 2] * w[30];
  total = total + tile[ty + 4][tx + 3] * w[31];
  total = total + tile[ty + 4][tx + 4] * w[32];
  total = total + tile[ty + 4][tx + 5] * w[33];
  total = total + tile[ty + 4][tx + 6] * w[34];
  total = total + tile[ty + 5][tx + 0] * w[35];
  total = total + tile[ty + 5][tx + 1] * w[36];
  total = total + tile[ty + 5][tx + 2] * w[37];
  total = total + tile[ty + 5][tx + 3] * w[38];
  total = total + tile[ty + 5][tx + 4] * w[39];
  total = total + tile[ty + 5][tx + 5] * w[40];
  total = total + tile[ty + 5][tx + 6] * w[41];
  total = total + tile[ty + 6][tx + 0] * w[42];
  total = total + tile[ty + 6][tx + 1] * w[43];
  total = total + tile[ty + 6][tx + 2] * w[44];
  total = total + tile[ty + 6][tx + 3] * w[45];
  total = total + tile[ty + 6][tx + 4] * w[46];
  total = total + tile[ty + 6][tx + 5] * w[47];
  total = total + tile[ty + 6][tx + 6] * w[48];
  out[i * out_cols + j] = total;
}

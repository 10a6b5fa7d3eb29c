// filter_kernel, compiled from Python for 128 x 128 blocks of 32 x 8 threads.

const x_rows: i32 = 4096;
const x_cols: i32 = 4096;
const out_cols: i32 = 4096;
const DOWN: i32 = 4;
const blockDim_x: i32 = 32;
const blockDim_y: i32 = 8;
const S: i32 = 5;
const R: i32 = 5;

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> w: array<f32>;
@group(0) @binding(2) var<storage, read_write> out: array<f32>;
var<private> taps: array<f32, 25>;
var<private> acc: array<f32, 4>;

// A negative index counts from the end, as in Numba.
fn from_start(index: i32, size: i32) -> i32 { return select(index, index + size, index < 0); }

@compute @workgroup_size(32, 8, 1)
fn filter_kernel(@builtin(local_invocation_id) threadIdx: vec3u, @builtin(workgroup_id) blockIdx: vec3u) {
  let height = x_rows;
  let width = x_cols;
  let j = i32(blockIdx.x) * blockDim_x + i32(threadIdx.x);
  let top = (i32(blockIdx.y) * blockDim_y + i32(threadIdx.y)) * DOWN;
  taps[0] = w[0];
  taps[1] = w[1];
  taps[2] = w[2];
  taps[3] = w[3];
  taps[4] = w[4];
  taps[5] = w[5];
  taps[6] = w[6];
  taps[7] = w[7];
  taps[8] = w[8];
  taps[9] = w[9];
  taps[10] = w[10];
  taps[11] = w[11];
  taps[12] = w[12];
  taps[13] = w[13];
  taps[14] = w[14];
  taps[15] = w[15];
  taps[16] = w[16];
  taps[17] = w[17];
  taps[18] = w[18];
  taps[19] = w[19];
  taps[20] = w[20];
  taps[21] = w[21];
  taps[22] = w[22];
  taps[23] = w[23];
  taps[24] = w[24];
  acc[0] = 0.0;
  acc[1] = 0.0;
  acc[2] = 0.0;
  acc[3] = 0.0;
  for (var i: i32 = 0; i < 8; i++) {
    let row = top + i - 2;
    var column = j + 0 - 2;
    var value: f32 = 0.0;
    if ((0 <= row && row < height) && 0 <= column) {
      value = x[row * x_cols + column];
    }
    if (i - 0 < R) {
      acc[0] = acc[0] + value * taps[(i - 0) * S + 0];
    }
    if (0 <= i - 1 && i - 1 < R) {
      acc[1] = acc[1] + value * taps[from_start((i - 1) * S + 0, 25)];
    }
    if (0 <= i - 2 && i - 2 < R) {
      acc[2] = acc[2] + value * taps[from_start((i - 2) * S + 0, 25)];
    }
    if (0 <= i - 3) {
      acc[3] = acc[3] + value * taps[from_start((i - 3) * S + 0, 25)];
    }
    column = j + 1 - 2;
    value = 0.0;
    if ((0 <= row && row < height) && 0 <= column) {
      value = x[row * x_cols + column];
    }
    if (i - 0 < R) {
      acc[0] = acc[0] + value * taps[(i - 0) * S + 1];
    }
    if (0 <= i - 1 && i - 1 < R) {
      acc[1] = acc[1] + value * taps[from_start((i - 1) * S + 1, 25)];
    }
    if (0 <= i - 2 && i - 2 < R) {
      acc[2] = acc[2] + value * taps[from_start((i - 2) * S + 1, 25)];
    }
    if (0 <= i - 3) {
      acc[3] = acc[3] + value * taps[from_start((i - 3) * S + 1, 25)];
    }
    column = j + 2 - 2;
    value = 0.0;
    if (0 <= row && row < height) {
      value = x[row * x_cols + column];
    }
    if (i - 0 < R) {
      acc[0] = acc[0] + value * taps[(i - 0) * S + 2];
    }
    if (0 <= i - 1 && i - 1 < R) {
      acc[1] = acc[1] + value * taps[from_start((i - 1) * S + 2, 25)];
    }
    if (0 <= i - 2 && i - 2 < R) {
      acc[2] = acc[2] + value * taps[from_start((i - 2) * S + 2, 25)];
    }
    if (0 <= i - 3) {
      acc[3] = acc[3] + value * taps[from_start((i - 3) * S + 2, 25)];
    }
    column = j + 3 - 2;
    value = 0.0;
    if ((0 <= row && row < height) && column < width) {
      value = x[row * x_cols + column];
    }
    if (i - 0 < R) {
      acc[0] = acc[0] + value * taps[(i - 0) * S + 3];
    }
    if (0 <= i - 1 && i - 1 < R) {
      acc[1] = acc[1] + value * taps[from_start((i - 1) * S + 3, 25)];
    }
    if (0 <= i - 2 && i - 2 < R) {
      acc[2] = acc[2] + value * taps[from_start((i - 2) * S + 3, 25)];
    }
    if (0 <= i - 3) {
      acc[3] = acc[3] + value * taps[from_start((i - 3) * S + 3, 25)];
    }
    column = j + 4 - 2;
    value = 0.0;
    if ((0 <= row && row < height) && column < width) {
      value = x[row * x_cols + column];
    }
    if (i - 0 < R) {
      acc[0] = acc[0] + value * taps[(i - 0) * S + 4];
    }
    if (0 <= i - 1 && i - 1 < R) {
      acc[1] = acc[1] + value * taps[from_start((i - 1) * S + 4, 25)];
    }
    if (0 <= i - 2 && i - 2 < R) {
      acc[2] = acc[2] + value * taps[from_start((i - 2) * S + 4, 25)];
    }
    if (0 <= i - 3) {
      acc[3] = acc[3] + value * taps[from_start((i - 3) * S + 4, 25)];
    }
  }
  out[(top + 0) * out_cols + j] = acc[0];
  out[(top + 1) * out_cols + j] = acc[1];
  out[(top + 2) * out_cols + j] = acc[2];
  out[(top + 3) * out_cols + j] = acc[3];
}

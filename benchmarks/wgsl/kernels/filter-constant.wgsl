// filter_constant_kernel, compiled from Python for 128 x 512 blocks of 32 x 8 threads.

const x_rows: i32 = 4096;
const x_cols: i32 = 4096;
const out_cols: i32 = 4096;
const blockDim_x: i32 = 32;
const blockDim_y: i32 = 8;

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
const w = array<f32, 49>(0.0012301534, 0.29874554, -0.27413785, -0.89059186, -0.4546708, -0.9916465, 0.0601436, 1.3402152, -0.4922065, -0.6204749, 0.48984206, 0.356887, 0.10541425, -0.930468, -0.029251823, 0.6953032, -1.3442146, -0.45761576, -1.9012227, -1.2895378, -1.841735, -0.23509113, -1.2674465, 0.27126434, 0.15675108, -0.18693094, -2.5167596, -0.5386929, -0.048500944, 0.11330899, -1.5301358, -0.47775328, -0.9785191, -0.80883723, 1.0608987, -0.8075347, -0.032521706, 0.8843899, -0.58360046, -0.11170195, 0.11046414, 0.063781776, -1.2250558, 0.07614023, 1.3588234, -1.5471447, 0.8593827, 0.119354025, -0.6414704);

@compute @workgroup_size(32, 8, 1)
fn filter_constant_kernel(@builtin(local_invocation_id) threadIdx: vec3u, @builtin(workgroup_id) blockIdx: vec3u) {
  var j = i32(blockIdx.x) * blockDim_x + i32(threadIdx.x);
  var i = i32(blockIdx.y) * blockDim_y + i32(threadIdx.y);
  let t1 = i;
  let t2 = j;
  i = t1;
  j = t2;
  let height = x_rows;
  let width = x_cols;
  var total: f32 = 0.0;
  var row = i + 0 - 3;
  var column = j + 0 - 3;
  if (0 <= row && 0 <= column) {
    total = total + x[row * x_cols + column] * w[0];
  }
  row = i + 0 - 3;
  column = j + 1 - 3;
  if (0 <= row && 0 <= column) {
    total = total + x[row * x_cols + column] * w[1];
  }
  row = i + 0 - 3;
  column = j + 2 - 3;
  if (0 <= row && 0 <= column) {
    total = total + x[row * x_cols + column] * w[2];
  }
  row = i + 0 - 3;
  column = j + 3 - 3;
  if (0 <= row) {
    total = total + x[row * x_cols + column] * w[3];
  }
  row = i + 0 - 3;
  column = j + 4 - 3;
  if (0 <= row && column < width) {
    total = total + x[row * x_cols + column] * w[4];
  }
  row = i + 0 - 3;
  column = j + 5 - 3;
  if (0 <= row && column < width) {
    total = total + x[row * x_cols + column] * w[5];
  }
  row = i + 0 - 3;
  column = j + 6 - 3;
  if (0 <= row && column < width) {
    total = total + x[row * x_cols + column] * w[6];
  }
  row = i + 1 - 3;
  column = j + 0 - 3;
  if (0 <= row && 0 <= column) {
    total = total + x[row * x_cols + column] * w[7];
  }
  row = i + 1 - 3;
  column = j + 1 - 3;
  if (0 <= row && 0 <= column) {
    total = total + x[row * x_cols + column] * w[8];
  }
  row = i + 1 - 3;
  column = j + 2 - 3;
  if (0 <= row && 0 <= column) {
    total = total + x[row * x_cols + column] * w[9];
  }
  row = i + 1 - 3;
  column = j + 3 - 3;
  if (0 <= row) {
    total = total + x[row * x_cols + column] * w[10];
  }
  row = i + 1 - 3;
  column = j + 4 - 3;
  if (0 <= row && column < width) {
    total = total + x[row * x_cols + column] * w[11];
  }
  row = i + 1 - 3;
  column = j + 5 - 3;
  if (0 <= row && column < width) {
    total = total + x[row * x_cols + column] * w[12];
  }
  row = i + 1 - 3;
  column = j + 6 - 3;
  if (0 <= row && column < width) {
    total = total + x[row * x_cols + column] * w[13];
  }
  row = i + 2 - 3;
  column = j + 0 - 3;
  if (0 <= row && 0 <= column) {
    total = total + x[row * x_cols + column] * w[14];
  }
  row = i + 2 - 3;
  column = j + 1 - 3;
  if (0 <= row && 0 <= column) {
    total = total + x[row * x_cols + column] * w[15];
  }
  row = i + 2 - 3;
  column = j + 2 - 3;
  if (0 <= row && 0 <= column) {
    total = total + x[row * x_cols + column] * w[16];
  }
  row = i + 2 - 3;
  column = j + 3 - 3;
  if (0 <= row) {
    total = total + x[row * x_cols + column] * w[17];
  }
  row = i + 2 - 3;
  column = j + 4 - 3;
  if (0 <= row && column < width) {
    total = total + x[row * x_cols + column] * w[18];
  }
  row = i + 2 - 3;
  column = j + 5 - 3;
  if (0 <= row && column < width) {
    total = total + x[row * x_cols + column] * w[19];
  }
  row = i + 2 - 3;
  column = j + 6 - 3;
  if (0 <= row && column < width) {
    total = total + x[row * x_cols + column] * w[20];
  }
  row = i + 3 - 3;
  column = j + 0 - 3;
  if (0 <= column) {
    total = total + x[row * x_cols + column] * w[21];
  }
  row = i + 3 - 3;
  column = j + 1 - 3;
  if (0 <= column) {
    total = total + x[row * x_cols + column] * w[22];
  }
  row = i + 3 - 3;
  column = j + 2 - 3;
  if (0 <= column) {
    total = total + x[row * x_cols + column] * w[23];
  }
  row = i + 3 - 3;
  column = j + 3 - 3;
  total = total + x[row * x_cols + column] * w[24];
  row = i + 3 - 3;
  column = j + 4 - 3;
  if (column < width) {
    total = total + x[row * x_cols + column] * w[25];
  }
  row = i + 3 - 3;
  column = j + 5 - 3;
  if (column < width) {
    total = total + x[row * x_cols + column] * w[26];
  }
  row = i + 3 - 3;
  column = j + 6 - 3;
  if (column < width) {
    total = total + x[row * x_cols + column] * w[27];
  }
  row = i + 4 - 3;
  column = j + 0 - 3;
  if (row < height && 0 <= column) {
    total = total + x[row * x_cols + column] * w[28];
  }
  row = i + 4 - 3;
  column = j + 1 - 3;
  if (row < height && 0 <= column) {
    total = total + x[row * x_cols + column] * w[29];
  }
  row = i + 4 - 3;
  column = j + 2 - 3;
  if (row < height && 0 <= column) {
    total = total + x[row * x_cols + column] * w[30];
  }
  row = i + 4 - 3;
  column = j + 3 - 3;
  if (row < height) {
    total = total + x[row * x_cols + column] * w[31];
  }
  row = i + 4 - 3;
  column = j + 4 - 3;
  if (row < height && column < width) {
    total = total + x[row * x_cols + column] * w[32];
  }
  row = i + 4 - 3;
  column = j + 5 - 3;
  if (row < height && column < width) {
    total = total + x[row * x_cols + column] * w[33];
  }
  row = i + 4 - 3;
  column = j + 6 - 3;
  if (row < height && column < width) {
    total = total + x[row * x_cols + column] * w[34];
  }
  row = i + 5 - 3;
  column = j + 0 - 3;
  if (row < height && 0 <= column) {
    total = total + x[row * x_cols + column] * w[35];
  }
  row = i + 5 - 3;
  column = j + 1 - 3;
  if (row < height && 0 <= column) {
    total = total + x[row * x_cols + column] * w[36];
  }
  row = i + 5 - 3;
  column = j + 2 - 3;
  if (row < height && 0 <= column) {
    total = total + x[row * x_cols + column] * w[37];
  }
  row = i + 5 - 3;
  column = j + 3 - 3;
  if (row < height) {
    total = total + x[row * x_cols + column] * w[38];
  }
  row = i + 5 - 3;
  column = j + 4 - 3;
  if (row < height && column < width) {
    total = total + x[row * x_cols + column] * w[39];
  }
  row = i + 5 - 3;
  column = j + 5 - 3;
  if (row < height && column < width) {
    total = total + x[row * x_cols + column] * w[40];
  }
  row = i + 5 - 3;
  column = j + 6 - 3;
  if (row < height && column < width) {
    total = total + x[row * x_cols + column] * w[41];
  }
  row = i + 6 - 3;
  column = j + 0 - 3;
  if (row < height && 0 <= column) {
    total = total + x[row * x_cols + column] * w[42];
  }
  row = i + 6 - 3;
  column = j + 1 - 3;
  if (row < height && 0 <= column) {
    total = total + x[row * x_cols + column] * w[43];
  }
  row = i + 6 - 3;
  column = j + 2 - 3;
  if (row < height && 0 <= column) {
    total = total + x[row * x_cols + column] * w[44];
  }
  row = i + 6 - 3;
  column = j + 3 - 3;
  if (row < height) {
    total = total + x[row * x_cols + column] * w[45];
  }
  row = i + 6 - 3;
  column = j + 4 - 3;
  if (row < height && column < width) {
    total = total + x[row * x_cols + column] * w[46];
  }
  row = i + 6 - 3;
  column = j + 5 - 3;
  if (row < height && column < width) {
    total = total + x[row * x_cols + column] * w[47];
  }
  row = i + 6 - 3;
  column = j + 6 - 3;
  if (row < height && column < width) {
    total = total + x[row * x_cols + column] * w[48];
  }
  out[i * out_cols + j] = total;
}

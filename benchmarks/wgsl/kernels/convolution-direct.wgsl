// conv_direct_kernel, compiled from Python for 16 x 128 x 32 blocks of 32 x 4 threads.

const x_n2: i32 = 512;
const x_n3: i32 = 512;
const padding: i32 = 1;
const out_n1: i32 = 4;
const out_n3: i32 = 512;
const blockDim_x: i32 = 32;
const blockDim_y: i32 = 4;
const blockDim_z: i32 = 1;

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> w: array<f32>;
@group(0) @binding(2) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(32, 4, 1)
fn conv_direct_kernel(@builtin(local_invocation_id) threadIdx: vec3u, @builtin(workgroup_id) blockIdx: vec3u) {
  var q = i32(blockIdx.x) * blockDim_x + i32(threadIdx.x);
  var p = i32(blockIdx.y) * blockDim_y + i32(threadIdx.y);
  let image = i32(blockIdx.z) * blockDim_z + 0;
  let t1 = q;
  let t2 = p;
  q = t1;
  p = t2;
  let outputs = out_n1;
  let n = image / 4;
  let k = image % 4;
  let height = x_n2;
  let width = x_n3;
  var total: f32 = 0.0;
  var i = p + 0 - padding;
  var j = q + 0 - padding;
  if (0 <= i && 0 <= j) {  // outside of the image are zeros
    total = total + x[n * 1048576 + 0 + i * x_n3 + j] * w[k * 36 + 0 + 0 + 0];
  }
  i = p + 0 - padding;
  j = q + 1 - padding;
  if (0 <= i) {
    total = total + x[n * 1048576 + 0 + i * x_n3 + j] * w[k * 36 + 0 + 0 + 1];
  }
  i = p + 0 - padding;
  j = q + 2 - padding;
  if (0 <= i && j < width) {
    total = total + x[n * 1048576 + 0 + i * x_n3 + j] * w[k * 36 + 0 + 0 + 2];
  }
  i = p + 1 - padding;
  j = q + 0 - padding;
  if (0 <= j) {
    total = total + x[n * 1048576 + 0 + i * x_n3 + j] * w[k * 36 + 0 + 3 + 0];
  }
  i = p + 1 - padding;
  j = q + 1 - padding;
  total = total + x[n * 1048576 + 0 + i * x_n3 + j] * w[k * 36 + 0 + 3 + 1];
  i = p + 1 - padding;
  j = q + 2 - padding;
  if (j < width) {
    total = total + x[n * 1048576 + 0 + i * x_n3 + j] * w[k * 36 + 0 + 3 + 2];
  }
  i = p + 2 - padding;
  j = q + 0 - padding;
  if (i < height && 0 <= j) {
    total = total + x[n * 1048576 + 0 + i * x_n3 + j] * w[k * 36 + 0 + 6 + 0];
  }
  i = p + 2 - padding;
  j = q + 1 - padding;
  if (i < height) {
    total = total + x[n * 1048576 + 0 + i * x_n3 + j] * w[k * 36 + 0 + 6 + 1];
  }
  i = p + 2 - padding;
  j = q + 2 - padding;
  if (i < height && j < width) {
    total = total + x[n * 1048576 + 0 + i * x_n3 + j] * w[k * 36 + 0 + 6 + 2];
  }
  i = p + 0 - padding;
  j = q + 0 - padding;
  if (0 <= i && 0 <= j) {
    total = total + x[n * 1048576 + 262144 + i * x_n3 + j] * w[k * 36 + 9 + 0 + 0];
  }
  i = p + 0 - padding;
  j = q + 1 - padding;
  if (0 <= i) {
    total = total + x[n * 1048576 + 262144 + i * x_n3 + j] * w[k * 36 + 9 + 0 + 1];
  }
  i = p + 0 - padding;
  j = q + 2 - padding;
  if (0 <= i && j < width) {
    total = total + x[n * 1048576 + 262144 + i * x_n3 + j] * w[k * 36 + 9 + 0 + 2];
  }
  i = p + 1 - padding;
  j = q + 0 - padding;
  if (0 <= j) {
    total = total + x[n * 1048576 + 262144 + i * x_n3 + j] * w[k * 36 + 9 + 3 + 0];
  }
  i = p + 1 - padding;
  j = q + 1 - padding;
  total = total + x[n * 1048576 + 262144 + i * x_n3 + j] * w[k * 36 + 9 + 3 + 1];
  i = p + 1 - padding;
  j = q + 2 - padding;
  if (j < width) {
    total = total + x[n * 1048576 + 262144 + i * x_n3 + j] * w[k * 36 + 9 + 3 + 2];
  }
  i = p + 2 - padding;
  j = q + 0 - padding;
  if (i < height && 0 <= j) {
    total = total + x[n * 1048576 + 262144 + i * x_n3 + j] * w[k * 36 + 9 + 6 + 0];
  }
  i = p + 2 - padding;
  j = q + 1 - padding;
  if (i < height) {
    total = total + x[n * 1048576 + 262144 + i * x_n3 + j] * w[k * 36 + 9 + 6 + 1];
  }
  i = p + 2 - padding;
  j = q + 2 - padding;
  if (i < height && j < width) {
    total = total + x[n * 1048576 + 262144 + i * x_n3 + j] * w[k * 36 + 9 + 6 + 2];
  }
  i = p + 0 - padding;
  j = q + 0 - padding;
  if (0 <= i && 0 <= j) {
    total = total + x[n * 1048576 + 524288 + i * x_n3 + j] * w[k * 36 + 18 + 0 + 0];
  }
  i = p + 0 - padding;
  j = q + 1 - padding;
  if (0 <= i) {
    total = total + x[n * 1048576 + 524288 + i * x_n3 + j] * w[k * 36 + 18 + 0 + 1];
  }
  i = p + 0 - padding;
  j = q + 2 - padding;
  if (0 <= i && j < width) {
    total = total + x[n * 1048576 + 524288 + i * x_n3 + j] * w[k * 36 + 18 + 0 + 2];
  }
  i = p + 1 - padding;
  j = q + 0 - padding;
  if (0 <= j) {
    total = total + x[n * 1048576 + 524288 + i * x_n3 + j] * w[k * 36 + 18 + 3 + 0];
  }
  i = p + 1 - padding;
  j = q + 1 - padding;
  total = total + x[n * 1048576 + 524288 + i * x_n3 + j] * w[k * 36 + 18 + 3 + 1];
  i = p + 1 - padding;
  j = q + 2 - padding;
  if (j < width) {
    total = total + x[n * 1048576 + 524288 + i * x_n3 + j] * w[k * 36 + 18 + 3 + 2];
  }
  i = p + 2 - padding;
  j = q + 0 - padding;
  if (i < height && 0 <= j) {
    total = total + x[n * 1048576 + 524288 + i * x_n3 + j] * w[k * 36 + 18 + 6 + 0];
  }
  i = p + 2 - padding;
  j = q + 1 - padding;
  if (i < height) {
    total = total + x[n * 1048576 + 524288 + i * x_n3 + j] * w[k * 36 + 18 + 6 + 1];
  }
  i = p + 2 - padding;
  j = q + 2 - padding;
  if (i < height && j < width) {
    total = total + x[n * 1048576 + 524288 + i * x_n3 + j] * w[k * 36 + 18 + 6 + 2];
  }
  i = p + 0 - padding;
  j = q + 0 - padding;
  if (0 <= i && 0 <= j) {
    total = total + x[n * 1048576 + 786432 + i * x_n3 + j] * w[k * 36 + 27 + 0 + 0];
  }
  i = p + 0 - padding;
  j = q + 1 - padding;
  if (0 <= i) {
    total = total + x[n * 1048576 + 786432 + i * x_n3 + j] * w[k * 36 + 27 + 0 + 1];
  }
  i = p + 0 - padding;
  j = q + 2 - padding;
  if (0 <= i && j < width) {
    total = total + x[n * 1048576 + 786432 + i * x_n3 + j] * w[k * 36 + 27 + 0 + 2];
  }
  i = p + 1 - padding;
  j = q + 0 - padding;
  if (0 <= j) {
    total = total + x[n * 1048576 + 786432 + i * x_n3 + j] * w[k * 36 + 27 + 3 + 0];
  }
  i = p + 1 - padding;
  j = q + 1 - padding;
  total = total + x[n * 1048576 + 786432 + i * x_n3 + j] * w[k * 36 + 27 + 3 + 1];
  i = p + 1 - padding;
  j = q + 2 - padding;
  if (j < width) {
    total = total + x[n * 1048576 + 786432 + i * x_n3 + j] * w[k * 36 + 27 + 3 + 2];
  }
  i = p + 2 - padding;
  j = q + 0 - padding;
  if (i < height && 0 <= j) {
    total = total + x[n * 1048576 + 786432 + i * x_n3 + j] * w[k * 36 + 27 + 6 + 0];
  }
  i = p + 2 - padding;
  j = q + 1 - padding;
  if (i < height) {
    total = total + x[n * 1048576 + 786432 + i * x_n3 + j] * w[k * 36 + 27 + 6 + 1];
  }
  i = p + 2 - padding;
  j = q + 2 - padding;
  if (i < height && j < width) {
    total = total + x[n * 1048576 + 786432 + i * x_n3 + j] * w[k * 36 + 27 + 6 + 2];
  }
  out[n * 1048576 + k * 262144 + p * out_n3 + q] = total;
}

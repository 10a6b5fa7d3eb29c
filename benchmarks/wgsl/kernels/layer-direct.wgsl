// direct_kernel, compiled from Python for 61504 blocks of 128 threads.

const x_n3: i32 = 64;
const weights_n1: i32 = 32;
const out_n0: i32 = 32;
const out_n1: i32 = 64;
const out_n2: i32 = 62;
const out_n3: i32 = 62;
const blockDim_x: i32 = 128;

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> weights: array<f32>;
@group(0) @binding(2) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(128, 1, 1)
fn direct_kernel(@builtin(local_invocation_id) threadIdx: vec3u, @builtin(workgroup_id) blockIdx: vec3u) {
  let place = i32(blockIdx.x) * blockDim_x + i32(threadIdx.x);
  let images = out_n0;
  let maps = out_n1;
  let high = out_n2;
  let wide = out_n3;
  let column = place % wide;
  let row = place / wide % high;
  let m = place / 3844 % maps;
  let image = place / 246016;
  var total: f32 = 0.0;
  for (var c: i32 = 0; c < weights_n1; c++) {
    total = total + x[image * 131072 + c * 4096 + (row + 0) * x_n3 + (column + 0)] * weights[m * 288 + c * 9 + 0 + 0];
    total = total + x[image * 131072 + c * 4096 + (row + 0) * x_n3 + (column + 1)] * weights[m * 288 + c * 9 + 0 + 1];
    total = total + x[image * 131072 + c * 4096 + (row + 0) * x_n3 + (column + 2)] * weights[m * 288 + c * 9 + 0 + 2];
    total = total + x[image * 131072 + c * 4096 + (row + 1) * x_n3 + (column + 0)] * weights[m * 288 + c * 9 + 3 + 0];
    total = total + x[image * 131072 + c * 4096 + (row + 1) * x_n3 + (column + 1)] * weights[m * 288 + c * 9 + 3 + 1];
    total = total + x[image * 131072 + c * 4096 + (row + 1) * x_n3 + (column + 2)] * weights[m * 288 + c * 9 + 3 + 2];
    total = total + x[image * 131072 + c * 4096 + (row + 2) * x_n3 + (column + 0)] * weights[m * 288 + c * 9 + 6 + 0];
    total = total + x[image * 131072 + c * 4096 + (row + 2) * x_n3 + (column + 1)] * weights[m * 288 + c * 9 + 6 + 1];
    total = total + x[image * 131072 + c * 4096 + (row + 2) * x_n3 + (column + 2)] * weights[m * 288 + c * 9 + 6 + 2];
  }
  out[image * 246016 + m * 3844 + row * out_n3 + column] = total;
}

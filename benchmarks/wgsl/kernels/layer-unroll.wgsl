// unroll_kernel, compiled from Python for 30752 blocks of 128 threads.

const x_n0: i32 = 32;
const x_n1: i32 = 32;
const x_n2: i32 = 64;
const x_n3: i32 = 64;
const size: i32 = 3;
const unrolled_cols: i32 = 123008;
const blockDim_x: i32 = 128;

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> unrolled: array<f32>;

@compute @workgroup_size(128, 1, 1)
fn unroll_kernel(@builtin(local_invocation_id) threadIdx: vec3u, @builtin(workgroup_id) blockIdx: vec3u) {
  let place = i32(blockIdx.x) * blockDim_x + i32(threadIdx.x);
  let images = x_n0;
  let channels = x_n1;
  let height = x_n2;
  let width = x_n3;
  let high: i32 = 62;
  let wide: i32 = 62;
  let pixels: i32 = 123008;
  let c = place / pixels;
  let pixel = place % pixels;
  let column = pixel % wide;
  let row = pixel / wide % high;
  let image = pixel / 3844;
  unrolled[((c * size + 0) * size + 0) * unrolled_cols + pixel] = x[image * 131072 + c * 4096 + (row + 0) * x_n3 + (column + 0)];
  unrolled[((c * size + 0) * size + 1) * unrolled_cols + pixel] = x[image * 131072 + c * 4096 + (row + 0) * x_n3 + (column + 1)];
  unrolled[((c * size + 0) * size + 2) * unrolled_cols + pixel] = x[image * 131072 + c * 4096 + (row + 0) * x_n3 + (column + 2)];
  unrolled[((c * size + 1) * size + 0) * unrolled_cols + pixel] = x[image * 131072 + c * 4096 + (row + 1) * x_n3 + (column + 0)];
  unrolled[((c * size + 1) * size + 1) * unrolled_cols + pixel] = x[image * 131072 + c * 4096 + (row + 1) * x_n3 + (column + 1)];
  unrolled[((c * size + 1) * size + 2) * unrolled_cols + pixel] = x[image * 131072 + c * 4096 + (row + 1) * x_n3 + (column + 2)];
  unrolled[((c * size + 2) * size + 0) * unrolled_cols + pixel] = x[image * 131072 + c * 4096 + (row + 2) * x_n3 + (column + 0)];
  unrolled[((c * size + 2) * size + 1) * unrolled_cols + pixel] = x[image * 131072 + c * 4096 + (row + 2) * x_n3 + (column + 1)];
  unrolled[((c * size + 2) * size + 2) * unrolled_cols + pixel] = x[image * 131072 + c * 4096 + (row + 2) * x_n3 + (column + 2)];
}

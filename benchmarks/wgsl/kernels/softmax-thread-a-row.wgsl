// thread_a_row_kernel, compiled from Python for 64 blocks of 64 threads.

const x_cols: i32 = 8192;
const out_cols: i32 = 8192;
const blockDim_x: i32 = 64;

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;

// By its bits: WGSL lets a compiler assume that there is no NaN.
fn is_nan(x: f32) -> bool { return (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u; }

// A NaN gives way to the other number, as in CUDA.
fn fmax(a: f32, b: f32) -> f32 { return select(select(max(a, b), a, is_nan(b)), b, is_nan(a)); }

fn exp_(x: f32) -> f32 { return select(exp(x), x, is_nan(x)); }

@compute @workgroup_size(64, 1, 1)
fn thread_a_row_kernel(@builtin(local_invocation_id) threadIdx: vec3u, @builtin(workgroup_id) blockIdx: vec3u) {
  var c: i32;
  let row = i32(blockIdx.x) * blockDim_x + i32(threadIdx.x);
  var largest = x[row * x_cols + 0];
  var c_1: i32 = 0;
  for (; c_1 < 8189; c_1 += 4) {
    c = c_1;
    largest = fmax(largest, x[row * x_cols + c]);
    c = c_1 + 1;
    largest = fmax(largest, x[row * x_cols + c]);
    c = c_1 + 2;
    largest = fmax(largest, x[row * x_cols + c]);
    c = c_1 + 3;
    largest = fmax(largest, x[row * x_cols + c]);
  }
  for (; c_1 < x_cols; c_1 += 1) {
    c = c_1;
    largest = fmax(largest, x[row * x_cols + c]);
  }
  var total: f32 = 0.0;
  var c_2: i32 = 0;
  for (; c_2 < 8189; c_2 += 4) {
    c = c_2;
    total += exp_(x[row * x_cols + c] - largest);
    c = c_2 + 1;
    total += exp_(x[row * x_cols + c] - largest);
    c = c_2 + 2;
    total += exp_(x[row * x_cols + c] - largest);
    c = c_2 + 3;
    total += exp_(x[row * x_cols + c] - largest);
  }
  for (; c_2 < x_cols; c_2 += 1) {
    c = c_2;
    total += exp_(x[row * x_cols + c] - largest);
  }
  var c_3: i32 = 0;
  for (; c_3 < 8189; c_3 += 4) {
    c = c_3;
    out[row * out_cols + c] = exp_(x[row * x_cols + c] - largest) / total;
    c = c_3 + 1;
    out[row * out_cols + c] = exp_(x[row * x_cols + c] - largest) / total;
    c = c_3 + 2;
    out[row * out_cols + c] = exp_(x[row * x_cols + c] - largest) / total;
    c = c_3 + 3;
    out[row * out_cols + c] = exp_(x[row * x_cols + c] - largest) / total;
  }
  for (; c_3 < x_cols; c_3 += 1) {
    c = c_3;
    out[row * out_cols + c] = exp_(x[row * x_cols + c] - largest) / total;
  }
}

// narrow_layer_kernel, compiled from Python for 131072 blocks of 32 x 8 threads.

const x_cols: i32 = 32;
const out_cols: i32 = 32;
const blockDim_y: i32 = 8;

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> w: array<f32>;
@group(0) @binding(2) var<storage, read> bias: array<f32>;
@group(0) @binding(3) var<storage, read_write> out: array<f32>;

// By its bits: WGSL lets a compiler assume that there is no NaN.
fn is_nan(x: f32) -> bool { return (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u; }

// A NaN gives way to the other number, as in CUDA.
fn fmax(a: f32, b: f32) -> f32 { return select(select(max(a, b), a, is_nan(b)), b, is_nan(a)); }

@compute @workgroup_size(32, 8, 1)
fn narrow_layer_kernel(@builtin(local_invocation_id) threadIdx: vec3u, @builtin(workgroup_id) group: vec3u) {
  // More blocks than a dispatch has along x: they lie in rows of 32768.
  let blockIdx = vec3u(group.x + group.y * 32768u, 0u, 0u);
  let column = 0 + i32(threadIdx.x);
  let point = i32(blockIdx.x) * blockDim_y + i32(threadIdx.y);
  var total = bias[column];
  total = total + x[point * x_cols + 0] * w[0 + column];
  total = total + x[point * x_cols + 1] * w[32 + column];
  total = total + x[point * x_cols + 2] * w[64 + column];
  total = total + x[point * x_cols + 3] * w[96 + column];
  total = total + x[point * x_cols + 4] * w[128 + column];
  total = total + x[point * x_cols + 5] * w[160 + column];
  total = total + x[point * x_cols + 6] * w[192 + column];
  total = total + x[point * x_cols + 7] * w[224 + column];
  total = total + x[point * x_cols + 8] * w[256 + column];
  total = total + x[point * x_cols + 9] * w[288 + column];
  total = total + x[point * x_cols + 10] * w[320 + column];
  total = total + x[point * x_cols + 11] * w[352 + column];
  total = total + x[point * x_cols + 12] * w[384 + column];
  total = total + x[point * x_cols + 13] * w[416 + column];
  total = total + x[point * x_cols + 14] * w[448 + column];
  total = total + x[point * x_cols + 15] * w[480 + column];
  total = total + x[point * x_cols + 16] * w[512 + column];
  total = total + x[point * x_cols + 17] * w[544 + column];
  total = total + x[point * x_cols + 18] * w[576 + column];
  total = total + x[point * x_cols + 19] * w[608 + column];
  total = total + x[point * x_cols + 20] * w[640 + column];
  total = total + x[point * x_cols + 21] * w[672 + column];
  total = total + x[point * x_cols + 22] * w[704 + column];
  total = total + x[point * x_cols + 23] * w[736 + column];
  total = total + x[point * x_cols + 24] * w[768 + column];
  total = total + x[point * x_cols + 25] * w[800 + column];
  total = total + x[point * x_cols + 26] * w[832 + column];
  total = total + x[point * x_cols + 27] * w[864 + column];
  total = total + x[point * x_cols + 28] * w[896 + column];
  total = total + x[point * x_cols + 29] * w[928 + column];
  total = total + x[point * x_cols + 30] * w[960 + column];
  total = total + x[point * x_cols + 31] * w[992 + column];
  out[point * out_cols + column] = fmax(total, 0.0);
}

// online_kernel, compiled from Python for 16 blocks of 128 threads.

const q_cols: i32 = 64;
const k_rows: i32 = 2048;
const k_cols: i32 = 64;
const v_cols: i32 = 64;
const out_cols: i32 = 64;
const blockDim_x: i32 = 128;

@group(0) @binding(0) var<storage, read> q: array<f32>;
@group(0) @binding(1) var<storage, read> k: array<f32>;
@group(0) @binding(2) var<storage, read> v: array<f32>;
@group(0) @binding(3) var<storage, read_write> out: array<f32>;
struct Params { scale: f32, infinity: f32, hidden: f32 }
@group(0) @binding(4) var<uniform> params: Params;
var<private> acc: array<f32, 128>;

// By its bits: WGSL lets a compiler assume that there is no NaN.
fn is_nan(x: f32) -> bool { return (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u; }

// A NaN gives way to the other number, as in CUDA.
fn fmax(a: f32, b: f32) -> f32 { return select(select(max(a, b), a, is_nan(b)), b, is_nan(a)); }

fn exp_(x: f32) -> f32 { return select(exp(x), x, is_nan(x)); }

@compute @workgroup_size(128, 1, 1)
fn online_kernel(@builtin(local_invocation_id) threadIdx: vec3u, @builtin(workgroup_id) blockIdx: vec3u) {
  var d: i32;
  let query = i32(blockIdx.x) * blockDim_x + i32(threadIdx.x);
  var d_1: i32 = 0;
  for (; d_1 < 61; d_1 += 4) {
    d = d_1;
    acc[d] = 0.0;
    d = d_1 + 1;
    acc[d] = 0.0;
    d = d_1 + 2;
    acc[d] = 0.0;
    d = d_1 + 3;
    acc[d] = 0.0;
  }
  for (; d_1 < q_cols; d_1 += 1) {
    d = d_1;
    acc[d] = 0.0;
  }
  var row_max = -params.infinity;
  var row_sum: f32 = 0.0;
  let keys = k_rows;
  for (var key: i32 = 0; key < keys; key++) {
    var score: f32 = 0.0;
    var d_2: i32 = 0;
    for (; d_2 < 61; d_2 += 4) {
      d = d_2;
      score = score + q[query * q_cols + d] * k[key * k_cols + d];
      d = d_2 + 1;
      score = score + q[query * q_cols + d] * k[key * k_cols + d];
      d = d_2 + 2;
      score = score + q[query * q_cols + d] * k[key * k_cols + d];
      d = d_2 + 3;
      score = score + q[query * q_cols + d] * k[key * k_cols + d];
    }
    for (; d_2 < q_cols; d_2 += 1) {
      d = d_2;
      score = score + q[query * q_cols + d] * k[key * k_cols + d];
    }
    score *= params.scale;
    let new_max = fmax(row_max, score);
    let alpha = exp_(row_max - new_max);  // 1 where the maximum stays
    let weight = exp_(score - new_max);
    row_sum = row_sum * alpha + weight;
    var d_3: i32 = 0;
    for (; d_3 < 61; d_3 += 4) {
      d = d_3;
      acc[d] = acc[d] * alpha + weight * v[key * v_cols + d];
      d = d_3 + 1;
      acc[d] = acc[d] * alpha + weight * v[key * v_cols + d];
      d = d_3 + 2;
      acc[d] = acc[d] * alpha + weight * v[key * v_cols + d];
      d = d_3 + 3;
      acc[d] = acc[d] * alpha + weight * v[key * v_cols + d];
    }
    for (; d_3 < q_cols; d_3 += 1) {
      d = d_3;
      acc[d] = acc[d] * alpha + weight * v[key * v_cols + d];
    }
    row_max = new_max;
  }
  var d_4: i32 = 0;
  for (; d_4 < 61; d_4 += 4) {
    d = d_4;
    out[query * out_cols + d] = acc[d] / row_sum;
    d = d_4 + 1;
    out[query * out_cols + d] = acc[d] / row_sum;
    d = d_4 + 2;
    out[query * out_cols + d] = acc[d] / row_sum;
    d = d_4 + 3;
    out[query * out_cols + d] = acc[d] / row_sum;
  }
  for (; d_4 < q_cols; d_4 += 1) {
    d = d_4;
    out[query * out_cols + d] = acc[d] / row_sum;
  }
}

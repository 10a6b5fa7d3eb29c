enable subgroups;
diagnostic(off, subgroup_uniformity);
// three_pass_kernel, compiled from Python for 4096 blocks of 256 threads.

const x_cols: i32 = 8192;
const out_cols: i32 = 8192;

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
var<workgroup> box: array<f32, 32>;

// By its bits: WGSL lets a compiler assume that there is no NaN.
fn is_nan(x: f32) -> bool { return (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u; }

// A NaN gives way to the other number, as in CUDA.
fn fmax(a: f32, b: f32) -> f32 { return select(select(max(a, b), a, is_nan(b)), b, is_nan(a)); }

fn exp_(x: f32) -> f32 { return select(exp(x), x, is_nan(x)); }

@compute @workgroup_size(256, 1, 1)
fn three_pass_kernel(@builtin(local_invocation_id) threadIdx: vec3u, @builtin(workgroup_id) blockIdx: vec3u) {
  let thread4 = i32(threadIdx.x);
  var c: i32;
  let row = u32(i32(blockIdx.x));
  let columns = 8192u;
  var largest: f32 = -3.4028234663852886e+38;
  var c_1: i32 = i32(threadIdx.x);
  for (; c_1 < 7424; c_1 += 1024) {
    c = c_1;
    largest = fmax(largest, x[i32(row) * x_cols + c]);
    c = c_1 + 256;
    largest = fmax(largest, x[i32(row) * x_cols + c]);
    c = c_1 + 512;
    largest = fmax(largest, x[i32(row) * x_cols + c]);
    c = c_1 + 768;
    largest = fmax(largest, x[i32(row) * x_cols + c]);
  }
  for (; c_1 < 8192; c_1 += 256) {
    c = c_1;
    largest = fmax(largest, x[i32(row) * x_cols + c]);
  }
  var block_max_value = largest;
  let t3 = block_max_value;
  let t2 = subgroupShuffleXor(t3, 16u);
  block_max_value = fmax(block_max_value, t2);
  let t6 = block_max_value;
  let t5 = subgroupShuffleXor(t6, 8u);
  block_max_value = fmax(block_max_value, t5);
  let t8 = block_max_value;
  let t7 = subgroupShuffleXor(t8, 4u);
  block_max_value = fmax(block_max_value, t7);
  let t10 = block_max_value;
  let t9 = subgroupShuffleXor(t10, 2u);
  block_max_value = fmax(block_max_value, t9);
  let t12 = block_max_value;
  let t11 = subgroupShuffleXor(t12, 1u);
  block_max_value = fmax(block_max_value, t11);
  workgroupBarrier();
  box[i32(threadIdx.x) / 32] = block_max_value;
  workgroupBarrier();
  block_max_value = fmax(block_max_value, box[0]);
  block_max_value = fmax(block_max_value, box[1]);
  block_max_value = fmax(block_max_value, box[2]);
  block_max_value = fmax(block_max_value, box[3]);
  block_max_value = fmax(block_max_value, box[4]);
  block_max_value = fmax(block_max_value, box[5]);
  block_max_value = fmax(block_max_value, box[6]);
  block_max_value = fmax(block_max_value, box[7]);
  largest = block_max_value;
  var total: f32 = 0.0;
  var c_13: i32 = i32(threadIdx.x);
  for (; c_13 < 7424; c_13 += 1024) {
    c = c_13;
    total += exp_(x[i32(row) * x_cols + c] - largest);
    c = c_13 + 256;
    total += exp_(x[i32(row) * x_cols + c] - largest);
    c = c_13 + 512;
    total += exp_(x[i32(row) * x_cols + c] - largest);
    c = c_13 + 768;
    total += exp_(x[i32(row) * x_cols + c] - largest);
  }
  for (; c_13 < 8192; c_13 += 256) {
    c = c_13;
    total += exp_(x[i32(row) * x_cols + c] - largest);
  }
  var block_sum_value = total;
  let t15 = block_sum_value;
  let t14 = subgroupShuffleXor(t15, 16u);
  block_sum_value += t14;
  let t17 = block_sum_value;
  let t16 = subgroupShuffleXor(t17, 8u);
  block_sum_value += t16;
  let t19 = block_sum_value;
  let t18 = subgroupShuffleXor(t19, 4u);
  block_sum_value += t18;
  let t21 = block_sum_value;
  let t20 = subgroupShuffleXor(t21, 2u);
  block_sum_value += t20;
  let t23 = block_sum_value;
  let t22 = subgroupShuffleXor(t23, 1u);
  block_sum_value += t22;
  workgroupBarrier();
  box[i32(threadIdx.x) / 32] = block_sum_value;
  workgroupBarrier();
  var block_sum_total: f32 = 0.0;
  block_sum_total += box[0];
  block_sum_total += box[1];
  block_sum_total += box[2];
  block_sum_total += box[3];
  block_sum_total += box[4];
  block_sum_total += box[5];
  block_sum_total += box[6];
  block_sum_total += box[7];
  let scale = 1.0 / block_sum_total;
  var c_24: i32 = i32(threadIdx.x);
  for (; c_24 < 7424; c_24 += 1024) {
    c = c_24;
    out[i32(row) * out_cols + c] = exp_(x[i32(row) * x_cols + c] - largest) * scale;
    c = c_24 + 256;
    out[i32(row) * out_cols + c] = exp_(x[i32(row) * x_cols + c] - largest) * scale;
    c = c_24 + 512;
    out[i32(row) * out_cols + c] = exp_(x[i32(row) * x_cols + c] - largest) * scale;
    c = c_24 + 768;
    out[i32(row) * out_cols + c] = exp_(x[i32(row) * x_cols + c] - largest) * scale;
  }
  for (; c_24 < 8192; c_24 += 256) {
    c = c_24;
    out[i32(row) * out_cols + c] = exp_(x[i32(row) * x_cols + c] - largest) * scale;
  }
}

enable subgroups;
diagnostic(off, subgroup_uniformity);
// three_pass_kernel, compiled from Python for 4096 blocks of 256 threads.

const a_cols: i32 = 8192;
const out_cols: i32 = 8192;

@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
var<workgroup> box: array<f32, 8>;

// By its bits: WGSL lets a compiler assume that there is no NaN.
fn is_nan(x: f32) -> bool { return (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u; }

// A NaN gives way to the other number, as in CUDA.
fn fmax(a: f32, b: f32) -> f32 { return select(select(max(a, b), a, is_nan(b)), b, is_nan(a)); }

fn exp_(x: f32) -> f32 { return select(exp(x), x, is_nan(x)); }

@compute @workgroup_size(256, 1, 1)
fn three_pass_kernel(@builtin(local_invocation_id) threadIdx: vec3u, @builtin(workgroup_id) blockIdx: vec3u) {
  let thread4 = i32(threadIdx.x);
  var k: i32;
  let row = u32(i32(blockIdx.x));
  let columns = 8192u;
  var most: f32 = -3e+38;
  var k_1: i32 = i32(threadIdx.x);
  for (; k_1 < 7424; k_1 += 1024) {
    k = k_1;
    most = fmax(most, a[i32(row) * a_cols + k]);
    k = k_1 + 256;
    most = fmax(most, a[i32(row) * a_cols + k]);
    k = k_1 + 512;
    most = fmax(most, a[i32(row) * a_cols + k]);
    k = k_1 + 768;
    most = fmax(most, a[i32(row) * a_cols + k]);
  }
  for (; k_1 < 8192; k_1 += 256) {
    k = k_1;
    most = fmax(most, a[i32(row) * a_cols + k]);
  }
  var block_max_value = most;
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
  most = block_max_value;
  var total: f32 = 0.0;
  var k_13: i32 = i32(threadIdx.x);
  for (; k_13 < 7424; k_13 += 1024) {
    k = k_13;
    total += exp_(a[i32(row) * a_cols + k] - most);
    k = k_13 + 256;
    total += exp_(a[i32(row) * a_cols + k] - most);
    k = k_13 + 512;
    total += exp_(a[i32(row) * a_cols + k] - most);
    k = k_13 + 768;
    total += exp_(a[i32(row) * a_cols + k] - most);
  }
  for (; k_13 < 8192; k_13 += 256) {
    k = k_13;
    total += exp_(a[i32(row) * a_cols + k] - most);
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
  total = block_sum_total;
  var k_24: i32 = i32(threadIdx.x);
  for (; k_24 < 7424; k_24 += 1024) {
    k = k_24;
    out[i32(row) * out_cols + k] = exp_(a[i32(row) * a_cols + k] - most) / total;
    k = k_24 + 256;
    out[i32(row) * out_cols + k] = exp_(a[i32(row) * a_cols + k] - most) / total;
    k = k_24 + 512;
    out[i32(row) * out_cols + k] = exp_(a[i32(row) * a_cols + k] - most) / total;
    k = k_24 + 768;
    out[i32(row) * out_cols + k] = exp_(a[i32(row) * a_cols + k] - most) / total;
  }
  for (; k_24 < 8192; k_24 += 256) {
    k = k_24;
    out[i32(row) * out_cols + k] = exp_(a[i32(row) * a_cols + k] - most) / total;
  }
}

enable subgroups;
diagnostic(off, subgroup_uniformity);
// online_kernel, compiled from Python for 4096 blocks of 256 threads.

const x_cols: i32 = 8192;
const out_cols: i32 = 8192;

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
var<workgroup> box: array<f32, 32>;

// By its bits: WGSL lets a compiler assume that there is no NaN.
fn is_nan(x: f32) -> bool { return (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u; }

fn exp_(x: f32) -> f32 { return select(exp(x), x, is_nan(x)); }

// A NaN gives way to the other number, as in CUDA.
fn fmax(a: f32, b: f32) -> f32 { return select(select(max(a, b), a, is_nan(b)), b, is_nan(a)); }

@compute @workgroup_size(256, 1, 1)
fn online_kernel(@builtin(local_invocation_id) threadIdx: vec3u, @builtin(workgroup_id) blockIdx: vec3u) {
  let thread4 = i32(threadIdx.x);
  var c: i32;
  var value: f32;
  let row = u32(i32(blockIdx.x));
  let columns = 8192u;
  var largest: f32 = -3.4028234663852886e+38;
  var total: f32 = 0.0;
  var c_1: i32 = i32(threadIdx.x);
  for (; c_1 < 7424; c_1 += 1024) {
    c = c_1;
    value = x[i32(row) * x_cols + c];
    if (value > largest) {
      total *= exp_(largest - value);  // what was summed so far was relative to the old one
      largest = value;
    }
    total += exp_(value - largest);
    c = c_1 + 256;
    value = x[i32(row) * x_cols + c];
    if (value > largest) {
      total *= exp_(largest - value);
      largest = value;
    }
    total += exp_(value - largest);
    c = c_1 + 512;
    value = x[i32(row) * x_cols + c];
    if (value > largest) {
      total *= exp_(largest - value);
      largest = value;
    }
    total += exp_(value - largest);
    c = c_1 + 768;
    value = x[i32(row) * x_cols + c];
    if (value > largest) {
      total *= exp_(largest - value);
      largest = value;
    }
    total += exp_(value - largest);
  }
  for (; c_1 < 8192; c_1 += 256) {
    c = c_1;
    value = x[i32(row) * x_cols + c];
    if (value > largest) {
      total *= exp_(largest - value);
      largest = value;
    }
    total += exp_(value - largest);
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
  let whole = block_max_value;
  var block_sum_value = total * exp_(largest - whole);
  let t14 = block_sum_value;
  let t13 = subgroupShuffleXor(t14, 16u);
  block_sum_value += t13;
  let t16 = block_sum_value;
  let t15 = subgroupShuffleXor(t16, 8u);
  block_sum_value += t15;
  let t18 = block_sum_value;
  let t17 = subgroupShuffleXor(t18, 4u);
  block_sum_value += t17;
  let t20 = block_sum_value;
  let t19 = subgroupShuffleXor(t20, 2u);
  block_sum_value += t19;
  let t22 = block_sum_value;
  let t21 = subgroupShuffleXor(t22, 1u);
  block_sum_value += t21;
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
  var c_23: i32 = i32(threadIdx.x);
  for (; c_23 < 7424; c_23 += 1024) {
    c = c_23;
    out[i32(row) * out_cols + c] = exp_(x[i32(row) * x_cols + c] - whole) * scale;
    c = c_23 + 256;
    out[i32(row) * out_cols + c] = exp_(x[i32(row) * x_cols + c] - whole) * scale;
    c = c_23 + 512;
    out[i32(row) * out_cols + c] = exp_(x[i32(row) * x_cols + c] - whole) * scale;
    c = c_23 + 768;
    out[i32(row) * out_cols + c] = exp_(x[i32(row) * x_cols + c] - whole) * scale;
  }
  for (; c_23 < 8192; c_23 += 256) {
    c = c_23;
    out[i32(row) * out_cols + c] = exp_(x[i32(row) * x_cols + c] - whole) * scale;
  }
}

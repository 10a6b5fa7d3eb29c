enable subgroups;
diagnostic(off, subgroup_uniformity);
// layernorm_passes_kernel, compiled from Python for 4096 blocks of 256 threads.

const x_cols: i32 = 8192;
const out_cols: i32 = 8192;

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> weight: array<f32>;
@group(0) @binding(2) var<storage, read> bias: array<f32>;
@group(0) @binding(3) var<storage, read_write> out: array<f32>;
struct Params { eps: f32, infinity: f32 }
@group(0) @binding(4) var<uniform> params: Params;
var<workgroup> box: array<f32, 32>;

fn not_a_number() -> f32 {
  return bitcast<f32>(bitcast<u32>(params.infinity) | 0x400000u);
}

fn square_root(x: f32) -> f32 {
  if (x < 0.0) { return not_a_number(); }
  return sqrt(x);
}

@compute @workgroup_size(256, 1, 1)
fn layernorm_passes_kernel(@builtin(local_invocation_id) threadIdx: vec3u, @builtin(workgroup_id) blockIdx: vec3u) {
  let thread4 = i32(threadIdx.x);
  var c: i32;
  var off: f32;
  let row = u32(i32(blockIdx.x));
  let columns = 8192u;
  var total: f32 = 0.0;
  var c_1: i32 = i32(threadIdx.x);
  for (; c_1 < 7424; c_1 += 1024) {
    c = c_1;
    total += x[i32(row) * x_cols + c];
    c = c_1 + 256;
    total += x[i32(row) * x_cols + c];
    c = c_1 + 512;
    total += x[i32(row) * x_cols + c];
    c = c_1 + 768;
    total += x[i32(row) * x_cols + c];
  }
  for (; c_1 < 8192; c_1 += 256) {
    c = c_1;
    total += x[i32(row) * x_cols + c];
  }
  var block_sum_value = total;
  let t3 = block_sum_value;
  let t2 = subgroupShuffleXor(t3, 16u);
  block_sum_value += t2;
  let t6 = block_sum_value;
  let t5 = subgroupShuffleXor(t6, 8u);
  block_sum_value += t5;
  let t8 = block_sum_value;
  let t7 = subgroupShuffleXor(t8, 4u);
  block_sum_value += t7;
  let t10 = block_sum_value;
  let t9 = subgroupShuffleXor(t10, 2u);
  block_sum_value += t9;
  let t12 = block_sum_value;
  let t11 = subgroupShuffleXor(t12, 1u);
  block_sum_value += t11;
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
  let mean = block_sum_total / 8192.0;
  total = 0.0;
  var c_13: i32 = i32(threadIdx.x);
  for (; c_13 < 7424; c_13 += 1024) {
    c = c_13;
    off = x[i32(row) * x_cols + c] - mean;
    total = total + off * off;
    c = c_13 + 256;
    off = x[i32(row) * x_cols + c] - mean;
    total = total + off * off;
    c = c_13 + 512;
    off = x[i32(row) * x_cols + c] - mean;
    total = total + off * off;
    c = c_13 + 768;
    off = x[i32(row) * x_cols + c] - mean;
    total = total + off * off;
  }
  for (; c_13 < 8192; c_13 += 256) {
    c = c_13;
    off = x[i32(row) * x_cols + c] - mean;
    total = total + off * off;
  }
  block_sum_value = total;
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
  block_sum_total = 0.0;
  block_sum_total += box[0];
  block_sum_total += box[1];
  block_sum_total += box[2];
  block_sum_total += box[3];
  block_sum_total += box[4];
  block_sum_total += box[5];
  block_sum_total += box[6];
  block_sum_total += box[7];
  let scale = 1.0 / square_root(block_sum_total / 8192.0 + params.eps);
  var c_24: i32 = i32(threadIdx.x);
  for (; c_24 < 7424; c_24 += 1024) {
    c = c_24;
    off = x[i32(row) * x_cols + c] - mean;
    out[i32(row) * out_cols + c] = off * scale * weight[u32(c)] + bias[u32(c)];
    c = c_24 + 256;
    off = x[i32(row) * x_cols + c] - mean;
    out[i32(row) * out_cols + c] = off * scale * weight[u32(c)] + bias[u32(c)];
    c = c_24 + 512;
    off = x[i32(row) * x_cols + c] - mean;
    out[i32(row) * out_cols + c] = off * scale * weight[u32(c)] + bias[u32(c)];
    c = c_24 + 768;
    off = x[i32(row) * x_cols + c] - mean;
    out[i32(row) * out_cols + c] = off * scale * weight[u32(c)] + bias[u32(c)];
  }
  for (; c_24 < 8192; c_24 += 256) {
    c = c_24;
    off = x[i32(row) * x_cols + c] - mean;
    out[i32(row) * out_cols + c] = off * scale * weight[u32(c)] + bias[u32(c)];
  }
}

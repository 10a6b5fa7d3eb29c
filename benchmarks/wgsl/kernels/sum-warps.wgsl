enable subgroups;
diagnostic(off, subgroup_uniformity);
// sum_warps_kernel, compiled from Python for 1056 blocks of 256 threads.

const x_size: i32 = 33554432;
const blockDim_x: i32 = 256;

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> partial: array<f32>;
var<workgroup> sums: array<f32, 32>;

@compute @workgroup_size(256, 1, 1)
fn sum_warps_kernel(@builtin(local_invocation_id) threadIdx: vec3u, @builtin(workgroup_id) blockIdx: vec3u) {
  let thread4 = i32(threadIdx.x);
  var i: i32;
  var acc: f32 = 0.0;
  var i_1: i32 = i32(blockIdx.x) * blockDim_x + i32(threadIdx.x);
  for (; i_1 < 32743424; i_1 += 1081344) {
    i = i_1;
    acc += x[i];
    i = i_1 + 270336;
    acc += x[i];
    i = i_1 + 540672;
    acc += x[i];
    i = i_1 + 811008;
    acc += x[i];
  }
  for (; i_1 < x_size; i_1 += 270336) {
    i = i_1;
    acc += x[i];
  }
  var block_sum_value = acc;
  let block_sum_lane = i32(threadIdx.x) % 32;
  let block_sum_warp = i32(threadIdx.x) / 32;
  var block_sum_warp_sum_value = block_sum_value;
  let t3 = block_sum_warp_sum_value;
  var t2 = subgroupShuffleDown(t3, 16u);
  t2 = select(t2, t3, (thread4 & 31) + i32(16u) > 31);
  block_sum_warp_sum_value += t2;
  let t6 = block_sum_warp_sum_value;
  var t5 = subgroupShuffleDown(t6, 8u);
  t5 = select(t5, t6, (thread4 & 31) + i32(8u) > 31);
  block_sum_warp_sum_value += t5;
  let t8 = block_sum_warp_sum_value;
  var t7 = subgroupShuffleDown(t8, 4u);
  t7 = select(t7, t8, (thread4 & 31) + i32(4u) > 31);
  block_sum_warp_sum_value += t7;
  let t10 = block_sum_warp_sum_value;
  var t9 = subgroupShuffleDown(t10, 2u);
  t9 = select(t9, t10, (thread4 & 31) + i32(2u) > 31);
  block_sum_warp_sum_value += t9;
  let t12 = block_sum_warp_sum_value;
  var t11 = subgroupShuffleDown(t12, 1u);
  t11 = select(t11, t12, (thread4 & 31) + i32(1u) > 31);
  block_sum_warp_sum_value += t11;
  block_sum_value = block_sum_warp_sum_value;
  if (block_sum_lane == 0) {
    sums[block_sum_warp] = block_sum_value;
  }
  workgroupBarrier();
  block_sum_value = select(0.0, sums[block_sum_lane], block_sum_lane < 8);
  block_sum_warp_sum_value = block_sum_value;
  let t14 = block_sum_warp_sum_value;
  var t13 = subgroupShuffleDown(t14, 16u);
  t13 = select(t13, t14, (thread4 & 31) + i32(16u) > 31);
  block_sum_warp_sum_value += t13;
  let t16 = block_sum_warp_sum_value;
  var t15 = subgroupShuffleDown(t16, 8u);
  t15 = select(t15, t16, (thread4 & 31) + i32(8u) > 31);
  block_sum_warp_sum_value += t15;
  let t18 = block_sum_warp_sum_value;
  var t17 = subgroupShuffleDown(t18, 4u);
  t17 = select(t17, t18, (thread4 & 31) + i32(4u) > 31);
  block_sum_warp_sum_value += t17;
  let t20 = block_sum_warp_sum_value;
  var t19 = subgroupShuffleDown(t20, 2u);
  t19 = select(t19, t20, (thread4 & 31) + i32(2u) > 31);
  block_sum_warp_sum_value += t19;
  let t22 = block_sum_warp_sum_value;
  var t21 = subgroupShuffleDown(t22, 1u);
  t21 = select(t21, t22, (thread4 & 31) + i32(1u) > 31);
  block_sum_warp_sum_value += t21;
  let total = block_sum_warp_sum_value;
  if (i32(threadIdx.x) == 0) {
    partial[i32(blockIdx.x)] = total;
  }
}

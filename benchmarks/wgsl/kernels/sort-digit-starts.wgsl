enable subgroups;
diagnostic(off, subgroup_uniformity);
// digit_starts_kernel, compiled from Python for 4 blocks of 256 threads.

const counts_cols: i32 = 256;

@group(0) @binding(0) var<storage, read_write> counts: array<i32>;
var<workgroup> totals: array<i32, 32>;

@compute @workgroup_size(256, 1, 1)
fn digit_starts_kernel(@builtin(local_invocation_id) threadIdx: vec3u, @builtin(workgroup_id) blockIdx: vec3u) {
  let thread3 = i32(threadIdx.x);
  let p = i32(blockIdx.x);
  let d = i32(threadIdx.x);
  let count = counts[p * counts_cols + d];
  var block_scan_value = count;
  let block_scan_lane = i32(threadIdx.x) % 32;
  let block_scan_warp = i32(threadIdx.x) / 32;
  var block_scan_warp_scan_value = block_scan_value;
  let block_scan_warp_scan_lane = i32(threadIdx.x) % 32;
  let t2 = block_scan_warp_scan_value;
  var t1 = subgroupShuffleUp(t2, 1u);
  t1 = select(t1, t2, (thread3 & 31) < i32(1u));
  var block_scan_warp_scan_below = t1;
  if (block_scan_warp_scan_lane >= 1) {
    block_scan_warp_scan_value += block_scan_warp_scan_below;
  }
  let t5 = block_scan_warp_scan_value;
  var t4 = subgroupShuffleUp(t5, 2u);
  t4 = select(t4, t5, (thread3 & 31) < i32(2u));
  block_scan_warp_scan_below = t4;
  if (block_scan_warp_scan_lane >= 2) {
    block_scan_warp_scan_value += block_scan_warp_scan_below;
  }
  let t7 = block_scan_warp_scan_value;
  var t6 = subgroupShuffleUp(t7, 4u);
  t6 = select(t6, t7, (thread3 & 31) < i32(4u));
  block_scan_warp_scan_below = t6;
  if (block_scan_warp_scan_lane >= 4) {
    block_scan_warp_scan_value += block_scan_warp_scan_below;
  }
  let t9 = block_scan_warp_scan_value;
  var t8 = subgroupShuffleUp(t9, 8u);
  t8 = select(t8, t9, (thread3 & 31) < i32(8u));
  block_scan_warp_scan_below = t8;
  if (block_scan_warp_scan_lane >= 8) {
    block_scan_warp_scan_value += block_scan_warp_scan_below;
  }
  let t11 = block_scan_warp_scan_value;
  var t10 = subgroupShuffleUp(t11, 16u);
  t10 = select(t10, t11, (thread3 & 31) < i32(16u));
  block_scan_warp_scan_below = t10;
  if (block_scan_warp_scan_lane >= 16) {
    block_scan_warp_scan_value += block_scan_warp_scan_below;
  }
  block_scan_value = block_scan_warp_scan_value;
  if (block_scan_lane == 31) {
    totals[block_scan_warp] = block_scan_value;
  }
  storageBarrier(); workgroupBarrier();
  var block_scan_before = select(0, totals[block_scan_lane], block_scan_lane < block_scan_warp);
  let t13 = block_scan_before;
  let t12 = subgroupShuffleXor(t13, 16u);
  block_scan_before += t12;
  let t15 = block_scan_before;
  let t14 = subgroupShuffleXor(t15, 8u);
  block_scan_before += t14;
  let t17 = block_scan_before;
  let t16 = subgroupShuffleXor(t17, 4u);
  block_scan_before += t16;
  let t19 = block_scan_before;
  let t18 = subgroupShuffleXor(t19, 2u);
  block_scan_before += t18;
  let t21 = block_scan_before;
  let t20 = subgroupShuffleXor(t21, 1u);
  block_scan_before += t20;
  let t22 = block_scan_value + block_scan_before;
  counts[p * counts_cols + d] = t22 - count;
}

enable subgroups;
diagnostic(off, subgroup_uniformity);
// solve_kernel, compiled from Python for 16384 blocks of 32 x 4 threads.

const count: i32 = 262144;
const WARPS: i32 = 4;

@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> x: array<f32>;
var<workgroup> tile: array<array<f32, 288>, 4>;
var<private> row: array<f32, 8>;

struct no_step_result { item0: f32, item1: i32, item2: f32 }

fn no_step(right: f32, lane_: i32, base: i32, unknown: i32, pivot: f32) -> no_step_result {
  return no_step_result(right, unknown, pivot);
}

@compute @workgroup_size(32, 4, 1)
fn solve_kernel(@builtin(local_invocation_id) threadIdx: vec3u, @builtin(workgroup_id) blockIdx: vec3u) {
  let thread4 = i32(threadIdx.x) + i32(threadIdx.y) * 32;
  var at: i32;
  var line: i32;
  var place: i32;
  let thread = u32(i32(threadIdx.x));
  let warp = i32(threadIdx.y);
  let first = (i32(blockIdx.x) * WARPS + warp) * 4;
  let here = min(4, count - first);
  var at_1: i32 = i32(thread);  // the warp's systems lie side by side
  for (; at_1 < 160; at_1 += 128) {
    at = at_1;
    line = at / 8;
    place = first * 64 + at;
    tile[warp][line * 9 + at % 8] = a[place];
    at = at_1 + 32;
    line = at / 8;
    place = first * 64 + at;
    tile[warp][line * 9 + at % 8] = a[place];
    at = at_1 + 64;
    line = at / 8;
    place = first * 64 + at;
    tile[warp][line * 9 + at % 8] = a[place];
    at = at_1 + 96;
    line = at / 8;
    place = first * 64 + at;
    tile[warp][line * 9 + at % 8] = a[place];
  }
  for (; at_1 < 256; at_1 += 32) {
    at = at_1;
    line = at / 8;
    place = first * 64 + at;
    tile[warp][line * 9 + at % 8] = a[place];
  }
  workgroupBarrier();
  let mine = u32(i32(thread) / 8);
  let lane_ = i32(thread) % 8;
  let solved = true;
  let start = (first + i32(mine)) * 8;
  var right: f32 = 0.0;
  row[0] = tile[warp][(i32(mine * 8u) + lane_) * 9 + 0];
  row[1] = tile[warp][(i32(mine * 8u) + lane_) * 9 + 1];
  row[2] = tile[warp][(i32(mine * 8u) + lane_) * 9 + 2];
  row[3] = tile[warp][(i32(mine * 8u) + lane_) * 9 + 3];
  row[4] = tile[warp][(i32(mine * 8u) + lane_) * 9 + 4];
  row[5] = tile[warp][(i32(mine * 8u) + lane_) * 9 + 5];
  row[6] = tile[warp][(i32(mine * 8u) + lane_) * 9 + 6];
  row[7] = tile[warp][(i32(mine * 8u) + lane_) * 9 + 7];
  right = b[start + lane_];
  // Lanes without a row have a pivot already, as it were: nobody chooses them.
  var unknown = i32(-1);
  let base = i32(mine * 8u);
  let one: f32 = 1.0;
  var step_from_here_right = right;
  var step_from_here_unknown = unknown;
  var step_from_here_pivot = one;
  var step_from_here_size: f32 = -1.0;
  var step_from_here_where = lane_;
  step_from_here_size = abs(row[0]);
  var step_from_here_hop: i32 = 4;
  while (step_from_here_hop > 0) {
    let t3 = step_from_here_size;
    let t2 = subgroupShuffleXor(t3, u32(step_from_here_hop));
    let step_from_here_other = t2;
    let t5 = step_from_here_where;
    let t4 = subgroupShuffleXor(t5, u32(step_from_here_hop));
    let step_from_here_its = t4;
    if (step_from_here_other > step_from_here_size || (step_from_here_other == step_from_here_size && step_from_here_its < step_from_here_where)) {
      step_from_here_size = step_from_here_other;
      step_from_here_where = step_from_here_its;
    }
    step_from_here_hop /= 2;
  }
  let step_from_here_source = base + step_from_here_where;
  let t7 = row[0];
  let t6 = subgroupShuffle(t7, (u32(step_from_here_source)) & 31u);
  let step_from_here_largest = t6;
  var step_from_here_factor = row[0] / step_from_here_largest;
  if (lane_ == step_from_here_where) {
    step_from_here_unknown = 0;
    step_from_here_pivot = step_from_here_largest;
    step_from_here_factor = 0.0;
  }
  let t9 = step_from_here_right;
  let t8 = subgroupShuffle(t9, (u32(step_from_here_source)) & 31u);
  step_from_here_right = step_from_here_right - step_from_here_factor * t8;
  let t12 = row[1];
  let t11 = row[1];
  let t10 = subgroupShuffle(t11, (u32(step_from_here_source)) & 31u);
  row[1] = t12 - step_from_here_factor * t10;
  let t15 = row[2];
  let t14 = row[2];
  let t13 = subgroupShuffle(t14, (u32(step_from_here_source)) & 31u);
  row[2] = t15 - step_from_here_factor * t13;
  let t18 = row[3];
  let t17 = row[3];
  let t16 = subgroupShuffle(t17, (u32(step_from_here_source)) & 31u);
  row[3] = t18 - step_from_here_factor * t16;
  let t21 = row[4];
  let t20 = row[4];
  let t19 = subgroupShuffle(t20, (u32(step_from_here_source)) & 31u);
  row[4] = t21 - step_from_here_factor * t19;
  let t24 = row[5];
  let t23 = row[5];
  let t22 = subgroupShuffle(t23, (u32(step_from_here_source)) & 31u);
  row[5] = t24 - step_from_here_factor * t22;
  let t27 = row[6];
  let t26 = row[6];
  let t25 = subgroupShuffle(t26, (u32(step_from_here_source)) & 31u);
  row[6] = t27 - step_from_here_factor * t25;
  let t30 = row[7];
  let t29 = row[7];
  let t28 = subgroupShuffle(t29, (u32(step_from_here_source)) & 31u);
  row[7] = t30 - step_from_here_factor * t28;
  var step_from_here_step_from_here_right = step_from_here_right;
  var step_from_here_step_from_here_unknown = step_from_here_unknown;
  var step_from_here_step_from_here_pivot = step_from_here_pivot;
  var step_from_here_step_from_here_size: f32 = -1.0;
  var step_from_here_step_from_here_where = lane_;
  if (step_from_here_step_from_here_unknown < 0) {
    step_from_here_step_from_here_size = abs(row[1]);
  }
  var step_from_here_step_from_here_hop: i32 = 4;
  while (step_from_here_step_from_here_hop > 0) {
    let t32 = step_from_here_step_from_here_size;
    let t31 = subgroupShuffleXor(t32, u32(step_from_here_step_from_here_hop));
    let step_from_here_step_from_here_other = t31;
    let t34 = step_from_here_step_from_here_where;
    let t33 = subgroupShuffleXor(t34, u32(step_from_here_step_from_here_hop));
    let step_from_here_step_from_here_its = t33;
    if (step_from_here_step_from_here_other > step_from_here_step_from_here_size || (step_from_here_step_from_here_other == step_from_here_step_from_here_size && step_from_here_step_from_here_its < step_from_here_step_from_here_where)) {
      step_from_here_step_from_here_size = step_from_here_step_from_here_other;
      step_from_here_step_from_here_where = step_from_here_step_from_here_its;
    }
    step_from_here_step_from_here_hop /= 2;
  }
  let step_from_here_step_from_here_source = base + step_from_here_step_from_here_where;
  let t36 = row[1];
  let t35 = subgroupShuffle(t36, (u32(step_from_here_step_from_here_source)) & 31u);
  let step_from_here_step_from_here_largest = t35;
  var step_from_here_step_from_here_factor = row[1] / step_from_here_step_from_here_largest;
  if (lane_ == step_from_here_step_from_here_where) {
    step_from_here_step_from_here_unknown = 1;
    step_from_here_step_from_here_pivot = step_from_here_step_from_here_largest;
    step_from_here_step_from_here_factor = 0.0;
  }
  let t38 = step_from_here_step_from_here_right;
  let t37 = subgroupShuffle(t38, (u32(step_from_here_step_from_here_source)) & 31u);
  step_from_here_step_from_here_right = step_from_here_step_from_here_right - step_from_here_step_from_here_factor * t37;
  let t41 = row[2];
  let t40 = row[2];
  let t39 = subgroupShuffle(t40, (u32(step_from_here_step_from_here_source)) & 31u);
  row[2] = t41 - step_from_here_step_from_here_factor * t39;
  let t44 = row[3];
  let t43 = row[3];
  let t42 = subgroupShuffle(t43, (u32(step_from_here_step_from_here_source)) & 31u);
  row[3] = t44 - step_from_here_step_from_here_factor * t42;
  let t47 = row[4];
  let t46 = row[4];
  let t45 = subgroupShuffle(t46, (u32(step_from_here_step_from_here_source)) & 31u);
  row[4] = t47 - step_from_here_step_from_here_factor * t45;
  let t50 = row[5];
  let t49 = row[5];
  let t48 = subgroupShuffle(t49, (u32(step_from_here_step_from_here_source)) & 31u);
  row[5] = t50 - step_from_here_step_from_here_factor * t48;
  let t53 = row[6];
  let t52 = row[6];
  let t51 = subgroupShuffle(t52, (u32(step_from_here_step_from_here_source)) & 31u);
  row[6] = t53 - step_from_here_step_from_here_factor * t51;
  let t56 = row[7];
  let t55 = row[7];
  let t54 = subgroupShuffle(t55, (u32(step_from_here_step_from_here_source)) & 31u);
  row[7] = t56 - step_from_here_step_from_here_factor * t54;
  var step_from_here_step_from_here_step_from_here_right = step_from_here_step_from_here_right;
  var step_from_here_step_from_here_step_from_here_unknown = step_from_here_step_from_here_unknown;
  var step_from_here_step_from_here_step_from_here_pivot = step_from_here_step_from_here_pivot;
  var step_from_here_step_from_here_step_from_here_size: f32 = -1.0;
  var step_from_here_step_from_here_step_from_here_where = lane_;
  if (step_from_here_step_from_here_step_from_here_unknown < 0) {
    step_from_here_step_from_here_step_from_here_size = abs(row[2]);
  }
  var step_from_here_step_from_here_step_from_here_hop: i32 = 4;
  while (step_from_here_step_from_here_step_from_here_hop > 0) {
    let t58 = step_from_here_step_from_here_step_from_here_size;
    let t57 = subgroupShuffleXor(t58, u32(step_from_here_step_from_here_step_from_here_hop));
    let step_from_here_step_from_here_step_from_here_other = t57;
    let t60 = step_from_here_step_from_here_step_from_here_where;
    let t59 = subgroupShuffleXor(t60, u32(step_from_here_step_from_here_step_from_here_hop));
    let step_from_here_step_from_here_step_from_here_its = t59;
    if (step_from_here_step_from_here_step_from_here_other > step_from_here_step_from_here_step_from_here_size || (step_from_here_step_from_here_step_from_here_other == step_from_here_step_from_here_step_from_here_size && step_from_here_step_from_here_step_from_here_its < step_from_here_step_from_here_step_from_here_where)) {
      step_from_here_step_from_here_step_from_here_size = step_from_here_step_from_here_step_from_here_other;
      step_from_here_step_from_here_step_from_here_where = step_from_here_step_from_here_step_from_here_its;
    }
    step_from_here_step_from_here_step_from_here_hop /= 2;
  }
  let step_from_here_step_from_here_step_from_here_source = base + step_from_here_step_from_here_step_from_here_where;
  let t62 = row[2];
  let t61 = subgroupShuffle(t62, (u32(step_from_here_step_from_here_step_from_here_source)) & 31u);
  let step_from_here_step_from_here_step_from_here_largest = t61;
  var step_from_here_step_from_here_step_from_here_factor = row[2] / step_from_here_step_from_here_step_from_here_largest;
  if (lane_ == step_from_here_step_from_here_step_from_here_where) {
    step_from_here_step_from_here_step_from_here_unknown = 2;
    step_from_here_step_from_here_step_from_here_pivot = step_from_here_step_from_here_step_from_here_largest;
    step_from_here_step_from_here_step_from_here_factor = 0.0;
  }
  let t64 = step_from_here_step_from_here_step_from_here_right;
  let t63 = subgroupShuffle(t64, (u32(step_from_here_step_from_here_step_from_here_source)) & 31u);
  step_from_here_step_from_here_step_from_here_right = step_from_here_step_from_here_step_from_here_right - step_from_here_step_from_here_step_from_here_factor * t63;
  let t67 = row[3];
  let t66 = row[3];
  let t65 = subgroupShuffle(t66, (u32(step_from_here_step_from_here_step_from_here_source)) & 31u);
  row[3] = t67 - step_from_here_step_from_here_step_from_here_factor * t65;
  let t70 = row[4];
  let t69 = row[4];
  let t68 = subgroupShuffle(t69, (u32(step_from_here_step_from_here_step_from_here_source)) & 31u);
  row[4] = t70 - step_from_here_step_from_here_step_from_here_factor * t68;
  let t73 = row[5];
  let t72 = row[5];
  let t71 = subgroupShuffle(t72, (u32(step_from_here_step_from_here_step_from_here_source)) & 31u);
  row[5] = t73 - step_from_here_step_from_here_step_from_here_factor * t71;
  let t76 = row[6];
  let t75 = row[6];
  let t74 = subgroupShuffle(t75, (u32(step_from_here_step_from_here_step_from_here_source)) & 31u);
  row[6] = t76 - step_from_here_step_from_here_step_from_here_factor * t74;
  let t79 = row[7];
  let t78 = row[7];
  let t77 = subgroupShuffle(t78, (u32(step_from_here_step_from_here_step_from_here_source)) & 31u);
  row[7] = t79 - step_from_here_step_from_here_step_from_here_factor * t77;
  var step_from_here_step_from_here_step_from_here_step_from_here_right = step_from_here_step_from_here_step_from_here_right;
  var step_from_here_step_from_here_step_from_here_step_from_here_unknown = step_from_here_step_from_here_step_from_here_unknown;
  var step_from_here_step_from_here_step_from_here_step_from_here_pivot = step_from_here_step_from_here_step_from_here_pivot;
  var step_from_here_step_from_here_step_from_here_step_from_here_size: f32 = -1.0;
  var step_from_here_step_from_here_step_from_here_step_from_here_where = lane_;
  if (step_from_here_step_from_here_step_from_here_step_from_here_unknown < 0) {
    step_from_here_step_from_here_step_from_here_step_from_here_size = abs(row[3]);
  }
  var step_from_here_step_from_here_step_from_here_step_from_here_hop: i32 = 4;
  while (step_from_here_step_from_here_step_from_here_step_from_here_hop > 0) {
    let t81 = step_from_here_step_from_here_step_from_here_step_from_here_size;
    let t80 = subgroupShuffleXor(t81, u32(step_from_here_step_from_here_step_from_here_step_from_here_hop));
    let step_from_here_step_from_here_step_from_here_step_from_here_other = t80;
    let t83 = step_from_here_step_from_here_step_from_here_step_from_here_where;
    let t82 = subgroupShuffleXor(t83, u32(step_from_here_step_from_here_step_from_here_step_from_here_hop));
    let step_from_here_step_from_here_step_from_here_step_from_here_its = t82;
    if (step_from_here_step_from_here_step_from_here_step_from_here_other > step_from_here_step_from_here_step_from_here_step_from_here_size || (step_from_here_step_from_here_step_from_here_step_from_here_other == step_from_here_step_from_here_step_from_here_step_from_here_size && step_from_here_step_from_here_step_from_here_step_from_here_its < step_from_here_step_from_here_step_from_here_step_from_here_where)) {
      step_from_here_step_from_here_step_from_here_step_from_here_size = step_from_here_step_from_here_step_from_here_step_from_here_other;
      step_from_here_step_from_here_step_from_here_step_from_here_where = step_from_here_step_from_here_step_from_here_step_from_here_its;
    }
    step_from_here_step_from_here_step_from_here_step_from_here_hop /= 2;
  }
  let step_from_here_step_from_here_step_from_here_step_from_here_source = base + step_from_here_step_from_here_step_from_here_step_from_here_where;
  let t85 = row[3];
  let t84 = subgroupShuffle(t85, (u32(step_from_here_step_from_here_step_from_here_step_from_here_source)) & 31u);
  let step_from_here_step_from_here_step_from_here_step_from_here_largest = t84;
  var step_from_here_step_from_here_step_from_here_step_from_here_factor = row[3] / step_from_here_step_from_here_step_from_here_step_from_here_largest;
  if (lane_ == step_from_here_step_from_here_step_from_here_step_from_here_where) {
    step_from_here_step_from_here_step_from_here_step_from_here_unknown = 3;
    step_from_here_step_from_here_step_from_here_step_from_here_pivot = step_from_here_step_from_here_step_from_here_step_from_here_largest;
    step_from_here_step_from_here_step_from_here_step_from_here_factor = 0.0;
  }
  let t87 = step_from_here_step_from_here_step_from_here_step_from_here_right;
  let t86 = subgroupShuffle(t87, (u32(step_from_here_step_from_here_step_from_here_step_from_here_source)) & 31u);
  step_from_here_step_from_here_step_from_here_step_from_here_right = step_from_here_step_from_here_step_from_here_step_from_here_right - step_from_here_step_from_here_step_from_here_step_from_here_factor * t86;
  let t90 = row[4];
  let t89 = row[4];
  let t88 = subgroupShuffle(t89, (u32(step_from_here_step_from_here_step_from_here_step_from_here_source)) & 31u);
  row[4] = t90 - step_from_here_step_from_here_step_from_here_step_from_here_factor * t88;
  let t93 = row[5];
  let t92 = row[5];
  let t91 = subgroupShuffle(t92, (u32(step_from_here_step_from_here_step_from_here_step_from_here_source)) & 31u);
  row[5] = t93 - step_from_here_step_from_here_step_from_here_step_from_here_factor * t91;
  let t96 = row[6];
  let t95 = row[6];
  let t94 = subgroupShuffle(t95, (u32(step_from_here_step_from_here_step_from_here_step_from_here_source)) & 31u);
  row[6] = t96 - step_from_here_step_from_here_step_from_here_step_from_here_factor * t94;
  let t99 = row[7];
  let t98 = row[7];
  let t97 = subgroupShuffle(t98, (u32(step_from_here_step_from_here_step_from_here_step_from_here_source)) & 31u);
  row[7] = t99 - step_from_here_step_from_here_step_from_here_step_from_here_factor * t97;
  var step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_right = step_from_here_step_from_here_step_from_here_step_from_here_right;
  var step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_unknown = step_from_here_step_from_here_step_from_here_step_from_here_unknown;
  var step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_pivot = step_from_here_step_from_here_step_from_here_step_from_here_pivot;
  var step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_size: f32 = -1.0;
  var step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_where = lane_;
  if (step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_unknown < 0) {
    step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_size = abs(row[4]);
  }
  var step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_hop: i32 = 4;
  while (step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_hop > 0) {
    let t101 = step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_size;
    let t100 = subgroupShuffleXor(t101, u32(step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_hop));
    let step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_other = t100;
    let t103 = step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_where;
    let t102 = subgroupShuffleXor(t103, u32(step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_hop));
    let step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_its = t102;
    if (step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_other > step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_size || (step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_other == step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_size && step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_its < step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_where)) {
      step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_size = step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_other;
      step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_where = step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_its;
    }
    step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_hop /= 2;
  }
  let step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_source = base + step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_where;
  let t105 = row[4];
  let t104 = subgroupShuffle(t105, (u32(step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_source)) & 31u);
  let step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_largest = t104;
  var step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_factor = row[4] / step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_largest;
  if (lane_ == step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_where) {
    step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_unknown = 4;
    step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_pivot = step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_largest;
    step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_factor = 0.0;
  }
  let t107 = step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_right;
  let t106 = subgroupShuffle(t107, (u32(step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_source)) & 31u);
  step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_right = step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_right - step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_factor * t106;
  let t110 = row[5];
  let t109 = row[5];
  let t108 = subgroupShuffle(t109, (u32(step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_source)) & 31u);
  row[5] = t110 - step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_factor * t108;
  let t113 = row[6];
  let t112 = row[6];
  let t111 = subgroupShuffle(t112, (u32(step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_source)) & 31u);
  row[6] = t113 - step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_factor * t111;
  let t116 = row[7];
  let t115 = row[7];
  let t114 = subgroupShuffle(t115, (u32(step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_source)) & 31u);
  row[7] = t116 - step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_factor * t114;
  var step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_right = step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_right;
  var step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_unknown = step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_unknown;
  var step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_pivot = step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_pivot;
  var step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_size: f32 = -1.0;
  var step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_where = lane_;
  if (step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_unknown < 0) {
    step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_size = abs(row[5]);
  }
  var step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_hop: i32 = 4;
  while (step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_hop > 0) {
    let t118 = step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_size;
    let t117 = subgroupShuffleXor(t118, u32(step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_hop));
    let step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_other = t117;
    let t120 = step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_where;
    let t119 = subgroupShuffleXor(t120, u32(step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_hop));
    let step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_its = t119;
    if (step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_other > step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_size || (step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_other == step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_size && step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_its < step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_where)) {
      step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_size = step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_other;
      step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_where = step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_its;
    }
    step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_hop /= 2;
  }
  let step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_source = base + step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_where;
  let t122 = row[5];
  let t121 = subgroupShuffle(t122, (u32(step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_source)) & 31u);
  let step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_largest = t121;
  var step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_factor = row[5] / step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_largest;
  if (lane_ == step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_where) {
    step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_unknown = 5;
    step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_pivot = step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_largest;
    step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_factor = 0.0;
  }
  let t124 = step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_right;
  let t123 = subgroupShuffle(t124, (u32(step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_source)) & 31u);
  step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_right = step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_right - step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_factor * t123;
  let t127 = row[6];
  let t126 = row[6];
  let t125 = subgroupShuffle(t126, (u32(step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_source)) & 31u);
  row[6] = t127 - step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_factor * t125;
  let t130 = row[7];
  let t129 = row[7];
  let t128 = subgroupShuffle(t129, (u32(step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_source)) & 31u);
  row[7] = t130 - step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_factor * t128;
  var step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_right = step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_right;
  var step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_unknown = step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_unknown;
  var step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_pivot = step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_pivot;
  var step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_size: f32 = -1.0;
  var step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_where = lane_;
  if (step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_unknown < 0) {
    step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_size = abs(row[6]);
  }
  var step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_hop: i32 = 4;
  while (step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_hop > 0) {
    let t132 = step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_size;
    let t131 = subgroupShuffleXor(t132, u32(step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_hop));
    let step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_other = t131;
    let t134 = step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_where;
    let t133 = subgroupShuffleXor(t134, u32(step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_hop));
    let step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_its = t133;
    if (step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_other > step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_size || (step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_other == step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_size && step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_its < step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_where)) {
      step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_size = step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_other;
      step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_where = step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_its;
    }
    step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_hop /= 2;
  }
  let step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_source = base + step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_where;
  let t136 = row[6];
  let t135 = subgroupShuffle(t136, (u32(step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_source)) & 31u);
  let step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_largest = t135;
  var step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_factor = row[6] / step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_largest;
  if (lane_ == step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_where) {
    step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_unknown = 6;
    step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_pivot = step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_largest;
    step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_factor = 0.0;
  }
  let t138 = step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_right;
  let t137 = subgroupShuffle(t138, (u32(step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_source)) & 31u);
  step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_right = step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_right - step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_factor * t137;
  let t141 = row[7];
  let t140 = row[7];
  let t139 = subgroupShuffle(t140, (u32(step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_source)) & 31u);
  row[7] = t141 - step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_factor * t139;
  var step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_right = step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_right;
  var step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_unknown = step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_unknown;
  var step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_pivot = step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_pivot;
  var step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_size: f32 = -1.0;
  var step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_where = lane_;
  if (step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_unknown < 0) {
    step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_size = abs(row[7]);
  }
  var step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_hop: i32 = 4;
  while (step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_hop > 0) {
    let t143 = step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_size;
    let t142 = subgroupShuffleXor(t143, u32(step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_hop));
    let step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_other = t142;
    let t145 = step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_where;
    let t144 = subgroupShuffleXor(t145, u32(step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_hop));
    let step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_its = t144;
    if (step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_other > step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_size || (step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_other == step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_size && step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_its < step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_where)) {
      step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_size = step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_other;
      step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_where = step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_its;
    }
    step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_hop /= 2;
  }
  let step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_source = base + step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_where;
  let t147 = row[7];
  let t146 = subgroupShuffle(t147, (u32(step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_source)) & 31u);
  let step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_largest = t146;
  var step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_factor = row[7] / step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_largest;
  if (lane_ == step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_where) {
    step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_unknown = 7;
    step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_pivot = step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_largest;
    step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_factor = 0.0;
  }
  let t149 = step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_right;
  let t148 = subgroupShuffle(t149, (u32(step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_source)) & 31u);
  step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_right = step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_right - step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_factor * t148;
  let t150 = no_step(step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_right, lane_, base, step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_unknown, step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_step_from_here_pivot);
  right = t150.item0;
  unknown = t150.item1;
  let pivot = t150.item2;
  x[u32(start) + u32(unknown)] = right / pivot;
}

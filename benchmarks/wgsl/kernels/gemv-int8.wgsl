enable subgroups;
diagnostic(off, subgroup_uniformity);
// gemv_int8_kernel, compiled from Python for 512 blocks of 32 x 8 threads.

const a_cols: i32 = 4096;

@group(0) @binding(0) var<storage, read> a: array<i32>;
@group(0) @binding(1) var<storage, read> scales: array<f32>;
@group(0) @binding(2) var<storage, read> x: array<f32>;
@group(0) @binding(3) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(32, 8, 1)
fn gemv_int8_kernel(@builtin(local_invocation_id) threadIdx: vec3u, @builtin(workgroup_id) blockIdx: vec3u) {
  let thread4 = i32(threadIdx.x) + i32(threadIdx.y) * 32;
  var column: i32;
  var at: u32;
  let row = u32(i32(blockIdx.x) * 8 + i32(threadIdx.y));
  var total: f32 = 0.0;
  var column_1: i32 = 4 * i32(threadIdx.x);
  for (; column_1 < 3712; column_1 += 512) {
    column = column_1;
    at = u32(column);
    total = total + f32(a[i32(row) * a_cols + i32(at)]) * x[at];
    total = total + f32(a[i32(row) * a_cols + i32(at + 1u)]) * x[at + 1u];
    total = total + f32(a[i32(row) * a_cols + i32(at + 2u)]) * x[at + 2u];
    total = total + f32(a[i32(row) * a_cols + i32(at + 3u)]) * x[at + 3u];
    column = column_1 + 128;
    at = u32(column);
    total = total + f32(a[i32(row) * a_cols + i32(at)]) * x[at];
    total = total + f32(a[i32(row) * a_cols + i32(at + 1u)]) * x[at + 1u];
    total = total + f32(a[i32(row) * a_cols + i32(at + 2u)]) * x[at + 2u];
    total = total + f32(a[i32(row) * a_cols + i32(at + 3u)]) * x[at + 3u];
    column = column_1 + 256;
    at = u32(column);
    total = total + f32(a[i32(row) * a_cols + i32(at)]) * x[at];
    total = total + f32(a[i32(row) * a_cols + i32(at + 1u)]) * x[at + 1u];
    total = total + f32(a[i32(row) * a_cols + i32(at + 2u)]) * x[at + 2u];
    total = total + f32(a[i32(row) * a_cols + i32(at + 3u)]) * x[at + 3u];
    column = column_1 + 384;
    at = u32(column);
    total = total + f32(a[i32(row) * a_cols + i32(at)]) * x[at];
    total = total + f32(a[i32(row) * a_cols + i32(at + 1u)]) * x[at + 1u];
    total = total + f32(a[i32(row) * a_cols + i32(at + 2u)]) * x[at + 2u];
    total = total + f32(a[i32(row) * a_cols + i32(at + 3u)]) * x[at + 3u];
  }
  for (; column_1 < a_cols; column_1 += 128) {
    column = column_1;
    at = u32(column);
    total = total + f32(a[i32(row) * a_cols + i32(at)]) * x[at];
    total = total + f32(a[i32(row) * a_cols + i32(at + 1u)]) * x[at + 1u];
    total = total + f32(a[i32(row) * a_cols + i32(at + 2u)]) * x[at + 2u];
    total = total + f32(a[i32(row) * a_cols + i32(at + 3u)]) * x[at + 3u];
  }
  let t3 = total;
  var t2 = subgroupShuffleDown(t3, 16u);
  t2 = select(t2, t3, (thread4 & 31) + i32(16u) > 31);
  total += t2;
  let t6 = total;
  var t5 = subgroupShuffleDown(t6, 8u);
  t5 = select(t5, t6, (thread4 & 31) + i32(8u) > 31);
  total += t5;
  let t8 = total;
  var t7 = subgroupShuffleDown(t8, 4u);
  t7 = select(t7, t8, (thread4 & 31) + i32(4u) > 31);
  total += t7;
  let t10 = total;
  var t9 = subgroupShuffleDown(t10, 2u);
  t9 = select(t9, t10, (thread4 & 31) + i32(2u) > 31);
  total += t9;
  let t12 = total;
  var t11 = subgroupShuffleDown(t12, 1u);
  t11 = select(t11, t12, (thread4 & 31) + i32(1u) > 31);
  total += t11;
  if (i32(threadIdx.x) == 0) {
    out[row] = total * scales[row];
  }
}

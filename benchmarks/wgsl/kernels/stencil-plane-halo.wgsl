// plane_halo_kernel, compiled from Python for 128 x 512 blocks of 32 x 8 threads.

const a_rows: i32 = 4096;
const a_cols: i32 = 4096;
const out_cols: i32 = 4096;
const WIDE: i32 = 32;
const HIGH: i32 = 8;

@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
struct Params { center: f32, side: f32 }
@group(0) @binding(2) var<uniform> params: Params;
var<workgroup> tile: array<array<f32, 34>, 10>;

@compute @workgroup_size(32, 8, 1)
fn plane_halo_kernel(@builtin(local_invocation_id) threadIdx: vec3u, @builtin(workgroup_id) blockIdx: vec3u) {
  var k: i32;
  var ty: u32;
  var tx: u32;
  var y: i32;
  var x: i32;
  let rows = a_rows;
  let columns = a_cols;
  let left = i32(blockIdx.x) * WIDE - 1;  // of the halo
  let top = i32(blockIdx.y) * HIGH - 1;
  let thread = u32(i32(threadIdx.y) * WIDE + i32(threadIdx.x));
  var k_1: i32 = i32(thread);
  for (; k_1 < i32(-428); k_1 += 1024) {
    k = k_1;
    ty = u32(k / 34);
    tx = u32(k % 34);
    y = top + i32(ty);
    x = left + i32(tx);
    if ((0 <= y && y < rows) && (0 <= x && x < columns)) {
      tile[i32(ty)][i32(tx)] = a[y * a_cols + x];
    }
    k = k_1 + 256;
    ty = u32(k / 34);
    tx = u32(k % 34);
    y = top + i32(ty);
    x = left + i32(tx);
    if ((0 <= y && y < rows) && (0 <= x && x < columns)) {
      tile[i32(ty)][i32(tx)] = a[y * a_cols + x];
    }
    k = k_1 + 512;
    ty = u32(k / 34);
    tx = u32(k % 34);
    y = top + i32(ty);
    x = left + i32(tx);
    if ((0 <= y && y < rows) && (0 <= x && x < columns)) {
      tile[i32(ty)][i32(tx)] = a[y * a_cols + x];
    }
    k = k_1 + 768;
    ty = u32(k / 34);
    tx = u32(k % 34);
    y = top + i32(ty);
    x = left + i32(tx);
    if ((0 <= y && y < rows) && (0 <= x && x < columns)) {
      tile[i32(ty)][i32(tx)] = a[y * a_cols + x];
    }
  }
  for (; k_1 < 340; k_1 += 256) {
    k = k_1;
    ty = u32(k / 34);
    tx = u32(k % 34);
    y = top + i32(ty);
    x = left + i32(tx);
    if ((0 <= y && y < rows) && (0 <= x && x < columns)) {
      tile[i32(ty)][i32(tx)] = a[y * a_cols + x];
    }
  }
  workgroupBarrier();
  tx = u32(i32(threadIdx.x) + 1);
  ty = u32(i32(threadIdx.y) + 1);
  x = left + i32(tx);
  y = top + i32(ty);
  var mid = tile[i32(ty)][i32(tx)];
  if ((0 < x && x < 4095) && (0 < y && y < 4095)) {
    var around = tile[i32(ty - 1u)][i32(tx)] + tile[i32(ty + 1u)][i32(tx)];
    around += (tile[i32(ty)][i32(tx - 1u)] + tile[i32(ty)][i32(tx + 1u)]);
    mid = params.center * mid + params.side * around;
  }
  out[y * out_cols + x] = mid;
}

// wave_kernel, compiled from Python for 128 x 512 blocks of 32 x 8 threads.

const now_rows: i32 = 4096;
const now_cols: i32 = 4096;
const medium_cols: i32 = 4096;
const before_cols: i32 = 4096;
const blockDim_x: i32 = 32;
const blockDim_y: i32 = 8;

@group(0) @binding(0) var<storage, read> now: array<f32>;
@group(0) @binding(1) var<storage, read> medium: array<f32>;
@group(0) @binding(2) var<storage, read_write> before: array<f32>;

@compute @workgroup_size(32, 8, 1)
fn wave_kernel(@builtin(local_invocation_id) threadIdx: vec3u, @builtin(workgroup_id) blockIdx: vec3u) {
  let x = i32(blockIdx.x) * blockDim_x + i32(threadIdx.x);
  let y = i32(blockIdx.y) * blockDim_y + i32(threadIdx.y);
  let rows = now_rows;
  let columns = now_cols;
  if ((0 < x && x < 4095) && (0 < y && y < 4095)) {
    let here = now[y * now_cols + x];
    let around = now[(y - 1) * now_cols + x] + now[(y + 1) * now_cols + x] + now[y * now_cols + (x - 1)] + now[y * now_cols + (x + 1)];
    let bend = around - 4.0 * here;
    before[y * before_cols + x] = 2.0 * here - before[y * before_cols + x] + medium[y * medium_cols + x] * bend;
  }
}

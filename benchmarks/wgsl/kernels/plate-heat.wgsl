// heat_kernel, compiled from Python for 128 x 512 blocks of 32 x 8 threads.

const u_rows: i32 = 4096;
const u_cols: i32 = 4096;
const out_cols: i32 = 4096;
const blockDim_x: i32 = 32;
const blockDim_y: i32 = 8;

@group(0) @binding(0) var<storage, read> u: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
struct Params { ratio: f32 }
@group(0) @binding(2) var<uniform> params: Params;

@compute @workgroup_size(32, 8, 1)
fn heat_kernel(@builtin(local_invocation_id) threadIdx: vec3u, @builtin(workgroup_id) blockIdx: vec3u) {
  let x = i32(blockIdx.x) * blockDim_x + i32(threadIdx.x);
  let y = i32(blockIdx.y) * blockDim_y + i32(threadIdx.y);
  let rows = u_rows;
  let columns = u_cols;
  var here = u[y * u_cols + x];
  if ((0 < x && x < 4095) && (0 < y && y < 4095)) {
    let around = u[(y - 1) * u_cols + x] + u[(y + 1) * u_cols + x] + u[y * u_cols + (x - 1)] + u[y * u_cols + (x + 1)];
    here = here + params.ratio * (around - 4.0 * here);
  }
  out[y * out_cols + x] = here;
}

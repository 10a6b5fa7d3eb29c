// plane_kernel, compiled from Python for 128 x 512 blocks of 32 x 8 threads.

const a_cols: i32 = 4096;
const out_cols: i32 = 4096;
const blockDim_x: i32 = 32;
const blockDim_y: i32 = 8;

@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
struct Params { center: f32, side: f32 }
@group(0) @binding(2) var<uniform> params: Params;

@compute @workgroup_size(32, 8, 1)
fn plane_kernel(@builtin(local_invocation_id) threadIdx: vec3u, @builtin(workgroup_id) blockIdx: vec3u) {
  let x = i32(blockIdx.x) * blockDim_x + i32(threadIdx.x);
  let y = i32(blockIdx.y) * blockDim_y + i32(threadIdx.y);
  let t1 = u32(x);
  let t2 = u32(y);
  let x_u32 = t1;
  let y_u32 = t2;
  let rows = 4096u;
  let columns = 4096u;
  var mid = a[i32(y_u32) * a_cols + i32(x_u32)];
  if ((0 < i32(x_u32) && i32(x_u32) < 4095) && (0 < i32(y_u32) && i32(y_u32) < 4095)) {
    var around = a[i32(y_u32 - 1u) * a_cols + i32(x_u32)] + a[i32(y_u32 + 1u) * a_cols + i32(x_u32)];
    around += (a[i32(y_u32) * a_cols + i32(x_u32 - 1u)] + a[i32(y_u32) * a_cols + i32(x_u32 + 1u)]);
    mid = params.center * mid + params.side * around;
  }
  out[i32(y_u32) * out_cols + i32(x_u32)] = mid;
}

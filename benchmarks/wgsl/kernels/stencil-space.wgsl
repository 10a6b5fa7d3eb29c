// space_kernel, compiled from Python for 8 x 64 x 128 blocks of 32 x 4 x 2 threads.

const a_cols: i32 = 256;
const out_cols: i32 = 256;
const blockDim_x: i32 = 32;
const blockDim_y: i32 = 4;
const blockDim_z: i32 = 2;

@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
struct Params { center: f32, side: f32 }
@group(0) @binding(2) var<uniform> params: Params;

@compute @workgroup_size(32, 4, 2)
fn space_kernel(@builtin(local_invocation_id) threadIdx: vec3u, @builtin(workgroup_id) blockIdx: vec3u) {
  let x = i32(blockIdx.x) * blockDim_x + i32(threadIdx.x);
  let y = i32(blockIdx.y) * blockDim_y + i32(threadIdx.y);
  let z = i32(blockIdx.z) * blockDim_z + i32(threadIdx.z);
  let t1 = u32(x);
  let t2 = u32(y);
  let t3 = u32(z);
  let x_u32 = t1;
  let y_u32 = t2;
  let z_u32 = t3;
  let planes = 256u;
  let rows = 256u;
  let columns = 256u;
  var mid = a[i32(z_u32) * 65536 + i32(y_u32) * a_cols + i32(x_u32)];
  if ((0 < i32(x_u32) && i32(x_u32) < 255) && (0 < i32(y_u32) && i32(y_u32) < 255) && (0 < i32(z_u32) && i32(z_u32) < 255)) {
    var around = a[i32(z_u32 - 1u) * 65536 + i32(y_u32) * a_cols + i32(x_u32)] + a[i32(z_u32 + 1u) * 65536 + i32(y_u32) * a_cols + i32(x_u32)];
    around += (a[i32(z_u32) * 65536 + i32(y_u32 - 1u) * a_cols + i32(x_u32)] + a[i32(z_u32) * 65536 + i32(y_u32 + 1u) * a_cols + i32(x_u32)]);
    around += (a[i32(z_u32) * 65536 + i32(y_u32) * a_cols + i32(x_u32 - 1u)] + a[i32(z_u32) * 65536 + i32(y_u32) * a_cols + i32(x_u32 + 1u)]);
    mid = params.center * mid + params.side * around;
  }
  out[i32(z_u32) * 65536 + i32(y_u32) * out_cols + i32(x_u32)] = mid;
}

// sums_kernel, compiled from Python for 128 x 128 blocks of 32 x 8 threads.

const a_cols: i32 = 4096;
const out_cols: i32 = 4096;
const blockDim_x: i32 = 32;
const blockDim_y: i32 = 8;

@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
var<private> acc: array<f32, 4>;

@compute @workgroup_size(32, 8, 1)
fn sums_kernel(@builtin(local_invocation_id) threadIdx: vec3u, @builtin(workgroup_id) blockIdx: vec3u) {
  let x = i32(blockIdx.x) * blockDim_x + i32(threadIdx.x);
  let first = i32(blockIdx.y) * blockDim_y + i32(threadIdx.y);
  let t1 = u32(x);
  let t2 = u32(first * 4);
  let x_u32 = t1;
  let first_u32 = t2;
  acc[0] = 0.0;
  acc[1] = 0.0;
  acc[2] = 0.0;
  acc[3] = 0.0;
  for (var step_: i32 = 0; step_ < 11; step_++) {
    let value = a[(i32(first_u32) + step_) * a_cols + i32(x_u32)];  // read once
    if (step_ - 0 < 8) {
      acc[0] = acc[0] + value;  // and used for each result that needs it
    }
    if (0 <= step_ - 1 && step_ - 1 < 8) {
      acc[1] = acc[1] + value;
    }
    if (0 <= step_ - 2 && step_ - 2 < 8) {
      acc[2] = acc[2] + value;
    }
    if (0 <= step_ - 3) {
      acc[3] = acc[3] + value;
    }
  }
  out[i32(first_u32 + 0u) * out_cols + i32(x_u32)] = acc[0];
  out[i32(first_u32 + 1u) * out_cols + i32(x_u32)] = acc[1];
  out[i32(first_u32 + 2u) * out_cols + i32(x_u32)] = acc[2];
  out[i32(first_u32 + 3u) * out_cols + i32(x_u32)] = acc[3];
}

// add_parts_kernel, compiled from Python for 16384 blocks of 256 threads.

const out_cols: i32 = 1024;
const blockDim_x: i32 = 256;

@group(0) @binding(0) var<storage, read> parts: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
struct Params { scale: f32 }
@group(0) @binding(2) var<uniform> params: Params;

@compute @workgroup_size(256, 1, 1)
fn add_parts_kernel(@builtin(local_invocation_id) threadIdx: vec3u, @builtin(workgroup_id) blockIdx: vec3u) {
  let i = i32(blockIdx.x) * blockDim_x + i32(threadIdx.x);
  var total: f32 = 0.0;
  total += parts[0 + i];
  total += parts[4194304 + i];
  total += parts[8388608 + i];
  total += parts[12582912 + i];
  total += parts[16777216 + i];
  total += parts[20971520 + i];
  total += parts[25165824 + i];
  total += parts[29360128 + i];
  let row = i / out_cols;
  let column = i % out_cols;
  total *= params.scale;
  total += out[row * out_cols + column];
  out[row * out_cols + column] = total;
}

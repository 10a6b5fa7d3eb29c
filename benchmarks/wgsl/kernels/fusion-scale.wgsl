// scale_kernel, compiled from Python for 131072 blocks of 256 threads.

const blockDim_x: i32 = 256;

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
struct Params { a: f32 }
@group(0) @binding(2) var<uniform> params: Params;

@compute @workgroup_size(256, 1, 1)
fn scale_kernel(@builtin(local_invocation_id) threadIdx: vec3u, @builtin(workgroup_id) group: vec3u) {
  // More blocks than a dispatch has along x: a workgroup does four, side by side.
  let block = (group.x + group.y * 32768u) * 4u;
  {
    let blockIdx = vec3u(block, 0u, 0u);
    let i = u32(i32(blockIdx.x) * blockDim_x + i32(threadIdx.x));
    out[i] = x[i] * params.a;
  }
  {
    let blockIdx = vec3u(block + 1u, 0u, 0u);
    let i = u32(i32(blockIdx.x) * blockDim_x + i32(threadIdx.x));
    out[i] = x[i] * params.a;
  }
  {
    let blockIdx = vec3u(block + 2u, 0u, 0u);
    let i = u32(i32(blockIdx.x) * blockDim_x + i32(threadIdx.x));
    out[i] = x[i] * params.a;
  }
  {
    let blockIdx = vec3u(block + 3u, 0u, 0u);
    let i = u32(i32(blockIdx.x) * blockDim_x + i32(threadIdx.x));
    out[i] = x[i] * params.a;
  }
}

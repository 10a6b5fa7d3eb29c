// fused_kernel, compiled from Python for 131072 blocks of 256 threads.

const blockDim_x: i32 = 256;

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
struct Params { a: f32, b: f32 }
@group(0) @binding(2) var<uniform> params: Params;

// By its bits: WGSL lets a compiler assume that there is no NaN.
fn is_nan(x: f32) -> bool { return (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u; }

// A NaN gives way to the other number, as in CUDA.
fn fmax(a: f32, b: f32) -> f32 { return select(select(max(a, b), a, is_nan(b)), b, is_nan(a)); }

@compute @workgroup_size(256, 1, 1)
fn fused_kernel(@builtin(local_invocation_id) threadIdx: vec3u, @builtin(workgroup_id) group: vec3u) {
  // More blocks than a dispatch has along x: a workgroup does four, side by side.
  let block = (group.x + group.y * 32768u) * 4u;
  {
    let blockIdx = vec3u(block, 0u, 0u);
    let i = u32(i32(blockIdx.x) * blockDim_x + i32(threadIdx.x));
    out[i] = fmax(x[i] * params.a + params.b, 0.0);
  }
  {
    let blockIdx = vec3u(block + 1u, 0u, 0u);
    let i = u32(i32(blockIdx.x) * blockDim_x + i32(threadIdx.x));
    out[i] = fmax(x[i] * params.a + params.b, 0.0);
  }
  {
    let blockIdx = vec3u(block + 2u, 0u, 0u);
    let i = u32(i32(blockIdx.x) * blockDim_x + i32(threadIdx.x));
    out[i] = fmax(x[i] * params.a + params.b, 0.0);
  }
  {
    let blockIdx = vec3u(block + 3u, 0u, 0u);
    let i = u32(i32(blockIdx.x) * blockDim_x + i32(threadIdx.x));
    out[i] = fmax(x[i] * params.a + params.b, 0.0);
  }
}

// swiglu_kernel, compiled from Python for 131072 blocks of 256 threads.

const blockDim_x: i32 = 256;

@group(0) @binding(0) var<storage, read> gate: array<f32>;
@group(0) @binding(1) var<storage, read> up: array<f32>;
@group(0) @binding(2) var<storage, read_write> out: array<f32>;

// By its bits: WGSL lets a compiler assume that there is no NaN.
fn is_nan(x: f32) -> bool { return (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u; }

fn exp_(x: f32) -> f32 { return select(exp(x), x, is_nan(x)); }

fn swiglu(gate_: f32, up_: f32) -> f32 {
  return gate_ / (1.0 + exp_(-gate_)) * up_;
}

@compute @workgroup_size(256, 1, 1)
fn swiglu_kernel(@builtin(local_invocation_id) threadIdx: vec3u, @builtin(workgroup_id) group: vec3u) {
  // More blocks than a dispatch has along x: a workgroup does four, side by side.
  let block = (group.x + group.y * 32768u) * 4u;
  {
    let blockIdx = vec3u(block, 0u, 0u);
    let i = i32(blockIdx.x) * blockDim_x + i32(threadIdx.x);
    out[i] = swiglu(gate[i], up[i]);
  }
  {
    let blockIdx = vec3u(block + 1u, 0u, 0u);
    let i = i32(blockIdx.x) * blockDim_x + i32(threadIdx.x);
    out[i] = swiglu(gate[i], up[i]);
  }
  {
    let blockIdx = vec3u(block + 2u, 0u, 0u);
    let i = i32(blockIdx.x) * blockDim_x + i32(threadIdx.x);
    out[i] = swiglu(gate[i], up[i]);
  }
  {
    let blockIdx = vec3u(block + 3u, 0u, 0u);
    let i = i32(blockIdx.x) * blockDim_x + i32(threadIdx.x);
    out[i] = swiglu(gate[i], up[i]);
  }
}

// swiglu_strided_kernel, compiled from Python for 1056 blocks of 256 threads.

const out_size: i32 = 33554432;
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
fn swiglu_strided_kernel(@builtin(local_invocation_id) threadIdx: vec3u, @builtin(workgroup_id) blockIdx: vec3u) {
  var i: i32;
  var i_1: i32 = i32(blockIdx.x) * blockDim_x + i32(threadIdx.x);
  for (; i_1 < 32743424; i_1 += 1081344) {
    i = i_1;
    out[i] = swiglu(gate[i], up[i]);
    i = i_1 + 270336;
    out[i] = swiglu(gate[i], up[i]);
    i = i_1 + 540672;
    out[i] = swiglu(gate[i], up[i]);
    i = i_1 + 811008;
    out[i] = swiglu(gate[i], up[i]);
  }
  for (; i_1 < out_size; i_1 += 270336) {
    i = i_1;
    out[i] = swiglu(gate[i], up[i]);
  }
}

// add_before_kernel, compiled from Python for 131072 blocks of 256 threads.

const sums_size: i32 = 131072;
const blockDim_x: i32 = 256;

@group(0) @binding(0) var<storage, read_write> out: array<i32>;
@group(0) @binding(1) var<storage, read> sums: array<i32>;

// A negative index counts from the end, as in Numba.
fn from_start(index: i32, size: i32) -> i32 { return select(index, index + size, index < 0); }

@compute @workgroup_size(256, 1, 1)
fn add_before_kernel(@builtin(local_invocation_id) threadIdx: vec3u, @builtin(workgroup_id) group: vec3u) {
  // More blocks than a dispatch has along x: a workgroup does four, side by side.
  let block = (group.x + group.y * 32768u) * 4u;
  {
    let blockIdx = vec3u(block, 0u, 0u);
    let i = i32(blockIdx.x) * blockDim_x + i32(threadIdx.x);
    if (i32(blockIdx.x) > 0) {
      out[i] = out[i] + sums[from_start(i32(blockIdx.x) - 1, sums_size)];
    }
  }
  {
    let blockIdx = vec3u(block + 1u, 0u, 0u);
    let i = i32(blockIdx.x) * blockDim_x + i32(threadIdx.x);
    if (i32(blockIdx.x) > 0) {
      out[i] = out[i] + sums[from_start(i32(blockIdx.x) - 1, sums_size)];
    }
  }
  {
    let blockIdx = vec3u(block + 2u, 0u, 0u);
    let i = i32(blockIdx.x) * blockDim_x + i32(threadIdx.x);
    if (i32(blockIdx.x) > 0) {
      out[i] = out[i] + sums[from_start(i32(blockIdx.x) - 1, sums_size)];
    }
  }
  {
    let blockIdx = vec3u(block + 3u, 0u, 0u);
    let i = i32(blockIdx.x) * blockDim_x + i32(threadIdx.x);
    if (i32(blockIdx.x) > 0) {
      out[i] = out[i] + sums[from_start(i32(blockIdx.x) - 1, sums_size)];
    }
  }
}

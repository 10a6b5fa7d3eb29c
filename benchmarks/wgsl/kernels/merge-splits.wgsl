// splits_kernel, compiled from Python for 33 blocks of 128 threads.

const a_size: i32 = 4194304;
const b_size: i32 = 4194304;
const splits_size: i32 = 4097;
const blockDim_x: i32 = 128;

@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> splits: array<i32>;

// A negative index counts from the end, as in Numba.
fn from_start(index: i32, size: i32) -> i32 { return select(index, index + size, index < 0); }

fn split(steps: i32) -> i32 {
  var low = max(0, steps - b_size);
  var high = min(steps, a_size);
  while (low < high) {
    let middle = (low + high) / 2;
    if (a[middle] <= b[from_start(steps - 1 - middle, b_size)]) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

@compute @workgroup_size(128, 1, 1)
fn splits_kernel(@builtin(local_invocation_id) threadIdx: vec3u, @builtin(workgroup_id) blockIdx: vec3u) {
  let t = i32(blockIdx.x) * blockDim_x + i32(threadIdx.x);
  if (t < splits_size) {
    let steps = min(t * 2048, 8388608);
    splits[t] = split(steps);
  }
}

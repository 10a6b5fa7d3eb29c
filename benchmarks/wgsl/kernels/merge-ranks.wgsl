// merge_ranks_kernel, compiled from Python for 32768 blocks of 256 threads.

const a_size: i32 = 4194304;
const b_size: i32 = 4194304;
const blockDim_x: i32 = 256;

@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> out: array<f32>;

fn how_many_below(value: f32) -> i32 {
  var low: i32 = 0;
  var high = b_size;
  while (low < high) {
    let middle = (low + high) / 2;
    if (b[middle] < value) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

fn how_many_below_1(value: f32) -> i32 {
  var low: i32 = 0;
  var high = a_size;
  while (low < high) {
    let middle = (low + high) / 2;
    if (a[middle] < value || a[middle] == value) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

@compute @workgroup_size(256, 1, 1)
fn merge_ranks_kernel(@builtin(local_invocation_id) threadIdx: vec3u, @builtin(workgroup_id) blockIdx: vec3u) {
  let i = i32(blockIdx.x) * blockDim_x + i32(threadIdx.x);
  if (i < a_size) {
    out[i + how_many_below(a[i])] = a[i];
  } else {
    let j = i - a_size;
    out[j + how_many_below_1(b[j])] = b[j];
  }
}

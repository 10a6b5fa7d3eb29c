// digit_counts_kernel, compiled from Python for 528 blocks of 512 threads.

const keys_size: i32 = 33554432;
const BINS: i32 = 256;
const blockDim_x: i32 = 512;

@group(0) @binding(0) var<storage, read> keys: array<u32>;
@group(0) @binding(1) var<storage, read_write> counts: array<atomic<i32>>;
var<workgroup> local: array<atomic<i32>, 1024>;

fn digit(key: u32) -> u32 {
  return (key >> 0u) & 255u;
}

fn digit_1(key: u32) -> u32 {
  return (key >> 8u) & 255u;
}

fn digit_2(key: u32) -> u32 {
  return (key >> 16u) & 255u;
}

fn digit_3(key: u32) -> u32 {
  return (key >> 24u) & 255u;
}

@compute @workgroup_size(512, 1, 1)
fn digit_counts_kernel(@builtin(local_invocation_id) threadIdx: vec3u, @builtin(workgroup_id) blockIdx: vec3u) {
  let tid = i32(threadIdx.x);
  for (var d = tid; d < BINS; d += blockDim_x) {
    atomicStore(&local[0 + d], 0);
    atomicStore(&local[256 + d], 0);
    atomicStore(&local[512 + d], 0);
    atomicStore(&local[768 + d], 0);
  }
  storageBarrier(); workgroupBarrier();
  var p: i32 = 3;
  for (var i = i32(blockIdx.x) * blockDim_x + i32(threadIdx.x); i < keys_size; i += 270336) {
    atomicAdd(&local[0 + i32(digit(keys[i]))], 1);
    atomicAdd(&local[256 + i32(digit_1(keys[i]))], 1);
    atomicAdd(&local[512 + i32(digit_2(keys[i]))], 1);
    atomicAdd(&local[768 + i32(digit_3(keys[i]))], 1);
    p = 3;
  }
  storageBarrier(); workgroupBarrier();
  for (var d = tid; d < BINS; d += blockDim_x) {
    atomicAdd(&counts[0 + d], atomicLoad(&local[0 + d]));
    atomicAdd(&counts[256 + d], atomicLoad(&local[256 + d]));
    atomicAdd(&counts[512 + d], atomicLoad(&local[512 + d]));
    atomicAdd(&counts[768 + d], atomicLoad(&local[768 + d]));
    p = 3;
  }
}

// count_kernel, compiled from Python for 264 blocks of 512 threads.

const x_size: i32 = 33554432;
const BINS: i32 = 256;
const PREFIX: i32 = 0;
const MASK: i32 = 1;
const blockDim_x: i32 = 512;

@group(0) @binding(0) var<storage, read> x: array<u32>;
@group(0) @binding(1) var<storage, read> known: array<i32>;
@group(0) @binding(2) var<storage, read_write> counts: array<atomic<i32>>;
var<workgroup> local: array<atomic<i32>, 256>;

@compute @workgroup_size(512, 1, 1)
fn count_kernel(@builtin(local_invocation_id) threadIdx: vec3u, @builtin(workgroup_id) blockIdx: vec3u) {
  var d: i32;
  var i: i32;
  let prefix = u32(known[PREFIX]);
  let mask = u32(known[MASK]);
  var d_1: i32 = i32(threadIdx.x);
  for (; d_1 < i32(-1280); d_1 += 2048) {
    d = d_1;
    atomicStore(&local[d], 0);
    d = d_1 + 512;
    atomicStore(&local[d], 0);
    d = d_1 + 1024;
    atomicStore(&local[d], 0);
    d = d_1 + 1536;
    atomicStore(&local[d], 0);
  }
  for (; d_1 < BINS; d_1 += 512) {
    d = d_1;
    atomicStore(&local[d], 0);
  }
  storageBarrier(); workgroupBarrier();
  var i_2: i32 = i32(blockIdx.x) * blockDim_x + i32(threadIdx.x);
  for (; i_2 < 33148928; i_2 += 540672) {
    i = i_2;
    if (i32(x[i] & mask) == i32(prefix)) {
      atomicAdd(&local[i32(x[i] >> 24u) & 255], 1);
    }
    i = i_2 + 135168;
    if (i32(x[i] & mask) == i32(prefix)) {
      atomicAdd(&local[i32(x[i] >> 24u) & 255], 1);
    }
    i = i_2 + 270336;
    if (i32(x[i] & mask) == i32(prefix)) {
      atomicAdd(&local[i32(x[i] >> 24u) & 255], 1);
    }
    i = i_2 + 405504;
    if (i32(x[i] & mask) == i32(prefix)) {
      atomicAdd(&local[i32(x[i] >> 24u) & 255], 1);
    }
  }
  for (; i_2 < x_size; i_2 += 135168) {
    i = i_2;
    if (i32(x[i] & mask) == i32(prefix)) {
      atomicAdd(&local[i32(x[i] >> 24u) & 255], 1);
    }
  }
  storageBarrier(); workgroupBarrier();
  var d_3: i32 = i32(threadIdx.x);
  for (; d_3 < i32(-1280); d_3 += 2048) {
    d = d_3;
    atomicAdd(&counts[d], atomicLoad(&local[d]));
    d = d_3 + 512;
    atomicAdd(&counts[d], atomicLoad(&local[d]));
    d = d_3 + 1024;
    atomicAdd(&counts[d], atomicLoad(&local[d]));
    d = d_3 + 1536;
    atomicAdd(&counts[d], atomicLoad(&local[d]));
  }
  for (; d_3 < BINS; d_3 += 512) {
    d = d_3;
    atomicAdd(&counts[d], atomicLoad(&local[d]));
  }
}

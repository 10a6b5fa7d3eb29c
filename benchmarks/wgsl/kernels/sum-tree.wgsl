// sum_tree_kernel, compiled from Python for 131072 blocks of 256 threads.

const blockDim_x: i32 = 256;

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> partial: array<f32>;
var<workgroup> tile: array<f32, 256>;

@compute @workgroup_size(256, 1, 1)
fn sum_tree_kernel(@builtin(local_invocation_id) threadIdx: vec3u, @builtin(workgroup_id) group: vec3u) {
  // More blocks than a dispatch has along x: they lie in rows of 32768.
  let blockIdx = vec3u(group.x + group.y * 32768u, 0u, 0u);
  let tid = i32(threadIdx.x);
  let i = i32(blockIdx.x) * blockDim_x + i32(threadIdx.x);
  tile[tid] = x[i];
  workgroupBarrier();
  var half: i32 = 128;
  while (half > 0) {
    if (tid < half) {
      tile[tid] = tile[tid] + tile[tid + half];
    }
    workgroupBarrier();
    half /= 2;
  }
  if (tid == 0) {
    partial[i32(blockIdx.x)] = tile[0];
  }
}

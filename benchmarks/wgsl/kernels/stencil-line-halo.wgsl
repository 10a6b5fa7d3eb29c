// line_halo_kernel, compiled from Python for 131072 blocks of 256 threads.

const blockDim_x: i32 = 256;

@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
struct Params { center: f32, side: f32 }
@group(0) @binding(2) var<uniform> params: Params;
var<workgroup> tile: array<f32, 258>;

@compute @workgroup_size(256, 1, 1)
fn line_halo_kernel(@builtin(local_invocation_id) threadIdx: vec3u, @builtin(workgroup_id) group: vec3u) {
  // More blocks than a dispatch has along x: they lie in rows of 32768.
  let blockIdx = vec3u(group.x + group.y * 32768u, 0u, 0u);
  let t = i32(threadIdx.x);
  let i = i32(blockIdx.x) * blockDim_x + i32(threadIdx.x);
  let last: i32 = 33554431;
  tile[t + 1] = a[i];
  if (t == 0 && i > 0) {
    tile[0] = a[i - 1];
  }
  if (t == 255 && i < last) {
    tile[257] = a[i + 1];
  }
  workgroupBarrier();
  if (0 < i && i < last) {
    out[i] = params.center * tile[t + 1] + params.side * (tile[t] + tile[t + 2]);
  } else {
    out[i] = tile[t + 1];
  }
}

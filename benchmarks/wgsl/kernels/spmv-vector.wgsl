enable subgroups;
diagnostic(off, subgroup_uniformity);
// vector_kernel, compiled from Python for 32768 blocks of 128 threads.

const blockDim_x: i32 = 128;

@group(0) @binding(0) var<storage, read> starts: array<i32>;
@group(0) @binding(1) var<storage, read> columns: array<i32>;
@group(0) @binding(2) var<storage, read> values: array<f32>;
@group(0) @binding(3) var<storage, read> x: array<f32>;
@group(0) @binding(4) var<storage, read_write> y: array<f32>;

@compute @workgroup_size(128, 1, 1)
fn vector_kernel(@builtin(local_invocation_id) threadIdx: vec3u, @builtin(workgroup_id) blockIdx: vec3u) {
  let thread4 = i32(threadIdx.x);
  var k: i32;
  let thread = u32(i32(blockIdx.x) * blockDim_x + i32(threadIdx.x));
  let row = u32(i32(thread) / 4);
  let lane_ = u32(i32(thread) % 4);
  let here = true;
  let start = starts[row];
  let end = starts[row + 1u];
  var total: f32 = 0.0;
  var k_1: i32 = start + i32(lane_);
  for (; k_1 < end - 12; k_1 += 16) {
    k = k_1;
    total = total + values[u32(k)] * x[u32(columns[u32(k)])];
    k = k_1 + 4;
    total = total + values[u32(k)] * x[u32(columns[u32(k)])];
    k = k_1 + 8;
    total = total + values[u32(k)] * x[u32(columns[u32(k)])];
    k = k_1 + 12;
    total = total + values[u32(k)] * x[u32(columns[u32(k)])];
  }
  for (; k_1 < end; k_1 += 4) {
    k = k_1;
    total = total + values[u32(k)] * x[u32(columns[u32(k)])];
  }
  var hop: i32 = 2;
  while (hop > 0) {  // every lane of the warp is here, also those without a row
    let t3 = total;
    let t2 = subgroupShuffleXor(t3, u32(hop));
    total += t2;
    hop /= 2;
  }
  if (i32(lane_) == 0) {
    y[row] = total;
  }
}

// scalar_kernel, compiled from Python for 8192 blocks of 128 threads.

const blockDim_x: i32 = 128;

@group(0) @binding(0) var<storage, read> starts: array<i32>;
@group(0) @binding(1) var<storage, read> columns: array<i32>;
@group(0) @binding(2) var<storage, read> values: array<f32>;
@group(0) @binding(3) var<storage, read> x: array<f32>;
@group(0) @binding(4) var<storage, read_write> y: array<f32>;

@compute @workgroup_size(128, 1, 1)
fn scalar_kernel(@builtin(local_invocation_id) threadIdx: vec3u, @builtin(workgroup_id) blockIdx: vec3u) {
  var k: i32;
  let row = u32(i32(blockIdx.x) * blockDim_x + i32(threadIdx.x));
  var total: f32 = 0.0;
  let stop1 = starts[row + 1u];
  var k_2: i32 = starts[row];
  for (; k_2 < stop1 - 3; k_2 += 4) {
    k = k_2;
    total = total + values[u32(k)] * x[u32(columns[u32(k)])];
    k = k_2 + 1;
    total = total + values[u32(k)] * x[u32(columns[u32(k)])];
    k = k_2 + 2;
    total = total + values[u32(k)] * x[u32(columns[u32(k)])];
    k = k_2 + 3;
    total = total + values[u32(k)] * x[u32(columns[u32(k)])];
  }
  for (; k_2 < stop1; k_2 += 1) {
    k = k_2;
    total = total + values[u32(k)] * x[u32(columns[u32(k)])];
  }
  y[row] = total;
}

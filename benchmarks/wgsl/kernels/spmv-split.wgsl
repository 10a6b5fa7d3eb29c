// split_kernel, compiled from Python for 97 blocks of 128 threads.

const tile: i32 = 768;
const first_rows_size: i32 = 12289;
const blockDim_x: i32 = 128;

@group(0) @binding(0) var<storage, read> starts: array<i32>;
@group(0) @binding(1) var<storage, read_write> first_rows: array<i32>;

@compute @workgroup_size(128, 1, 1)
fn split_kernel(@builtin(local_invocation_id) threadIdx: vec3u, @builtin(workgroup_id) blockIdx: vec3u) {
  let b = i32(blockIdx.x) * blockDim_x + i32(threadIdx.x);
  let rows: i32 = 1048576;
  let nonzeros = starts[rows];
  if (b < first_rows_size) {
    let item = min(b * tile, rows + nonzeros);
    var low = max(0, item - nonzeros);
    var high = min(item, rows);
    while (low < high) {
      let middle = (low + high) / 2;
      if (starts[middle + 1] <= item - middle - 1) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    first_rows[b] = low;
  }
}

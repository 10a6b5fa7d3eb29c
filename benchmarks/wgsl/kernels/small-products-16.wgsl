// small_products_kernel, compiled from Python for 131072 blocks of 16 x 16 threads.

const a_cols: i32 = 16;
const b_cols: i32 = 16;
const out_cols: i32 = 16;

@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> out: array<f32>;
var<workgroup> left: array<array<array<f32, 16>, 16>, 1>;
var<workgroup> right: array<array<array<f32, 16>, 16>, 1>;

@compute @workgroup_size(16, 16, 1)
fn small_products_kernel(@builtin(local_invocation_id) threadIdx: vec3u, @builtin(workgroup_id) group: vec3u) {
  // More blocks than a dispatch has along x: they lie in rows of 32768.
  let blockIdx = vec3u(group.x + group.y * 32768u, 0u, 0u);
  let column = i32(threadIdx.x);
  let row = i32(threadIdx.y);
  let mine: i32 = 0;
  let product = i32(blockIdx.x) * 1 + 0;
  left[mine][row][column] = a[product * 256 + row * a_cols + column];
  right[mine][row][column] = b[product * 256 + row * b_cols + column];
  workgroupBarrier();
  var total: f32 = 0.0;
  total = total + left[mine][row][0] * right[mine][0][column];
  total = total + left[mine][row][1] * right[mine][1][column];
  total = total + left[mine][row][2] * right[mine][2][column];
  total = total + left[mine][row][3] * right[mine][3][column];
  total = total + left[mine][row][4] * right[mine][4][column];
  total = total + left[mine][row][5] * right[mine][5][column];
  total = total + left[mine][row][6] * right[mine][6][column];
  total = total + left[mine][row][7] * right[mine][7][column];
  total = total + left[mine][row][8] * right[mine][8][column];
  total = total + left[mine][row][9] * right[mine][9][column];
  total = total + left[mine][row][10] * right[mine][10][column];
  total = total + left[mine][row][11] * right[mine][11][column];
  total = total + left[mine][row][12] * right[mine][12][column];
  total = total + left[mine][row][13] * right[mine][13][column];
  total = total + left[mine][row][14] * right[mine][14][column];
  total = total + left[mine][row][15] * right[mine][15][column];
  out[product * 256 + row * out_cols + column] = total;
}

// local_kernel, compiled from Python for 8192 blocks of 128 threads.

const a_size: i32 = 1048576;
const shift: i32 = 3;
const rounds: i32 = 64;
const blockDim_x: i32 = 128;

@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
var<private> window: array<f32, 16>;

@compute @workgroup_size(128, 1, 1)
fn local_kernel(@builtin(local_invocation_id) threadIdx: vec3u, @builtin(workgroup_id) blockIdx: vec3u) {
  let i = i32(blockIdx.x) * blockDim_x + i32(threadIdx.x);
  window[0] = a[(i + 0) % a_size];
  window[1] = a[(i + 1) % a_size];
  window[2] = a[(i + 2) % a_size];
  window[3] = a[(i + 3) % a_size];
  window[4] = a[(i + 4) % a_size];
  window[5] = a[(i + 5) % a_size];
  window[6] = a[(i + 6) % a_size];
  window[7] = a[(i + 7) % a_size];
  window[8] = a[(i + 8) % a_size];
  window[9] = a[(i + 9) % a_size];
  window[10] = a[(i + 10) % a_size];
  window[11] = a[(i + 11) % a_size];
  window[12] = a[(i + 12) % a_size];
  window[13] = a[(i + 13) % a_size];
  window[14] = a[(i + 14) % a_size];
  window[15] = a[(i + 15) % a_size];
  var total: f32 = 0.0;
  for (var r: i32 = 0; r < rounds; r++) {
    total += window[(0 + r + shift) & 15];  // no register has an index
    total += window[(1 + r + shift) & 15];
    total += window[(2 + r + shift) & 15];
    total += window[(3 + r + shift) & 15];
    total += window[(4 + r + shift) & 15];
    total += window[(5 + r + shift) & 15];
    total += window[(6 + r + shift) & 15];
    total += window[(7 + r + shift) & 15];
    total += window[(8 + r + shift) & 15];
    total += window[(9 + r + shift) & 15];
    total += window[(10 + r + shift) & 15];
    total += window[(11 + r + shift) & 15];
    total += window[(12 + r + shift) & 15];
    total += window[(13 + r + shift) & 15];
    total += window[(14 + r + shift) & 15];
    total += window[(15 + r + shift) & 15];
  }
  out[i] = total;
}

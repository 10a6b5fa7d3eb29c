// pull_plain_kernel, compiled from Python for 128 blocks of 128 threads.

const stars_rows: i32 = 16384;
const stars_cols: i32 = 4;
const pull_cols: i32 = 3;
const blockDim_x: i32 = 128;

@group(0) @binding(0) var<storage, read> stars: array<f32>;
@group(0) @binding(1) var<storage, read_write> pull: array<f32>;
struct Params { soft: f32, infinity: f32 }
@group(0) @binding(2) var<uniform> params: Params;

fn not_a_number() -> f32 {
  return bitcast<f32>(bitcast<u32>(params.infinity) | 0x400000u);
}

fn square_root(x: f32) -> f32 {
  if (x < 0.0) { return not_a_number(); }
  return sqrt(x);
}

@compute @workgroup_size(128, 1, 1)
fn pull_plain_kernel(@builtin(local_invocation_id) threadIdx: vec3u, @builtin(workgroup_id) blockIdx: vec3u) {
  var j: i32;
  var dx: f32;
  var dy: f32;
  var dz: f32;
  var inverse: f32;
  var strength: f32;
  let i = i32(blockIdx.x) * blockDim_x + i32(threadIdx.x);
  let x = stars[i * stars_cols + 0];
  let y = stars[i * stars_cols + 1];
  let z = stars[i * stars_cols + 2];
  var ax: f32 = 0.0;
  var ay: f32 = 0.0;
  var az: f32 = 0.0;
  var j_1: i32 = 0;
  for (; j_1 < 16381; j_1 += 4) {
    j = j_1;
    dx = stars[j * stars_cols + 0] - x;
    dy = stars[j * stars_cols + 1] - y;
    dz = stars[j * stars_cols + 2] - z;
    inverse = 1.0 / square_root(dx * dx + dy * dy + dz * dz + params.soft);
    strength = stars[j * stars_cols + 3] * inverse * inverse * inverse;
    ax = ax + strength * dx;
    ay = ay + strength * dy;
    az = az + strength * dz;
    j = j_1 + 1;
    dx = stars[j * stars_cols + 0] - x;
    dy = stars[j * stars_cols + 1] - y;
    dz = stars[j * stars_cols + 2] - z;
    inverse = 1.0 / square_root(dx * dx + dy * dy + dz * dz + params.soft);
    strength = stars[j * stars_cols + 3] * inverse * inverse * inverse;
    ax = ax + strength * dx;
    ay = ay + strength * dy;
    az = az + strength * dz;
    j = j_1 + 2;
    dx = stars[j * stars_cols + 0] - x;
    dy = stars[j * stars_cols + 1] - y;
    dz = stars[j * stars_cols + 2] - z;
    inverse = 1.0 / square_root(dx * dx + dy * dy + dz * dz + params.soft);
    strength = stars[j * stars_cols + 3] * inverse * inverse * inverse;
    ax = ax + strength * dx;
    ay = ay + strength * dy;
    az = az + strength * dz;
    j = j_1 + 3;
    dx = stars[j * stars_cols + 0] - x;
    dy = stars[j * stars_cols + 1] - y;
    dz = stars[j * stars_cols + 2] - z;
    inverse = 1.0 / square_root(dx * dx + dy * dy + dz * dz + params.soft);
    strength = stars[j * stars_cols + 3] * inverse * inverse * inverse;
    ax = ax + strength * dx;
    ay = ay + strength * dy;
    az = az + strength * dz;
  }
  for (; j_1 < stars_rows; j_1 += 1) {
    j = j_1;
    dx = stars[j * stars_cols + 0] - x;
    dy = stars[j * stars_cols + 1] - y;
    dz = stars[j * stars_cols + 2] - z;
    inverse = 1.0 / square_root(dx * dx + dy * dy + dz * dz + params.soft);
    strength = stars[j * stars_cols + 3] * inverse * inverse * inverse;
    ax = ax + strength * dx;
    ay = ay + strength * dy;
    az = az + strength * dz;
  }
  let t2 = ax;
  let t3 = ay;
  let t4 = az;
  pull[i * pull_cols + 0] = t2;
  pull[i * pull_cols + 1] = t3;
  pull[i * pull_cols + 2] = t4;
}

// lattice_kernel, compiled from Python for 64 x 512 blocks of 32 x 4 threads.

const rows: i32 = 2048;
const columns: i32 = 2048;
const blockDim_x: i32 = 32;
const blockDim_y: i32 = 4;

@group(0) @binding(0) var<storage, read> f: array<f32>;
@group(0) @binding(1) var<storage, read> solid: array<u32>;
@group(0) @binding(2) var<storage, read_write> out: array<f32>;
struct Params { omega: f32, wind: f32 }
@group(0) @binding(3) var<uniform> params: Params;

struct equilibrium_result { item0: f32, item1: f32, item2: f32, item3: f32, item4: f32, item5: f32, item6: f32, item7: f32, item8: f32 }

struct collide_result { item0: f32, item1: f32, item2: f32, item3: f32, item4: f32, item5: f32, item6: f32, item7: f32, item8: f32 }

fn equilibrium(rho: f32, u: f32, v: f32) -> equilibrium_result {
  let still = 1.0 - 1.5 * (u * u + v * v);
  let s = 0.11111111 * rho;
  let d = 0.027777778 * rho;
  let p = u + v;
  let m = u - v;
  return equilibrium_result(0.44444445 * rho * still, s * (still + 3.0 * u + 4.5 * u * u), s * (still + 3.0 * v + 4.5 * v * v), s * (still - 3.0 * u + 4.5 * u * u), s * (still - 3.0 * v + 4.5 * v * v), d * (still + 3.0 * p + 4.5 * p * p), d * (still - 3.0 * m + 4.5 * m * m), d * (still - 3.0 * p + 4.5 * p * p), d * (still + 3.0 * m + 4.5 * m * m));
}

fn collide(f0: f32, f1: f32, f2: f32, f3: f32, f4: f32, f5: f32, f6: f32, f7: f32, f8: f32, solid_: bool, inlet: bool, omega_given: f32, wind_: f32) -> collide_result {
  var omega_ = omega_given;
  var rho = f0 + f1 + f2 + f3 + f4 + f5 + f6 + f7 + f8;
  let inverse = 1.0 / rho;
  var u = (f1 - f3 + f5 - f6 - f7 + f8) * inverse;
  var v = (f2 - f4 + f5 + f6 - f7 - f8) * inverse;
  if (inlet) {
    rho = 1.0;
    u = wind_;
    v = 0.0;
    omega_ = 1.0;
  }
  let t1 = equilibrium(rho, u, v);
  let e0 = t1.item0;
  let e1 = t1.item1;
  let e2 = t1.item2;
  let e3 = t1.item3;
  let e4 = t1.item4;
  let e5 = t1.item5;
  let e6 = t1.item6;
  let e7 = t1.item7;
  let e8 = t1.item8;
  if (solid_) {  // each one goes back where it came from
    return collide_result(f0, f3, f4, f1, f2, f7, f8, f5, f6);
  }
  return collide_result(f0 + omega_ * (e0 - f0), f1 + omega_ * (e1 - f1), f2 + omega_ * (e2 - f2), f3 + omega_ * (e3 - f3), f4 + omega_ * (e4 - f4), f5 + omega_ * (e5 - f5), f6 + omega_ * (e6 - f6), f7 + omega_ * (e7 - f7), f8 + omega_ * (e8 - f8));
}

@compute @workgroup_size(32, 4, 1)
fn lattice_kernel(@builtin(local_invocation_id) threadIdx: vec3u, @builtin(workgroup_id) blockIdx: vec3u) {
  let rows_ = rows;
  let columns_ = columns;
  let x = i32(blockIdx.x) * blockDim_x + i32(threadIdx.x);
  let y = i32(blockIdx.y) * blockDim_y + i32(threadIdx.y);
  let t1 = u32(x);
  let t2 = u32(y);
  let x_u32 = t1;
  let y_u32 = t2;
  let rows_u32 = 2048u;
  let columns_u32 = 2048u;
  let west = u32(select(0, i32(x_u32 - 1u), i32(x_u32) > 0));
  let east = select(x_u32, x_u32 + 1u, i32(x_u32) < 2047);  // past the outlet, as before the outlet
  let here = y_u32 * 2048u;
  let south = u32(select(2047, i32(y_u32 - 1u), i32(y_u32) > 0) * 2048);
  let north = u32(select(0, i32(y_u32 + 1u), i32(y_u32) < 2047) * 2048);
  let n = 4194304u;
  let t3 = collide(f[here + x_u32], f[u32(4194304 + i32(here) + i32(west))], f[u32(8388608 + i32(south) + i32(x_u32))], f[u32(12582912 + i32(here) + i32(east))], f[u32(16777216 + i32(north) + i32(x_u32))], f[u32(20971520 + i32(south) + i32(west))], f[u32(25165824 + i32(south) + i32(east))], f[u32(29360128 + i32(north) + i32(east))], f[u32(33554432 + i32(north) + i32(west))], i32(solid[here + x_u32]) != 0, i32(x_u32) == 0, params.omega, params.wind);
  let g0 = t3.item0;
  let g1 = t3.item1;
  let g2 = t3.item2;
  let g3 = t3.item3;
  let g4 = t3.item4;
  let g5 = t3.item5;
  let g6 = t3.item6;
  let g7 = t3.item7;
  let g8 = t3.item8;
  let i = here + x_u32;
  out[i] = g0;
  out[u32(4194304 + i32(i))] = g1;
  out[u32(8388608 + i32(i))] = g2;
  out[u32(12582912 + i32(i))] = g3;
  out[u32(16777216 + i32(i))] = g4;
  out[u32(20971520 + i32(i))] = g5;
  out[u32(25165824 + i32(i))] = g6;
  out[u32(29360128 + i32(i))] = g7;
  out[u32(33554432 + i32(i))] = g8;
}

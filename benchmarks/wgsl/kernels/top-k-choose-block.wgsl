// choose_block_kernel, compiled from Python for 1 blocks of 256 threads.

// Numbers of 64 bits: the low half, and the high one.
alias int64 = vec2u;

const BINS: i32 = 256;
const LEFT: i32 = 2;
const PREFIX: i32 = 0;
const MASK: i32 = 1;

@group(0) @binding(0) var<storage, read_write> counts: array<i32>;
@group(0) @binding(1) var<storage, read_write> known: array<int64>;
var<workgroup> sums: array<i32, 256>;

fn i64_of(x: i32) -> vec2u { return vec2u(u32(x), u32(x >> 31u)); }

fn add64(a: vec2u, b: vec2u) -> vec2u {
  let low = a.x + b.x;
  return vec2u(low, a.y + b.y + select(0u, 1u, low < a.x));
}

// A negative index counts from the end, as in Numba.
fn from_start(index: i32, size: i32) -> i32 { return select(index, index + size, index < 0); }

fn sub64(a: vec2u, b: vec2u) -> vec2u {
  return vec2u(a.x - b.x, a.y - b.y - select(0u, 1u, a.x < b.x));
}

fn i64_less(a: vec2u, b: vec2u) -> bool {
  return bitcast<i32>(a.y) < bitcast<i32>(b.y) || (a.y == b.y && a.x < b.x);
}

@compute @workgroup_size(256, 1, 1)
fn choose_block_kernel(@builtin(local_invocation_id) threadIdx: vec3u) {
  let t = i32(threadIdx.x);
  let digit = 255 - t;  // from above
  let left = known[LEFT];
  sums[t] = counts[digit];
  var reach: i32 = 1;
  while (reach < BINS) {
    storageBarrier(); workgroupBarrier();
    let before = select(0, sums[from_start(t - reach, 256)], t >= reach);
    storageBarrier(); workgroupBarrier();
    sums[t] = bitcast<i32>(add64(i64_of(sums[t]), i64_of(before)).x);
    reach *= 2;
  }
  let above = sub64(i64_of(sums[t]), i64_of(counts[digit]));
  if (i64_less(above, left) && !i64_less(i64_of(sums[t]), left)) {  // one thread's
    known[PREFIX] = known[PREFIX] | i64_of(digit << 8u);
    known[MASK] = known[MASK] | int64(0xff00u, 0x0u);
    known[LEFT] = sub64(left, above);
  }
  counts[digit] = 0;
}

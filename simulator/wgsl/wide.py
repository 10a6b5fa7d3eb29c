"""Numbers of 64 bits, which WGSL lacks, as two of 32 bits: integers, and float64 by integers.

The low half stands first. Sums, differences, products, quotients, roots, comparisons and
conversions of float64 are those of IEEE 754, to the bit, subnormal numbers and zeros with a sign
included; a NaN is a NaN, whichever. Functions of math are polynomials of such numbers, as near as
``tests/test_wgsl_wide.py`` measures. All of it is slow: a product of float64 is some hundred
operations. Only what a kernel uses is written into its module.
"""

import math
import re
import struct

WIDE = {"int64", "uint64", "float64"}  # WGSL types of ours that have 64 bits
ALIAS = {name: f"alias {name} = vec2u;" for name in sorted(WIDE)}
ALIAS["complex128"] = "alias complex128 = vec4u;"  # the real part first
ALIAS |= {  # and what functions of float64 return
    "F64": "struct F64 { m: vec2u, e: i32 }",
    "Turned": "struct Turned { x: vec2u, turns: u32 }",
    "Log": "struct Log { e: vec2u, rest: vec2u }",
}


def halves(bits):
    return f"{bits & 0xFFFFFFFF:#x}u, {bits >> 32 & 0xFFFFFFFF:#x}u"


def wide_literal(rep, x):
    """The text of a constant of 64 bits."""
    if rep == "float64":
        x = struct.unpack("<Q", struct.pack("<d", x))[0]
    return f"{rep}({halves(int(x))})"


def _f(x):
    return f"vec2u({halves(struct.unpack('<Q', struct.pack('<d', x))[0])})"


def _table(numbers):
    return f"array<vec2u, {len(numbers)}>({', '.join(map(_f, numbers))})"


# ln 2 and pi/2 in parts: products of the first with small integers are exact.
LN2 = 6.93147180369123816490e-01, 1.90821492927058770002e-10
HALF_PI = 1.57079632673412561417e00, 6.07710050630396597660e-11, 2.02226624879595063154e-21
EXP = [1 / math.factorial(n) for n in range(13, -1, -1)]
EXPM1 = [1 / math.factorial(n + 1) for n in range(13, -1, -1)]
LOG = [2 / (2 * n + 1) for n in range(12, -1, -1)]
ATAN = [(-1) ** n / (2 * n + 1) for n in range(12, -1, -1)]
SIN = [(-1) ** n / math.factorial(2 * n + 1) for n in range(9, -1, -1)]
COS = [(-1) ** n / math.factorial(2 * n) for n in range(9, -1, -1)]


def _series(name, numbers, said):
    return f"""// {said}
fn {name}(x: vec2u) -> vec2u {{
  var terms = {_table(numbers)};
  var sum = terms[0];
  for (var k = 1; k < {len(numbers)}; k++) {{
    sum = f64_add(f64_mul(sum, x), terms[k]);
  }}
  return sum;
}}"""


WIDE_HELPERS = {
    # ------------------------------------------------------------ integers
    "i64_of": """fn i64_of(x: i32) -> vec2u { return vec2u(u32(x), u32(x >> 31u)); }""",
    "add64": """fn add64(a: vec2u, b: vec2u) -> vec2u {
  let low = a.x + b.x;
  return vec2u(low, a.y + b.y + select(0u, 1u, low < a.x));
}""",
    "sub64": """fn sub64(a: vec2u, b: vec2u) -> vec2u {
  return vec2u(a.x - b.x, a.y - b.y - select(0u, 1u, a.x < b.x));
}""",
    "product32": """// All 64 bits of a product.
fn product32(a: u32, b: u32) -> vec2u {
  let low = (a & 0xffffu) * (b & 0xffffu);
  let one = (a >> 16u) * (b & 0xffffu) + (low >> 16u);
  let two = (a & 0xffffu) * (b >> 16u) + (one & 0xffffu);
  return vec2u((two << 16u) | (low & 0xffffu),
               (a >> 16u) * (b >> 16u) + (one >> 16u) + (two >> 16u));
}""",
    "mul64": """fn mul64(a: vec2u, b: vec2u) -> vec2u {
  let low = product32(a.x, b.x);
  return vec2u(low.x, low.y + a.x * b.y + a.y * b.x);
}""",
    "u64_less": """fn u64_less(a: vec2u, b: vec2u) -> bool {
  return a.y < b.y || (a.y == b.y && a.x < b.x);
}""",
    "i64_less": """fn i64_less(a: vec2u, b: vec2u) -> bool {
  return bitcast<i32>(a.y) < bitcast<i32>(b.y) || (a.y == b.y && a.x < b.x);
}""",
    "i64_abs": """fn i64_abs(a: vec2u) -> vec2u {
  return select(a, sub64(vec2u(), a), a.y >> 31u == 1u);
}""",
    "shl64": """// A count of 64 or more leaves nothing. Without branches, as all of these:
// drivers put each call's text in its place, and a software adapter compiles a branch long.
fn shl64(a: vec2u, n: u32) -> vec2u {
  let m = n & 31u;
  let low = a.x << m;
  let near = vec2u(low, (a.y << m) | ((a.x >> 1u) >> (31u - m)));
  return select(select(near, vec2u(0u, low), n > 31u), vec2u(), n > 63u);
}""",
    "u64_shr": """fn u64_shr(a: vec2u, n: u32) -> vec2u {
  let m = n & 31u;
  let high = a.y >> m;
  let near = vec2u((a.x >> m) | ((a.y << 1u) << (31u - m)), high);
  return select(select(near, vec2u(high, 0u), n > 31u), vec2u(), n > 63u);
}""",
    "i64_shr": """// A count of 64 or more leaves the sign.
fn i64_shr(a: vec2u, n: u32) -> vec2u {
  let m = n & 31u;
  let sign = u32(bitcast<i32>(a.y) >> 31u);
  let high = u32(bitcast<i32>(a.y) >> m);
  let near = vec2u((a.x >> m) | ((a.y << 1u) << (31u - m)), high);
  return select(select(near, vec2u(high, sign), n > 31u), vec2u(sign), n > 63u);
}""",
    "zeros64": """// The zeros before the first one.
fn zeros64(a: vec2u) -> u32 {
  return select(countLeadingZeros(a.y), 32u + countLeadingZeros(a.x), a.y == 0u);
}""",
    "divide64": """// Quotient and rest; both 0 where the divisor is 0.
fn divide64(a: vec2u, b: vec2u) -> vec4u {
  var q = a;
  var r = vec2u();
  for (var k = 0; k < 64; k++) {
    let over = r.y >> 31u;
    r = vec2u((r.x << 1u) | (q.y >> 31u), (r.y << 1u) | (r.x >> 31u));
    let takes = over == 1u || !u64_less(r, b);
    q = vec2u((q.x << 1u) | select(0u, 1u, takes), (q.y << 1u) | (q.x >> 31u));
    r = select(r, sub64(r, b), takes);
  }
  return select(vec4u(q, r), vec4u(), all(b == vec2u()));
}""",
    "u64_div": "fn u64_div(a: vec2u, b: vec2u) -> vec2u { return divide64(a, b).xy; }",
    "u64_mod": "fn u64_mod(a: vec2u, b: vec2u) -> vec2u { return divide64(a, b).zw; }",
    "i64_div": """// Rounded down, as Python divides; 0 where the divisor is 0.
fn i64_div(a: vec2u, b: vec2u) -> vec2u {
  let found = divide64(i64_abs(a), i64_abs(b));
  let down = vec2u(select(0u, 1u, any(found.zw != vec2u())), 0u);
  let below = sub64(sub64(vec2u(), found.xy), down);
  return select(found.xy, below, (a.y ^ b.y) >> 31u == 1u);
}""",
    "i64_mod": """// With the sign of the divisor, as in Python; 0 where the divisor is 0.
fn i64_mod(a: vec2u, b: vec2u) -> vec2u {
  let found = divide64(i64_abs(a), i64_abs(b)).zw;
  let r = select(found, sub64(vec2u(), found), a.y >> 31u == 1u);
  return select(r, add64(r, b), any(r != vec2u()) && ((a.y ^ b.y) >> 31u) == 1u);
}""",
    "u64_pow": """fn u64_pow(a: vec2u, n: i32) -> vec2u {
  var found = vec2u(1u, 0u);
  var square = a;
  for (var k = n; k > 0; k >>= 1u) {
    found = select(found, mul64(found, square), (k & 1) == 1);
    square = mul64(square, square);
  }
  return found;
}""",
    "i64_pow": """// A negative power of 0 is the least number, and of others 0, but of 1 and -1.
fn i64_pow(a: vec2u, n: i32) -> vec2u {
  if (n >= 0) { return u64_pow(a, n); }
  let one = vec2u(1u, 0u);
  if (all(a == one) || all(a == vec2u(0xffffffffu))) { return select(a, one, (n & 1) == 0); }
  return select(vec2u(), vec2u(0u, 0x80000000u), all(a == vec2u()));
}""",
    "i64_min": "fn i64_min(a: vec2u, b: vec2u) -> vec2u { return select(a, b, i64_less(b, a)); }",
    "i64_max": "fn i64_max(a: vec2u, b: vec2u) -> vec2u { return select(a, b, i64_less(a, b)); }",
    "u64_min": "fn u64_min(a: vec2u, b: vec2u) -> vec2u { return select(a, b, u64_less(b, a)); }",
    "u64_max": "fn u64_max(a: vec2u, b: vec2u) -> vec2u { return select(a, b, u64_less(a, b)); }",
    # ------------------------------------------------------------ float64: in and out
    "f64_is_nan": """fn f64_is_nan(a: vec2u) -> bool {
  let high = a.y & 0x7fffffffu;
  return high > 0x7ff00000u || (high == 0x7ff00000u && a.x != 0u);
}""",
    "f64_is_inf": """fn f64_is_inf(a: vec2u) -> bool {
  return (a.y & 0x7fffffffu) == 0x7ff00000u && a.x == 0u;
}""",
    "f64_is_finite": """fn f64_is_finite(a: vec2u) -> bool {
  return (a.y & 0x7ff00000u) != 0x7ff00000u;
}""",
    "f64_is_zero": """fn f64_is_zero(a: vec2u) -> bool {
  return ((a.y & 0x7fffffffu) | a.x) == 0u;
}""",
    "f64_neg": "fn f64_neg(a: vec2u) -> vec2u { return vec2u(a.x, a.y ^ 0x80000000u); }",
    "f64_abs": "fn f64_abs(a: vec2u) -> vec2u { return vec2u(a.x, a.y & 0x7fffffffu); }",
    "f64_parts": """// A float64 apart: m / 2**63 * 2**e, where the highest bit of m is set.
fn f64_parts(a: vec2u) -> F64 {
  let field = (a.y >> 20u) & 0x7ffu;
  let high = (a.y & 0xfffffu) | select(0x100000u, 0u, field == 0u);
  let m = vec2u(a.x << 11u, (high << 11u) | (a.x >> 21u));
  let up = zeros64(m);
  return F64(shl64(m, up), i32(max(field, 1u)) - 1023 - i32(up));
}""",
    "f64_raw": """// As it stands: m / 2**62 * 2**(e - 1023).
fn f64_raw(a: vec2u) -> F64 {
  let field = (a.y >> 20u) & 0x7ffu;
  let high = (a.y & 0xfffffu) | select(0x100000u, 0u, field == 0u);
  return F64(vec2u(a.x << 10u, (high << 10u) | (a.x >> 22u)), i32(max(field, 1u)));
}""",
    "f64_rounded": """// The size of m / 2**63 * 2**(field - 1023), to 53 digits, halves to even.
fn f64_rounded(field: u32, m: vec2u) -> vec2u {
  let rest = m.x & 0x7ffu;
  let r = vec2u((m.x >> 11u) | (m.y << 21u), m.y >> 11u);
  let up = rest > 0x400u || (rest == 0x400u && (r.x & 1u) == 1u);
  let made = add64(vec2u(r.x, r.y + ((field - 1u) << 20u)), vec2u(select(0u, 1u, up), 0u));
  return select(made, vec2u(0u, 0x7ff00000u), field > 2046u);
}""",
    "jammed": """// Shifted to the right; what is lost leaves a 1 at the end.
fn jammed(m: vec2u, n: u32) -> vec2u {
  let made = u64_shr(m, n);
  return vec2u(made.x | select(0u, 1u, any(shl64(made, n) != m)), made.y);
}""",
    "f64_packed": """// m / 2**63 * 2**e rounded to the nearest float64, halves to even.
fn f64_packed(sign: u32, e: i32, m: vec2u) -> vec2u {
  let field = e + 1023;
  let w = jammed(m, u32(max(1 - field, 0)));
  let found = f64_rounded(u32(max(field, 1)), w);
  return vec2u(found.x, found.y | sign);
}""",
    "f64_of_f32": """fn f64_of_f32(x: f32) -> vec2u {
  let bits = bitcast<u32>(x);
  let size = bits & 0x7fffffffu;
  let up = countLeadingZeros(size);
  let t = size << ((up - 8u) & 31u);
  let tiny = vec2u(t << 29u, ((905u - up) << 20u) + ((t & 0x7fffffu) >> 3u));
  let more = select(0x38000000u, 0x70000000u, size >= 0x7f800000u);
  let usual = vec2u(size << 29u, (size >> 3u) + more);
  let found = select(select(usual, tiny, size < 0x800000u), vec2u(), size == 0u);
  return vec2u(found.x, found.y | (bits & 0x80000000u));
}""",
    "f32_of_f64": """// The nearest float32, halves to even.
fn f32_of_f64(a: vec2u) -> f32 {
  let x = f64_parts(a);
  let found = f32_packed(x.e, x.m);
  let none = select(0x7f800000u, 0x7fc00000u, f64_is_nan(a));
  return bitcast<f32>(select(found, none, !f64_is_finite(a)) | (a.y & 0x80000000u));
}""",
    "f32_packed": """// The bits of m / 2**63 * 2**e rounded to the nearest float32, halves to even.
fn f32_packed(e: i32, m: vec2u) -> u32 {
  let field = e + 127;
  let w = jammed(m, u32(max(1 - field, 0)));
  let rest = (w.y & 0xffu) * 2u + select(0u, 1u, w.x != 0u);
  let r = w.y >> 8u;
  let up = rest > 0x100u || (rest == 0x100u && (r & 1u) == 1u);
  let made = (u32(max(field, 1) - 1) << 23u) + r + select(0u, 1u, up);
  return select(select(made, 0x7f800000u, field > 254), 0u, m.y == 0u);
}""",
    "f64_of_u64": """fn f64_of_u64(a: vec2u) -> vec2u {
  let up = zeros64(a);
  return select(f64_packed(0u, 63 - i32(up), shl64(a, up)), a, all(a == vec2u()));
}""",
    "f64_of_i64": """fn f64_of_i64(a: vec2u) -> vec2u {
  let size = f64_of_u64(i64_abs(a));
  return vec2u(size.x, size.y | (a.y & 0x80000000u));
}""",
    "f32_of_u64": """fn f32_of_u64(a: vec2u) -> f32 {
  let up = zeros64(a);
  return bitcast<f32>(f32_packed(63 - i32(up), shl64(a, up)));
}""",
    "f32_of_i64": """fn f32_of_i64(a: vec2u) -> f32 {
  let size = f32_of_u64(i64_abs(a));
  return select(size, -size, a.y >> 31u == 1u);
}""",
    "u64_of_f64": """// Truncated; beyond the range its end, NaN is 0, as CUDA converts.
fn u64_of_f64(a: vec2u) -> vec2u {
  let field = i32((a.y >> 20u) & 0x7ffu) - 1023;
  let whole = u64_shr(f64_parts(a).m, u32(clamp(63 - field, 0, 64)));
  let found = select(whole, vec2u(0xffffffffu), field > 63);
  return select(found, vec2u(), f64_is_nan(a) || a.y >> 31u == 1u);
}""",
    "i64_of_f64": """// Truncated; beyond the range its end, NaN is 0, as CUDA converts.
fn i64_of_f64(a: vec2u) -> vec2u {
  let size = u64_of_f64(f64_abs(a));
  let below = a.y >> 31u == 1u;
  let end = select(vec2u(0xffffffffu, 0x7fffffffu), vec2u(0u, 0x80000000u), below);
  return select(select(size, sub64(vec2u(), size), below), end, size.y >> 31u == 1u);
}""",
    "i32_of_f64": """fn i32_of_f64(a: vec2u) -> i32 {
  let found = i64_of_f64(a);
  let end = select(2147483647, i32(-2147483648), found.y >> 31u == 1u);
  let near = bitcast<i32>(found.x);
  return select(end, near, bitcast<i32>(found.y) == near >> 31u);
}""",
    "u32_of_f64": """fn u32_of_f64(a: vec2u) -> u32 {
  let found = u64_of_f64(a);
  return select(found.x, 0xffffffffu, found.y != 0u);
}""",
    # ------------------------------------------------------------ float64: arithmetic
    "f64_nan": "fn f64_nan() -> vec2u { return vec2u(0u, 0x7ff80000u); }",
    "f64_equal": """fn f64_equal(a: vec2u, b: vec2u) -> bool {
  return (all(a == b) && !f64_is_nan(a)) || (f64_is_zero(a) && f64_is_zero(b));
}""",
    "f64_less": """fn f64_less(a: vec2u, b: vec2u) -> bool {
  let none = f64_is_nan(a) || f64_is_nan(b) || (f64_is_zero(a) && f64_is_zero(b));
  // In the order of their values, as integers.
  let x = a ^ select(vec2u(0u, 0x80000000u), vec2u(0xffffffffu), a.y >> 31u == 1u);
  let y = b ^ select(vec2u(0u, 0x80000000u), vec2u(0xffffffffu), b.y >> 31u == 1u);
  return u64_less(x, y) && !none;
}""",
    "f64_at_most": """fn f64_at_most(a: vec2u, b: vec2u) -> bool {
  return f64_less(a, b) || f64_equal(a, b);
}""",
    "f64_add": """fn f64_add(a: vec2u, b: vec2u) -> vec2u {
  let swap = u64_less(f64_abs(a), f64_abs(b));
  let long = select(a, b, swap);
  let short = select(b, a, swap);
  let x = f64_raw(long);
  let y = f64_raw(short);
  let two = jammed(y.m, u32(x.e - y.e));
  let apart = (a.y ^ b.y) >> 31u == 1u;
  let sum = add64(x.m, select(two, sub64(vec2u(), two), apart));
  let up = min(zeros64(sum), u32(x.e));
  let zero = all(sum == vec2u());
  let made = select(f64_rounded(u32(x.e) + 1u - up, shl64(sum, up)), vec2u(), zero);
  let found = vec2u(made.x, made.y | (select(long.y, a.y & b.y, zero) & 0x80000000u));
  let none = f64_is_nan(long) || (apart && !f64_is_finite(short));
  return select(found, select(long, f64_nan(), none), !f64_is_finite(long));
}""",
    "f64_sub": "fn f64_sub(a: vec2u, b: vec2u) -> vec2u { return f64_add(a, f64_neg(b)); }",
    "f64_mul": """fn f64_mul(a: vec2u, b: vec2u) -> vec2u {
  let sign = (a.y ^ b.y) & 0x80000000u;
  let x = f64_parts(a);
  let y = f64_parts(b);
  let low = product32(x.m.x, y.m.x);
  let one = add64(product32(x.m.x, y.m.y), vec2u(low.y, 0u));
  let two = add64(product32(x.m.y, y.m.x), vec2u(one.x, 0u));
  let high = add64(add64(product32(x.m.y, y.m.y), vec2u(one.y, 0u)), vec2u(two.y, 0u));
  let rest = select(0u, 1u, (low.x | two.x) != 0u);
  let top = high.y >> 31u;
  let less = vec2u((high.x << 1u) | (two.x >> 31u), (high.y << 1u) | (high.x >> 31u));
  let m = select(less, high, top == 1u);
  let made = f64_packed(sign, x.e + y.e + i32(top), vec2u(m.x | rest, m.y));
  let zero = f64_is_zero(a) || f64_is_zero(b);
  let found = select(made, vec2u(0u, sign), zero);
  let none = zero || f64_is_nan(a) || f64_is_nan(b);
  let far = select(vec2u(0u, sign | 0x7ff00000u), f64_nan(), none);
  return select(found, far, !f64_is_finite(a) || !f64_is_finite(b));
}""",
    "f64_div": """fn f64_div(a: vec2u, b: vec2u) -> vec2u {
  let sign = (a.y ^ b.y) & 0x80000000u;
  let x = f64_parts(a);
  let y = f64_parts(b);
  var r = u64_shr(x.m, 11u);
  let d = u64_shr(y.m, 11u);
  let less = u64_less(r, d);
  r = select(r, shl64(r, 1u), less);
  var q = vec2u();
  for (var k = 0; k < 56; k++) {
    let takes = !u64_less(r, d);
    q = vec2u((q.x << 1u) | select(0u, 1u, takes), (q.y << 1u) | (q.x >> 31u));
    r = select(r, sub64(r, d), takes);
    r = vec2u(r.x << 1u, (r.y << 1u) | (r.x >> 31u));
  }
  let m = vec2u((q.x << 8u) | select(0u, 1u, any(r != vec2u())), (q.y << 8u) | (q.x >> 24u));
  let made = f64_packed(sign, x.e - y.e - select(0, 1, less), m);
  let far = vec2u(0u, sign | 0x7ff00000u);
  let endless = !f64_is_finite(a) || f64_is_zero(b);
  let small = f64_is_zero(a) || !f64_is_finite(b);
  let none = f64_is_nan(a) || f64_is_nan(b) || (endless && small);
  return select(select(select(made, vec2u(0u, sign), small), far, endless), f64_nan(), none);
}""",
    "f64_sqrt": """// Digit by digit.
fn f64_sqrt(a: vec2u) -> vec2u {
  let x = f64_parts(a);
  let odd = u32(x.e & 1);
  var m = shl64(u64_shr(x.m, 11u), odd + 10u);
  var root = vec2u();
  var r = vec2u();
  for (var k = 0; k < 55; k++) {
    r = vec2u((r.x << 2u) | (m.y >> 30u), (r.y << 2u) | (r.x >> 30u));
    m = vec2u(m.x << 2u, (m.y << 2u) | (m.x >> 30u));
    let next = vec2u((root.x << 2u) | 1u, (root.y << 2u) | (root.x >> 30u));
    let takes = !u64_less(r, next);
    root = vec2u((root.x << 1u) | select(0u, 1u, takes), (root.y << 1u) | (root.x >> 31u));
    r = select(r, sub64(r, next), takes);
  }
  root = shl64(root, 9u);
  let made = f64_packed(0u, (x.e - i32(odd)) / 2,
                        vec2u(root.x | select(0u, 1u, any(r != vec2u())), root.y));
  let found = select(made, f64_nan(), a.y >> 31u == 1u || f64_is_nan(a));
  return select(found, a, f64_is_zero(a) || all(a == vec2u(0u, 0x7ff00000u)));
}""",
    "f64_min": """// A NaN gives way to the other number, as in CUDA.
fn f64_min(a: vec2u, b: vec2u) -> vec2u {
  return select(select(a, b, f64_less(b, a)), b, f64_is_nan(a));
}""",
    "f64_max": """// A NaN gives way to the other number, as in CUDA.
fn f64_max(a: vec2u, b: vec2u) -> vec2u {
  return select(select(a, b, f64_less(a, b)), b, f64_is_nan(a));
}""",
    "f64_np_min": """fn f64_np_min(a: vec2u, b: vec2u) -> vec2u {
  return select(select(a, b, f64_less(b, a) || f64_is_nan(b)), a, f64_is_nan(a));
}""",
    "f64_np_max": """fn f64_np_max(a: vec2u, b: vec2u) -> vec2u {
  return select(select(a, b, f64_less(a, b) || f64_is_nan(b)), a, f64_is_nan(a));
}""",
    "f64_sign": """fn f64_sign(a: vec2u) -> vec2u {
  let one = vec2u(0u, (a.y & 0x80000000u) | 0x3ff00000u);
  return select(select(one, vec2u(), f64_is_zero(a)), a, f64_is_nan(a));
}""",
    "f64_copysign": """fn f64_copysign(a: vec2u, b: vec2u) -> vec2u {
  return vec2u(a.x, (a.y & 0x7fffffffu) | (b.y & 0x80000000u));
}""",
    "f64_trunc": """fn f64_trunc(a: vec2u) -> vec2u {
  let field = i32((a.y >> 20u) & 0x7ffu) - 1023;
  let n = u32(clamp(52 - field, 0, 63));
  let cut = select(shl64(u64_shr(a, n), n), vec2u(0u, a.y & 0x80000000u), field < 0);
  return select(cut, a, field > 51);
}""",
    "f64_floor": f"""fn f64_floor(a: vec2u) -> vec2u {{
  let whole = f64_trunc(a);
  let below = any(whole != a) && a.y >> 31u == 1u;
  return f64_add(whole, select(vec2u(0u, 0x80000000u), {_f(-1.0)}, below));
}}""",
    "f64_ceil": "fn f64_ceil(a: vec2u) -> vec2u { return f64_neg(f64_floor(f64_neg(a))); }",
    "f64_round": f"""// To the nearest integer, halves to even.
fn f64_round(a: vec2u) -> vec2u {{
  let far = {_f(2.0**52)};
  let whole = f64_sub(f64_add(f64_abs(a), far), far);
  let found = vec2u(whole.x, whole.y | (a.y & 0x80000000u));
  return select(found, a, ((a.y >> 20u) & 0x7ffu) > 1074u);
}}""",
    "f64_fmod": """// Exact, with the sign of a.
fn f64_fmod(a: vec2u, b: vec2u) -> vec2u {
  if (!f64_is_finite(a) || f64_is_nan(b) || f64_is_zero(b)) { return f64_nan(); }
  if (u64_less(f64_abs(a), f64_abs(b)) || f64_is_zero(a)) { return a; }
  let x = f64_parts(a);
  let y = f64_parts(b);
  var m = u64_shr(x.m, 11u);
  let n = u64_shr(y.m, 11u);
  for (var k = x.e - y.e; k > 0; k--) {
    if (!u64_less(m, n)) { m = sub64(m, n); }
    m = vec2u(m.x << 1u, (m.y << 1u) | (m.x >> 31u));
  }
  if (!u64_less(m, n)) { m = sub64(m, n); }
  let sign = a.y & 0x80000000u;
  if (all(m == vec2u())) { return vec2u(0u, sign); }
  let up = zeros64(m);
  return f64_packed(sign, y.e + 11 - i32(up), shl64(m, up));
}""",
    "f64_floor_mod": """// With the sign of b, as in Python; NaN where b is 0.
fn f64_floor_mod(a: vec2u, b: vec2u) -> vec2u {
  let r = f64_fmod(a, b);
  if (f64_is_zero(r)) { return vec2u(0u, b.y & 0x80000000u); }
  return select(r, f64_add(r, b), ((r.y ^ b.y) >> 31u) == 1u && !f64_is_nan(r));
}""",
    "f64_floor_div": f"""// Rounded down, by the steps that Python and Numba take.
fn f64_floor_div(a: vec2u, b: vec2u) -> vec2u {{
  if (f64_is_zero(b)) {{ return f64_div(a, b); }}
  let r = f64_fmod(a, b);
  if (f64_is_nan(r)) {{ return r; }}
  var q = f64_div(f64_sub(a, r), b);
  if (!f64_is_zero(r) && ((r.y ^ b.y) >> 31u) == 1u) {{ q = f64_sub(q, {_f(1.0)}); }}
  if (f64_is_zero(q)) {{ return vec2u(0u, (a.y ^ b.y) & 0x80000000u); }}
  let low = f64_floor(q);
  return select(low, f64_add(low, {_f(1.0)}), f64_less({_f(0.5)}, f64_sub(q, low)));
}}""",
    # ------------------------------------------------------------ float64: functions
    "f64_scaled": """// x * 2**n.
fn f64_scaled(x: vec2u, n: i32) -> vec2u {
  let p = f64_parts(x);
  let made = f64_packed(x.y & 0x80000000u, p.e + clamp(n, -3000, 3000), p.m);
  return select(made, x, !f64_is_finite(x) || f64_is_zero(x));
}""",
    "f64_exp_series": _series("f64_exp_series", EXP, "exp, from -ln(2)/2 to ln(2)/2."),
    "f64_expm1_series": _series("f64_expm1_series", EXPM1, "(exp(x) - 1) / x, as exp."),
    "f64_log_series": _series("f64_log_series", LOG, "log((1 + s) / (1 - s)) / s of s * s."),
    "f64_sin_series": _series("f64_sin_series", SIN, "sin(x) / x of x * x."),
    "f64_cos_series": _series("f64_cos_series", COS, "cos(x) of x * x."),
    "f64_atan_series": _series("f64_atan_series", ATAN, "atan(x) / x of x * x."),
    "f64_exp": f"""fn f64_exp(x: vec2u) -> vec2u {{
  if (f64_is_nan(x)) {{ return x; }}
  if (f64_less({_f(710.0)}, x)) {{ return vec2u(0u, 0x7ff00000u); }}
  if (f64_less(x, {_f(-746.0)})) {{ return vec2u(); }}
  let n = f64_round(f64_mul(x, {_f(1 / math.log(2))}));
  let high = f64_sub(x, f64_mul(n, {_f(LN2[0])}));
  let r = f64_sub(high, f64_mul(n, {_f(LN2[1])}));
  return f64_scaled(f64_exp_series(r), i32_of_f64(n));
}}""",
    "f64_expm1": f"""fn f64_expm1(x: vec2u) -> vec2u {{
  if (f64_is_nan(x) || f64_is_zero(x)) {{ return x; }}
  if (f64_less({_f(710.0)}, x)) {{ return vec2u(0u, 0x7ff00000u); }}
  if (f64_less(x, {_f(-40.0)})) {{ return {_f(-1.0)}; }}
  let n = f64_round(f64_mul(x, {_f(1 / math.log(2))}));
  let high = f64_sub(x, f64_mul(n, {_f(LN2[0])}));
  let r = f64_sub(high, f64_mul(n, {_f(LN2[1])}));
  let power = i32_of_f64(n);
  // In halves: 2**1024 is no number.
  let half = f64_scaled({_f(1.0)}, power - 1);
  let rest = f64_scaled(f64_mul(r, f64_expm1_series(r)), power - 1);
  return f64_scaled(f64_add(f64_sub(half, {_f(0.5)}), rest), 1);
}}""",
    "f64_tanh": f"""fn f64_tanh(x: vec2u) -> vec2u {{
  if (f64_is_nan(x) || f64_is_zero(x)) {{ return x; }}
  let e = f64_expm1(f64_scaled(f64_abs(x), 1));
  let near = f64_div(e, f64_add(e, {_f(2.0)}));
  let y = select(near, {_f(1.0)}, f64_less({_f(22.0)}, f64_abs(x)));
  return vec2u(y.x, y.y | (x.y & 0x80000000u));
}}""",
    "f64_sinh": f"""fn f64_sinh(x: vec2u) -> vec2u {{
  if (f64_is_nan(x) || f64_is_zero(x)) {{ return x; }}
  let size = f64_abs(x);
  var y = f64_scaled(f64_exp(f64_scaled(size, -1)), -1);
  if (f64_less(size, {_f(22.0)})) {{
    let e = f64_expm1(size);
    y = f64_scaled(f64_add(e, f64_div(e, f64_add(e, {_f(1.0)}))), -1);
  }} else {{
    y = f64_mul(y, f64_exp(f64_scaled(size, -1)));
  }}
  return vec2u(y.x, y.y | (x.y & 0x80000000u));
}}""",
    "f64_cosh": f"""fn f64_cosh(x: vec2u) -> vec2u {{
  if (f64_is_nan(x)) {{ return x; }}
  let e = f64_exp(f64_scaled(f64_abs(x), -1));
  let half = f64_scaled(e, -1);
  if (f64_less({_f(44.0)}, f64_abs(x))) {{ return f64_mul(half, e); }}
  let whole = f64_exp(f64_abs(x));
  return f64_scaled(f64_add(whole, f64_div({_f(1.0)}, whole)), -1);
}}""",
    "f64_exp2": f"""fn f64_exp2(x: vec2u) -> vec2u {{
  if (f64_is_nan(x)) {{ return x; }}
  if (f64_less({_f(1025.0)}, x)) {{ return vec2u(0u, 0x7ff00000u); }}
  if (f64_less(x, {_f(-1080.0)})) {{ return vec2u(); }}
  let n = f64_round(x);
  let r = f64_mul(f64_sub(x, n), {_f(math.log(2))});
  return f64_scaled(f64_exp_series(r), i32_of_f64(n));
}}""",
    "f64_log_parts": f"""// The exponent of x, and log of the rest, from sqrt(1/2) to sqrt(2).
fn f64_log_parts(x: vec2u) -> Log {{
  let p = f64_parts(x);
  let above = u64_less(vec2u(0u, 0xb504f334u), p.m);
  let e = p.e + select(0, 1, above);
  let m = f64_packed(0u, select(0, -1, above), p.m);
  let one = {_f(1.0)};
  let s = f64_div(f64_sub(m, one), f64_add(m, one));
  return Log(f64_of_i64(i64_of(e)), f64_mul(s, f64_log_series(f64_mul(s, s))));
}}""",
    "f64_log": f"""fn f64_log(x: vec2u) -> vec2u {{
  if (f64_is_zero(x)) {{ return vec2u(0u, 0xfff00000u); }}
  if (f64_is_nan(x) || x.y >> 31u == 1u) {{ return f64_nan(); }}
  if (!f64_is_finite(x)) {{ return x; }}
  let p = f64_log_parts(x);
  let low = f64_add(f64_mul(p.e, {_f(LN2[1])}), p.rest);
  return f64_add(f64_mul(p.e, {_f(LN2[0])}), low);
}}""",
    "f64_log2": f"""fn f64_log2(x: vec2u) -> vec2u {{
  if (f64_is_zero(x) || !f64_is_finite(x) || x.y >> 31u == 1u) {{ return f64_log(x); }}
  let p = f64_log_parts(x);
  return f64_add(p.e, f64_mul(p.rest, {_f(1 / math.log(2))}));
}}""",
    "f64_log10": f"""fn f64_log10(x: vec2u) -> vec2u {{
  return f64_mul(f64_log(x), {_f(1 / math.log(10))});
}}""",
    "f64_pow": f"""fn f64_pow(x: vec2u, y: vec2u) -> vec2u {{
  let one = {_f(1.0)};
  if (f64_is_zero(y) || all(x == one)) {{ return one; }}
  if (f64_is_nan(x) || f64_is_nan(y)) {{ return f64_nan(); }}
  let whole = all(f64_trunc(y) == y);
  let odd = whole && !f64_is_zero(f64_fmod(y, {_f(2.0)})) && f64_is_finite(y);
  let below = x.y >> 31u == 1u;
  let size = f64_abs(x);
  if (all(size == one) && !f64_is_finite(y)) {{ return one; }}
  if (below && !whole && f64_is_finite(x) && !f64_is_zero(x)) {{ return f64_nan(); }}
  let sign = select(0u, 0x80000000u, below && odd);
  let found = f64_exp(f64_mul(y, f64_log(size)));
  return vec2u(found.x, found.y | sign);
}}""",
    "f64_turned": f"""// The rest of x and the quarter turns taken off it.
// From a million on it is noted: no result counts then.
fn f64_turned(x: vec2u) -> Turned {{
  if (f64_less({_f(1e6)}, f64_abs(x))) {{
    trap[0] = 1u;
    return Turned(x, 0u);
  }}
  let n = f64_round(f64_mul(x, {_f(2 / math.pi)}));
  var r = f64_sub(x, f64_mul(n, {_f(HALF_PI[0])}));
  r = f64_sub(r, f64_mul(n, {_f(HALF_PI[1])}));
  r = f64_sub(r, f64_mul(n, {_f(HALF_PI[2])}));
  return Turned(r, i64_of_f64(n).x & 3u);
}}""",
    "f64_wave": """fn f64_wave(x: vec2u, turns: u32) -> vec2u {
  let z = f64_mul(x, x);
  var y = vec2u();
  if ((turns & 1u) == 1u) {
    y = f64_cos_series(z);
  } else {
    y = f64_mul(x, f64_sin_series(z));
  }
  return vec2u(y.x, y.y ^ ((turns & 2u) << 30u));
}""",
    "f64_sin": """fn f64_sin(x: vec2u) -> vec2u {
  if (!f64_is_finite(x)) { return f64_nan(); }
  let t = f64_turned(x);
  return f64_wave(t.x, t.turns);
}""",
    "f64_cos": """fn f64_cos(x: vec2u) -> vec2u {
  if (!f64_is_finite(x)) { return f64_nan(); }
  let t = f64_turned(x);
  return f64_wave(t.x, t.turns + 1u);
}""",
    "f64_tan": "fn f64_tan(x: vec2u) -> vec2u { return f64_div(f64_sin(x), f64_cos(x)); }",
    "f64_atan": f"""// Of an angle a quarter as large, whose series is short.
fn f64_atan(x: vec2u) -> vec2u {{
  if (f64_is_nan(x) || f64_is_zero(x)) {{ return x; }}
  let one = {_f(1.0)};
  var t = f64_abs(x);
  let far = f64_less(one, t);
  if (far) {{ t = f64_div(one, t); }}
  for (var k = 0; k < 2; k++) {{
    t = f64_div(t, f64_add(one, f64_sqrt(f64_add(one, f64_mul(t, t)))));
  }}
  var y = f64_scaled(f64_mul(t, f64_atan_series(f64_mul(t, t))), 2);
  if (far) {{ y = f64_sub({_f(math.pi / 2)}, y); }}
  return vec2u(y.x, y.y | (x.y & 0x80000000u));
}}""",
    "f64_atan2": f"""fn f64_atan2(y: vec2u, x: vec2u) -> vec2u {{
  if (f64_is_nan(x) || f64_is_nan(y)) {{ return f64_nan(); }}
  var angle = vec2u();
  if (f64_is_zero(y)) {{
    angle = vec2u();
  }} else if (f64_is_zero(x)) {{
    angle = {_f(math.pi / 2)};
  }} else if (f64_is_inf(x) && f64_is_inf(y)) {{
    angle = {_f(math.pi / 4)};
  }} else {{
    angle = f64_atan(f64_abs(f64_div(y, x)));
  }}
  if (x.y >> 31u == 1u) {{ angle = f64_sub({_f(math.pi)}, angle); }}
  return vec2u(angle.x, angle.y | (y.y & 0x80000000u));
}}""",
    "f64_asin": f"""fn f64_asin(x: vec2u) -> vec2u {{
  let one = {_f(1.0)};
  if (f64_less(one, f64_abs(x)) || f64_is_nan(x)) {{ return f64_nan(); }}
  return f64_atan2(x, f64_sqrt(f64_mul(f64_sub(one, x), f64_add(one, x))));
}}""",
    "f64_acos": f"""fn f64_acos(x: vec2u) -> vec2u {{
  let one = {_f(1.0)};
  if (f64_less(one, f64_abs(x)) || f64_is_nan(x)) {{ return f64_nan(); }}
  return f64_atan2(f64_sqrt(f64_mul(f64_sub(one, x), f64_add(one, x))), x);
}}""",
    "f64_hypot": """fn f64_hypot(a: vec2u, b: vec2u) -> vec2u {
  if (f64_is_inf(a) || f64_is_inf(b)) { return vec2u(0u, 0x7ff00000u); }
  if (f64_is_nan(a) || f64_is_nan(b)) { return f64_nan(); }
  let long = f64_max(f64_abs(a), f64_abs(b));
  if (f64_is_zero(long)) { return long; }
  let down = -f64_parts(long).e;
  let x = f64_scaled(a, down);
  let y = f64_scaled(b, down);
  return f64_scaled(f64_sqrt(f64_add(f64_mul(x, x), f64_mul(y, y))), -down);
}""",
    # ------------------------------------------------------------ complex numbers
    "c128_of": """fn c128_of(a: vec2f) -> vec4u {
  return vec4u(f64_of_f32(a.x), f64_of_f32(a.y));
}""",
    "c64_of": """fn c64_of(a: vec4u) -> vec2f {
  return vec2f(f32_of_f64(a.xy), f32_of_f64(a.zw));
}""",
    "c128_add": """fn c128_add(a: vec4u, b: vec4u) -> vec4u {
  // A loop, so that there is one sum for a driver to compile.
  var x = array<vec2u, 2>(a.xy, a.zw);
  var y = array<vec2u, 2>(b.xy, b.zw);
  for (var k = 0; k < 2; k++) {
    x[k] = f64_add(x[k], y[k]);
  }
  return vec4u(x[0], x[1]);
}""",
    "c128_sub": """fn c128_sub(a: vec4u, b: vec4u) -> vec4u { return c128_add(a, c128_neg(b)); }""",
    "c128_mul": """fn c128_mul(a: vec4u, b: vec4u) -> vec4u {
  var x = array<vec2u, 4>(a.xy, a.xy, f64_neg(a.zw), a.zw);
  var y = array<vec2u, 4>(b.xy, b.zw, b.zw, b.xy);
  for (var k = 0; k < 4; k++) {
    x[k] = f64_mul(x[k], y[k]);
  }
  for (var k = 0; k < 2; k++) {
    x[k] = f64_add(x[k], x[k + 2]);
  }
  return vec4u(x[0], x[1]);
}""",
    "c128_neg": """fn c128_neg(a: vec4u) -> vec4u {
  return a ^ vec4u(0u, 0x80000000u, 0u, 0x80000000u);
}""",
    # ------------------------------------------------------------ random numbers
    "xoroshiro": """// The next 64 bits of xoroshiro128+, and its state for the one after.
fn xoroshiro(state: vec4u) -> vec4u {
  let one = state.xy ^ state.zw;
  let turned = vec2u((state.y << 23u) | (state.x >> 9u), (state.x << 23u) | (state.y >> 9u));
  return vec4u(turned ^ one ^ shl64(one, 14u),
               vec2u((one.y << 4u) | (one.x >> 28u), (one.x << 4u) | (one.y >> 28u)));
}""",
}


def _needs(name):
    """The helpers that a helper calls."""
    words = set(re.findall(r"\w+", WIDE_HELPERS[name])) - {name}
    return tuple(sorted(words & WIDE_HELPERS.keys()))


WIDE_NEEDS = {name: _needs(name) for name in WIDE_HELPERS}

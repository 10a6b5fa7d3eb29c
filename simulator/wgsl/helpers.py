"""WGSL functions for what CUDA or Python does otherwise than WGSL's own operators.

Only those that a kernel uses are written into its module.
"""

import re

HELPERS = {
    "is_nan": """// By its bits: WGSL lets a compiler assume that there is no NaN.
fn is_nan(x: f32) -> bool { return (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u; }""",
    "is_inf": """fn is_inf(x: f32) -> bool {
  return (bitcast<u32>(x) & 0x7fffffffu) == 0x7f800000u;
}""",
    "is_finite": """fn is_finite(x: f32) -> bool {
  return (bitcast<u32>(x) & 0x7f800000u) != 0x7f800000u;
}""",
    "fmin": """// A NaN gives way to the other number, as in CUDA.
fn fmin(a: f32, b: f32) -> f32 { return select(select(min(a, b), a, is_nan(b)), b, is_nan(a)); }""",
    "fmax": """// A NaN gives way to the other number, as in CUDA.
fn fmax(a: f32, b: f32) -> f32 { return select(select(max(a, b), a, is_nan(b)), b, is_nan(a)); }""",
    "np_min": """fn np_min(a: f32, b: f32) -> f32 {
  return select(select(min(a, b), b, is_nan(b)), a, is_nan(a));
}""",
    "np_max": """fn np_max(a: f32, b: f32) -> f32 {
  return select(select(max(a, b), b, is_nan(b)), a, is_nan(a));
}""",
    "from_start": """// A negative index counts from the end, as in Numba.
fn from_start(index: i32, size: i32) -> i32 { return select(index, index + size, index < 0); }""",
    "floor_div": """// Rounded down, as Python divides; 0 where the divisor is 0.
// No % of a negative number: Vulkan leaves it undefined, and an H200 shows that.
fn floor_div(a: i32, b: i32) -> i32 {
  if (b == 0) { return 0; }
  let q = a / b;
  return select(q, q - 1, (a - q * b != 0) && ((a < 0) != (b < 0)));
}""",
    "floor_mod": """// With the sign of the divisor, as in Python; 0 where the divisor is 0.
fn floor_mod(a: i32, b: i32) -> i32 {
  if (b == 0) { return 0; }
  let r = a - a / b * b;
  return select(r, r + b, (r != 0) && ((r < 0) != (b < 0)));
}""",
    "udiv": """fn udiv(a: u32, b: u32) -> u32 { if (b == 0u) { return 0u; } return a / b; }""",
    "umod": """fn umod(a: u32, b: u32) -> u32 { if (b == 0u) { return 0u; } return a % b; }""",
    "int_pow": """// The low 32 bits of a power. A negative one is 0, but of 1 and -1.
fn int_pow(a: i32, n: i32) -> i32 {
  if (n < 0) { return select(0, select(a, 1, (n & 1) == 0), a == 1 || a == -1); }
  var found = 1;
  var square = a;
  for (var k = n; k > 0; k >>= 1u) {
    if ((k & 1) == 1) { found *= square; }
    square *= square;
  }
  return found;
}""",
    "shift_right": """// A count of 32 or more leaves the sign.
fn shift_right(a: i32, n: u32) -> i32 { return a >> min(n, 31u); }""",
    "shift_right_u": """fn shift_right_u(a: u32, n: u32) -> u32 {
  return select(a >> (n & 31u), 0u, n > 31u);
}""",
    "shift_left": """// A count of 32 or more leaves nothing of the low 32 bits.
fn shift_left(a: i32, n: u32) -> i32 { return select(a << (n & 31u), 0, n > 31u); }""",
    "shift_left_u": """fn shift_left_u(a: u32, n: u32) -> u32 {
  return select(a << (n & 31u), 0u, n > 31u);
}""",
    "to_i32": """// Truncated; beyond the range its end, NaN is 0, as CUDA converts.
fn to_i32(x: f32) -> i32 {
  if (is_nan(x)) { return 0; }
  if (x >= 2147483648.0) { return 2147483647; }
  if (x <= -2147483648.0) { return i32(-2147483648); }
  return i32(x);
}""",
    "checked_i32": """// Truncated. One that is far from 32 bits is noted: then no result counts.
fn checked_i32(x: f32) -> i32 {
  if (!is_finite(x) || abs(x) >= 1073741824.0) { trap[0] = 1u; return 0; }
  return i32(x);
}""",
    "low_bits": """// The low 32 bits of a float made an int64, as CUDA converts.
fn low_bits(x: f32) -> i32 {
  if (is_nan(x)) { return 0; }
  let size = abs(x);
  if (size < 2147483648.0) { return i32(x); }
  if (size >= 9223372036854775808.0) { return select(-1, 0, x < 0.0); }
  let low = i32(u32(size - floor(size / 4294967296.0) * 4294967296.0));
  return select(low, -low, x < 0.0);
}""",
    "f32_of_u32": """// To the nearest: of f32() WGSL leaves it open, and some adapter rounds twice.
fn f32_of_u32(x: u32) -> f32 { return f32(x >> 16u) * 65536.0 + f32(x & 0xffffu); }""",
    "sign_": """// A NaN stays one.
fn sign_(x: f32) -> f32 { return select(sign(x), x, is_nan(x)); }""",
    "to_u32": """fn to_u32(x: f32) -> u32 {
  if (is_nan(x) || x <= 0.0) { return 0u; }
  if (x >= 4294967296.0) { return 4294967295u; }
  return u32(x);
}""",
    "float_to_half": """// Rounded to the nearest float16, halves to even.
fn float_to_half(x: f32) -> f32 {
  let bits = bitcast<u32>(x);
  let size = bits & 0x7fffffffu;
  if (size >= 0x7f800000u) { return x; }
  if (size >= 0x477ff000u) { return bitcast<f32>((bits & 0x80000000u) | 0x7f800000u); }
  if (size < 0x38800000u) {
    let tiny = round(abs(x) * 16777216.0) / 16777216.0;
    return select(tiny, -tiny, bits != size);
  }
  return bitcast<f32>((bits + 0xfffu + ((bits >> 13u) & 1u)) & 0xffffe000u);
}""",
    "half_fma": """// a * b + c of float16, rounded once. The product is exact in float32;
// what the sum loses decides its last bit, so that the second rounding cannot go to the wrong side.
fn half_fma(a: f32, b: f32, c: f32) -> f32 {
  let p = a * b;
  let sum = p + c;
  if (!is_finite(sum)) { return sum; }
  // Behind a number that the driver does not know: it would take the rest for 0.
  let seen = bitcast<f32>(bitcast<u32>(sum) | bitcast<u32>(params.nothing));
  let part = seen - p;
  let rest = (p - (seen - part)) + (c - part);
  let bits = bitcast<u32>(seen);
  if (rest == 0.0 || (bits & 1u) == 1u) { return float_to_half(sum); }
  return float_to_half(bitcast<f32>(select(bits - 1u, bits + 1u, (rest > 0.0) == (sum > 0.0))));
}""",
    "power": """fn power(x: f32, y: f32) -> f32 {
  if (y == 0.0 || x == 1.0) { return 1.0; }
  if (is_nan(x) || is_nan(y)) { return x + y; }
  if (x > 0.0) { return pow(x, y); }
  let whole = y == floor(y);
  let odd = whole && (abs(y) < 16777216.0) && (fract(y * 0.5) != 0.0);
  if (x < 0.0 && !whole && !is_inf(x)) { return not_a_number(); }
  if (x == 0.0) {
    if (y < 0.0) { return params.infinity; }
    return 0.0;
  }
  let p = pow(-x, y);
  return select(p, -p, odd);
}""",
    "high_product": """fn high_product(a: u32, b: u32) -> u32 {
  let low = (a & 0xffffu) * (b & 0xffffu);
  let one = (a & 0xffffu) * (b >> 16u) + (low >> 16u);
  let two = (a >> 16u) * (b & 0xffffu) + (one & 0xffffu);
  return (a >> 16u) * (b >> 16u) + (one >> 16u) + (two >> 16u);
}""",
    "quarter_turns": """// |x| in quarter turns, and a rest in radians of half of one at most.
// In integers, with 224 bits of 2 / pi: of sin and cos beyond pi WGSL promises nothing.
fn quarter_turns(x: f32) -> vec2f {
  let size = bitcast<u32>(x) & 0x7fffffffu;
  if (size < 0x3f490fdbu) { return vec2f(abs(x), 0.0); }
  var bits = array<u32, 8>(0u, 0xa2f9836eu, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u, 0xdb629599u,
                           0x3c439041u, 0xfe5163abu);
  let at = (size >> 23u) - 120u;
  let word = min(at >> 5u, 4u);
  let shift = at & 31u;
  let m = (size & 0x7fffffu) | 0x800000u;
  let high = (bits[word] << shift) | ((bits[word + 1u] >> 1u) >> (31u - shift));
  let middle = (bits[word + 1u] << shift) | ((bits[word + 2u] >> 1u) >> (31u - shift));
  let low = (bits[word + 2u] << shift) | ((bits[word + 3u] >> 1u) >> (31u - shift));
  let carried = high_product(m, low);
  let second = m * middle + carried;
  let first = m * high + high_product(m, middle) + select(0u, 1u, second < carried);
  var a = (first << 2u) | (second >> 30u);
  var b = second << 2u;
  let above = a >> 31u;
  if (above == 1u) {
    a = ~a + select(0u, 1u, b == 0u);
    b = ~b + 1u;
  }
  let rest = (f32(a) * 2.3283064e-10 + f32(b) * 5.421011e-20) * 1.5707964;
  return vec2f(select(rest, -rest, above == 1u), f32(((first >> 30u) + above) & 3u));
}""",
    "wave": """// The sine of a rest and so many quarter turns.
fn wave(rest: f32, turns: u32) -> f32 {
  let z = rest * rest;
  let odd = 0.008333334 + z * (-0.0001984127 + z * 2.7557319e-6);
  let even = 0.041666668 + z * (-0.0013888889 + z * (2.4801588e-5 - z * 2.7557319e-7));
  let s = rest + rest * z * (-0.16666667 + z * odd);
  let c = 1.0 + z * (-0.5 + z * even);
  let y = select(s, c, (turns & 1u) == 1u);
  return select(y, -y, (turns & 2u) == 2u);
}""",
    "sine": """fn sine(x: f32) -> f32 {
  if (!is_finite(x)) { return bitcast<f32>(bitcast<u32>(x) | 0x7fc00000u); }
  let t = quarter_turns(x);
  let y = wave(t.x, u32(t.y));
  return select(y, -y, bitcast<u32>(x) >> 31u == 1u);
}""",
    "cosine": """fn cosine(x: f32) -> f32 {
  if (!is_finite(x)) { return bitcast<f32>(bitcast<u32>(x) | 0x7fc00000u); }
  let t = quarter_turns(x);
  return wave(t.x, u32(t.y) + 1u);
}""",
    "tangent": """fn tangent(x: f32) -> f32 {
  if (!is_finite(x)) { return bitcast<f32>(bitcast<u32>(x) | 0x7fc00000u); }
  let t = quarter_turns(x);
  let y = wave(t.x, u32(t.y)) / wave(t.x, u32(t.y) + 1u);
  return select(y, -y, bitcast<u32>(x) >> 31u == 1u);
}""",
    # Of NaN, and beyond where a function is defined, WGSL leaves open what it is.
    "not_a_number": """fn not_a_number() -> f32 {
  return bitcast<f32>(bitcast<u32>(params.infinity) | 0x400000u);
}""",
    "exp_": "fn exp_(x: f32) -> f32 { return select(exp(x), x, is_nan(x)); }",
    "exp2_": "fn exp2_(x: f32) -> f32 { return select(exp2(x), x, is_nan(x)); }",
    "sinh_": "fn sinh_(x: f32) -> f32 { return select(sinh(x), x, is_nan(x)); }",
    "cosh_": "fn cosh_(x: f32) -> f32 { return select(cosh(x), x, is_nan(x)); }",
    "tanh_": """fn tanh_(x: f32) -> f32 {
  return select(tanh(clamp(x, -16.0, 16.0)), x, is_nan(x));
}""",
    "log_": """fn log_(x: f32) -> f32 {
  if (x > 0.0) { return log(x); }
  if (x == 0.0) { return -params.infinity; }
  return not_a_number();
}""",
    "log2_": """fn log2_(x: f32) -> f32 {
  if (x > 0.0) { return log2(x); }
  if (x == 0.0) { return -params.infinity; }
  return not_a_number();
}""",
    "acos_": """fn acos_(x: f32) -> f32 {
  if (x == -1.0) { return 3.1415927; }
  if (abs(x) <= 1.0) { return 2.0 * atan(sqrt((1.0 - x) / (1.0 + x))); }
  return not_a_number();
}""",
    "asin_": """fn asin_(x: f32) -> f32 {
  if (abs(x) <= 1.0) { return 2.0 * atan(x / (1.0 + sqrt((1.0 - x) * (1.0 + x)))); }
  return not_a_number();
}""",
    "asinh_": """fn asinh_(x: f32) -> f32 {
  let size = abs(x);
  if (is_nan(x) || size < 0.01) { return x - x * x * x / 6.0; }
  let y = select(log(size + sqrt(size * size + 1.0)), log(size) + 0.6931472, size > 1e9);
  return select(y, -y, x < 0.0);
}""",
    "acosh_": """fn acosh_(x: f32) -> f32 {
  if (x > 1e9) { return log(x) + 0.6931472; }
  if (x >= 1.0) { return log(x + sqrt((x - 1.0) * (x + 1.0))); }
  return not_a_number();
}""",
    "atanh_": """fn atanh_(x: f32) -> f32 {
  if (abs(x) < 0.01) { return x + x * x * x / 3.0; }
  if (abs(x) < 1.0) { return 0.5 * log((1.0 + x) / (1.0 - x)); }
  if (abs(x) == 1.0) { return x * params.infinity; }
  return not_a_number();
}""",
    "expm1_": """// Near 0 by its series, where exp(x) - 1 has no digits left.
fn expm1_(x: f32) -> f32 {
  if (abs(x) > 0.5) { return exp_(x) - 1.0; }
  let tail = x * (0.00833333377 + x * (0.00138888892 + x * (0.000198412701 + x * 0.0000248015876)));
  return x + x * x * (0.5 + x * (0.166666672 + x * (0.0416666679 + tail)));
}""",
    "log1p_": """// Near 0 by the series of s = x / (2 + x), where 1 + x has lost digits of x.
fn log1p_(x: f32) -> f32 {
  if (is_nan(x) || abs(x) > 0.3) { return log_(1.0 + x); }
  let s = x / (2.0 + x);
  let q = s * s;
  return 2.0 * s * (1.0 + q * (0.333333343 + q * (0.2 + q * (0.142857149 + q * 0.111111112))));
}""",
    "erfc_far": """// erfc of 0 and more: Numerical Recipes' erfcc.
fn erfc_far(x: f32) -> f32 {
  let t = 1.0 / (1.0 + 0.5 * x);
  let low = 0.09678418 + t * (-0.18628806 + t * (0.27886807 + t * (-1.13520398
    + t * (1.48851587 + t * (-0.82215223 + t * 0.17087277)))));
  return t * exp(-x * x + (-1.26551223 + t * (1.00002368 + t * (0.37409196 + t * low))));
}""",
    "erf_near": """// erf from -1 to 1, by its series.
fn erf_near(x: f32) -> f32 {
  let q = x * x;
  let high = 0.00462962963 + q * (-0.000757575758 + q * (0.000106837607 + q * (-0.0000132275132
    + q * (0.00000145891690 + q * (-0.000000145038522)))));
  return 1.12837917 * x * (1.0 + q * (-0.333333333 + q * (0.1 + q * (-0.0238095238 + q * high))));
}""",
    "erf_": """fn erf_(x: f32) -> f32 {
  if (is_nan(x)) { return x; }
  if (abs(x) < 1.0) { return erf_near(x); }
  let far = 1.0 - erfc_far(min(abs(x), 9.0));
  return select(far, -far, x < 0.0);
}""",
    "erfc_": """fn erfc_(x: f32) -> f32 {
  if (is_nan(x)) { return x; }
  if (abs(x) < 0.5) { return 1.0 - erf_near(x); }
  let far = erfc_far(min(abs(x), 12.0));
  return select(far, 2.0 - far, x < 0.0);
}""",
    "fmod_": """// Exact, with the sign of a: the fraction's bits are brought down one by one.
fn fmod_(a: f32, b: f32) -> f32 {
  let x = bitcast<u32>(a) & 0x7fffffffu;
  let y = bitcast<u32>(b) & 0x7fffffffu;
  if (!is_finite(a) || is_nan(b) || y == 0u) { return not_a_number(); }
  if (x < y) { return a; }
  var m = select(0x800000u | (x & 0x7fffffu), x, x < 0x800000u);
  let n = select(0x800000u | (y & 0x7fffffu), y, y < 0x800000u);
  let least = max(y >> 23u, 1u);
  for (var k = max(x >> 23u, 1u) - least; k > 0u; k--) {
    if (m >= n) { m -= n; }
    m <<= 1u;
  }
  if (m >= n) { m -= n; }
  let up = min(countLeadingZeros(m) - 8u, least - 1u);
  let found = (m << up) + select(0u, (least - up - 1u) << 23u, m != 0u);
  return bitcast<f32>(found | (bitcast<u32>(a) & 0x80000000u));
}""",
    "floor_remainder": """// With the sign of b, as in Python; NaN where b is 0.
fn floor_remainder(a: f32, b: f32) -> f32 {
  let r = fmod_(a, b);
  let sign = bitcast<u32>(b) & 0x80000000u;
  // By their bits: a GPU may take the smallest numbers for 0.
  if ((bitcast<u32>(r) & 0x7fffffffu) == 0u) { return bitcast<f32>(sign); }
  return select(r + b, r, (bitcast<u32>(r) & 0x80000000u) == sign);
}""",
    "floor_quotient": """// Rounded down, by the steps that Numba takes: above 2**22 they round.
fn floor_quotient(a: f32, b: f32) -> f32 {
  let sign = (bitcast<u32>(a) ^ bitcast<u32>(b)) & 0x80000000u;
  if (!is_finite(a) || is_nan(b)) {
    let by_zero = is_inf(a) && (bitcast<u32>(b) & 0x7fffffffu) == 0u;
    if (!by_zero) { return not_a_number(); }
    return bitcast<f32>(sign | 0x7f800000u);
  }
  // By their bits: a GPU may take the smallest numbers for 0.
  if ((bitcast<u32>(b) & 0x7fffffffu) == 0u) {
    if ((bitcast<u32>(a) & 0x7fffffffu) == 0u) { return not_a_number(); }
    return bitcast<f32>(sign | 0x7f800000u);
  }
  let r = fmod_(a, b);
  let rest = bitcast<u32>(r);
  var q = 0.0;
  if ((bitcast<u32>(a) & 0x7fffffffu) >= (bitcast<u32>(b) & 0x7fffffffu) && !is_inf(b)) {
    q = quotient(a - r, b);
  }
  if ((rest & 0x7fffffffu) != 0u && ((rest ^ bitcast<u32>(b)) & 0x80000000u) != 0u) { q -= 1.0; }
  if (q == 0.0) { return bitcast<f32>(sign); }
  let low = floor(q);
  return select(low, low + 1.0, q - low > 0.5);
}""",
    "quotient": """// a / b to the nearest: WGSL's own may be off by 2.5 units. |a| >= |b| > 0.
fn quotient(a: f32, b: f32) -> f32 {
  let x = bitcast<u32>(a) & 0x7fffffffu;
  let y = bitcast<u32>(b) & 0x7fffffffu;
  var m = select(0x800000u | (x & 0x7fffffu), x, x < 0x800000u);
  var n = select(0x800000u | (y & 0x7fffffu), y, y < 0x800000u);
  let up = countLeadingZeros(m) - 8u;
  let down = countLeadingZeros(n) - 8u;
  m <<= up;
  n <<= down;
  var e = i32(max(x >> 23u, 1u) + down) - i32(max(y >> 23u, 1u) + up);
  if (m < n) {
    m <<= 1u;
    e--;
  }
  var q = 0u; // 24 bits, and one that says where the rest lies
  for (var k = 0u; k < 25u; k++) {
    q <<= 1u;
    if (m >= n) {
      m -= n;
      q |= 1u;
    }
    m <<= 1u;
  }
  let odd = (q & 1u) == 1u && (m != 0u || (q & 2u) == 2u);
  q = (q >> 1u) + select(0u, 1u, odd);
  // A carry into the exponent is the next power of two; behind the largest comes infinity.
  let bits = min(u32(e + 126) << 23u, 0x7f000000u) + q;
  let sign = (bitcast<u32>(a) ^ bitcast<u32>(b)) & 0x80000000u;
  return bitcast<f32>(min(bits, 0x7f800000u) | sign);
}""",
    "copysign": """fn copysign(x: f32, y: f32) -> f32 {
  return bitcast<f32>((bitcast<u32>(x) & 0x7fffffffu) | (bitcast<u32>(y) & 0x80000000u));
}""",
    "hypotenuse": """// Neither square leaves the range of float32.
fn hypotenuse(a: f32, b: f32) -> f32 {
  if (is_inf(a) || is_inf(b)) { return params.infinity; }
  if (is_nan(a) || is_nan(b)) { return a + b; }
  let long = max(abs(a), abs(b));
  let part = min(abs(a), abs(b)) / max(long, 1e-37);
  return long * sqrt(1.0 + part * part);
}""",
    "complex_product": """fn complex_product(a: vec2f, b: vec2f) -> vec2f {
  return vec2f(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}""",
    "square_root": """fn square_root(x: f32) -> f32 {
  if (x < 0.0) { return not_a_number(); }
  return sqrt(x);
}""",
}
NEEDS = {
    **dict.fromkeys(
        ("fmin", "fmax", "np_min", "np_max", "sign_", "to_i32", "to_u32", "low_bits"), ("is_nan",)
    ),
    **dict.fromkeys(("exp_", "exp2_", "sinh_", "cosh_", "tanh_"), ("is_nan",)),
    "not_a_number": ("infinity",),
    "checked_i32": ("is_finite",),
    "half_fma": ("nothing", "is_finite", "float_to_half"),
    **dict.fromkeys(("log_", "log2_", "atanh_"), ("infinity", "not_a_number")),
    **dict.fromkeys(("acos_", "asin_", "acosh_", "square_root"), ("not_a_number",)),
    "asinh_": ("is_nan",),
    "expm1_": ("is_nan", "exp_"),
    "log1p_": ("infinity", "is_nan", "not_a_number", "log_"),
    "erf_": ("is_nan", "erf_near", "erfc_far"),
    "erfc_": ("is_nan", "erf_near", "erfc_far"),
    "fmod_": ("infinity", "is_nan", "is_finite", "not_a_number"),
    "floor_remainder": ("fmod_",),
    "floor_quotient": ("fmod_", "quotient", "is_nan", "is_inf", "is_finite", "not_a_number"),
    "power": ("infinity", "is_nan", "is_inf", "not_a_number"),
    "quarter_turns": ("high_product",),
    **dict.fromkeys(("sine", "cosine", "tangent"), ("is_finite", "quarter_turns", "wave")),
    "hypotenuse": ("infinity", "is_inf", "is_nan"),
}


def atomic_helper(op, name, buffer, rep):
    """The function ``name``, which does what WGSL has no atomic operation for, on a buffer."""
    kind = "u32" if rep == "f32" else rep
    old = "bitcast<f32>(old)" if rep == "f32" else "old"
    new = {
        "add": f"{old} + value",
        "sub": f"{old} - value",
        "max": f"fmax({old}, value)" if rep == "f32" else "max(old, value)",
        "min": f"fmin({old}, value)" if rep == "f32" else "min(old, value)",
        "nanmax": f"fmax({old}, value)",
        "nanmin": f"fmin({old}, value)",
        "inc": "select(old + 1u, 0u, old >= value)",
        "dec": "select(old - 1u, value, old == 0u || old > value)",
        "exch": "value",
        "cas": "select(old, value, old == expected)",
    }[op]
    more = f"expected: {rep}, " if op == "cas" else ""
    bits = f"bitcast<u32>({new})" if rep == "f32" else new
    stop = ""
    if op == "cas":
        stop = "    if (old != expected) { break; }\n"
    elif rep == "f32" and op in ("max", "min"):
        # A NaN in memory stays, as in Numba.
        stop = "    if (is_nan(bitcast<f32>(old))) { break; }\n"
    result = "bitcast<f32>(old)" if rep == "f32" else "old"
    # The return stands behind the loop: Firefox' compiler wants one there.
    text = f"""fn {name}(index: i32, {more}value: {rep}) -> {rep} {{
  var old: {kind} = atomicLoad(&@[index]);
  loop {{
{stop}    let swap = atomicCompareExchangeWeak(&@[index], old, {bits});
    if (swap.exchanged) {{ break; }}
    old = swap.old_value;
  }}
  return {result};
}}"""
    # A variable in it that has the buffer's name would hide it.
    return re.sub(rf"(?<![.\w]){buffer}\b", f"{buffer}_", text).replace("@", buffer)


# Words of WGSL, and names that the compiler gives itself.
RESERVED = set(
    """
    abs abstract acos acosh active alias alignas alignof all any array arrayLength as asin asinh asm
    asm_fragment async atan atan2 atanh atomic atomicAdd atomicAnd atomicCompareExchangeWeak
    atomicExchange atomicLoad atomicMax atomicMin atomicOr atomicStore atomicSub atomicXor attribute
    auto await become binding_array bitcast block blockIdx bool break case cast catch ceil clamp
    class co_await co_return co_yield coherent column_major common compile compile_fragment concept
    const const_assert const_cast consteval constexpr constinit continue continuing cos cosh
    countLeadingZeros countOneBits countTrailingZeros crate cross debugger decltype default degrees
    delete demote demote_to_helper determinant diagnostic discard distance do dot dot4I8Packed
    dot4U8Packed dpdx dpdxCoarse dpdxFine dpdy dpdyCoarse dpdyFine dynamic_cast else enable enum
    exchange exp exp2 explicit export extends extern external extractBits f16 f32 faceForward
    fallthrough false filter final finally firstLeadingBit firstTrailingBit floor fma fn for fract
    frexp friend from function fwidth fwidthCoarse fwidthFine fxgroup get goto group groupshared
    highp i32 if impl implements import infinity inline insertBits instanceof interface
    inverseSqrt lane laneid layout ldexp length let log log2 loop lowp macro macro_rules main mat2x2
    mat2x2f mat2x2h mat2x3 mat2x3f mat2x3h mat2x4 mat2x4f mat2x4h mat3x2 mat3x2f mat3x2h mat3x3
    mat3x3f mat3x3h mat3x4 mat3x4f mat3x4h mat4x2 mat4x2f mat4x2h mat4x3 mat4x3f mat4x3h mat4x4
    mat4x4f mat4x4h match max mediump meta min mix mod modf module move mut mutable namespace nan
    new nil noexcept noinline nointerpolation non_coherent noncoherent noperspective normalize
    nothing NULL null nullptr of operator override pack2x16float pack2x16snorm pack2x16unorm
    pack4x8snorm pack4x8unorm pack4xI8 pack4xI8Clamp pack4xU8 pack4xU8Clamp package packoffset
    Params params partition pass patch pixelfragment pow precise precision premerge priv
    private protected ptr pub public quadBroadcast quadSwapDiagonal quadSwapX quadSwapY
    quantizeToF16 radians read read_write readonly ref reflect refract regardless register
    reinterpret_cast require requires resource rest restrict return reverseBits round sampler
    sampler_comparison saturate select Self self set shared sign sin sinh sizeof smooth smoothstep
    snorm sqrt static static_assert static_cast std step storage storageBarrier struct subgroupAdd
    subgroupAll subgroupAnd subgroupAny subgroupBallot subgroupBroadcast subgroupBroadcastFirst
    subgroupElect subgroupExclusiveAdd subgroupExclusiveMul subgroupInclusiveAdd
    subgroupInclusiveMul subgroupMax subgroupMin subgroupMul subgroupOr subgroupShuffle
    subgroupShuffleDown subgroupShuffleUp subgroupShuffleXor subgroupXor subroutine super switch tan
    tanh target template texture_1d texture_2d texture_2d_array texture_3d texture_cube
    texture_cube_array texture_depth_2d texture_depth_2d_array texture_depth_cube
    texture_depth_cube_array texture_depth_multisampled_2d texture_external texture_multisampled_2d
    texture_storage_1d texture_storage_2d texture_storage_2d_array texture_storage_3d textureBarrier
    textureDimensions textureGather textureGatherCompare textureLoad textureNumLayers
    textureNumLevels textureNumSamples textureSample textureSampleBaseClampToEdge textureSampleBias
    textureSampleCompare textureSampleCompareLevel textureSampleGrad textureSampleLevel textureStore
    this thread_local threadIdx throw trait transpose trap true trunc try type typedef typeid
    typename typeof u32 uniform union unless unorm unpack2x16float unpack2x16snorm unpack2x16unorm
    unpack4x8snorm unpack4x8unorm unpack4xI8 unpack4xU8 unsafe unsized use using var varying vec2
    vec2f vec2h vec2i vec2u vec3 vec3f vec3h vec3i vec3u vec4 vec4f vec4h vec4i vec4u virtual
    volatile wgsl where while with workgroup workgroupBarrier workgroupUniformLoad write writeonly
    yield
    """.split()
) | set(HELPERS)

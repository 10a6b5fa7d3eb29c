"""WGSL functions for what CUDA or Python does otherwise than WGSL's own operators.

Only those that a kernel uses are written into its module.
"""

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
    "floor_div": """// Rounded down, as Python divides; 0 where the divisor is 0.
fn floor_div(a: i32, b: i32) -> i32 {
  if (b == 0) { return 0; }
  let q = a / b;
  return select(q, q - 1, (a % b != 0) && ((a < 0) != (b < 0)));
}""",
    "floor_mod": """// With the sign of the divisor, as in Python; 0 where the divisor is 0.
fn floor_mod(a: i32, b: i32) -> i32 {
  if (b == 0) { return 0; }
  let r = a % b;
  return select(r, r + b, (r != 0) && ((r < 0) != (b < 0)));
}""",
    "udiv": """fn udiv(a: u32, b: u32) -> u32 { if (b == 0u) { return 0u; } return a / b; }""",
    "umod": """fn umod(a: u32, b: u32) -> u32 { if (b == 0u) { return 0u; } return a % b; }""",
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
    "low_bits": """// The low 32 bits of a float made an int64, as CUDA converts.
fn low_bits(x: f32) -> i32 {
  if (is_nan(x)) { return 0; }
  let size = abs(x);
  if (size < 2147483648.0) { return i32(x); }
  if (size >= 9223372036854775808.0) { return select(-1, 0, x < 0.0); }
  let low = i32(u32(size - floor(size / 4294967296.0) * 4294967296.0));
  return select(low, -low, x < 0.0);
}""",
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
    "power": """fn power(x: f32, y: f32) -> f32 {
  if (y == 0.0) { return 1.0; }
  if (x > 0.0) { return pow(x, y); }
  let whole = y == floor(y);
  let odd = whole && (abs(y) < 16777216.0) && (fract(y * 0.5) != 0.0);
  if (x < 0.0 && !whole) { return bitcast<f32>(bitcast<u32>(params.infinity) | 0x400000u); }
  if (x == 0.0) {
    if (y < 0.0) { return params.infinity; }
    return 0.0;
  }
  let p = pow(-x, y);
  return select(p, -p, odd);
}""",
    "tanh_": """fn tanh_(x: f32) -> f32 { return tanh(clamp(x, -16.0, 16.0)); }""",
    "copysign": """fn copysign(x: f32, y: f32) -> f32 {
  return bitcast<f32>((bitcast<u32>(x) & 0x7fffffffu) | (bitcast<u32>(y) & 0x80000000u));
}""",
    "square_root": """fn square_root(x: f32) -> f32 {
  if (x < 0.0) { return bitcast<f32>(bitcast<u32>(params.infinity) | 0x400000u); }
  return sqrt(x);
}""",
}
NEEDS = {
    **dict.fromkeys(
        ("fmin", "fmax", "np_min", "np_max", "to_i32", "to_u32", "low_bits"), ("is_nan",)
    ),
    "power": ("infinity",),
    "square_root": ("infinity",),
}


def atomic_helper(op, name, rep):
    """A function that does what WGSL has no atomic operation for, on the buffer ``name``."""
    kind = "u32" if rep == "f32" else rep
    old = "bitcast<f32>(old)" if rep == "f32" else "old"
    new = {
        "add": f"{old} + value",
        "sub": f"{old} - value",
        "max": f"fmax({old}, value)" if rep == "f32" else "max(old, value)",
        "min": f"fmin({old}, value)" if rep == "f32" else "min(old, value)",
        "inc": "select(old + 1u, 0u, old >= value)",
        "dec": "select(old - 1u, value, old == 0u || old > value)",
        "exch": "value",
        "cas": "select(old, value, old == expected)",
    }[op]
    more = f"expected: {rep}, " if op == "cas" else ""
    bits = f"bitcast<u32>({new})" if rep == "f32" else new
    stop = ""
    if op == "cas":
        stop = f"    if (old != expected) {{ return {old}; }}\n"
    elif rep == "f32" and op in ("max", "min"):
        # A NaN in memory stays, as in Numba.
        stop = "    if (is_nan(bitcast<f32>(old))) { return bitcast<f32>(old); }\n"
    return f"""fn atomic_{op}_{name}(index: i32, {more}value: {rep}) -> {rep} {{
  loop {{
    let old: {kind} = atomicLoad(&{name}[index]);
{stop}    let result = atomicCompareExchangeWeak(&{name}[index], old, {bits});
    if (result.exchanged) {{ return {old}; }}
  }}
}}"""


# Words of WGSL, and names that the compiler gives itself.
RESERVED = set(
    """
    abs abstract acos acosh active alias alignas alignof all any array as asin asinh asm
    asm_fragment async atan atan2 atanh atomic attribute auto await become binding_array bitcast
    blockIdx bool break case cast catch ceil clamp class co_await co_return co_yield coherent
    column_major common compile compile_fragment concept const const_assert const_cast consteval
    constexpr constinit continue continuing cos cosh countLeadingZeros countOneBits crate cross
    debugger decltype default degrees delete demote demote_to_helper determinant diagnostic
    discard distance do dot dpdx dpdy dynamic_cast else enable enum exchange exp exp2 explicit
    export extends extern external f16 f32 fallthrough false filter final finally floor fma fn
    for fract frexp friend from function fxgroup get goto groupshared highp i32 if impl
    implements import inline instanceof interface inverseSqrt lane laneid layout ldexp length
    let log log2 loop lowp macro macro_rules main mat2x2 match max mediump meta min mix mod modf
    module move mut mutable namespace new nil noexcept noinline nointerpolation non_coherent
    noncoherent noperspective normalize NULL null nullptr of operator override package
    packoffset params partition pass patch pixelfragment pow precise precision premerge priv
    private protected ptr pub public quantizeToF16 radians read read_write readonly ref reflect
    refract regardless register reinterpret_cast require requires resource restrict return round
    sampler saturate select self Self set shared sign sin sinh sizeof smooth smoothstep snorm
    sqrt static static_assert static_cast std step storage storageBarrier struct subroutine
    super switch tan tanh target template texture_1d this thread_local threadIdx throw trait
    transpose true trunc try type typedef typeid typename typeof u32 uniform union unless unorm
    unsafe unsized use using var varying vec2 vec2f vec2i vec2u vec3 vec3f vec3i vec3u vec4
    vec4f vec4i vec4u virtual volatile wgsl where while with workgroup workgroupBarrier write
    writeonly yield
    """.split()
) | set(HELPERS)

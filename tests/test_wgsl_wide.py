"""int64 and float64 of Numba kernels as WGSL, by numbers of 32 bits: run on the software adapter.

Arithmetic of float64 is compared with NumPy's, bit by bit; whole kernels with the stepper.
"""

import base64

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from simulator.stepper import Stepper
from simulator.wgsl import Refused, captured, unlike, wanted
from tests import webgpu, wgsl_generated
from tests.test_wgsl import HEAD, all_right, draws, launched

F4, F8, I4, I8, U8 = np.float32, np.float64, np.int32, np.int64, np.uint64
N = 1024
EDGES = [0.0, -0.0, 1.0, -1.0, 0.5, 1.5, 2.5, -2.5, 3.0, 0.1, -0.1, 1 / 3, np.inf, -np.inf, np.nan,
         5e-324, -5e-324, 2.2250738585072014e-308, 2.225073858507201e-308, 1.7976931348623157e308,
         2.0**52, 2.0**53 + 2, 2.0**63, -(2.0**63), 2.0**64, 2.0**31, -(2.0**31), 2147483647.5,
         3.4028235677973366e38, 1.401298464324817e-45, 1e-40, 1 + 2.0**-52,
         1 - 2.0**-53]  # fmt: skip
WHOLE = [0, 1, -1, 2, -2, 7, -7, 31, 32, 33, 63, 1 << 31, -(1 << 31), (1 << 31) - 1, 1 << 32,
         (1 << 32) - 1, (1 << 53) + 1, (1 << 62) + 12345, (1 << 63) - 1, -(1 << 63),
         -(1 << 40)]  # fmt: skip
CHANCE = settings(max_examples=6, deadline=None, derandomize=True,
                  suppress_health_check=[HealthCheck.function_scoped_fixture],
                  phases=[Phase.generate, Phase.explicit])  # fmt: skip


@pytest.fixture(scope="module")
def tab(playwright):
    with webgpu.page(playwright) as tab:
        yield tab


# Results of float64: text -> what NumPy leaves.
REALS = {
    "a[i] + b[i]": np.add,
    "a[i] - b[i]": np.subtract,
    "a[i] * b[i]": np.multiply,
    "a[i] / b[i]": np.divide,
    "math.sqrt(a[i])": lambda a, b: np.sqrt(a),
    "-a[i]": lambda a, b: -a,
    "abs(a[i])": lambda a, b: np.abs(a),
    "float(np.float32(a[i]))": lambda a, b: a.astype(F4).astype(F8),
    "np.rint(a[i])": lambda a, b: np.rint(a),
    "np.trunc(a[i])": lambda a, b: np.trunc(a),
    "np.floor(a[i])": lambda a, b: np.floor(a),
    "np.ceil(a[i])": lambda a, b: np.ceil(a),
    "math.copysign(a[i], b[i])": np.copysign,
    "math.fmod(a[i], b[i])": np.fmod,
    # Of zeros either: NumPy itself takes the one or the other.
    "np.minimum(a[i], b[i]) + 0.0": lambda a, b: np.minimum(a, b) + 0.0,
    "np.maximum(a[i], b[i]) + 0.0": lambda a, b: np.maximum(a, b) + 0.0,
}


def bits(x):
    """Its bits, with one NaN for all of them."""
    return np.where(np.isnan(x), np.nan, x).astype(F8).view(U8) & ~(
        np.where(np.isnan(x), U8(1) << U8(63), U8(0))
    )


def drawn(seed):
    """Numbers of all sizes: any bits, near ones, sums that cancel, and the edges."""
    rng = np.random.default_rng(seed)
    any_bits = rng.integers(0, 1 << 64, (2, N), U8).view(F8)
    near = rng.standard_normal((2, N)) * 2.0 ** rng.integers(-30, 30, (2, N))
    close = near[0] * (1 + rng.integers(-4, 5, N) * 2.0**-52)
    picked = rng.choice(EDGES, (2, N))
    tiny = rng.integers(0, 1 << 54, (2, N), U8).view(F8) * rng.choice([1, -1], (2, N))
    pool = [any_bits, near, np.stack([near[0], -close]), picked, np.stack([near[0], picked[1]]),
            tiny, np.stack([near[0], 2.0**-1000 * near[1]])]  # fmt: skip
    which = rng.integers(0, len(pool), N)
    return np.stack([np.choose(which, [p[k] for p in pool]) for k in (0, 1)])


def once(names, body, arguments, before="", blocks=N // 128, **options):
    """A launch of ``body``, compiled and not run by the stepper, which takes long for so many."""
    from simulator.stepper import host
    from simulator.wgsl.launch import capture

    source = HEAD + before + f"@cuda.jit\ndef k({names}):\n    i = cuda.grid(1)\n"
    source += "".join(f"    {line}\n" for line in body.split("\n"))
    space, rows, plain = {}, [], host.Kernel.launch
    Stepper(mode="run").execute(source, space, "k.py")

    def launch(*given):
        capture(lambda *_: None, rows, options | {"unroll": 64}, *given)

    host.Kernel.launch = launch
    try:
        space["k"][blocks, 128](*arguments)
    finally:
        host.Kernel.launch = plain
    return rows[0]


@CHANCE
@given(seed=st.integers(0, 1 << 30))
def test_arithmetic_of_float64_is_ieee_754_to_the_bit(tab, seed):
    a, b = drawn(seed)
    out = np.zeros((len(REALS), N))
    body = "\n".join(f"o[{k}, i] = {text}" for k, text in enumerate(REALS))
    record = once("a, b, o", body, [a, b, out], emulate_float64=True)
    assert record.shader, str(record.refused)
    (found,) = webgpu.run(tab, [record])
    assert not isinstance(found, str), found + record.shader.wgsl
    got = np.frombuffer(found["o"], F8).reshape(out.shape)
    with np.errstate(all="ignore"):
        for (text, f), row in zip(REALS.items(), got, strict=True):
            want = f(a, b)
            wrong = np.flatnonzero(bits(want) != bits(row))
            assert not len(wrong), (text, *((a[k], b[k], want[k], row[k]) for k in wrong[:3]))


@CHANCE
@given(seed=st.integers(0, 1 << 30))
def test_conversions_and_comparisons_of_float64_are_exact(tab, seed):
    a, b = drawn(seed)
    rng = np.random.default_rng(seed)
    n = np.where(rng.random(N) < 0.3, rng.choice(WHOLE, N),
                 rng.integers(-(1 << 63), 1 << 63, N) >> rng.integers(0, 63, N))  # fmt: skip
    f = rng.integers(0, 1 << 32, N, np.uint32).view(F4)
    u = n.view(U8)
    body = (
        "c[i] = (a[i] < b[i]) + 2 * (a[i] <= b[i]) + 4 * (a[i] == b[i]) + 8 * (a[i] != b[i])\n"
        "o[0, i] = n[i]\no[1, i] = u[i]\no[2, i] = f[i]\ng[0, i] = a[i]\ng[1, i] = n[i]\n"
        "m[0, i] = np.int64(a[i])\nm[1, i] = np.int32(a[i])\nm[2, i] = np.uint32(a[i])\n"
        "v[i] = np.uint64(a[i])\nm[3, i] = np.int64(f[i])"
    )
    outs = {"c": np.zeros(N, I4), "o": np.zeros((3, N)), "g": np.zeros((2, N), F4),
            "m": np.zeros((4, N), I8), "v": np.zeros(N, U8)}  # fmt: skip
    names = "a, b, n, u, f, c, o, g, m, v"
    with np.errstate(all="ignore"):
        record = once(names, body, [a, b, n, u, f, *outs.values()], emulate_float64=True)
        assert record.refused and "arrays" in str(record.refused)  # ten arrays: eight are promised
        parts = [("a, b, n, c, g, m", ["c[", "g[", "m[0", "m[1", "m[2"]),
                 ("a, n, u, f, o, m, v", ["o[", "v[", "m[3"])]  # fmt: skip
        given_ = {"a": a, "b": b, "n": n, "u": u, "f": f} | outs
        found = {}
        for some, starts in parts:
            lines = "\n".join(x for x in body.split("\n") if x.startswith(tuple(starts)))
            record = once(some, lines, [given_[k] for k in some.split(", ")], emulate_float64=True)
            assert record.shader, str(record.refused)
            (got,) = webgpu.run(tab, [record])
            assert not isinstance(got, str), got
            rows = {k: np.frombuffer(x, outs[k].dtype).reshape(outs[k].shape)
                    for k, x in got.items() if k in outs}  # fmt: skip
            for k, x in rows.items():
                found[k] = np.concatenate([found[k][:3], x[3:]]) if k in found else x
        want = (a < b) + 2 * (a <= b) + 4 * (a == b) + 8 * (a != b)
        assert np.array_equal(found["c"], want)
        assert np.array_equal(bits(found["o"]), bits(np.stack([n.astype(F8), u.astype(F8), f])))
        assert np.array_equal(found["g"][0], a.astype(F4), equal_nan=True)
        assert np.array_equal(found["g"][1], n.astype(F4))

    def cut(x, lo, hi):
        return 0 if x != x else lo if x <= lo else hi if x >= hi else int(x)

    limits = [(-(1 << 63), (1 << 63) - 1), (-(1 << 31), (1 << 31) - 1), (0, (1 << 32) - 1)]
    for row, (lo, hi) in zip(found["m"], limits, strict=False):
        assert row.tolist() == [cut(x, lo, hi) for x in a.tolist()]
    assert found["v"].tolist() == [cut(x, 0, (1 << 64) - 1) for x in a.tolist()]
    assert found["m"][3].tolist() == [cut(x, *limits[0]) for x in f.tolist()]


# Functions: text -> (NumPy's, numbers from, to, units of the last place that they may be off by).
FUNCTIONS = {
    "math.exp(a[i])": (np.exp, -745, 709, 3),
    "math.log(a[i])": (np.log, 1e-300, 1e6, 3),
    "math.log2(a[i])": (np.log2, 1e-3, 1e9, 4),
    "math.log10(a[i])": (np.log10, 1e-3, 1e9, 4),
    "math.sin(a[i])": (np.sin, -300, 300, 4),
    "math.cos(a[i])": (np.cos, -300, 300, 4),
    "math.tan(a[i])": (np.tan, -300, 300, 8),
    "math.atan(a[i])": (np.arctan, -50, 50, 6),
    "math.asin(a[i])": (np.arcsin, -1, 1, 8),
    "math.acos(a[i])": (np.arccos, -1, 1, 8),
    "a[i] ** 1.7": (lambda a: a**1.7, 0, 1e5, 40),
    "math.atan2(a[i], 0.5 - a[i])": (lambda a: np.arctan2(a, 0.5 - a), -5, 5, 8),
    "math.hypot(a[i], 3.0)": (lambda a: np.hypot(a, 3.0), -5, 5, 3),
    "abs(complex(a[i], 3.0))": (lambda a: np.hypot(a, 3.0), -5, 5, 3),
    "math.expm1(a[i])": (np.expm1, -30, 709, 3),
    "math.expm1(a[i] / 16.0)": (lambda a: np.expm1(a / 16), -30, 30, 4),
    "math.tanh(a[i])": (np.tanh, -25, 25, 4),
    "math.sinh(a[i])": (np.sinh, -30, 710, 5),
    "math.cosh(a[i])": (np.cosh, -30, 710, 5),
}


def test_functions_of_float64_are_near(tab):
    rng = np.random.default_rng(5)
    records = []
    for text, (_, lo, hi, _) in FUNCTIONS.items():
        a = rng.uniform(lo, hi, N)
        records.append(once("a, o", f"o[i] = {text}", [a, np.zeros(N)], emulate_float64=True))
        records[-1].a = a
        assert records[-1].shader, str(records[-1].refused)
    for (text, (f, _, _, units)), record, got in zip(
        FUNCTIONS.items(), records, webgpu.run(tab, records), strict=True
    ):
        assert not isinstance(got, str), got + record.shader.wgsl
        want = f(record.a)
        off = np.abs(np.frombuffer(got["o"], F8) - want) / np.spacing(np.abs(want))
        print(f"{text:32}{off.max():8.2f} units")
        assert off.max() <= units, (text, off.max(), record.a[off.argmax()])


INTEGERS = {
    "sums and products": "o[i] = a[i] * b[i] + a[i] - (b[i] << 3)",
    "bits": "o[i] = (a[i] & ~b[i]) | (a[i] ^ 255)",
    "quotient": "o[i] = a[i] // b[i] if b[i] else 0",
    "rest": "o[i] = a[i] % b[i] if b[i] else 0",
    "unsigned": "u = np.uint64(a[i]) // np.uint64(17)\n"
    "o[i] = np.int64(u + np.uint64(b[i]) % np.uint64(1000))",
    "shifts": "u = np.uint64(b[i]) >> np.uint64(7)\n"
    "o[i] = (a[i] >> (i % 64)) + (a[i] << (i % 64)) + np.int64(u)",
    "order": "o[i] = (a[i] < b[i]) + 2 * (a[i] <= b[i]) + 4 * (a[i] == b[i]) + 8 * (a[i] != b[i])",
    "extremes": "o[i] = max(a[i], b[i]) - min(a[i], b[i]) + abs(a[i])",
    "narrowed": "o[i] = np.int32(a[i]) + np.uint8(b[i]) + np.uint32(a[i] * b[i])",
    "a loop": "total = 1\nfor j in range(40):\n    total = total * 3 + a[i]\no[i] = total",
    "while": "n = a[i] & 1048575\ns = 0\nwhile n > 1:\n    s += n * n\n"
             "    n = n // 2 if n % 2 == 0 else 3 * n + 1\no[i] = s",
    "a branch": "n = a[i]\nif n > 1 << 40:\n    n = 7\n"
    "elif n < -5:\n    n -= 1 << 33\no[i] = n + 1",
    "shared": "s = cuda.shared.array(128, np.int64)\nt = cuda.threadIdx.x\ns[t] = a[i]\n"
              "cuda.syncthreads()\no[i] = s[127 - t] * 2",
    "shuffled": "o[i] = cuda.shfl_down_sync(0xffffffff, a[i], 3) + 1",
    "a tuple": "p, q = twice(a[i])\no[i] = p - q if q else b[i]",
    "truth": "o[i] = 1 if a[i] and not (b[i] & 2) else 0",
    "an index": "o[i] = a[a[i] % 128]",
    "bits of constants": "o[i] = cuda.popc(1 << 40) + 3 * cuda.popc(np.uint64(1 << 63))\n"
    "o[i] += cuda.ffs(np.int64(1 << 40)) * 5",
    "bits compared": "o[i] = 1 if (a[i] ^ b[i]) != 7 and (a[i] & 255) == (b[i] | 1) else 2\n"
    "o[i] += 4 if a[i] ^ b[i] else 8",
    "to floats": "f[i] = np.float32(a[i])\no[i] = np.int64(f[i])",
    "powers": "o[i] = 2 ** (i % 70) + (a[i] % 5 - 2) ** (i % 12 - 3) + b[i] ** (i % 9)",
    "unsigned powers": "o[i] = np.int64(np.uint64(a[i]) ** np.uint64(i % 9))",
}  # fmt: skip
TWICE = "@cuda.jit(device=True)\ndef twice(n):\n    return n * 2, n >> 3\n\n\n"


def test_integers_of_64_bits_are_what_the_stepper_computes(tab):
    rng = np.random.default_rng(11)
    names, rows = [], []
    for name, body in INTEGERS.items():
        a, b = (np.where(rng.random(128) < 0.4, rng.choice(WHOLE, 128),
                         rng.integers(-(1 << 63), 1 << 63, 128) >> rng.integers(0, 60, 128))
                for _ in "ab")  # fmt: skip
        given_ = [a, b, np.zeros(128, I8), np.zeros(128, F4)]
        record, _ = launched(body, given_, "a, b, o, f", TWICE, (1, 128), pairs=True, unroll=64)
        assert record.shader, f"{name}: {record.refused}"
        names.append(name)
        rows.append(record)
    all_right(tab, names, rows)


RANDOM = "from numba.cuda.random import xoroshiro128p_uniform_float32 as uniform\n" \
         "from numba.cuda.random import xoroshiro128p_uniform_float64 as uniform64\n"  # fmt: skip


def test_random_numbers_are_those_of_cuda_random(tab):
    rows = []
    for body, options in (("o[i] = uniform(s, i)\no[i] += uniform(s, i)", {"pairs": True}),
                          ("for j in range(5):\n    d[i] += uniform64(s, i)",
                           {"emulate_float64": True})):  # fmt: skip
        source = HEAD + RANDOM + "from numba.cuda.random import create_xoroshiro128p_states\n" \
            "def go(o, d):\n    k[2, 32](create_xoroshiro128p_states(64, 7), o, d)\n" \
            "@cuda.jit\ndef k(s, o, d):\n    i = cuda.grid(1)\n"  # fmt: skip
        source += "".join(f"    {line}\n" for line in body.split("\n"))
        space, found = {}, []
        Stepper(mode="run", raise_findings=False).execute(source, space, "k.py")
        kept = {"o": np.zeros(64, F4)}, {"d": np.zeros(64)}
        o, d = kept[0]["o"], kept[1]["d"]
        with captured(found, fallback=tuple(options), unroll=64):
            space["go"](o, d if "d[" in body else o)
        assert found[0].shader, str(found[0].refused)
        rows += found
    all_right(tab, ["float32", "float64"], rows)


def test_blocks_larger_than_a_workgroup_are_several_where_their_threads_are_apart(tab):
    n = np.arange(2048, dtype=I4).reshape(32, 64)
    rows = []
    for body, config in (
        ("y[i // 64, i % 64] = x[i // 64, i % 64] * cuda.blockDim.x + cuda.blockIdx.x", (2, 1024)),
        ("a, b = cuda.grid(2)\ny[a, b] = x[a, b] + 7 * cuda.blockIdx.y + cuda.threadIdx.y",
         ((1, 2), (32, 32))),
    ):  # fmt: skip
        record, _ = launched(body, [n, np.zeros_like(n)], "x, y", config=config, threads=256)
        assert record.shader, str(record.refused)
        assert np.prod(record.shader.block) == 256
        rows.append(record)
    all_right(tab, ["a row", "a square"], rows)
    waits = (
        "s = cuda.shared.array(1024, np.int32)\ns[t] = t\ncuda.syncthreads()\ny[0, t % 64] = s[t]"
    )
    record, _ = launched(waits, [n, n.copy()], "x, y", config=(1, 1024), threads=256)
    assert record.shader.block == (1024, 1, 1)


@pytest.mark.parametrize("way", ["pairs", "emulate_float64"])
def test_generated_kernels_with_64_bits_are_right_or_refused(tab, way):
    make = wgsl_generated.Settled if way == "pairs" else wgsl_generated.Wide
    counts = draws(tab, make, wgsl_generated.arguments, wgsl_generated.HEAD, 25,
                   options={way: True})  # fmt: skip
    assert counts["in pairs" if way == "pairs" else "emulated"] >= 20


def with_int64(seed):
    arguments = wgsl_generated.arguments(seed)
    arguments[7] = arguments[7].astype(I8)
    return arguments


def test_generated_kernels_that_write_int64_are_right_or_refused(tab):
    counts = draws(tab, wgsl_generated.Long, with_int64, wgsl_generated.HEAD, 50)
    assert counts["in pairs"] >= 15 and counts["compiled"] - counts["in pairs"] >= 3


# ---------------------------------------------------------------- numbers beyond 32 bits in int64

BEYOND = {
    "a literal": "o[i] = 4000000000",
    "a negative one": "o[i] = -3000000000",
    "an unsigned one": "o[i] = np.uint32(0xDEADBEEF)",
    "a variable": "v = np.uint32(4000000000)\no[i] = v",
    "an argument": "o[i] = s",
    "a sum": "o[i] = np.uint32(4000000000) ^ np.uint32(1)",
}


def test_constants_beyond_32_bits_are_stored_in_int64_by_pairs_or_refused(tab):
    rows = []
    for name, body in BEYOND.items():
        given_ = [np.uint32(4000000000), np.zeros(32, I8)]
        record, source = launched(body, given_, "s, o")
        assert record.refused and record.refused.kind == "int64", name
        assert source[record.refused.line - 1].strip() in body, name
        record, _ = launched(body, given_, "s, o", fallback=("pairs",))
        assert record.shader and record.shader.pairs, f"{name}: {record.refused}"
        rows.append(record)
    all_right(tab, BEYOND, rows)


DEVICE = """def go(o, dtype):
    d = cuda.device_array(40, dtype)
    k[1, 32](d)
    o[:] = d.copy_to_host()


@cuda.jit
def k(o):
    i = cuda.grid(1)
    o[i] = i
"""


@pytest.mark.parametrize("dtype", [I8, U8])
@pytest.mark.parametrize("mode", ["run", "check"])
def test_a_result_is_compared_in_its_full_width(mode, dtype):
    """Also in memory that was made on the GPU, of which not all is written."""
    space, rows = {}, []
    Stepper(mode=mode, raise_findings=False).execute(HEAD + DEVICE, space, "k.py")
    with captured(rows):
        space["go"](np.zeros(40, dtype), dtype)
    (record,) = rows
    (came,) = (base64.b64decode(x) for x in wanted(record).values())
    assert not unlike(record, {"o": came})
    record.after["o"][3] += 1 << 32  # whose low 32 bits are those that came
    assert [w[:2] for w in unlike(record, {"o": came})] == [("o", 3)]
    with pytest.raises(Refused, match="beyond 32 bits"):
        wanted(record)


def test_arrays_that_hold_numbers_beyond_32_bits_are_compiled_by_pairs(tab):
    rows = []
    bodies = ("o[i] = a[i]", "if i < 3:\n    o[i] = i\nif a.size == 0:\n    o[i] = a[0]")
    for body in bodies:
        given_ = [np.full(32, (1 << 40) + 5, I8), np.full(32, -(1 << 50), I8)]
        record, source = launched(body, given_, "a, o")
        assert "beyond 32 bits" in str(record.refused)
        assert source[record.refused.line - 1].strip() in body
        record, _ = launched(body, given_, "a, o", fallback=("pairs",), unroll=64)
        assert record.shader and record.shader.pairs, str(record.refused)
        rows.append(record)
    all_right(tab, bodies, rows)


# ---------------------------------------------------------------- complex numbers

MANDEL = """@cuda.jit(device=True)
def mandel(x, y, turns):
    c = complex(x, y)
    z = 0.0j
    for i in range(turns):
        z = z * z + c
        if z.real * z.real + z.imag * z.imag >= 4:
            return i
    return turns


"""
FRACTAL = """height, width = o.shape
px, py = (right - left) / width, (top - bottom) / height
sx, sy = cuda.grid(2)
gx, gy = cuda.gridsize(2)
for x in range(sx, width, gx):
    real = left + x * px
    for y in range(sy, height, gy):
        o[y, x] = mandel(real, bottom + y * py, 20)"""


def test_the_fractal_of_numbas_documentation(tab):
    """Refused as it is, for its float64; right where that is emulated, and here in float32."""
    rows, corners = [], "left, right, bottom, top, o"
    for options in ({}, {"emulate_float64": True}, {"single": True}):
        given_ = [-2.0, 1.0, -1.0, 1.0, np.zeros((16, 24), np.uint8)]
        record, _ = launched(FRACTAL, given_, corners, MANDEL, ((2, 2), (8, 8)), **options)
        if not options:  # no literal is in that line
            assert "make its numbers np.float32" in record.refused.what, str(record.refused)
        else:
            assert record.shader, str(record.refused)
            rows.append(record)
    all_right(tab, ["emulated", "float32"], rows)


# ---------------------------------------------------------------- types of what a launch settles

G = "@cuda.jit(device=True)\ndef g(flag, x):\n    if flag:\n        return {}\n    return {}\n\n\n"
WAITS = "@cuda.jit(device=True)\ndef g(flag, x):\n    cuda.syncthreads()\n    v = 3\n" \
        "    if flag:\n        v = 1.5\n    return v\n\n\n"  # fmt: skip
# body, or (body, device function): flag is 0, w of int32 of all sizes, q of int64, W of uint32.
SETTLED = {
    "a branch": "v = 3\nif flag:\n    v = 1.5\no[i] = v * w[i]",
    "a choice": "o[i] = (1.5 if flag else 3) * w[i]",
    "a choice of int64": "l[i] = (2.5 if flag else 7) * q[i]",
    "a choice of floats": "d[i] = (0.1 if flag else f[i]) * f[i]",
    "a comparison of constants": "o[i] = (W[i] - np.uint32(4) if 2.0 >= 12 else 3) * w[i]",
    "a function's returns": ("o[i] = g(flag, w[i]) * w[i]", G.format("1.5", "3")),
    "a function that waits": ("o[i] = g(flag, w[i]) * w[i]", WAITS),
    "signs": ("o[i] = g(flag, w[i]) // 3", G.format("np.uint32(x)", "np.int32(x)")),
    "branches in branches": "v = 3\nif flag == 1:\n    if i:\n        v = 2.5\nelif flag == 2:\n"
    "    v = np.int8(4)\no[i] = v * w[i]",
    "the size of a launch": "v = 3\nif i < 1000:\n    o[i] = v\nelse:\n    v = 1.5\n"
    "o[i] = v * w[i]",
    "turns that are written out": "v = 3\nfor j in range(2):\n    o[i] += v * w[i]\n    v = 1.5",
    "and back": "v = 1.5\nfor j in range(3):\n    o[i] += v * w[i]\n    v = 3",
    "four turns at once": "v = 1.5\nfor j in range(i & 15):\n    o[i] += v * w[j]\n    v = 3",
    "turns over a tuple": "v = 3\nfor x in (1, 2):\n    o[i] += v * w[i]\n    v = 1.5",
    "after turns over a tuple": "v = 1.5\nfor x in (1, 2):\n    v = 3\no[i] = v * w[i]",
    "after turns over a tuple, small": "v = np.int16(-3)\nfor x in (1, 2):\n    v = np.uint8(200)\n"
    "o[i] = -v * 3 + (v << 8)",
    "the end of an and": "o[i] = ~(flag == 1 and w[i]) + ~(not w[i] and flag and 3) * 7",
    "the end of an or": "o[i] = (flag == 0 or 2.5) * w[i]",
    "no turn": "v = 3\nfor j in range(flag):\n    v = 1.5\no[i] = v * w[i]",
    "a loop that is left": "v = 3\nfor j in range(100):\n    if flag:\n        v = 1.5\n"
    "        break\n    o[i] += j\no[i] += v * w[i]",
    "a turn that is cut short": "v = 3\nfor j in range(100):\n    o[i] += v * w[i]\n    if flag:\n"
    "        v = 1.5\n        continue\n    o[i] += j",
    "small numbers": "v = np.uint8(200)\nif flag:\n    v = np.int16(300)\no[i] = -v",
    "unsigned numbers": "v = np.uint32(3)\nif flag:\n    v = -1\no[i] = (v * w[i]) // 7",
}


def test_what_a_launch_settles_keeps_the_type_that_numba_gives_it(tab):
    """Refused, or right, and right where float64 is emulated."""
    w = np.random.default_rng(3).integers(-(1 << 31), 1 << 31, 32).astype(I4)
    q = np.random.default_rng(4).integers(1 << 55, 1 << 60, 32)
    f = np.random.default_rng(5).random(32).astype(F4)
    names, rows = [], []
    for name, body in SETTLED.items():
        body, before = body if isinstance(body, tuple) else (body, "")
        arrays = {"w": w, "q": q, "f": f, "W": w.view(np.uint32), "o": np.zeros(32, I4),
                  "l": np.zeros(32, I8), "d": np.zeros(32)}  # fmt: skip
        used = {n: a for n, a in arrays.items() if f"{n}[" in body}
        for options in ({}, {"pairs": True}, {"emulate_float64": True}):
            given_ = [0, *(a.copy() for a in used.values())]
            record, source = launched(body, given_, ", ".join(["flag", *used]), before,
                                      unroll=64, **options)  # fmt: skip
            if options.get("emulate_float64"):
                assert record.shader, f"{name}: {record.refused}"
            if record.shader:
                names.append(f"{name}, {options}")
                rows.append(record)
    all_right(tab, names, rows)

"""Numba kernels as WGSL, run in headless Chromium on its software adapter, against the stepper."""

import contextlib
import operator
import random
import re
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from simulator.hardware import webgpu_shaders
from simulator.stepper import Stepper
from simulator.stepper.faults import TypeRefused
from simulator.stepper.types import float64, int64
from simulator.wgsl import captured, unlike, values
from tests import webgpu, wgsl_broad, wgsl_cases, wgsl_generated, wgsl_names
from tests.wgsl_cases import NOT_COMPARED, wrong

# Kernels of kernels/ that do not compile: the words with which they are refused.
REFUSED = {
    "kernels/beyond_triton/nearest_word.py:edit_distance_kernel": "may not all make the same turns",
    "kernels/exercises/last_adds.py:last_adds": "no memory fence between workgroups",
    "kernels/exercises/running_softmax.py:running_softmax": "is computed in float64",
    "kernels/microbenchmarks/barriers.py:grid_barrier_kernel": "no barrier across workgroups",
    "kernels/metal_host/traps.py:half_warp_kernel": "a mask that is not all 32 lanes",
    "kernels/metal_host/traps.py:wait_kernel": "no memory fence between workgroups",
    "kernels/profiling/galaxy.py:pull_kernel": "is computed in float64",
    "kernels/questions/graphics.py:shade": "is computed in float64",
    "kernels/random_numbers/philox.py:option_kernel": "an array of float64",
    "kernels/terms/memory_fence.py:last_block_sum_kernel": "no memory fence between workgroups",
    "kernels/torch_extension/others.py:swiglu_kernel": "is computed in float64",
    "kernels/terms/persistent_kernel.py:square_pieces_kernel": "inside another branch or a loop",
}


OPTIONS = {"unroll": 64}
AT_NEED = OPTIONS | {"fallback": ("pairs",)}  # as web/run-here/session.py compiles for a press


@pytest.fixture(scope="module")
def tab(playwright):
    with webgpu.page(playwright) as tab:
        yield tab


def test_sines_are_right_to_the_last_places_for_every_exponent(tab):
    """WGSL promises 2**-11 between -pi and pi and nothing beyond; the helpers owe nothing to it."""
    exponents = np.arange(-20, 128, dtype=np.float64)
    turns = np.arange(1, 300) * np.pi / 4
    parts = [2.0**exponents * f for f in (1.0, -1.37, 1.99)]
    x = np.concatenate([*parts, 2 * turns, -turns]).astype(np.float32)
    body = "if i < x.size:\n    s[i] = math.sin(x[i])\n    c[i] = math.cos(x[i])\n"
    body += "    q[i] = math.tan(x[i])"
    arguments = [x, *np.zeros((3, len(x)), np.float32)]
    record, _ = launched(body, arguments, "x, s, c, q", config=(len(x) // 64 + 1, 64))
    (result,) = webgpu.run(tab, [record])
    for name, function in (("s", np.sin), ("c", np.cos), ("q", np.tan)):
        want = function(x.astype(np.float64))
        got = np.frombuffer(result[name], np.float32)
        places = np.abs(got - want) / np.spacing(np.abs(want).astype(np.float32))
        print(f"{name}: {places.max():.1f} units of the last place")
        assert places.max() < (4 if name != "q" else 8), (name, x[places.argmax()])


NEARLY = 6e-6  # of each result: what WGSL allows exp and log, on which these rest


def test_functions_that_wgsl_lacks_are_right_near_0_and_far_from_it(tab):
    """Each result to a few units of the sixth digit, and the remainder of a division to the bit."""
    sizes = np.float64(10) ** np.arange(-12, 1.01, 0.05)
    x = np.concatenate([-sizes, sizes, np.arange(-5, 5, 0.01), [0, np.nan]]).astype(np.float32)
    y = np.roll(x, 37) + np.float32(0.7)
    body = "if i < x.size:\n    a[i] = math.expm1(x[i])\n    b[i] = math.log1p(abs(x[i]))\n"
    body += "    c[i] = math.erf(x[i])\n    d[i] = math.erfc(x[i])\n"
    body += "    e[i] = math.fmod(x[i], y[i])\n    f[i] = math.log1p(max(x[i], np.float32(-0.99)))"
    arguments = [x, y, *np.zeros((6, len(x)), np.float32)]
    record, _ = launched(body, arguments, "x, y, a, b, c, d, e, f", config=(len(x) // 64 + 1, 64))
    (result,) = webgpu.run(tab, [record])
    for name in "abcdf":
        want, got = np.array(record.after[name]), np.frombuffer(result[name], np.float32)
        assert np.array_equal(np.isnan(want), np.isnan(got)), name
        far = np.nan_to_num(np.abs(got - want) / np.maximum(np.abs(want), 1e-30))
        print(f"{name}: {far.max():.1e} at {x[far.argmax()]}")
        assert far.max() < NEARLY, (name, x[far.argmax()])
    want = np.array(record.after["e"], np.float32)
    assert np.array_equal(want, np.frombuffer(result["e"], np.float32), equal_nan=True)


# Pairs of these, and of random ones: signs, zeros, infinities, NaN, far apart, and near each other.
EDGES = [0, -0.0, 1, -1, 2, 0.5, -0.5, 0.1, -0.1, 3, -3, 7.5, -7.5, np.inf, -np.inf, np.nan, 1e38]
EDGES += [-3.4e38, 2e-38, -2e-38, 16777216, 16777215, -8388609, 0.3, 1e8, -1e-6]


def floored(x, y):
    """``x // y`` and ``x % y`` of float32 by the steps of Numba's real_divmod."""
    one = np.float32(1)
    with np.errstate(all="ignore"):
        rest = np.fmod(x, y)
        quotient = (x - rest) / y
        off = (rest != 0) & ((y < 0) != (rest < 0))
        quotient, rest = np.where(off, quotient - one, quotient), np.where(off, rest + y, rest)
        rest = np.where((rest == 0) & (y != 0), np.copysign(np.float32(0), y), rest)
        low = np.floor(quotient)
        low = np.where(quotient - low > 0.5, low + one, low)
        low = np.where(quotient == 0, np.float32(0) * x / y, low)
        return np.where(y == 0, x / y, low), rest


def test_floor_division_and_remainder_of_floats_are_numbas_to_the_bit(tab):
    """Also where the quotient is rounded, which the stepper, in float64, does otherwise."""
    r = np.random.default_rng(22)
    edges = np.array(EDGES, np.float32)
    x, y = (v.ravel() for v in np.meshgrid(edges, edges))
    n, signs = 4000, np.array([-1, 1])
    near = [r.choice(signs, n) * 10.0 ** r.uniform(-3, 4, n) for _ in range(2)]
    far = [r.choice(signs, n) * 10.0 ** r.uniform(-20, 30, n) for _ in range(2)]
    whole = [r.integers(-60, 60, n) / 4, r.choice(signs, n) * r.integers(1, 9, n) / 4]
    x, y = (
        np.concatenate([a, *(pair[k] for pair in (near, far, whole))]).astype(np.float32)
        for k, a in enumerate((x, y))
    )
    body = "if i < x.size:\n    q[i] = x[i] // y[i]\n    r[i] = x[i] % y[i]"
    arguments = [x, y, *np.zeros((2, len(x)), np.float32)]
    record, _ = launched(body, arguments, "x, y, q, r", config=(len(x) // 64 + 1, 64))
    (result,) = webgpu.run(tab, [record])
    for name, want in zip("qr", floored(x, y), strict=True):
        got = np.frombuffer(result[name], np.float32)
        tiny = (want != 0) & (np.abs(want) < 2e-38)  # which a GPU may take for 0
        same = (got.view(np.uint32) == want.view(np.uint32)) | np.isnan(got) & np.isnan(want)
        wrong = np.flatnonzero(~same & ~tiny)
        assert not wrong.size, [(name, x[k], y[k], got[k], want[k]) for k in wrong[:5]]
        after = np.array(record.after[name], np.float32)
        exact = np.abs(x) < np.abs(y.astype(np.float64)) * 2**22
        assert np.array_equal(after[exact & ~tiny], want[exact & ~tiny], equal_nan=True)


@pytest.fixture(scope="module")
def site(tab):
    """Kernel -> [(launch, what came back)]; what came back is None where it was not run."""
    found = wgsl_cases.gather(**AT_NEED)
    todo = [r for rows in found.values() for r in rows if wgsl_cases.runs(r)]
    came = dict(zip(map(id, todo), webgpu.run(tab, todo), strict=True))
    return {name: [(r, came.get(id(r))) for r in rows] for name, rows in found.items()}


def test_the_sites_kernels_compile_and_are_right(site):
    known = wgsl_cases.known()
    right, faults = set(), []
    for name in known:
        rows = [(r, x) for r, x in site.get(name, ()) if x is not None]
        found = [f"{name}: {w}" for r, x in rows if (w := wrong(r, x, name))]
        if name in NOT_COMPARED:
            continue
        faults += found
        if rows and not found:
            right.add(name)
    assert not faults, "\n".join(faults)
    listed = REFUSED.keys() | NOT_COMPARED.keys()
    differ = sorted((set(known) - right) ^ listed)
    mend = "launch it in an example of its module or in wgsl_cases.MORE, or list it with the reason"
    assert not differ, f"{differ}: {mend}"
    for name, words in REFUSED.items():
        said = {str(r.refused) for r, _ in site[name] if r.refused}
        assert any(words in s for s in said), (name, said)
    defined = [n for n in known if "on purpose" not in NOT_COMPARED.get(n, "")]
    print(f"{len(right)} of {len(defined)} kernels that are defined are right on this adapter")
    assert len(right) >= 0.9 * len(defined)
    assert len(right) >= 363 and len(REFUSED) == 12


# What drawn kernels have that CUDA and WGSL do most differently, or that once compiled wrong.
WORDS = ("shfl_", "ballot_sync", "_sync(", "hout[i]", "square[", "floor_quotient(",
         "floor_remainder(", "0u - ", "if n < 60", "-m)")  # fmt: skip
CHANCE = settings(
    max_examples=216,
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.generate, Phase.shrink],
    suppress_health_check=list(HealthCheck),
)
DRAWN = Counter()


def drawn(kernel, given, head, options, names=None):
    """(its text, the launch of a drawn kernel on what is given). ``names``: the seed of others."""
    text, namespace, rows, name = kernel.source("k"), {}, [], "k"
    if names is not None:
        text, name = wgsl_names.hostile(head + text, name, names)
        head = ""
    Stepper(mode="run", raise_findings=False).execute(head + text, namespace, "generated.py")
    with captured(rows, **options), contextlib.suppress(TypeRefused):  # Numba refuses it as well
        namespace[name][kernel.launch](*given)
    (record,) = rows
    if record.error is not None:
        record.shader, record.refused = None, record.error
    return text, record


def right_or_refused(tab, rows, words, counts):
    """Run the launches of drawn kernels, and count what they are and which of the words they have.

    ``rows``: (what it was drawn from, its text, its launch).
    """
    run = [row for row in rows if row[2].shader]
    faults = []
    for (seed, text, r), found in zip(run, webgpu.run(tab, [r for _, _, r in run]), strict=True):
        if wrong := found if isinstance(found, str) else unlike(r, found)[:3]:
            faults.append(f"{seed}: {wrong}\n{text}\n{r.shader.wgsl}")
        counts["compiled"] += 1
        counts["in pairs"] += r.shader.pairs and not r.shader.emulated
        counts["emulated"] += r.shader.emulated
        counts.update(word for word in words if word in text + r.shader.wgsl)
    counts["refused"] += len(rows) - len(run)
    assert not faults, "\n".join(faults[:3])


def draws(tab, make, arguments, head, many, words=(), options=AT_NEED, renamed=False, start=0):
    """Draw kernels from the seeds 0, 1, ..., and count them as above. Of Hypothesis's own stream
    some kinds of expression come often and others hardly, and a constant of any module that is
    loaded may shift it: what these counts say is the same in every process."""
    counts = Counter()
    for first in range(start, start + many, 25):
        rows = []
        for seed in range(first, min(first + 25, start + many)):
            names = seed if renamed else None
            text, record = drawn(make(random.Random(seed)), arguments(seed), head, options, names)
            rows.append((f"{make.__name__} of seed {seed}", text, record))
        right_or_refused(tab, rows, words, counts)
    print(make.__name__, dict(counts))
    return counts


@CHANCE
@given(chance=st.randoms(use_true_random=True), seed=st.integers(0, 9999))
def generated_kernel_is_right(tab, chance, seed):
    kernel, given = wgsl_generated.Settled(chance), wgsl_generated.arguments(seed)
    text, record = drawn(kernel, given, wgsl_generated.HEAD, OPTIONS)
    right_or_refused(tab, [(chance, text, record)], WORDS, DRAWN)


def test_generated_kernels_compute_what_the_stepper_computes(tab):
    """Drawn by hypothesis. Others, of fixed seeds, are in the records of wgsl_cases, which an H200
    runs as well."""
    generated_kernel_is_right(tab)
    print(dict(DRAWN))
    assert DRAWN["compiled"] >= 200, DRAWN
    assert min(DRAWN[word] for word in WORDS), str(DRAWN)


def test_generated_kernels_with_float64_are_right_to_the_bit_or_refused(tab):
    words = "d = 0.0", "math.sqrt", "* 0.25"
    counts = draws(tab, wgsl_generated.Wide, wgsl_generated.arguments, wgsl_generated.HEAD, 160,
                   words, OPTIONS)  # fmt: skip
    assert counts["compiled"] >= 80 and min(counts[w] for w in words) >= 10


def test_generated_kernels_of_many_types_are_right_or_refused(tab):
    words = "else:", "np.sign", "divmod", "outer(", "lowest(", " 33)", "f32_of_u32(", "low_bits("
    counts = draws(tab, wgsl_generated.Mixed, wgsl_generated.mixed_arguments,
                   wgsl_generated.MIXED_HEAD, 240, words)  # fmt: skip
    assert counts["compiled"] >= 200 and min(counts[w] for w in (*words, "in pairs")) >= 5


def test_generated_kernels_of_most_of_the_language_are_right_or_refused(tab):
    words = "find(", "first_of(", "atomic.", "enumerate(", "while True", "np.float16("
    counts = draws(tab, wgsl_broad.Broad, wgsl_broad.broad_arguments, wgsl_broad.HEAD, 40, words)
    assert counts["in pairs"] >= 30 and min(counts[w] for w in words)


def test_generated_kernels_of_constants_are_right_or_refused(tab):
    words = "cuda.popc(", "fp16.", "same(", "pick(", "loop(", "(1, 2)", "(~", "Color."
    counts = draws(tab, wgsl_broad.Constants, wgsl_broad.constant_arguments,
                   wgsl_broad.CONSTANT_HEAD, 120, words)  # fmt: skip
    assert counts["compiled"] >= 90 and min(counts[w] for w in (*words, "in pairs")) >= 3


def test_generated_kernels_whose_operands_write_and_wait_are_right(tab):
    words = ("warp_sum(", "turned(", "bump(", "move(", "note(", "atomic.", "result1", " in (",
             "while ")  # fmt: skip
    counts = draws(tab, wgsl_generated.Acting, wgsl_generated.acting_arguments,
                   wgsl_generated.ACTING_HEAD, 130, words)  # fmt: skip
    assert counts["compiled"] >= 120 and min(counts[w] for w in words) >= 10


# ---------------------------------------------------------------- what is refused, by name and line

HEAD = "import math\nimport operator\nimport numpy as np\nfrom numba import cuda\n\n"


def launched(body, arguments, parameters, before="", config=(1, 32), **options):
    source = (
        HEAD + before + f"@cuda.jit\ndef k({parameters}):\n"
        f"    i = cuda.grid(1)\n    t = cuda.threadIdx.x\n"
        + "".join(f"    {line}\n" for line in body.split("\n"))
    )
    namespace, rows = {}, []
    Stepper(mode="run", raise_findings=False).execute(source, namespace, "k.py")
    with captured(rows, **options):
        namespace["k"][config](*arguments)
    return rows[0], source.splitlines()


def all_right(tab, names, rows, tolerance=0.0):
    """Assert that each launch leaves on the adapter what the stepper left, or tell its WGSL."""
    results = webgpu.run(tab, rows)
    faults = [
        f"{name}: {w}\n{r.shader.wgsl}"
        for name, r, x in zip(names, rows, results, strict=True)
        if (w := str(x if isinstance(x, str) else unlike(r, x, tolerance)[:3] or ""))
    ]
    assert not faults, "\n".join(faults)


# body -> (words of the refusal, the line of the body that it names)
NOT_COMPILED = {
    "x[i] = x[i] * 2.0 + 1.0": ("float64", 0),
    "s = 0.0\nfor j in range(4):\n    s += x[j]\nx[i] = s": ("float64", 2),
    "if a[i] + a[0] > a[1]:\n    a[i] = 1": ("may leave 32 bits", 0),
    "a[i] = (a[i] * a[0]) // 3": ("may leave 32 bits", 0),
    "a[i] = (a[i] + a[0]) >> 1": ("may leave 32 bits", 0),
    "if -int(x[i]) > a[i]:\n    a[i] = 1": ("may leave 32 bits", 0),
    "a[i] = ~(int(x[i]) + 1)": ("a float made an integer, which may leave 32 bits", 0),
    "x[i] = x[i] // 0.5": ("is computed in float64", 0),
    "y = x[::-1]\nx[i] = y[i]": ("a step that is no positive constant", 0),
    "print(i)": ("print", 0),
    "k = np.int32(0)\nwhile cuda.shfl_sync(-1, k, 0) < np.int32(3):\n    k = np.int32(k + 1)": (
        "may not all make the same turns",
        1,
    ),
    "k = np.int32(0)\nwhile cuda.any_sync(0xffffffff, k < t):\n    k = np.int32(k + 1)": (
        "may not all make the same turns",
        1,
    ),
    "y = x[cuda.atomic.add(a, i, 1) & 3 : 5]\nx[i] = y[0]": ("a call that writes in a slice", 0),
    "cuda.threadfence()": ("no memory fence", 0),
    "g = cuda.cg.this_grid()\ng.sync()": ("no barrier across workgroups", 0),
    "while cuda.atomic.cas(a, 0, 0, 1) != 0:\n    pass": ("waits for another", 0),
    "for j in range(a[i]):\n    cuda.syncthreads()\nx[i] = 1": ("may part", 1),
    "while x[i] > 0:\n    cuda.syncthreads()\n    x[i] -= np.float32(1)": ("may part", 1),
    "if t < 4:\n    if t < 2:\n        return\n    x[i] = 1\ncuda.syncthreads()": ("barrier", 1),
    "s = cuda.shared.array(4, np.float64)\ns[0] = 1": ("float64", 0),
    "if i < 16:\n    x[i] = cuda.shfl_sync(0xffff, x[i], 0)": ("mask", 1),
    "a[i] = cuda.match_any_sync(0xffffffff, a[i])": ("no search for equal values", 0),
    "x[i] = math.lgamma(x[i])": ("lgamma", 0),
    "p = x if i < 3 else a\nx[i] = p[0]": ("only numbers", 0),
    "if i < 3:\n    assert a[i] < 40": ("in a branch", 1),
    "x[i] = (1 + 2j).real": ("complex", 0),
    # Float64 that is nearly float32: rounded twice, compared once rounded, beyond 2**24.
    "s = 0.0\nfor j in range(4):\n    s += x[j] * x[i]\nx[i] = s": ("float64", 2),
    "x[i] = x[i] * 2.0 * 3.0": ("float64", 0),
    "x[i] = 0.5 * x[i] + 0.5 * x[0]": ("float64", 0),
    "if x[i] * 0.5 < 0.3:\n    x[i] = 1": ("float64", 0),
    "if x[i] == 0.1:\n    x[i] = 1": ("float64", 0),
    "if math.isinf(x[i] * 2.0):\n    x[i] = 1": ("float64", 0),
    "x[i] = math.floor(x[i] * 2.0)": ("float64", 0),
    "x[i] = (np.int32(x[i]) + 0.5) * 2.0": ("float64", 0),
    "x[i] = (i * 0.5 + 9000000) * 3.0": ("float64", 0),
    "s = 0.0\nfor j in range(i):\n    s += 0.5\nx[i] = s": ("float64", 2),
    "x[i] = cuda.selp(i > 3, 0.5, x[i] * 2.0) * 2.0": ("float64", 0),
    "x[i] = np.sign(x[i] * 2.0)": ("float64", 0),
    "x[i] = max(x[i] * 0.1, 0.0)": ("float64", 0),
    "a[i] = int(x[i] * 2.0)": ("float64", 0),
    "x[i] = cuda.fma(x[i], 2.0, 0.5)": ("float64", 0),
}


DISTANCES = {"40": r"Up\(\w+, 8u\)", "-3": r"Up\(\w+, 29u\)", "a[0]": r"\(.* & 31u\)",
             "t * 2": r"\(.* & 31u\)"}  # fmt: skip


@pytest.mark.parametrize("distance", DISTANCES)
def test_subgroups_get_the_five_bits_of_a_distance(distance):
    """No adapter here has subgroups of 32: the text must do. WGSL's subgroupShuffleUp wants one
    distance of all lanes."""
    body = f"a[i] = cuda.shfl_up_sync(0xffffffff, a[i], {distance})"
    record, _ = launched(body, [np.arange(32, dtype=np.int32)], "a", subgroups=32)
    assert re.search("= subgroupShuffle" + DISTANCES[distance], record.shader.wgsl)


@pytest.mark.parametrize("body", NOT_COMPILED)
def test_what_cannot_be_compiled_is_refused_by_name_and_line(body, monkeypatch):
    from simulator.stepper import host

    monkeypatch.setattr(host.Kernel, "launch", lambda *a: None)  # only the compiler is asked
    words, line = NOT_COMPILED[body]
    arguments = [np.ones(32, np.float32), np.ones(32, np.int32)]
    record, source = launched(body, arguments, "x, a")
    assert record.shader is None, record.shader.wgsl
    assert words in str(record.refused)
    text = source[record.refused.line - 1].strip()
    assert text == body.split("\n")[line].strip() or text in body, (text, str(record.refused))


# ---------------------------------------------------------------- where WGSL differs from CUDA

I4, F4 = np.int32, np.float32
BIG = np.array([2147483647, -2147483648, -1, 0, 1, 7, -7, 100000] * 4, I4)
STRANGE = np.array([np.nan, np.inf, -np.inf, 3e9, -3e9, 0.5, -0.5, 2.5] * 4, F4)
LIKE_CUDA = {
    "division rounds down": "o[i] = a[i] // np.int32(3)",
    "division of negatives": "o[i] = a[i] % np.int32(-5)",
    "division by zero": "o[i] = a[i] // b[i] + a[i] % b[i]",
    "the smallest by -1": "o[i] = a[i] // np.int32(-1 - 0 * i)",
    "negatives of unsigned numbers": "v = -np.uint32(a[i])\no[i] = v\n"
    "y[i] = -np.uint8(b[i]) // 3 + (-np.uint16(b[i])) % 5 + (-np.uint32(b[i]) > 5)",
    "overflow wraps": "o[i] = a[i] * a[i] + a[i]",
    "a sum in 64 bits, taken modulo": "s = 0\nfor j in range(9):\n    s += a[j]\no[i] = s",
    "shifts of 32 and more": "o[i] = a[i] << (i % 40)",
    "unsigned shifts": "o[i] = np.uint32(a[i]) >> np.uint32(i)",
    "floats beyond int32": "o[i] = np.int32(x[i])",
    "floats beyond uint32": "o[i] = np.int32(np.uint32(x[i]) >> np.uint32(1))",
    "the low bits of a float made an integer": "o[i] = -int(x[i])\no[i] ^= ~np.int64(x[i])\n"
    "o[i] = o[i] * 3 - np.int32(-int(max(x[i], np.float32(-1e10))) & -int(x[i]))",
    "constants turned over": "o[i] = -~(a.size == 0) + 2 * ~(a.size == 32) + (8 if ~True else 16)\n"
    "y[i] = cuda.fp16.hneg(np.float16(2)) + np.float16(5)\n"
    "o[i] += 64 * (cuda.fp16.habs(np.float16(-2)) > np.float16(1))",
    "NaN gives way": "y[i] = min(x[i], np.float32(1)) + max(np.float32(2), x[i])",
    "NaN is not equal": "o[i] = x[i] == x[i]\ny[i] = 1 if math.isnan(x[i]) else 2",
    "infinity": "y[i] = -math.inf if i < 3 else x[i]\no[i] = math.isinf(x[i])",
    "one of two numbers": "o[i] = abs(a[i] & 3) or b[i] and max(b[i] & 1, 0) or -7\n"
    "o[i] += (cuda.atomic.add(o, 0, 0) and 3) if i > 40 else min(b[i], 4) and b[i]",
    "the sign of a NaN": "y[i] = np.sign(x[i])",
    "the least number's size": "o[i] = abs(np.int32(-2147483648)) // 7 + b[i]",
    "a large uint32 made a float": "y[i] = np.float32(np.uint32(a[i] * 2654435761))",
    "powers of integers": "o[i] = 3 ** (i % 20) + (b[i] - 4) ** (i % 8 - 2)",
    "narrow integers wrap": "o[i] = np.int8(a[i]) * 1000 + np.uint8(a[i])",
    "rounding halves to even": "o[i] = round(x[i] if abs(x[i]) < 9 else np.float32(1.5))",
    "powers of negatives": "y[i] = (np.float32(-2) - np.float32(i % 3)) ** 3",
    "sines of any number": "y[i] = math.sin(x[i]) + math.cos(x[i] * np.float32(a[i]))",
    "tangents of any number": "y[i] = math.tan(np.float32(a[i]) * np.float32(1e30))",
    "float16 rounds": "h = np.float16(x[i] if abs(x[i]) < 9 else np.float32(2049.5))\ny[i] = h",
    "a guard by and": "o[i] = 1 if i < 8 and a[i] > 0 else 0",
    "bits": "o[i] = cuda.popc(a[i]) + cuda.clz(a[i])",
    "a swap": "p, q = a[i], b[i]\np, q = q, p\no[i] = p - q",
    "a loop's variable after it": "for j in range(5):\n    if j > i:\n        break\no[i] = j",
    "counting down": "for j in range(6, 0, -2):\n    o[i] = o[i] * 10 + j",
    "atomics": "cuda.atomic.add(y, 0, np.float32(0.5))\ncuda.atomic.max(o, 0, a[i])",
    "a shared tile turned": "s = cuda.shared.array((4, 8), np.int32)\ns[t // 8, t % 8] = a[i]\n"
    "cuda.syncthreads()\no[i] = s[t % 4, t // 4]",
    "a warp's sum in one branch": "v = b[i]\nif t < 32:\n    for d in (16, 8, 4, 2, 1):\n"
    "        v = np.int32(v + cuda.shfl_down_sync(0xffffffff, v, d))\n"
    "    if t == 0:\n        o[0] = v",
    "votes": "o[i] = cuda.ballot_sync(0xffffffff, a[i] > 0)\n"
    "y[i] = cuda.any_sync(0xffffffff, a[i] == 7)",
    "shuffles past a warp": "v = cuda.shfl_up_sync(0xffffffff, b[i], 40)\n"
    "v = np.int32(v * 31 + cuda.shfl_down_sync(0xffffffff, b[i], -3))\n"
    "v = np.int32(v * 31 + cuda.shfl_xor_sync(0xffffffff, b[i], 40 - b[0]))\n"
    "o[i] = np.int32(v * 31 + cuda.shfl_down_sync(0xffffffff, b[i], t + 20))",
    "a literal of float16": "y[i] = np.float16(0.1) if i < 9 else np.float16(b[i] & 7)",
    "counting at a barrier": "o[i] = cuda.syncthreads_count(int(a[i] > 0))",
    "negative indices": "o[-1 - i] = a[-20] + b[i - 32]\ncuda.atomic.add(y, i - 32, 1)",
    "negative indices of own arrays": "s = cuda.shared.array((4, 8), np.int32)\n"
    "s[t // 8, t % 8] = b[i]\ncuda.syncthreads()\nr = s[-1 - t % 4]\n"
    "o[i] = s[-1 - t // 8, t % 8 - 8] * 10 + r[-1 - t % 8]",
    "NaN is unequal": "o[i] = (x[i] != x[i]) + 2 * (x[i] != np.float32(0.5))\n"
    "y[i] = 1 if x[i] else 2\nif not x[i]:\n    y[i] = 3",
    "NaN times nothing": "y[i] = x[i] * np.float32(0) + np.float32(0) / x[i]",
    "what rounding takes": "v = np.float32(b[i]) * np.float32(0.3) + np.float32(12582912)\n"
    "y[i] = v - np.float32(12582912)",
    "bounds are asked for once": "n, m, k = 4, 2, 3\nfor j in range(0, n, m):\n    n += 1\n"
    "    m = 1\nfor k in range(k + i):\n    k *= 2\no[i] = n * 100 + m * 10 + k",
    "a number of turns is no bound": "n = b[i] & 3\nfor n in range(n):\n    o[i] += n + 1\n"
    "d = 4\nfor j in range(i, 32, d):\n    d = 1\n    o[i] += j",
    "a tuple of itself": "p = (b[i], i)\nfor j in range(3):\n    p = (p[1], p[0] + j)\n"
    "o[i] = p[0] * 100 + p[1]",
    "a swap of reserved words": "fn, let, var = b[i], i, 3\nfor j in range(i % 5):\n"
    "    fn, let, var = let, var, fn\no[i] = fn * 1000 + let * 10 + var",
    "a swap of constants": "p, q = 3, 5\np, q = q, p\nif i > 3:\n    p, q = q, p\n"
    "o[i] = p * 10 + q",
    "a slice's bound": "n = (b[i] & 7) + 1\nr = b[0:n]\nn = 0\nfor j in range(r.size):\n"
    "    n += r[j]\no[i] = n",
    "what a test narrows": "s = cuda.shared.array(32, np.int32)\ns[t] = b[i]\n"
    "cuda.syncthreads()\nd = 16\nwhile d:\n    if t < d:\n        s[t] += s[t + d]\n"
    "    cuda.syncthreads()\n    d >>= 1\no[i] = s[0]",
    "a slice ends with its array": "r = b[i : i + 3]\nn = 0\nfor j in range(r.size):\n"
    "    n += r[j]\no[i] = n * 10 + r.size",
    "a slice may be empty": "o[i] = b[t : b[i] & 7].size",
    "a slice is filled": "s = cuda.local.array(4, np.int32)\ns[:] = 7\ns[1:3] = i\n"
    "o[i] = s[0] + 10 * s[1] + 100 * s[2] + 1000 * s[3]",
    "an assertion ends a thread": "assert b[i] > 0, 'positive'\no[i] = 5",
    "the module operator": "o[i] = operator.mod(a[i], 7) - operator.rshift(b[i], 1)",
    "a range cuts off": "for j in range(math.ceil(7 / 2)):\n    o[i] += j",
    "a slice with a step": "s = b[1::3]\no[i] = s[i % s.size] + 100 * s.size",
    "a step of a step": "s = b[t % 8 : t % 8 + 20 : 2][1::2]\no[i] = s[-1] + 100 * s.size",
    "one or the other": "o[i] = (b[i] and a[i]) ^ (b[i] or i or 7)",
    "a test or a number": "o[i] = i > 9 or b[i]",
    "a remainder of floats": "y[i] = (np.float32(b[i]) + np.float32(0.25)) % np.float32(-1.5)",
    "a remainder, once rounded": "y[i] = np.float32(b[i]) % 2",
    "names of digits": "_1 = b[i]\nfor _2 in range(3):\n    _1 += _2\n"
    "for _2 in range(b[0]):\n    _1 += _2\no[i] = _1 + _2",
    "names of the compiler's": "group, block, rest, hidden = a[i], b[i], i, t\n"
    "o[i] = group ^ block + rest * hidden",
}


def test_where_wgsl_differs_it_does_as_cuda(tab):
    rows = []
    for body in LIKE_CUDA.values():
        b = np.array([3, -4, 0, 5, -1, 2, 9, 1] * 4, I4)
        arguments = [BIG.copy(), b, STRANGE.copy(), np.zeros(32, I4), np.zeros(32, F4)]
        record, _ = launched(body, arguments, "a, b, x, o, y")
        rows.append(record)
    refused = {n: str(r.refused) for n, r in zip(LIKE_CUDA, rows, strict=True) if r.refused}
    assert not refused, refused
    all_right(tab, LIKE_CUDA, rows, 1e-6)


NARROWER = {
    "stored": "o[i] = np.int8(n)",
    "added": "o[i] = np.uint8(m) + np.int16(n)",
    "given": "o[i] = same(np.int8(n)) + 3 * same(np.uint16(m))",
    "divided": "v = np.uint32(m)\no[i] = v // 3",
    "counted": "for k in range(np.int8(n)):\n    o[i] += k",
    "an index": "o[np.uint8(n) & 31] = np.int8(n)",
}
SAME = "@cuda.jit(device=True)\ndef same(v):\n    return v\n\n"


def test_an_argument_made_narrower_wraps(tab):
    """It is a constant of the module, which has the name of the argument, and not of what wraps."""
    rows = []
    for body in NARROWER.values():
        record, _ = launched(body, [300, -70000, np.zeros(32, I4)], "n, m, o", SAME, unroll=64)
        assert record.shader, str(record.refused)
        rows.append(record)
    all_right(tab, NARROWER, rows)


DEVICE = """@cuda.jit(device=True)
def bump(o, i):
    o[i] += 1
    return o[i]
@cuda.jit(device=True)
def halvings(n):
    count = 0
    while n != 1:
        n //= 2
        count += 1
    return count
@cuda.jit(device=True)
def twice(o, i):
    return 2 * bump(o, i)
"""
ONE_ARM = {
    "an arm that writes": "q[i] = bump(o, i) if a[i] > 5 else 3",
    "the other arm writes": "q[i] = 3 if a[i] > 5 else bump(o, i)",
    "an arm that calls one that writes": "q[i] = twice(o, i) if a[i] > 5 else 3",
    "an arm behind a guard": "q[i] = bump(o, i + 20) if i < 12 else 0",
    "an arm that ends for some numbers alone": "q[i] = halvings(a[i]) if a[i] > 0 else -1",
    "an arm in an arm": "q[i] = (bump(o, i) if a[i] > 5 else 2) if a[i] > 2 else 7",
}


# Each needs what an operand reads before a later one writes it, or what it does once.
IN_ORDER = {
    "sums of two warps": "q[i] = warp_sum(a[i]) - 3 * warp_sum(q[i] + 1)",
    "a sum of a sum": "q[i] = warp_sum(a[i] * warp_sum(a[i])) - warp_sum(a[i])",
    "sums in a tuple": "p, r = warp_sum(a[i]), warp_sum(a[i] * 3)\nq[i] = p - r",
    "sums that are compared": "q[i] = warp_sum(a[i]) < warp_sum(a[i] * 2)",
    "a sum as a place": "q[warp_sum(0) + i] += warp_sum(a[i])",
    "an argument that the function writes over": "q[i] = turned(o[i], o, i) - turned(o[i], o, i)",
    "an argument that was its result": "q[i] = beside(beside(a[i]))",
    "what is stored, and where": "q[a[i] % 32] = 0\no[i] = i\nq[o[i] - 1] = bump(o, i) if i else 7",
    "a place taken": "o[i] = i\nq[o[i]] = cuda.atomic.add(o, i, 0 - i)",
    "a condition that writes": "q[i] = o[i] if bump(o, i) > 5 else -o[i]",
    "a chain": "q[i] = 0 <= cuda.atomic.add(o, i, 5) < 4",
    "a chain that ends early": "q[i] = a[i] < 3 < bump(o, i)",
    "bounds": "for j in range(o[i] & 7, (bump(o, i) & 7) + 4, (bump(o, i) & 3) + 1):\n"
    "    q[i] += j + 1",
    "what is read before": "q[i] = o[i] - bump(o, i) * o[i]",
    "a result that is not needed": "if cuda.atomic.add(u, i, 3) >= 0:\n    q[i] = 1",
    "an and of an or": "q[i] = i > 40 or (a[i] < 5 and bump(o, i) > 0)",
    "a loop's test": "while a[i] < 5 and bump(o, i) < 4:\n    q[i] += 1",
}
WAITS = """@cuda.jit(device=True)
def warp_sum(v):
    for k in (16, 8, 4, 2, 1):
        v = np.int32(v + cuda.shfl_xor_sync(0xffffffff, v, k))
    return v
@cuda.jit(device=True)
def beside(v):
    w = np.int32(v * 2)
    w = np.int32(w + cuda.shfl_xor_sync(0xffffffff, w, 1) - v)
    return w
@cuda.jit(device=True)
def turned(v, s, i):
    cuda.syncthreads()
    s[i] = np.int32(v + 3)
    cuda.syncthreads()
    w = np.int32(s[31 - i])
    cuda.syncthreads()
    return np.int32(w + v * 2)
"""


def test_operands_are_evaluated_in_pythons_order(tab):
    rows = []
    before = DEVICE.replace("return o[i]", "return np.int32(o[i])") + WAITS
    for body in IN_ORDER.values():
        a, u = (np.arange(32) * 5 % 9).astype(I4), np.arange(32, dtype=np.uint32)
        given = [a, np.zeros(32, I4), np.zeros(33, I4), u]
        options = {"unroll": 64, "fallback": ("pairs",)}
        rows.append(launched(body, given, "a, o, q, u", before, **options)[0])
    refused = {n: str(r.refused) for n, r in zip(IN_ORDER, rows, strict=True) if r.refused}
    assert not refused, refused
    all_right(tab, IN_ORDER, rows)


@pytest.mark.parametrize("mark", "\v\f\x85\u2028\u2029")
def test_a_comment_ends_where_python_says(mark):
    """For WGSL, these end a line as well: the rest of the comment was compiled."""
    body = f"o[i] = 1  # one{mark} o[i] = 7;"
    record, _ = launched(body, [np.zeros(32, I4)], "o")
    assert "// one  o[i] = 7;" in record.shader.wgsl, record.shader.wgsl


def test_arguments_by_name_are_evaluated_as_they_are_written():
    """The stepper takes them in the order of the parameters, so that this one reads the text."""
    before = DEVICE + "@cuda.jit(device=True)\ndef less(p, q):\n    return np.int32(p - q)\n"
    body = "q[i] = less(q=o[i], p=bump(o, i))"
    record, _ = launched(body, [np.zeros(32, I4), np.zeros(32, I4)], "o, q", before)
    first, second = (record.shader.wgsl.index(f) for f in ("= o[i];", "less(bump(i), "))
    assert first < second, record.shader.wgsl


def test_of_a_conditional_expression_one_arm_runs(tab):
    """A select() computes both: it wrote what Python does not, and never ended for one kernel."""
    rows = []
    for body in ONE_ARM.values():
        a, o = (np.arange(32) % 9).astype(I4), np.zeros(32, I4)
        rows.append(launched(body, [a, o, np.zeros(32, I4)], "a, o, q", DEVICE)[0])
    all_right(tab, ONE_ARM, rows, 1e-6)


HALVES = {
    "sums and products": "o[i] = h[i] * g[i] + h[i] - g[i]",
    "quotients": "o[i] = h[i] / g[i]",
    "rounded once": "o[i] = cuda.fp16.hfma(h[i], g[i], k[i])",
    "a sum beside its product": "o[i] = cuda.fp16.hadd(cuda.fp16.hmul(h[i], g[i]), k[i])",
    "tests": "if cuda.fp16.hgt(h[i], g[i]) or cuda.fp16.heq(h[i], k[i]):\n    o[i] = h[i]\n"
    "elif cuda.fp16.hne(h[i], k[i]):\n    o[i] = cuda.fp16.hmin(g[i], k[i])",
    "functions": "o[i] = cuda.fp16.hfloor(h[i]) + cuda.fp16.hrint(g[i]) + cuda.fp16.habs(k[i])",
    "shared and own": "s = cuda.shared.array(64, np.float16)\nv = cuda.local.array(2, np.float16)\n"
    "s[t] = h[i]\nv[0] = g[i]\ncuda.syncthreads()\nv[1] = s[63 - t]\no[i] = v[0] + v[1]",
    "made of others": "o[i] = np.float16(i) + np.float16(np.float32(h[i]) * np.float32(0.1))",
}


@pytest.mark.parametrize("f16", (True, False))
def test_float16_in_two_bytes_is_what_it_is_in_four(tab, f16):
    """With every kind of such numbers. Without the feature they are kept as float32."""
    bits = np.random.default_rng(4).integers(0, 1 << 16, (3, 4096), np.uint16)
    bits[:, :512] = bits[:, :512] & 0x83FF  # subnormals
    bits[2, 1024:2048] = 0x2C01  # small beside a product: many halfway cases
    h, g, k = bits.view(np.float16)
    g[1024:2048] = np.float16(1) + (np.arange(1024) % 7).astype(np.float16) / 1024
    rows = []
    for body in HALVES.values():
        given = [*(x.copy() for x in (h, g, k)), np.zeros(4096, np.float16)]
        rows.append(launched(body, given, "h, g, k, o", config=(64, 64), f16=f16)[0])
    assert not [str(r.refused) for r in rows if r.refused]
    assert all(("array<f16>" in r.shader.wgsl) == f16 for r in rows)
    all_right(tab, HALVES, rows)


def test_float64_in_float32_where_that_is_asked_for(tab):
    """Arrays, shared and atomic ones too, constants, and what is computed without any array."""
    body = (
        "s = cuda.shared.array(32, np.float64)\ns[t] = d[i] * 0.1 + k\ncuda.syncthreads()\n"
        "total = 0.0\nfor j in range(32):\n    total += s[j] / (j + 1)\n"
        "w = d[i] if i % 3 else 2.5\ny[i] = math.sqrt(total * total + w * w) + i / 7\n"
        "cuda.atomic.add(o, 0, d[i] * 0.3)\ncuda.atomic.max(o, 1, d[i])\nc[i] = np.int32(total)"
    )
    d = np.linspace(-3, 5, 32)
    arguments = [d, 0.7, np.zeros(32), np.zeros(2), np.zeros(32, I4)]
    refused, _ = launched(body, arguments, "d, k, y, o, c")
    assert refused.refused.kind == "float64"
    record, _ = launched(body, arguments, "d, k, y, o, c", single=True, unroll=64)
    assert record.shader, str(record.refused)
    assert {b.name: b.bytes for b in record.shader.bindings}["d"] == 4
    (result,) = webgpu.run(tab, [record])
    assert unlike(record, result, 2e-6) == []
    for text, value in (("y[i] = d[i] * 1e39", 1.0), ("y[i] = d[i]", 1e39)):
        far, _ = launched(text, [np.full(32, value), np.zeros(32)], "d, y", single=True)
        assert far.shader is None and "beyond float32" in str(far.refused)


ROOTS = {"+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide}
AWKWARD = np.array([0x3F800001, 0x3F7FFFFF, 0x00800000, 0x00800001, 0x7F7FFFFF, 0x33800000,
                    0x00000001, 0x007FFFFF, 0x4B800001, 0x3EAAAAAB, 0x7F800000, 0, 0x80000000,
                    0xBF800001, 0x80000003, 0x34000001], np.uint32)  # fmt: skip


@pytest.mark.parametrize("sign", [*ROOTS, "sqrt"])
def test_one_operation_in_float64_rounded_to_float32_is_that_of_float32(sign):
    """What the narrowing rests on, on all kinds of numbers, with subnormal results too."""
    r = np.random.default_rng(7)
    x, y = r.integers(0, 1 << 32, (2, 300_000), np.uint32)
    y[: 1 << 16] = x[: 1 << 16] + r.integers(-3, 4, 1 << 16).astype(np.uint32)  # neighbors
    small = r.integers(0, 1 << 24, (2, 60_000), np.uint32) + np.uint32(0x1F000000)
    x[-60_000:], y[-60_000:] = small  # whose products are subnormal
    x[1 << 16 : (1 << 16) + 256], y[1 << 16 : (1 << 16) + 256] = (
        np.repeat(AWKWARD, 16), np.tile(AWKWARD, 16))  # fmt: skip
    x, y = x.view(F4), y.view(F4)
    with np.errstate(all="ignore"):
        if sign == "sqrt":
            here, wide = np.sqrt(x), np.sqrt(x.astype(np.float64)).astype(F4)
        else:
            here = ROOTS[sign](x, y)
            wide = ROOTS[sign](x.astype(np.float64), y.astype(np.float64)).astype(F4)
    np.testing.assert_array_equal(here, wide)


@given(x=st.floats(-values.MOST, values.MOST), bits=st.integers(0, (1 << 32) - 1))
@settings(max_examples=3000, deadline=None, derandomize=True, database=None)
def test_a_comparison_with_a_float64_is_one_with_its_neighbor_in_float32(x, bits):
    low, high = values.beside(x) if not values.exact32(x) else (x, x)
    if values.exact32(x):
        return
    assert low < x < high and values.exact32(low) and values.exact32(high)
    (y,) = np.array([bits], np.uint32).view(F4)
    for z in (float(y), low, high):
        assert (z < x) == (z <= x) == (z <= low) == (z < high)
        assert (z > x) == (z >= x) == (z >= high) == (z > low)


@given(st.data())
@settings(max_examples=500, deadline=None, derandomize=True, database=None)
def test_a_span_holds_what_comes_of_its_numbers_and_float32_holds_them(data):
    def drawn(real):
        if real:
            return values.Value(float64, const=data.draw(st.floats(-1e9, 1e9, width=32)))
        n = data.draw(st.integers(-(1 << 25), 1 << 25))
        return values.number(int64, n).but(lo=min(n, 0), hi=max(n, 3))

    a, b = (drawn(data.draw(st.booleans())) for _ in "ab")
    for op, f in (("Add", operator.add), ("Sub", operator.sub), ("Mult", operator.mul)):
        span = values.spanned(op, a, b)
        for v in (a, b):
            if v.type.whole and values.span_of(v) is None:
                assert span is None
        if span is None:
            continue
        exact = f(Fraction(a.const), Fraction(b.const))
        k = exact / Fraction(2) ** span[0]
        assert k.denominator == 1 and abs(k) <= span[1] <= 1 << 24
        assert values.exact32(float(exact)) and Fraction(float(exact)) == exact
        further = values.spanned("Sub", values.Value(float64, span=span), a)
        if further:
            k = (exact - Fraction(a.const)) / Fraction(2) ** further[0]
            assert k.denominator == 1 and abs(k) <= further[1]


NARROWED = {
    "one sum": "y[i] = x[i] + 0.5",
    "one difference": "y[i] = 3 - x[i] * np.float32(2)",
    "one product": "y[i] = 3.0 * x[i]",
    "one root": "y[i] = math.sqrt(abs(float(x[i])))",
    "a square": "y[i] = x[i] ** 2",
    "rounded, and again": "y[i] += np.float32(x[i] * 1.5) + np.float32(x[31 - i] - 3.0)",
    "an integer and a float32": "y[i] = x[i] * i",
    "selected": "v = 0.0\nif x[i] > 1.0:\n    v = x[i]\ny[i] = v",
    "a literal or a product": "y[i] = x[i] * 3.0 if i % 3 else 0.1",
    "clipped": "y[i] = min(max(x[i], 0.0), 1.0)\no[i] = int(max(x[i], -8.5))",
    "clipped by another literal": "y[i] = min(max(x[i], -0.1), 0.7)",
    "clipped once rounded": "y[i] = max(x[i] - 1.0, 0.0)",
    "turned": "v = -(x[i] * 3.0)\ny[i] = abs(v)",
    "compared": "o[i] = (x[i] > 0.1) + 2 * (x[i] <= -0.3) + 4 * (0.7 > x[i])\ny[i] = 1e-3 <= x[i]",
    "compared with the largest": "o[i] = (x[i] < 3.4e38) + 2 * (x[i] >= -3.4e38)",
    "compared with an argument": "o[i] = (x[i] < limit) + 2 * (limit <= x[i])",
    "a grid": "y[i] = ((i - 12.5) * 0.25 + 3) * 1.5\no[i] = int((i + 0.5) * 0.25 - 4)",
    "a grid of an argument": "y[i] = (i * half - 7) * half",
    "counted in a constant loop": "s = 0.0\nfor j in range(4):\n    s += i * 0.5 + j\ny[i] = s",
    "rounded to integers": "o[i] = math.floor(float(x[i]) if abs(x[i]) < 9 else 2.5)",
    "of which one": "y[i] = cuda.selp(i > 3, 0.5, x[i] * 2.0)",
    "a sign": "y[i] = np.sign(float(x[i]) if x[i] == x[i] else 1.0) * 3",
    "a device function's": "y[i] = half_of(x[i], 2.0) + half_of(x[31 - i], 4.0)",
}
HALF_OF = """@cuda.jit(device=True)
def half_of(v, by):
    if v > 0.3:
        return np.float32(v / by)
    return np.float32(0)
"""


def test_float64_that_float32_holds_is_compiled_and_right_to_the_bit(tab):
    """What stands beside the refused ones in NOT_COMPILED. Subnormal numbers are left out: WGSL
    may take them for 0."""
    bits = np.random.default_rng(3).integers(0, 1 << 32, 32, np.uint32)
    x = bits.view(F4)
    x[np.abs(x) < 1e-15] = 0.1
    x[np.abs(x) > 1e15] = F4(-0.3)
    x[:14] = [0.1, -0.3, 0.7, 1e-3, np.nextafter(F4(0.1), F4(0)), np.nextafter(F4(0.7), F4(9)),
              np.inf, -np.inf, np.nan, 0, 1, 3.4028235e38, -3.4028235e38, 1.0000001]  # fmt: skip
    rows = []
    for body in NARROWED.values():
        given = [x.copy(), np.ones(32, F4), np.zeros(32, I4), 0.1, 0.5]
        rows.append(launched(body, given, "x, y, o, limit, half", HALF_OF, **OPTIONS)[0])
    assert not (refused := {n: str(r.refused) for n, r in zip(NARROWED, rows, strict=True)
                            if r.refused}), refused  # fmt: skip
    all_right(tab, NARROWED, rows)
    assert not any(r.shader.near for r in rows)


def test_a_quotient_of_float64_is_as_near_as_wgsl_has_those_of_float32(tab):
    """Within 2.5 units of the last place. A driver multiplies by 1 / 7, or need not round right."""
    wide = {"a quotient": "y[i] = 1.0 / x[i]", "of integers": "y[i] = (i - 12) / 7"}
    single = {"a quotient": "y[i] = np.float32(1) / x[i]",
              "of integers": "y[i] = np.float32(i - 12) / np.float32(7)"}  # fmt: skip
    x = np.linspace(0.3, 9, 32).astype(F4)
    rows = [[launched(b, [x, np.zeros(32, F4)], "x, y", **OPTIONS)[0] for b in bodies.values()]
            for bodies in (wide, single)]  # fmt: skip
    results = [webgpu.run(tab, some) for some in rows]
    assert results[0] == results[1]  # the same bits as float32's own
    for record, result in zip(rows[0], results[0], strict=True):
        got, want = np.frombuffer(result["y"], F4), np.array(record.after["y"], F4)
        assert np.all(np.abs(got - want) <= 2.5 * np.spacing(np.abs(want)))


def test_lines_that_take_a_float64_rounded_to_float32_are_told():
    body = "y[i] = x[i] * 2.0\ny[i] = x[i] * 0.1\ny[i] = math.sin(i * 0.5)"
    record, source = launched(body, [np.ones(32, F4), np.zeros(32, F4)], "x, y")
    told = [source[n - 1].strip() for n in record.shader.near]
    assert told == body.split("\n")[1:], record.refused


def test_complex_numbers_in_float32_where_that_is_asked_for(tab):
    """In place, in a loop that a float enters, by their parts, and added atomically by them."""
    body = (
        "w = 1.0\nfor k in range(i % 3):\n    w *= z[i] - 0.5j\n"
        "z[i] = w * z[31 - i].conjugate() + 2j * i if i < 9 else -z[i]\n"
        "cuda.atomic.add(o.real, i % 2, w.imag)\ncuda.atomic.add(o.imag, 1, w.real)"
    )
    z = np.linspace(-1, 1, 32) + 1j * np.linspace(0.3, 0.9, 32)[::-1]
    body = body.replace("z[31 - i]", "y[31 - i]")
    arguments = [z, z * 2, np.zeros(2, complex)]
    refused, _ = launched(body, arguments, "z, y, o")
    assert refused.refused.kind == "complex"
    record, _ = launched(body, arguments, "z, y, o", single=True)
    assert record.shader, str(record.refused)
    (result,) = webgpu.run(tab, [record])
    assert unlike(record, result, 2e-6) == []
    assert unlike(record, result | {"o": bytes(16)}, 2e-6)


def test_arrays_that_are_only_read_share_a_buffer_where_there_are_more_than_eight(tab):
    total = " + ".join(f"{name}[i] * np.float32({k})" for k, name in enumerate("abcdefg"))
    given = [np.arange(32 + k, dtype=F4) for k in range(7)] + [np.arange(32, dtype=I4)]
    given += [np.zeros(32, F4), np.zeros(32, I4)]
    body = f"y[i] = {total}\nv[i] = h[i] + 1"
    record, _ = launched(body, given, "a, b, c, d, e, f, g, h, y, v")
    assert [b.elements for b in record.shader.bindings if b.read] == [sum(range(32, 39)), 32]
    (result,) = webgpu.run(tab, [record])
    assert unlike(record, result, 1e-6) == []


def test_a_float_far_from_32_bits_and_a_none_leave_no_right_result(tab):
    """Where float32 stands for float64: what was taken for impossible is noted on the GPU."""
    body = "k = int(x[i])\ny[i] = k + 1 if k < 9 else 3"
    for most, right in ((1e3, True), (3e9, False)):
        x = np.linspace(-5, most, 32)
        record, _ = launched(body, [x, np.zeros(32, I4)], "x, y", single=True)
        (result,) = webgpu.run(tab, [record])
        assert ("trap" in {name for name, *_ in unlike(record, result)}) != right


def test_arguments_may_have_the_names_of_the_compilers_own(tab):
    body = "y[i] = x[i] * np.float32(0) + hidden\nif i < 3:\n    y[i] = infinity + nan\n"
    body += "if i == 3:\n    y[i] = -math.inf"
    given = [np.arange(32, dtype=F4), F4(2), F4(3), F4(4), np.zeros(32, F4)]
    record, _ = launched(body, given, "x, hidden, infinity, nan, y")
    (result,) = webgpu.run(tab, [record])
    assert unlike(record, result) == []


WARP_SUM = """@cuda.jit(device=True)
def {0}(v):
    for k in (16, 8, 4, 2, 1):
        v += cuda.shfl_xor_sync(0xffffffff, v, k)
    return v

"""
PLAIN_SUM = WARP_SUM.format("ws")
NAMES = {
    "swapped Greek letters": ("α = a[i]\nβ = i\nwhile β:\n    α, β = β, α % β\nb[i] = α", "a, b"),
    "a sum named Σ": ("b[i] = Σ(a[i]) * 100 - Σ(i)", "a, b", WARP_SUM.format("Σ")),
    "Greek arguments": ("ω[i] = α * i + σ[i]", "σ, ω, α"),
    "Greek arrays and globals": (
        "σ = cuda.local.array(3, np.int32)\nδ = cuda.shared.array(32, np.int32)\nσ[1] = i\n"
        "δ[t] = a[i]\ncuda.syncthreads()\nb[i] = δ[31 - t] * ΔX + Ω[i & 3] + σ[1]",
        "a, b",
        "ΔX = 3\nΩ = np.array([1, 2, 3, 4], np.int32)\n",
    ),
    "two spellings of one name": ("𝛼 = a[i]\nα, β = i, 𝛼\nb[i] = 𝛼 * 3 + β", "a, b"),
    "combining marks": (
        "x̂, x̌ = a[i], i\nx̂, x̌ = x̌, x̂\nfor कि in range(3):\n    x̂ += कि\nb[i] = x̂ * 3 + x̌ + कि",
        "a, b",
    ),
    "a dimension's name": ("blockDim_x = cuda.blockDim.x * 2\nb[i] = i + blockDim_x", "a, b"),
    "a dimension's, set after it is read": (
        "gridDim_x = a[i]\nb[i] = gridDim_x * cuda.gridDim.x",
        "a, b",
    ),
    "a dimension's, of an argument": (
        "b[i] = i * blockDim_x + cuda.blockDim.x",
        "a, b, blockDim_x",
    ),
    "a dimension's, of an array": ("b[i] = i + blockDim_x[i]", "blockDim_x, b"),
    "a dimension's, in a function": (
        "b[i] = f(a[i], 5)",
        "a, b",
        "@cuda.jit(device=True)\ndef f(i, blockDim_x):\n"
        "    return cuda.blockDim.x * blockDim_x + i\n",
    ),
    "what threads exchange": ("b[i] = ws(a[i]) + exchange_i32", "a, b, exchange_i32", PLAIN_SUM),
    "a variable of a function in place": ("ws_v = a[i]\nb[i] = ws(ws_v) + ws_v", "a, b", PLAIN_SUM),
    "the same, handed another": (
        "ws_v = a[i]\ny = ws(i)\nb[i] = ws_v * 1000 + y",
        "a, b",
        PLAIN_SUM,
    ),
    "parts of a tuple": (
        "x_0 = a[i]\nx = (i, x_0 + 1)\nx_1 = x[0] * 3\nb[i] = x[0] + x[1] * 7 + x_0 * 100 + x_1",
        "a, b",
    ),
    "a tuple that a function assigns again": (
        "b[i] = f((a[i], 3))",
        "a, b",
        "@cuda.jit(device=True)\ndef f(t):\n    t = (t[1] + t[0], t[0])\n    t_0 = t[0] * 2\n"
        "    return t[0] * t[1] + t_0\n",
    ),
    "where a row begins": (
        "row_offset = a[i] & 1\nrow = m[i & 1]\nb[i] = row[1] + row_offset * 1000\n"
        "if i > 5:\n    row = m[row_offset]\nb[i] += row[2] * row_offset",
        "a, b, m",
    ),
    "a global beside a variable of a function": (
        "N = a[i]\nb[i] = f(N) + N",
        "a, b",
        "N = 5\n@cuda.jit(device=True)\n"
        "def f(v):\n    return cuda.shfl_xor_sync(0xffffffff, v, 1) * N\n",
    ),
    "what an atomic operation calls its own": (
        "cuda.atomic.cas(old, i & 3, 0, 3)\ncuda.atomic.cas(index, i & 3, 0, 5)",
        "old, index",
    ),
    "no array, in a comment": ("# m is not read, nor x\nb[i] = a[i]", "a, b, m"),
    "no barrier": ("SYNC = a[i]\nx = SYNC\nSYNC += i\nb[i] = x * SYNC", "a, b"),
    "underscores": ("_, __n = a[i], i\nb[i] = __N * __n + _ * _1x", "a, b", "__N = 4\n_1x = 7\n"),
}


def test_names_are_told_apart_whatever_they_are(tab):
    rows = []
    for body, parameters, *before in NAMES.values():
        m = np.arange(6, dtype=np.int32).reshape(2, 3) + 50
        arrays = [np.arange(-20, 44, dtype=np.int32) * 3, np.zeros(64, np.int32)]
        last = 7 if parameters.endswith(("α", "blockDim_x", "exchange_i32")) else m
        arguments = [*arrays, last][: parameters.count(",") + 1]
        if "atomic" in body:
            arguments = [np.zeros(4, np.int32), np.zeros(4, np.int32)]
        rows.append(launched(body, arguments, parameters, *before, config=(2, 32), **AT_NEED)[0])
        assert rows[-1].shader, rows[-1].refused or rows[-1].error
    all_right(tab, NAMES, rows)


def test_drawn_kernels_with_hostile_names_are_right(tab):
    """The reader may call things what the compiler calls its own, or what WGSL has words for."""
    words = "α", "blockDim_x", "exchange_", "result1", "_offset", "_0", "old", "fn"
    counts = Counter()
    for make, arguments, head in NAMED:
        counts += draws(tab, make, arguments, head, 10, words, renamed=True)
    assert counts["compiled"] >= 35 and min(counts[w] for w in words) >= 3, counts


NAMED = (
    (wgsl_generated.Acting, wgsl_generated.acting_arguments, wgsl_generated.ACTING_HEAD),
    (wgsl_generated.Settled, wgsl_generated.arguments, wgsl_generated.HEAD),
    (wgsl_generated.Mixed, wgsl_generated.mixed_arguments, wgsl_generated.MIXED_HEAD),
    (wgsl_broad.Broad, wgsl_broad.broad_arguments, wgsl_broad.HEAD),
)


def test_more_blocks_than_a_dispatch_has_along_an_axis(tab, monkeypatch):
    """Each is run once, whether the kernel asks which it is or not."""
    from simulator.stepper import host

    monkeypatch.setattr(host.Kernel, "launch", lambda *a: None)  # it would take long
    bodies = "o[i] += i % 7 + 1", "cuda.atomic.add(o, 0, 1)", "if i >= 9:\n    return\no[i] = 1"
    cases = [(n, body, k) for n in (65536, 65539) for body in bodies for k in (0, 64)]
    rows = [launched(b, [np.zeros(n, I4)], "o", "", (n, 1), unroll=k)[0] for n, b, k in cases]
    # Four blocks a workgroup, or one.
    assert [r.shader.groups[1] for r in rows[:6]] == [2, 1, 2, 1, 2, 2]
    for (n, body, _), record, result in zip(cases, rows, webgpu.run(tab, rows), strict=True):
        i = np.arange(n)
        want = dict(zip(bodies, (i % 7 + 1, n * (i == 0), i < 9), strict=True))[body]
        got = np.frombuffer(result["o"], I4)
        np.testing.assert_array_equal(got, want, err_msg=record.shader.wgsl)


def test_a_sum_of_an_inlined_function_is_not_its_callers(tab):
    """Both call it total, and only the caller's is bounded by the caller's loop."""
    before = (
        "@cuda.jit(device=True)\ndef far(x, t):\n    total = x\n    cuda.syncthreads()\n"
        "    total += 7\n    return total // 3\n\n"
    )
    body = (
        "total = 0\nfor j in range(3):\n    total += 1\n    v = np.int32(far(b[i], t))\n"
        "    o[i] += v\no[i] += total"
    )
    b = np.arange(-16, 16).astype(np.int32) * 1000
    record, _ = launched(body, [b, np.zeros(32, I4)], "b, o", before)
    (result,) = webgpu.run(tab, [record])
    assert unlike(record, result) == []


def test_names_and_comments_of_the_kernel_are_kept():
    body = "total = np.float32(0)  # what they come to\nfor n in range(4):\n    total += x[n]\n"
    body += "y[i] = total"
    record, _ = launched(body, [np.ones(32, F4), np.zeros(32, F4)], "x, y")
    for text in ("var total: f32 = 0.0;  // what they come to", "for (var n: i32 = 0; n < 4; n++)"):
        assert text in record.shader.wgsl, record.shader.wgsl


def test_threads_that_returned_are_not_waited_for(tab, monkeypatch):
    """CUDA's barrier waits for those that are left; the stepper calls it a fault."""
    from simulator.stepper import host

    monkeypatch.setattr(host.Kernel, "launch", lambda *a: None)
    body = (
        "s = cuda.shared.array(32, np.int32)\ns[t] = b[i]\nif t > 19:\n    return\n"
        "cuda.syncthreads()\no[i] = s[19 - t]"
    )
    b = np.arange(100, 132, dtype=I4)
    record, _ = launched(body, [b, np.zeros(32, I4)], "b, o")
    (result,) = webgpu.run(tab, [record])
    got = np.frombuffer(result["o"], I4)
    np.testing.assert_array_equal(got, [*b[19::-1], *[0] * 12])


def test_the_benchmarks_shaders_are_what_the_compiler_makes():
    """Records are bound to these files by hash: another text makes them stale."""
    for path, text in webgpu_shaders.texts().items():
        mend = "python -m simulator.hardware.webgpu_shaders, and measure again"
        assert path.read_text(encoding="utf-8") == text, f"{path.name}: {mend}"

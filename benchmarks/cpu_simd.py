"""SIMD on the CPU beside the GPU: one loop with registers of 4, 8 and 16 floats, and in Numba.

One core, a track in its L1 cache and one that only memory holds. Each call is made many times from
one compiled loop, so that Python's own time stays out.
"""

import ctypes
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np
from numba import njit

from benchmarks.harness import ROOT, BenchmarkError, rounded
from benchmarks.numpy_baseline import processor
from kernels.simd import loops

PLAIN, BY_HAND = "snippets/simd/track.cpp", "snippets/simd/energy.cpp"
NUMBA = "kernels/simd/loops.py"
STEP = 16  # floats from one call's track to the next one's: a line, so that each stays aligned
SIZES = {"l1": (4096, 256), "memory": (2**26, 1)}  # samples of a track, calls in one timed run
FAST = "-ffast-math"
FLAGS = {
    "scalar": ("one sample at a time", ("-O3", "-fno-tree-vectorize", "-mavx2", "-mfma", FAST)),
    "order": ("AVX2, sums in order", ("-O3", "-mavx2", "-mfma")),
    "sse": ("SSE2, 4 floats", ("-O3", FAST)),
    "avx2": ("AVX2, 8 floats", ("-O3", "-mavx2", "-mfma", FAST)),
    "avx512": ("AVX-512, 16 floats", ("-O3", "-mavx512f", "-mprefer-vector-width=512", FAST)),
}
# The rows by id, so that a page may name one that no run has recorded yet
ROWS = (
    "simd-energy-scalar-l1", "simd-energy-scalar-memory",
    "simd-energy-order-l1", "simd-energy-order-memory",
    "simd-energy-sse-l1", "simd-energy-sse-memory",
    "simd-energy-avx2-l1", "simd-energy-avx2-memory",
    "simd-energy-avx512-l1", "simd-energy-avx512-memory",
    "simd-energy-avx2-by-hand-l1", "simd-energy-avx2-by-hand-memory",
    "simd-energy-avx512-by-hand-l1", "simd-energy-avx512-by-hand-memory",
    "simd-numba-energy-order-l1", "simd-numba-energy-order-memory",
    "simd-numba-energy-any-order-l1", "simd-numba-energy-any-order-memory",
    "simd-numba-soft-clip-careful-l1", "simd-numba-soft-clip-careful-memory",
    "simd-numba-soft-clip-like-numpy-l1", "simd-numba-soft-clip-like-numpy-memory",
)  # fmt: skip


def run(bench):
    with tempfile.TemporaryDirectory() as folder:
        for size, (n, calls) in SIZES.items():
            n = min(n, 2**20) if bench.quick else n
            rng = np.random.default_rng(5)
            x = rng.standard_normal(n + STEP * calls, dtype=np.float32)
            given = (x, np.full_like(x, np.nan))
            with bench.part(f"C++, {n} samples"):
                cpp(bench, size, n, calls, given, Path(folder))
            with bench.part(f"Numba, {n} samples"):
                numba(bench, size, n, calls, given)
    for row in {*ROWS} - {row["id"] for row in bench.rows["microbenchmarks"]}:
        bench.say(f"[{bench.name}] this machine has not measured {row}")


def compiled(source, name, flags, folder):
    """Compile a C++ file with some flags, and load it."""
    library = folder / f"{Path(source).stem}-{name}.so"
    command = ["g++", *flags, "-shared", "-fPIC", str(ROOT / source), "-o", str(library)]
    subprocess.run(command, check=True)
    return ctypes.CDLL(str(library))


def of_c(library, name):
    """Return a sum of C as a function of Numba's, of a track and the place for the result."""
    call = getattr(library, name)
    call.argtypes, call.restype = [ctypes.c_void_p, ctypes.c_size_t], ctypes.c_float

    @njit
    def energy(x, out):
        out[0] = call(x.ctypes, x.size)

    return energy


def of_numba(call):
    @njit
    def energy(x, out):
        out[0] = call(x)

    return energy


def often(call):
    """Return a compiled loop that makes one call many times, each on its own stretch of arrays."""

    @njit
    def loop(x, out, n, calls):
        for k in range(0, STEP * calls, STEP):
            call(x[k : k + n], out[k : k + n])

    return loop


def seconds(call):
    began = time.perf_counter()
    call()
    return time.perf_counter() - began


def check(name, loop, given, right, n):
    """Make one call, compare, and return the error, relative to the largest value."""
    out = given[-1]
    out[:] = np.nan
    loop(*given, n, 1)
    if not np.isnan(out[right.size :]).all():
        raise BenchmarkError(f"{name}: written past the end")
    error = np.max(np.abs(out[: right.size] - right)) / np.max(np.abs(right))
    # A float32 that adds ones stops at 2**24: a long sum in one register is wrong, and the row
    # says by how much. Sums in several registers stay far below that.
    several = name.endswith(("by-hand", "any-order"))
    allowed = 1e-5 if right.size > 1 or n < 2**20 else 5e-2 if several else 1
    if not error < allowed:
        raise BenchmarkError(f"{name}, {n} samples: off by {error:.1e}")
    return error


def record(bench, family, size, calls, n, cases, given, right):
    """Check and time cases (id: title, function, kernel) in turns, and add a row for each.

    The first case is the one that the others' gain is counted from.
    """
    loops_of = {case: often(function) for case, (_, function, _) in cases.items()}
    errors = {c: check(f"{family}-{c}", loop, given, right, n) for c, loop in loops_of.items()}
    timed = {c: lambda loop=loop: loop(*given, n, calls) for c, loop in loops_of.items()}
    times = bench.samples(timed, seconds)
    base = times[next(iter(cases))].median
    where = processor().rpartition(",")[0]
    place = "in the L1 cache" if size == "l1" else "in memory"
    for case, (title, _, kernel) in cases.items():
        once = times[case].median / calls
        bench.micro(
            f"{family}-{case}-{size}",
            f"{family.rpartition('-')[2]} of {n} samples {place}: {title}",
            times[case],
            unit="us",
            amount=calls,
            kernel=kernel,
            method=f"wall clock of {calls} calls from a compiled loop, one core, {where}",
            extra={
                "samples": n,
                "ns_for_1000": rounded(once / n * 1e12),
                "gbps": rounded(4 * (n + (right.size > 1) * n) / once / 1e9),
                "gain": rounded(base / times[case].median),
                "error": rounded(float(errors[case])),
            },
        )


def cpp(bench, size, n, calls, given, folder):
    by_hand = compiled(BY_HAND, "by-hand", ["-O3"], folder)
    widest = by_hand.widest()
    bench.say(f"[{bench.name}] the widest registers here have {widest} bits")
    cases = {}
    for name, (title, flags) in FLAGS.items():
        if name != "avx512" or widest >= 512:
            library = compiled(PLAIN, name, flags, folder)
            cases[name] = (title, of_c(library, "energy"), PLAIN)
    for name, bits in (("avx2", 256), ("avx512", 512)):
        if bits <= widest:
            title = f"intrinsics, registers of {bits} bits, four sums"
            cases[f"{name}-by-hand"] = (title, of_c(by_hand, f"energy_{name}"), BY_HAND)
    record(bench, "simd-energy", size, calls, n, cases, given, energy(given, n))


def numba(bench, size, n, calls, given):
    cases = {
        "order": ("Numba, sums in order", of_numba(loops.in_order), NUMBA),
        "any-order": ("Numba, sums in any order", of_numba(loops.any_order), NUMBA),
    }
    record(bench, "simd-numba-energy", size, calls, n, cases, given, energy(given, n))
    cases = {
        "careful": ("Numba, each divisor checked", loops.careful, NUMBA),
        "like-numpy": ("Numba, division as NumPy's", loops.like_numpy, NUMBA),
    }
    x = given[0][:n].astype(np.float64)
    record(bench, "simd-numba-soft-clip", size, calls, n, cases, given, x / (1 + np.abs(x)))


def energy(given, n):
    return np.atleast_1d(np.sum(given[0][:n].astype(np.float64) ** 2))

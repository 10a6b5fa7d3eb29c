"""A matrix product on the CPU, rung by rung, against NumPy's BLAS and the GPU with its copies."""

import time

import numba
import numpy as np
from numba import cuda

from benchmarks.harness import BenchmarkError, rounded
from benchmarks.numpy_baseline import cores, processor
from kernels.csapp import matmul

KERNEL = "kernels/csapp/matmul.py"
NAMES = {
    "ijk": "three loops, a dot product for each element",
    "ikj": "the same loops, rows of b innermost",
    "blocked": "tiles of b that stay in the cache, four rows at a time",
    "cores": "the tiles on all cores",
    "blas": "NumPy's matmul, all cores",
    "gpu": "cuBLAS on the GPU, both inputs and the result copied",
    "resident": "cuBLAS on the GPU, the matrices stay there",
}
# The rows by id, so that a page may name one that no run has recorded yet
ROWS = (
    "cpu-matmul-768-ijk", "cpu-matmul-768-ikj", "cpu-matmul-768-blocked", "cpu-matmul-768-cores",
    "cpu-matmul-768-blas", "cpu-matmul-768-gpu", "cpu-matmul-768-resident",
    "cpu-matmul-4096-cores", "cpu-matmul-4096-blas", "cpu-matmul-4096-gpu",
    "cpu-matmul-4096-resident",
)  # fmt: skip
SIZES = {768: list(NAMES), 4096: ["cores", "blas", "gpu", "resident"]}


def run(bench):
    numba.set_num_threads(min(cores(), numba.config.NUMBA_NUM_THREADS))
    for n, rungs in SIZES.items():
        with bench.part(f"{n} x {n}"):
            ladder(bench, n // 8 if bench.quick else n, n, rungs)
    for row in {*ROWS} - {row["id"] for row in bench.rows["microbenchmarks"]}:
        bench.say(f"[{bench.name}] this machine has not measured {row}")


def ladder(bench, n, name, rungs):
    xp = bench.xp
    rng = np.random.default_rng(11)
    a, b = rng.standard_normal((2, n, n), dtype=np.float32)
    out = np.empty_like(a)
    pinned = [cuda.pinned_array((n, n), np.float32) for _ in range(3)]
    pinned[0][:], pinned[1][:] = a, b
    d_a, d_b, d_out = xp.asarray(a), xp.asarray(b), xp.empty((n, n), xp.float32)

    def gpu():
        d_a.set(pinned[0])
        d_b.set(pinned[1])
        xp.matmul(d_a, d_b, out=d_out)
        d_out.get(out=pinned[2])
        return pinned[2]

    def resident():
        xp.matmul(d_a, d_b, out=d_out)
        bench.device.synchronize()
        return d_out

    calls = {
        "ijk": lambda: (matmul.product_ijk(a, b, out), out)[1],
        "ikj": lambda: (matmul.product_ikj(a, b, out), out)[1],
        "blocked": lambda: (matmul.product_blocked(a, b, out), out)[1],
        "cores": lambda: (matmul.product_cores(a, b, out), out)[1],
        "blas": lambda: np.matmul(a, b, out=out),
        "gpu": gpu,
        "resident": resident,
    }
    calls = {rung: calls[rung] for rung in rungs}
    right = a.astype(np.float64) @ b.astype(np.float64)
    for rung, call in calls.items():
        out[:] = np.nan
        pinned[2][:] = np.nan
        d_out.fill(np.nan)
        got = call()
        got = d_out.get() if got is d_out else got
        error = np.linalg.norm(got - right) / np.linalg.norm(right)
        if not error < 1e-5:
            raise BenchmarkError(f"{rung}, {n}: error {error:.1e}")

    def seconds(call):
        bench.device.synchronize()
        began = time.perf_counter()
        call()
        return time.perf_counter() - began

    times = bench.samples(calls, seconds)
    flops = 2 * n**3
    for rung, summary in times.items():
        bench.micro(
            f"cpu-matmul-{name}-{rung}",
            f"{n} x {n} x {n} in float32: {NAMES[rung]}",
            summary,
            unit="ms",
            kernel=KERNEL,
            method=f"wall clock from the call to the answer, {processor()}",
            extra={
                "gflops": rounded(flops / summary.median / 1e9),
                "times_blas": rounded(times["blas"].median / summary.median),
                "times_first": rounded(times[rungs[0]].median / summary.median),
            },
        )

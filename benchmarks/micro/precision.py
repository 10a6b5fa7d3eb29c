"""Matrix products by cuBLAS in each number format: how fast, and what is lost."""

import cupy as cp

from benchmarks.harness import BenchmarkError
from benchmarks.micro.common import COLD
from kernels.cublas.modes import MODES, from_bfloat16, gemm, to_bfloat16

KERNEL = "kernels/cublas/modes.py"
TERMS = {
    "float64": ["cublas-and-cublaslt"],
    "float32": ["cublas-and-cublaslt", "compute-bound"],
    "tf32": ["tf32", "tensor-core"],
    "float16": ["mixed-precision", "tensor-core"],
    "bfloat16": ["bfloat16", "mixed-precision", "tensor-core"],
}
LOST = {"float64": 1e-14, "float32": 1e-5, "tf32": 2e-3, "float16": 2e-3, "bfloat16": 1e-2}


def run(bench):
    with bench.part("number formats"):
        formats(bench, 512 if bench.quick else 8192)
    with bench.part("zeros"):
        zeros(bench, 512 if bench.quick else 8192)


def stored(a, mode):
    """Return float64 data in the format of a mode."""
    if mode == "bfloat16":
        return to_bfloat16(a.astype(cp.float32))
    return a.astype(MODES[mode][0])


def formats(bench, n):
    # 4096 rows of a and columns of b are enough to know the error; all are multiplied.
    a, b = bench.random((n, n), "float64"), bench.random((n, n), "float64")
    some = slice(0, 256)
    right = a[some] @ b
    norm = float(cp.linalg.norm(right))
    calls, errors = {}, {}
    for mode in MODES:
        x, y = stored(a, mode), stored(b, mode)
        out = cp.zeros((n, n), x.dtype)
        calls[f"matmul-{mode}"] = lambda x=x, y=y, out=out, mode=mode: gemm(x, y, out, mode)
        calls[f"matmul-{mode}"]()
        got = from_bfloat16(out[some]) if mode == "bfloat16" else out[some]
        errors[mode] = float(cp.linalg.norm(got.astype(cp.float64) - right)) / norm
        if not errors[mode] <= LOST[mode]:
            raise BenchmarkError(f"{mode}: error {errors[mode]:.1e}")
    for (id, summary), mode in zip(bench.samples(calls).items(), MODES, strict=True):
        bench.micro(
            id,
            f"cuBLAS, {n} x {n} x {n}, {mode}",
            summary,
            unit="TFLOP/s",
            amount=2 * n**3,
            kernel=KERNEL,
            method=f"{COLD}; cublasGemmEx on random normal data, error of 256 rows against float64",
            terms=TERMS[mode],
            extra={"error": float(f"{errors[mode]:.3g}")},
        )


def zeros(bench, n):
    """The same product on data that flips fewer bits: the clock, and so the rate, is higher."""
    random, nothing = bench.random((n, n)).astype(cp.float16), cp.zeros((n, n), cp.float16)
    ones = cp.ones((n, n), cp.float16)
    out = cp.zeros((n, n), cp.float16)

    def several(x):
        def call():
            for _ in range(20):  # long enough for the power to matter
                gemm(x, x, out, "float16")

        return call

    calls = {
        "data-random": several(random),
        "data-ones": several(ones),
        "data-zeros": several(nothing),
    }
    titles = ("random normal numbers", "ones", "zeros")
    # Not in turns: the GPU averages its power over more than a turn, so turns would share a clock.
    times = {id: bench.samples({id: call})[id] for id, call in calls.items()}
    for (id, summary), title in zip(times.items(), titles, strict=True):
        bench.micro(
            id,
            f"cuBLAS, {n} x {n} x {n}, float16, on {title}",
            summary,
            unit="TFLOP/s",
            amount=20 * 2 * n**3,
            kernel=KERNEL,
            method=f"{COLD}; 20 products in a row, 20 times, one kind of data after the other",
            terms=["throttling", "warm-up-and-synchronized-timing"],
            extra={
                "times_random": float(f"{times['data-random'].median / summary.median:.4g}"),
            },
        )

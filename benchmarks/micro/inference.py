"""Pieces of inference: fusion, matrix times vector, int8 weights, softmax, tokens at once."""

import cupy as cp
import numpy as np

from benchmarks.harness import Case, Reference
from benchmarks.micro.common import COLD, KERNELS
from kernels.microbenchmarks import fusion, gemv, softmax

THREADS = 256


def run(bench):
    small = bench.quick
    with bench.part("kernel fusion"):
        fused(bench, 2**20 if small else 2**27)
    with bench.part("matrix times vector"):
        vector(bench, 512 if small else 16384)
    with bench.part("softmax"):
        rows_of_softmax(bench, 64 if small else 2048, 65536)
    with bench.part("tokens at once"):
        tokens(bench, 512 if small else 8192)


def fused(bench, n):
    x = bench.random(n)
    output = bench.output(n)
    d_x, d_out = bench.device.numba(x), bench.device.numba(output.array)
    between = [bench.device.numba(cp.empty(n, cp.float32)) for _ in range(2)]
    blocks = -(-n // THREADS)
    a, b = np.float32(1.5), np.float32(-0.25)

    def three():
        fusion.scale_kernel[blocks, THREADS](d_x, a, between[0])
        fusion.shift_kernel[blocks, THREADS](between[0], b, between[1])
        fusion.relu_kernel[blocks, THREADS](between[1], d_out)

    bench.compare(
        [
            Case(
                "fusion-one-kernel",
                "relu(a * x + b) of 2^27 float32 as one kernel",
                KERNELS + "fusion.py",
                lambda: fusion.fused_kernel[blocks, THREADS](d_x, a, b, d_out),
                output,
            )
        ],
        Reference("three kernels, one for each step", three, output),
        cp.maximum(x.astype(cp.float64) * 1.5 - 0.25, 0),
        size=n,
        dtype="float32",
        unit="us",
        tolerance=1e-6,
        bytes=8 * n,
        flops=3 * n,
    )


def vector(bench, n):
    a, x = bench.random((n, n)), bench.random(n)
    output = bench.output(n)
    d_out, d_x = bench.device.numba(output.array), bench.device.numba(x)
    grid, block = -(-n // 8), (32, 8)
    d_a = bench.device.numba(a)
    ours = lambda: gemv.gemv_kernel[grid, block](d_a, d_x, d_out)  # noqa: E731
    bench.compare(
        [
            Case(
                "gemv-float32",
                f"Matrix times vector, {n} x {n} float32, a warp for a row",
                KERNELS + "gemv.py",
                ours,
                output,
            )
        ],
        Reference("cuBLAS, cp.matmul", lambda: cp.matmul(a, x, out=output.array), output),
        a.astype(cp.float64) @ x.astype(cp.float64),
        size=n,
        dtype="float32",
        unit="GB/s",
        tolerance=1e-5,
        bytes=4 * n * n + 8 * n,
        flops=2 * n * n,
    )
    # int8 weights with a scale for each row; what is exact is the product with those weights.
    scales = (abs(a).max(axis=1) / 127).astype(cp.float32)
    weights = cp.rint(a / scales[:, None]).astype(cp.int8)
    d_w, d_s = bench.device.numba(weights), bench.device.numba(scales)
    exact = (weights.astype(cp.float64) @ x.astype(cp.float64)) * scales
    whole = a.astype(cp.float64) @ x.astype(cp.float64)
    lost = float(cp.linalg.norm(exact - whole) / cp.linalg.norm(whole))
    restored = weights.astype(cp.float32) * scales[:, None]
    d_r = bench.device.numba(restored)
    bench.compare(
        [
            Case(
                "gemv-int8",
                f"Matrix times vector, {n} x {n}, weights in int8 with a scale for each row",
                KERNELS + "gemv.py",
                lambda: gemv.gemv_int8_kernel[grid, block](d_w, d_s, d_x, d_out),
                output,
                {"quantization_error": float(f"{lost:.4g}")},
            )
        ],
        Reference(
            "the same weights in float32",
            lambda: gemv.gemv_kernel[grid, block](d_r, d_x, d_out),
            output,
        ),
        exact,
        size=n,
        dtype="int8",
        unit="us",
        tolerance=1e-5,
        bytes=n * n + 12 * n,
        flops=2 * n * n,
    )


def rows_of_softmax(bench, rows, columns):
    a = bench.random((rows, columns))
    output = bench.output((rows, columns))
    d_a, d_out = bench.device.numba(a), bench.device.numba(output.array)
    wide = a.astype(cp.float64)
    wide -= wide.max(axis=1, keepdims=True)
    cp.exp(wide, out=wide)
    wide /= wide.sum(axis=1, keepdims=True)
    bench.compare(
        [
            Case(
                "softmax-online",
                f"Softmax of {rows} rows of {columns} float32, online: the row read twice",
                KERNELS + "softmax.py",
                lambda: softmax.online_kernel[rows, softmax.THREADS](d_a, d_out),
                output,
            )
        ],
        Reference(
            "with three passes over the row",
            lambda: softmax.three_pass_kernel[rows, softmax.THREADS](d_a, d_out),
            output,
        ),
        wide,
        size=rows,
        dtype="float32",
        unit="us",
        tolerance=1e-5,
        bytes=8 * rows * columns,
        flops=5 * rows * columns,
    )


def tokens(bench, n):
    """float16 weights times one token or many: while few, the time is that of reading weights."""
    weights = bench.random((n, n)).astype(cp.float16)
    counts = (1, 8, 64, 256, 1024)
    calls = {}
    for count in counts:
        x = bench.random((count, n)).astype(cp.float16)
        out = cp.empty((count, n), cp.float16)
        calls[f"tokens-{count}"] = lambda x=x, out=out: cp.matmul(x, weights, out=out)
    times = bench.samples(calls)
    for (id, summary), count in zip(times.items(), counts, strict=True):
        bench.micro(
            id,
            f"{count} token{'s' if count > 1 else ''} through a layer of {n} x {n} float16 weights",
            summary,
            unit="us",
            method=f"{COLD}; cuBLAS by cp.matmul",
            terms=[
                "decode" if count < 64 else "prefill",
                "gemv" if count == 1 else "continuous-batching",
            ],
            extra={
                "tokens": count,
                "weights_gbps": float(f"{2 * n * n / summary.median / 1e9:.4g}"),
                "tflops": float(f"{2 * n * n * count / summary.median / 1e12:.4g}"),
                "times_one_token": float(f"{summary.median / times['tokens-1'].median:.4g}"),
            },
        )

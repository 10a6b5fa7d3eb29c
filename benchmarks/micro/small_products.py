"""When a hand kernel beats cuBLAS: many small products, narrow fused layers; and odd shapes."""

import cupy as cp
from cupy.cuda import cublas

from benchmarks.harness import Case, Reference, Summary
from benchmarks.micro.common import COLD
from kernels.cublas.modes import gemm
from kernels.cublas.narrow_layer import make_narrow_layer, narrow_shape
from kernels.cublas.small_products import make_small_products

# Closer together where a hand kernel and the library change places
SIDES = (4, 8, 16, 20, 24, 28, 32)
WIDTHS = (4, 8, 16, 32, 40, 48, 56, 64)


def run(bench):
    for n in SIDES:
        with bench.part(f"products of {n} x {n}"):
            products(bench, n, 2**16 if bench.quick else 2**25)
    for width in WIDTHS:
        with bench.part(f"a layer of width {width}"):
            layer(bench, width, 2**12 if bench.quick else 2**20)
    with bench.part("one by one and batched"):
        batched(bench)
    with bench.part("odd shapes"):
        odd(bench, 512 if bench.quick else 4096)
    with bench.part("algorithms by number"):
        algorithms(bench, 512 if bench.quick else 4096)


def products(bench, n, elements):
    count = elements // (n * n)
    a, b = bench.random((count, n, n)), bench.random((count, n, n))
    output = bench.output((count, n, n))
    kernel, threads, each = make_small_products(n)
    blocks = -(-count // each)
    arrays = [bench.device.numba(array) for array in (a, b, output.array)]
    bench.compare(
        [
            Case(
                f"small-products-{n}",
                f"{count} products of {n} x {n} float32 matrices in one launch",
                "kernels/cublas/small_products.py",
                lambda: kernel[blocks, threads](*arrays),
                output,
            )
        ],
        Reference("cuBLAS, batched, cp.matmul", lambda: cp.matmul(a, b, out=output.array), output),
        cp.matmul(a.astype(cp.float64), b.astype(cp.float64)),
        size=n,
        dtype="float32",
        unit="us",
        tolerance=1e-6,
        bytes=12 * count * n * n,
        flops=2 * count * n**3,
    )


def layer(bench, width, points):
    x, w, bias = bench.random((points, width)), bench.random((width, width)), bench.random(width)
    output = bench.output((points, width))
    out = output.array
    arrays = [bench.device.numba(array) for array in (x, w, bias, out)]
    kernel, (blocks, threads) = make_narrow_layer(width), narrow_shape(points, width)

    def library():
        cp.matmul(x, w, out=out)
        cp.add(out, bias, out=out)
        cp.maximum(out, 0, out=out)

    wide = x.astype(cp.float64) @ w.astype(cp.float64) + bias
    bench.compare(
        [
            Case(
                f"narrow-layer-{width}",
                f"relu(x @ w + bias) for {points} points, width {width}, in one kernel",
                "kernels/cublas/narrow_layer.py",
                lambda: kernel[blocks, threads](*arrays),
                output,
            )
        ],
        Reference("cuBLAS, then CuPy's add and maximum", library, output),
        cp.maximum(wide, 0),
        size=width,
        dtype="float32",
        unit="us",
        tolerance=1e-6,
        bytes=4 * (2 * points * width + width * width + width),
        flops=2 * points * width * width,
    )


def batched(bench):
    """A loop of products against one batched call."""
    count, n = 100, 64
    a, b = bench.random((count, n, n)), bench.random((count, n, n))
    out = cp.empty_like(a)

    def loop():
        for one, two, three in zip(a, b, out, strict=True):
            cp.matmul(one, two, out=three)

    calls = {"batch-loop": loop, "batch-one-call": lambda: cp.matmul(a, b, out=out)}
    titles = ("one cp.matmul for each", "one cp.matmul for all")
    for (id, summary), title in zip(bench.samples(calls).items(), titles, strict=True):
        bench.micro(
            id,
            f"{count} products of {n} x {n} float32: {title}",
            summary,
            unit="us",
            method=f"{COLD}; around all {count}",
            terms=["cublas-and-cublaslt", "launch-latency"],
        )


def odd(bench, n):
    """float16 products whose rows do not begin at multiples of 16 bytes."""
    calls = {}
    for size in (n, n + 1, n + 8):
        a, b = (bench.random((size, size)).astype(cp.float16) for _ in range(2))
        out = cp.empty_like(a)
        calls[size] = lambda a=a, b=b, out=out: gemm(a, b, out, "float16")
    times = bench.samples({f"odd-shape-{size - n}": call for size, call in calls.items()})
    for (id, summary), size in zip(times.items(), calls, strict=True):
        bench.micro(
            id,
            f"cuBLAS, float16, {size} x {size} x {size}",
            summary,
            unit="TFLOP/s",
            amount=2 * size**3,
            kernel="kernels/cublas/modes.py",
            method=f"{COLD}; cublasGemmEx",
            terms=["cublas-and-cublaslt", "tiling"],
        )


def algorithms(bench, n):
    """The algorithms that a caller may name: does the name change anything?"""
    a, b = (bench.random((n, n)).astype(cp.float16) for _ in range(2))
    out = cp.empty_like(a)
    calls = {
        f"algorithm {k}": lambda k=k: gemm(a, b, out, "float16", k)
        for k in (cublas.CUBLAS_GEMM_DEFAULT, *range(100, 116))
    }
    times = bench.samples(calls)
    medians = sorted(summary.median for summary in times.values())
    default = next(iter(times.values()))
    bench.micro(
        "cublas-algorithms",
        f"cuBLAS, float16, {n} x {n} x {n}: the slowest of 17 algorithms asked for by number",
        Summary(medians[-1], default.spread, default.repeats),
        unit="us",
        kernel="kernels/cublas/modes.py",
        method=f"{COLD}; cublasGemmEx with the default and with each of the tensor-core algorithms",
        terms=["cublas-and-cublaslt"],
        extra={
            "slowest_times_fastest": float(f"{medians[-1] / medians[0]:.4g}"),
            "default_us": float(f"{1e6 * default.median:.5g}"),
        },
    )

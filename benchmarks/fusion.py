"""Our compiler of element-wise expressions against CuPy, which runs five operations or fuses them."""

import cupy as cp

from benchmarks.harness import Case, WallTimer
from benchmarks.patterns import library
from kernels.compilers.fuse import compiled
from kernels.compilers.normalize import normalize

PATH = "kernels/compilers/fuse.py"


@cp.fuse()
def by_cupy(x, mean, variance, scale, shift):
    return cp.maximum((x - mean) / cp.sqrt(variance + 1e-5) * scale + shift, 0.0)


def run(bench):
    rows, columns = (1024, 1024) if bench.quick else (65536, 4096)
    with bench.part("large"):
        table(bench, "fused-normalize", rows, columns)
    with bench.part("small"):
        table(bench, "fused-small", 256, 256, WallTimer(bench.device.synchronize, calls=100))


def table(bench, id, rows, columns, timer=None):
    x, output = bench.random((rows, columns)), bench.output((rows, columns))
    mean, scale, shift = (bench.random(columns) for _ in range(3))
    variance = bench.random(columns) ** 2 + 0.5
    inputs = (x, mean, variance, scale, shift)
    kernel, used, _, _ = compiled(normalize, *inputs)
    flat = [bench.device.numba(inputs[k].reshape(-1)) for k in used]
    d_out = bench.device.numba(output.array.reshape(-1))
    launch = kernel[-(-x.size // 256), 256]
    expected = normalize(*(a.astype(cp.float64) for a in inputs))
    columns_once = 4 * columns * 4
    for other, reference in {
        "": library("CuPy, one operation after another", lambda: normalize(*inputs)),
        "-cupy": library("cupy.fuse", lambda: by_cupy(*inputs)),
    }.items():
        bench.compare(
            [
                Case(
                    id + other,
                    f"Normalization and ReLU of {rows} x {columns} float32, one fused kernel",
                    PATH,
                    lambda: launch(*flat, d_out),
                    output,
                )
            ],
            reference,
            expected,
            size=x.size,
            dtype="float32",
            unit="us",
            tolerance=1e-6,
            bytes=8 * x.size + columns_once,
            timer=timer,
        )

"""Our compiler of element-wise expressions against CuPy, one by one and fused."""

import cupy as cp

from benchmarks.harness import Case, WallTimer
from benchmarks.patterns import copy_of, library
from kernels.compilers.fuse import build, compiled, optimize, trace
from kernels.compilers.normalize import normalize, normalize_known
from kernels.compilers.several import generate_several

PATH, SEVERAL = "kernels/compilers/fuse.py", "kernels/compilers/several.py"


@cp.fuse()
def by_cupy(x, mean, variance, scale, shift):
    return cp.maximum((x - mean) / cp.sqrt(variance + 1e-5) * scale + shift, 0.0)


SHAPES = (("four-signed", 4, "int64"), ("one-unsigned", 1, "uint32"), ("four", 4, "uint32"))


def run(bench):
    rows, columns = (1024, 1024) if bench.quick else (65536, 4096)
    with bench.part("large"):
        table(bench, ("fused-normalize", "fused-normalize-cupy"), rows, columns)
    with bench.part("without the root and the division"):
        known(bench, "fused-normalize-known", rows, columns)
    with bench.part("several elements a thread"):
        for name, each, kind in SHAPES:
            several(bench, f"fused-normalize-{name}", normalize, rows, columns, each, kind)
            several(
                bench, f"fused-normalize-known-{name}", normalize_known, rows, columns, each, kind
            )
    with bench.part("small"):
        timer = WallTimer(bench.device.synchronize, calls=100)
        table(bench, ("fused-small", "fused-small-cupy"), 256, 256, timer)


def table(bench, ids, rows, columns, timer=None):
    x, output = bench.random((rows, columns)), bench.output((rows, columns))
    mean, scale, shift = (bench.random(columns) for _ in range(3))
    variance = bench.random(columns) ** 2 + 0.5
    inputs = (x, mean, variance, scale, shift)
    kernel, used, _, _ = compiled(normalize, *inputs)
    flat = [bench.device.numba(inputs[k].reshape(-1)) for k in used]
    d_out = bench.device.numba(output.array.reshape(-1))
    launch = kernel[-(-x.size // 256), 256]
    expected = normalize(*(a.astype(cp.float64) for a in inputs))
    references = (
        library("CuPy, one operation after another", lambda: normalize(*inputs)),
        library("cupy.fuse", lambda: by_cupy(*inputs)),
    )
    title = f"Normalization and ReLU of {rows} x {columns} float32, one fused kernel"
    for id, reference in zip(ids, references, strict=True):
        bench.compare(
            [Case(id, title, PATH, lambda: launch(*flat, d_out), output)],
            reference,
            expected,
            size=x.size,
            dtype="float32",
            unit="us",
            tolerance=1e-6,
            bytes=8 * x.size + 4 * 4 * columns,
            timer=timer,
        )


def several(bench, id, function, rows, columns, each, kind):
    """Either of the two, with several elements for a thread."""
    x, output = bench.random((rows, columns)), bench.output((rows, columns))
    mean, third, scale, shift = (bench.random(columns) for _ in range(4))
    inputs = (x, mean, third**2 + 0.5, scale, shift)
    ops = optimize(trace(function, *inputs))
    used = [int(op.value[1:]) for op in ops if op.name == "load"]
    flat = [bench.device.numba(inputs[k].reshape(-1)) for k in used]
    d_out = bench.device.numba(output.array.reshape(-1))
    launch = build(generate_several(ops, each, kind))[-(-x.size // (256 * each)), 256]
    expected = function(*(a.astype(cp.float64) for a in inputs))
    title = f"{function.__name__} of {rows} x {columns} float32, {each} a thread, indices {kind}"
    bench.compare(
        [Case(id, title, SEVERAL, lambda: launch(*flat, d_out), output)],
        copy_of(bench, expected.astype(cp.float32), output),
        expected,
        size=x.size,
        dtype="float32",
        unit="us",
        tolerance=1e-6,
        bytes=8 * x.size + 4 * 4 * columns,
    )


def known(bench, id, rows, columns):
    """The same with one over the root computed before, a number for each column."""
    x, output = bench.random((rows, columns)), bench.output((rows, columns))
    mean, inverse, scale, shift = (bench.random(columns) for _ in range(4))
    inputs = (x, mean, inverse, scale, shift)
    kernel, used, _, _ = compiled(normalize_known, *inputs)
    flat = [bench.device.numba(inputs[k].reshape(-1)) for k in used]
    d_out = bench.device.numba(output.array.reshape(-1))
    launch = kernel[-(-x.size // 256), 256]
    expected = normalize_known(*(a.astype(cp.float64) for a in inputs))
    title = f"The same {rows} x {columns} float32, the root and the division done before"
    bench.compare(
        [Case(id, title, PATH, lambda: launch(*flat, d_out), output)],
        copy_of(bench, expected.astype(cp.float32), output),
        expected,
        size=x.size,
        dtype="float32",
        unit="us",
        tolerance=1e-6,
        bytes=8 * x.size + 4 * 4 * columns,
    )

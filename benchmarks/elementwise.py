"""Element-wise kernels: copy, addition and SwiGLU, with 16-byte accesses, against a device copy."""

import cupy as cp
from numba import cuda

from benchmarks.harness import Case, Reference
from benchmarks.patterns import copy_of
from kernels.elementwise.plain import swiglu, swiglu_kernel, swiglu_strided_kernel
from kernels.elementwise.wide import copy4_kernel, make_map4

PLAIN, WIDE = "kernels/elementwise/plain.py", "kernels/elementwise/wide.py"
THREADS = 256


@cuda.jit(device=True)
def add(a, b):
    return a + b


def run(bench):
    n = 2**22 if bench.quick else 2**28
    with bench.part("copy"):
        copy(bench, n)
    with bench.part("vector addition"):
        addition(bench, n)
    with bench.part("SwiGLU"):
        activation(bench, n)


def blocks(n):
    return -(-n // (4 * THREADS))


def copy(bench, n):
    x, output = bench.random(n), bench.output(n)
    d_x, d_out = bench.device.numba(x), bench.device.numba(output.array)
    title = "Copy in Numba, 16 bytes an access"
    call = lambda: copy4_kernel[blocks(n), THREADS](d_x, d_out)  # noqa: E731
    bench.compare(
        [Case("copy", title, WIDE, call, output)],
        copy_of(bench, x, output),
        x.astype(cp.float64),
        size=n,
        dtype="float32",
        unit="GB/s",
        tolerance=0.0,
        bytes=8 * n,
    )


def addition(bench, n):
    a, b, output = bench.random(n), bench.random(n), bench.output(n)
    arrays = [bench.device.numba(x) for x in (a, b, output.array)]
    kernel, title = make_map4(add), "Vector addition in Numba, 16 bytes an access"
    call = lambda: kernel[blocks(n), THREADS](*arrays)  # noqa: E731
    expected = a.astype(cp.float64)
    expected += b
    bench.compare(
        [Case("vector-add-16-byte", title, WIDE, call, output)],
        Reference("CuPy, cp.add(a, b, out=out)", lambda: cp.add(a, b, out=output.array), output),
        expected,
        size=n,
        dtype="float32",
        unit="GB/s",
        tolerance=1e-6,
        bytes=12 * n,
        flops=n,
    )


def activation(bench, n):
    gate, up, output = bench.random(n), bench.random(n), bench.output(n)
    arrays = [bench.device.numba(x) for x in (gate, up, output.array)]
    wide = make_map4(swiglu)
    text = "out = gate / (1 + exp(-gate)) * up"
    fused = cp.ElementwiseKernel("float32 gate, float32 up", "float32 out", text, "swiglu_fused")

    def chain():
        out = cp.negative(gate, out=output.array)
        cp.exp(out, out=out)
        cp.add(out, cp.float32(1), out=out)
        cp.divide(gate, out, out=out)
        cp.multiply(out, up, out=out)

    calls = {
        "swiglu": (
            PLAIN,
            "one thread an element",
            lambda: swiglu_kernel[-(-n // 256), 256](*arrays),
        ),
        "swiglu-strided": (
            PLAIN,
            "a grid-stride loop, 8 blocks of 256 for each multiprocessor",
            lambda: swiglu_strided_kernel[8 * bench.device.multiprocessors, 256](*arrays),
        ),
        "swiglu-16-byte": (
            WIDE,
            "16 bytes an access",
            lambda: wide[blocks(n), THREADS](*arrays),
        ),
        "swiglu-elementwise": (
            "kernels/elementwise/cupy_swiglu.py",
            "CuPy's ElementwiseKernel",
            lambda: fused(gate, up, output.array),
        ),
    }
    expected = gate.astype(cp.float64)
    expected /= 1 + cp.exp(-expected)
    expected *= up
    bench.compare(
        [
            Case(id, f"SwiGLU of 2^28 float32, {how}", path, call, output)
            for id, (path, how, call) in calls.items()
        ],
        Reference("CuPy, a chain of five operations", chain, output),
        expected,
        size=n,
        dtype="float32",
        unit="GB/s",
        tolerance=1e-6,
        bytes=12 * n,
    )

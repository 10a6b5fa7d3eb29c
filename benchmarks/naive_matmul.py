"""Naive matrix product: the two index orders, and CUDA C++, against cuBLAS in full float32."""

import cupy as cp

from benchmarks.harness import ROOT, Case, Reference
from kernels.naive_matmul.matmul import matmul_kernel, matmul_swapped_kernel

KERNEL = "kernels/naive_matmul/matmul.py"
CUDA = "snippets/naive_matmul/matmul.cu"
THREADS = (32, 8)  # a warp is 32 neighbors in x


def run(bench):
    for n in (512,) if bench.quick else (2048, 4096):
        with bench.part(f"{n} x {n} x {n}"):
            square(bench, n)


def square(bench, n):
    a, b = bench.random((n, n)), bench.random((n, n))
    output = bench.output((n, n))
    roomy = cp.zeros((n, n + 1), cp.float32)[:, :n]  # rows begin in 32 different banks
    roomy[...] = a
    d_a, d_b, d_c, d_roomy = map(bench.device.numba, (a, b, output.array, roomy))
    wide = (-(-n // THREADS[0]), -(-n // THREADS[1]))  # n x n: the same grid for all
    in_cuda = cp.RawKernel((ROOT / CUDA).read_text(encoding="utf-8"), "matmul")
    shape = (cp.int32(n),) * 3

    # CuPy multiplies float32 in float32 unless CUPY_TF32 is set; TF32's error, about 3e-4, would
    # not pass the tolerance.
    bench.compare(
        [
            Case(
                f"naive-matmul-{n}",
                f"Naive matrix product, {n} x {n} x {n}, x over columns (coalesced)",
                KERNEL,
                lambda: matmul_kernel[wide, THREADS](d_a, d_b, d_c),
                output,
            ),
            Case(
                f"naive-matmul-swapped-{n}",
                f"Naive matrix product, {n} x {n} x {n}, x over rows",
                KERNEL,
                lambda: matmul_swapped_kernel[wide, THREADS](d_a, d_b, d_c),
                output,
            ),
            Case(
                f"naive-matmul-swapped-roomy-{n}",
                f"Naive matrix product, {n} x {n} x {n}, x over rows, rows of {n + 1} for a",
                KERNEL,
                lambda: matmul_swapped_kernel[wide, THREADS](d_roomy, d_b, d_c),
                output,
            ),
            Case(
                f"naive-matmul-cuda-{n}",
                f"Naive matrix product, {n} x {n} x {n}, CUDA C++ through CuPy's RawKernel",
                CUDA,
                lambda: in_cuda(wide, THREADS, (a, b, output.array, *shape)),
                output,
            ),
        ],
        Reference(
            "cuBLAS SGEMM, cp.matmul, no TF32", lambda: cp.matmul(a, b, out=output.array), output
        ),
        a.astype(cp.float64) @ b.astype(cp.float64),
        size=n,
        dtype="float32",
        unit="TFLOP/s",
        tolerance=1e-5,
        bytes=3 * 4 * n * n,
        flops=2 * n**3,
    )

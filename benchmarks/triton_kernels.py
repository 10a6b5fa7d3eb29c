"""Triton: vector addition and softmax against a copy, the matrix product against cuBLAS."""

import cupy as cp
import torch
import triton

from benchmarks.harness import Case, Reference
from benchmarks.tensor_cores import Bfloat16, as_torch, narrow, widen
from kernels.in_triton import matmul, softmax, vector_add

FOLDER = "kernels/in_triton/"


def run(bench):
    with bench.part("vector addition"):
        addition(bench, 2**20 if bench.quick else 2**28)
    with bench.part("softmax"):
        rows(bench, 2**10 if bench.quick else 2**16, 4096)
    with bench.part("matrix product"):
        product(bench, 512 if bench.quick else 8192)


def addition(bench, n):
    x, y, output = bench.random(n), bench.random(n), bench.output(n)
    t_x, t_y, t_out = (torch.as_tensor(a, device="cuda") for a in (x, y, output.array))
    grid = (triton.cdiv(n, 1024),)
    bench.compare(
        [
            Case(
                "triton-vector-add",
                f"Vector addition, Triton, {n} float32",
                FOLDER + "vector_add.py",
                lambda: vector_add.add_kernel[grid](t_x, t_y, t_out, n, BLOCK=1024),
                output,
            )
        ],
        Reference("torch.add", lambda: torch.add(t_x, t_y, out=t_out), output),
        x.astype(cp.float64) + y,
        size=n,
        dtype="float32",
        unit="GB/s",
        tolerance=1e-7,
        bytes=12 * n,
    )


def rows(bench, count, columns):
    x, output = bench.random((count, columns)), bench.output((count, columns))
    t_x, t_out = (torch.as_tensor(a, device="cuda") for a in (x, output.array))
    block = triton.next_power_of_2(columns)
    expected = cp.exp(x.astype(cp.float64))
    expected /= expected.sum(axis=1, keepdims=True)
    bench.compare(
        [
            Case(
                "triton-softmax",
                f"Softmax of rows, Triton, {count} x {columns} float32",
                FOLDER + "softmax.py",
                lambda: softmax.softmax_kernel[(count,)](
                    t_x, t_out, columns, BLOCK=block, num_warps=16
                ),
                output,
            )
        ],
        Reference("torch.softmax", lambda: torch.softmax(t_x, 1, out=t_out), output),
        expected,
        size=columns,
        dtype="float32",
        unit="GB/s",
        tolerance=1e-6,
        bytes=8 * count * columns,
    )


def product(bench, n):
    bits = [narrow(bench.random((n, n))) for _ in range(2)]
    output = Bfloat16(bench.xp, (n, n))
    a, b, c = map(as_torch, (*bits, output.array))
    options = matmul.SHAPE
    tiles = (triton.cdiv(n, options["BM"]) * triton.cdiv(n, options["BN"]),)
    programs, arguments = matmul.persistent_arguments(a, b, c, options)
    bench.compare(
        [
            Case(
                "triton-matmul",
                f"Matrix product, Triton, descriptors and a persistent grid, bfloat16, {n}",
                FOLDER + "matmul.py",
                lambda: matmul.matmul_persistent_kernel[(programs,)](*arguments, **options),
                output,
            ),
            Case(
                "triton-matmul-pointers",
                f"Matrix product, Triton, pointers, bfloat16, {n}",
                FOLDER + "matmul.py",
                lambda: matmul.matmul_kernel[tiles](a, b, c, n, n, n, **options),
                output,
            ),
        ],
        Reference("cuBLAS bfloat16, torch.matmul", lambda: torch.matmul(a, b, out=c), output),
        widen(bits[0]).astype(cp.float64) @ widen(bits[1]).astype(cp.float64),
        size=n,
        dtype="bfloat16",
        unit="TFLOP/s",
        tolerance=3e-3,
        bytes=3 * 2 * n * n,
        flops=2 * n**3,
    )

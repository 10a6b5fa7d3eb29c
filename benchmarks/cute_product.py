"""A product that CuTe DSL compiled, beside Triton and cuBLAS. To run it takes no CuTe DSL."""

import base64
from functools import partial

import cupy as cp
import numpy as np
import torch
import triton

from benchmarks.harness import ROOT, Case, Reference
from benchmarks.tensor_cores import Bfloat16, as_torch, narrow, widen
from kernels.in_triton import matmul
from kernels.tensor_cores.tma import tensor_map

PATH = "kernels/in_cute/matmul_128x256x64.txt"
BM, BN, BK, STAGES, BAND = 128, 256, 64, 4, 8  # as in kernels/in_cute/matmul.py
SHARED = 1024 + 2 * STAGES * BK * (BM + BN)  # the barriers, up to the tiles' alignment; the tiles


def run(bench):
    n = 1024 if bench.quick else 8192
    bits = [narrow(bench.random((n, n))) for _ in range(2)]  # of b, its transpose
    out = Bfloat16(bench.xp, (n, n))
    a, transposed, c = map(as_torch, (*bits, out.array))
    b = transposed.T.contiguous()  # Triton's kernel takes it so; the same numbers
    shape = matmul.SHAPE
    programs = (triton.cdiv(n, shape["BM"]) * triton.cdiv(n, shape["BN"]),)
    bench.compare(
        [
            Case(
                "cute-matmul",
                f"bfloat16, {n} x {n} x {n}, CuTe DSL, tile {BM} x {BN}",
                PATH,
                launch(*bits, out.array),
                out,
            ),
            Case(
                "cute-matmul-triton",
                f"bfloat16, {n} x {n} x {n}, Triton beside CuTe DSL",
                "kernels/in_triton/matmul.py",
                lambda: matmul.matmul_kernel[programs](a, b, c, n, n, n, **shape),
                out,
            ),
        ],
        Reference(
            "cuBLAS bfloat16, torch.matmul", lambda: torch.matmul(a, transposed.T, out=c), out
        ),
        widen(bits[0]).astype(cp.float64) @ widen(bits[1]).astype(cp.float64).T,
        size=n,
        dtype="bfloat16",
        unit="TFLOP/s",
        tolerance=3e-3,  # the rounding of a result to 8 bits
        bytes=3 * 2 * n * n,
        flops=2 * n**3,
    )


def launch(a, b, c):
    """Return a call that computes c = a @ b.T, as the host code of CuTe DSL launches the kernel.

    Each matrix that the copy engine reads goes as a tensor map and its two sizes; c as its
    address, its sizes and its row stride in elements. The last byte is the first state of the
    tensor cores' ACCUMULATE, which the kernel sets itself.
    """
    module = cp.cuda.function.Module()
    code = base64.decodebytes((ROOT / PATH).read_bytes())
    module.load(code)
    start = code.index(b"kernel_cutlass_matmul_kernel")  # a name that spells the types out
    kernel = module.get_function(code[start : code.index(b"\0", start)].decode())
    limit = cp.cuda.driver.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
    cp.cuda.driver.funcSetAttribute(kernel.ptr, limit, SHARED)
    (m, k), n = a.shape, len(b)
    maps = [tensor_map(x, rows).view("V128") for x, rows in ((a, BM), (b, BN))]
    sizes = [np.array(shape, dtype=np.int32).view("V8") for shape in ((m, k), (n, k))]
    result = np.zeros(1, dtype="u8, 2i4, i8")
    result[0] = c.data.ptr, (m, n), n
    arguments = (maps[0], sizes[0], maps[1], sizes[1], result.view("V24"), np.bool_(False))
    grid = BAND, n // BN, m // (BM * BAND)
    return partial(kernel, grid, (256,), arguments, shared_mem=SHARED)

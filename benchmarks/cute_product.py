"""A product that CuTe DSL compiled, beside cuBLAS. To run it takes no CuTe DSL."""

import base64
import ctypes

import cupy as cp
import numpy as np
import torch
from cuda.bindings import driver

from benchmarks.harness import ROOT, BenchmarkError, Case, Reference
from benchmarks.tensor_cores import Bfloat16, as_torch, narrow, widen
from kernels.tensor_cores.tma import tensor_map

FILE = "kernels/in_cute/matmul_128x256x64.txt"
BM, BN, BAND, THREADS = 128, 256, 8, 256  # of kernels/in_cute/matmul.py
SHARED = 1024 + 4 * 64 * (BM + BN) * 2  # barriers, and four slots of both tiles


def run(bench):
    n = 1024 if bench.quick else 8192
    a, bt = narrow(bench.random((n, n))), narrow(bench.random((n, n)))
    out = Bfloat16(bench.xp, (n, n))
    t_a, t_bt, t_c = map(as_torch, (a, bt, out.array))
    with bench.part(f"CuTe DSL, {n} x {n} x {n}"):
        title = f"bfloat16, {n} x {n} x {n}, b transposed, CuTe DSL"
        bench.compare(
            [Case("cute-matmul", title, FILE, launcher(a, bt, out.array), out)],
            Reference(
                "cuBLAS bfloat16, torch.matmul",
                lambda: torch.matmul(t_a, t_bt.T, out=t_c),
                out,
            ),
            widen(a).astype(cp.float64) @ widen(bt).astype(cp.float64).T,
            size=n,
            dtype="bfloat16",
            unit="TFLOP/s",
            tolerance=3e-3,  # the rounding of a result to 8 bits
            bytes=3 * 2 * n * n,
            flops=2 * n**3,
        )


def launcher(a, bt, c):
    """Return a call of the kernel, with the arguments that CuTe DSL's launch would give it."""
    (m, k), n = a.shape, bt.shape[0]
    code = base64.decodebytes((ROOT / FILE).read_bytes())
    module = checked(driver.cuModuleLoadData(code))
    [kernel] = checked(driver.cuModuleEnumerateFunctions(1, module))
    limit = driver.CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
    checked(driver.cuFuncSetAttribute(kernel, limit, SHARED))
    arguments = [
        tensor_map(a, BM).tobytes(),
        np.int32([m, k]).tobytes(),
        tensor_map(bt, BN).tobytes(),
        np.int32([n, k]).tobytes(),
        np.uint64(c.data.ptr).tobytes() + np.int32([m, n]).tobytes() + np.int64(n).tobytes(),
        b"\0",  # of the product itself, nothing that the kernel reads
    ]
    kept = [ctypes.create_string_buffer(x, len(x) + 64) for x in arguments]
    places = (ctypes.c_void_p * len(kept))(*(ctypes.addressof(x) for x in kept))
    grid = BAND, n // BN, m // (BM * BAND)

    def call(kept=kept):
        address = ctypes.addressof(places)
        checked(driver.cuLaunchKernel(kernel, *grid, THREADS, 1, 1, SHARED, 0, address, 0))

    return call


def checked(result):
    """Return what a call of the driver gave, or raise what it says went wrong."""
    error, *values = result
    if error:
        raise BenchmarkError(f"the driver says {error.name}")
    return values[0] if values else None

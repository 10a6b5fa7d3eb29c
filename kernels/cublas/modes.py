"""cuBLAS called by hand: one product, in the number formats and modes that cuBLAS has for it."""

# --8<-- [start:imports]
import cupy as cp
import numpy as np
from cupy.cuda import cublas, device, runtime

# --8<-- [end:imports]


# --8<-- [start:modes]
# What the matrices hold, and how cuBLAS is told to compute. The sums are float32 but for float64.
MODES = {
    "float64": ("float64", runtime.CUDA_R_64F, cublas.CUBLAS_COMPUTE_64F),
    "float32": ("float32", runtime.CUDA_R_32F, cublas.CUBLAS_COMPUTE_32F),
    "tf32": ("float32", runtime.CUDA_R_32F, cublas.CUBLAS_COMPUTE_32F_FAST_TF32),
    "float16": ("float16", runtime.CUDA_R_16F, cublas.CUBLAS_COMPUTE_32F),
    "bfloat16": ("uint16", runtime.CUDA_R_16BF, cublas.CUBLAS_COMPUTE_32F),
}


def to_bfloat16(a):
    """Return float32 as bfloat16, in uint16, since CuPy has no such type: the upper 16 bits."""
    bits = a.view(cp.uint32)
    half = 0x7FFF + ((bits >> 16) & 1)  # round to the nearest, ties to even
    return ((bits + half) >> 16).astype(cp.uint16)


def from_bfloat16(a):
    return (a.astype(cp.uint32) << 16).view(cp.float32)


# --8<-- [end:modes]


# --8<-- [start:host]
def gemm(a, b, out, mode, algorithm=cublas.CUBLAS_GEMM_DEFAULT):
    """Write a @ b into ``out``. Shapes (m, k), (k, n) and (m, n), rows first, in one mode."""
    _, kind, compute = MODES[mode]
    (m, k), n = a.shape, b.shape[1]
    scalar = np.float64 if mode == "float64" else np.float32
    one, zero = scalar(1).reshape(1), scalar(0).reshape(1)
    # cuBLAS counts columns first. Read so, our row-first arrays are a.T, b.T and out.T, and
    # out.T = b.T @ a.T: the same product, with the operands in the other order.
    cublas.gemmEx(
        device.get_cublas_handle(),
        cublas.CUBLAS_OP_N,
        cublas.CUBLAS_OP_N,
        n,
        m,
        k,
        one.ctypes.data,
        b.data.ptr,
        kind,
        n,
        a.data.ptr,
        kind,
        k,
        zero.ctypes.data,
        out.data.ptr,
        kind,
        n,
        compute,
        algorithm,
    )


# --8<-- [end:host]

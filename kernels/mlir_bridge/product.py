"""The Hopper product on numba-cuda-mlir: the kernel of tensor_cores/wgmma.py, as it is there."""

# --8<-- [start:imports]
import ctypes

import cupy as cp
import numpy as np
from cuda.bindings import driver
from numba_cuda_mlir import cuda
from numba_cuda_mlir.types import int32, uint32, uint64

# --8<-- [end:imports]
from kernels.mlir_bridge.same_text import again

wgmma, formats = again("kernels.tensor_cores.wgmma", "kernels.tensor_cores.formats")
wgmma_kernel, tensor_map = wgmma.wgmma_kernel, wgmma.tensor_map
BM, BK, SHARED = wgmma.BM, wgmma.BK, wgmma.SHARED
to_bfloat16, from_bfloat16 = formats.to_bfloat16, formats.from_bfloat16

# --8<-- [start:product]
wgmma_mlir = cuda.jit(chip="sm_90a", lto=True, launch_bounds=(384, 1))(wgmma_kernel.py_func)


def matmul_mlir(a, b):
    """Return ``a @ b`` for a of shape (M, K) and b of shape (K, N), rounded to bfloat16.

    The operands are rounded to bfloat16 too; the sums are float32. Needs a Hopper GPU.

    --8<-- [start:example]
    >>> a, b = np.arange(15).reshape(3, 5), np.arange(20).reshape(5, 4)
    >>> matmul_mlir(a, b)  # 120 130 140 150, 320 355 390 425, 520 580 640 700
    array([[120., 130., 140., 150.],
           [320., 356., 390., 424.],
           [520., 580., 640., 700.]], dtype=float32)
    >>> random = np.random.default_rng(seed=1)
    >>> a, b = random.normal(size=(1000, 500)), random.normal(size=(500, 700))
    >>> exact = cp.asnumpy(cp.asarray(a) @ cp.asarray(b))  # cuBLAS, in float64
    >>> bool(np.linalg.norm(matmul_mlir(a, b) - exact) < 0.005 * np.linalg.norm(exact))
    True

    --8<-- [end:example]
    """
    rows, columns = len(a), np.shape(b)[1]
    pads = ([(0, -length % 8) for length in np.shape(x)] for x in (a, b))
    a, b = (np.pad(np.asarray(x, np.float32), pad) for x, pad in zip((a, b), pads, strict=True))
    d_a, d_b = cuda.to_device(to_bfloat16(a)), cuda.to_device(to_bfloat16(b))
    (m, k), n = d_a.shape, d_b.shape[1]
    d_c = cuda.to_device(np.zeros((m, n), np.uint16))
    maps = [tensor_map(d_a, BM), tensor_map(d_b, BK), tensor_map(d_c, 64)]
    d_maps = cuda.to_device(np.concatenate(maps))
    blocks = cuda.get_current_device().MULTIPROCESSOR_COUNT
    wgmma_mlir[blocks, 384, 0, SHARED](d_maps, int32(m), int32(n), int32(k))
    return from_bfloat16(d_c.copy_to_host()[:rows, :columns])


# --8<-- [end:product]

# What the sections of the page use that come from other files.
__all__ = ["cp", "ctypes", "driver", "matmul_mlir", "uint32", "uint64"]

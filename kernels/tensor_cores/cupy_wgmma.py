"""The CUDA C++ kernel of page "Tensor cores on Hopper", by way of CuPy."""

import numpy as np

from kernels.tensor_cores.formats import from_bfloat16, to_tf32
from kernels.tensor_cores.tma import tensor_map
from kernels.tensor_cores.wgmma import padded

# --8<-- [start:compile]
import cupy as cp  # isort: skip
from cuda.core import Program, ProgramOptions  # isort: skip

options = ProgramOptions(arch="sm_90a", std="c++17")
cubin = Program(open("wgmma.cu").read(), "c++", options).compile("cubin")
with open("wgmma.cubin", "wb") as file:
    file.write(cubin.code)
wgmma = cp.RawModule(path="wgmma.cubin").get_function("wgmma")
wgmma.max_dynamic_shared_size_bytes = CUDA_SHARED = 4 * 48 * 1024 + 4 * 8 * 1024 + 64
# --8<-- [end:compile]


# --8<-- [start:host]
def matmul_cuda(a, b):
    """Return ``a @ b`` for a of shape (M, K) and b of shape (K, N), rounded to bfloat16.

    --8<-- [start:example]
    >>> a, b = np.arange(15).reshape(3, 5), np.arange(20).reshape(5, 4)
    >>> matmul_cuda(a, b)
    array([[120., 130., 140., 150.],
           [320., 356., 390., 424.],
           [520., 580., 640., 700.]], dtype=float32)

    --8<-- [end:example]
    """
    rows, columns = len(a), np.shape(b)[1]
    d_a, d_b = cp.asarray(padded(a)), cp.asarray(padded(b))
    (m, k), n = d_a.shape, d_b.shape[1]
    d_c = cp.empty((m, n), np.uint16)
    maps = [tensor_map(x, box).view("V128") for x, box in ((d_a, 128), (d_b, 64), (d_c, 64))]
    sizes = (np.int32(m), np.int32(n), np.int32(k))
    blocks = cp.cuda.Device().attributes["MultiProcessorCount"]
    wgmma((blocks,), (384,), (*maps, *sizes), shared_mem=CUDA_SHARED)
    return from_bfloat16(d_c.get()[:rows, :columns])


# --8<-- [end:host]


# --8<-- [start:tf32]
cubin = Program(open("wgmma_tf32.cu").read(), "c++", options).compile("cubin")
with open("wgmma_tf32.cubin", "wb") as file:
    file.write(cubin.code)
wgmma_tf32 = cp.RawModule(path="wgmma_tf32.cubin").get_function("wgmma_tf32")
wgmma_tf32.max_dynamic_shared_size_bytes = TF32_SHARED = 4 * 48 * 1024 + 64


def matmul_tf32_cuda(a, b):
    """Return ``a @ b`` as float32 for a of shape (M, K) and b of shape (K, N), by way of TF32.

    The operands are rounded to TF32 first: the tensor cores would cut their last 13 bits off.

    --8<-- [start:tf32_example]
    >>> matmul_tf32_cuda(a, b)
    array([[120., 130., 140., 150.],
           [320., 355., 390., 425.],
           [520., 580., 640., 700.]], dtype=float32)

    --8<-- [end:tf32_example]
    """
    rows, columns = len(a), np.shape(b)[1]
    wider = [np.pad(x, [(0, -length % 4) for length in x.shape]) for x in (a, np.transpose(b))]
    d_a, d_bt = (cp.asarray(np.ascontiguousarray(to_tf32(x))) for x in wider)
    (m, k), n = d_a.shape, len(d_bt)
    d_c = cp.empty((m, n), np.float32)
    # An element of 32 bits goes by as two of 16: the engine copies bytes.
    maps = [tensor_map(x.view(np.uint16), box).view("V128") for x, box in ((d_a, 128), (d_bt, 256))]
    sizes = (np.int32(m), np.int32(n), np.int32(k))
    blocks = cp.cuda.Device().attributes["MultiProcessorCount"]
    wgmma_tf32((blocks,), (384,), (*maps, d_c, *sizes), shared_mem=TF32_SHARED)
    return d_c.get()[:rows, :columns]


# --8<-- [end:tf32]

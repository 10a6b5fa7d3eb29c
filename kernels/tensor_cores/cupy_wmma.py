"""The products in CUDA C++ on page "Tensor cores", by way of CuPy."""

import numpy as np

from kernels.tensor_cores.formats import from_bfloat16, to_bfloat16

# --8<-- [start:imports]
import os  # isort: skip

import cupy as cp  # isort: skip

# --8<-- [end:imports]

# --8<-- [start:wmma]
toolkit = os.environ.get("CUDA_HOME", "/usr/local/cuda")  # mma.h needs headers from there
options = ("-std=c++17", f"-I{toolkit}/include")
wmma = cp.RawModule(code=open("wmma.cu").read(), options=options).get_function("wmma")
# --8<-- [end:wmma]


# --8<-- [start:wmma_host]
def matmul_wmma(a, b):
    """Return ``a @ b`` as float32, with a of shape (M, K) and b of shape (K, N) in bfloat16.

    --8<-- [start:wmma_example]
    >>> a, b = np.arange(15).reshape(3, 5), np.arange(20).reshape(5, 4)
    >>> matmul_wmma(a, b)
    array([[120., 130., 140., 150.],
           [320., 355., 390., 425.],
           [520., 580., 640., 700.]], dtype=float32)

    --8<-- [end:wmma_example]
    """
    d_a, d_b = cp.asarray(to_bfloat16(a)), cp.asarray(to_bfloat16(b))
    (m, k), n = d_a.shape, d_b.shape[1]
    c = cp.empty((m, n), np.float32)
    sizes = (np.int32(m), np.int32(n), np.int32(k))
    wmma((-(-n // 128), -(-m // 128)), (256,), (d_a, d_b, c, *sizes))
    return c.get()


# --8<-- [end:wmma_host]

from kernels.tensor_cores.mma_sync import padded  # noqa: E402

# --8<-- [start:mma_sync]
mma_sync = cp.RawModule(code=open("mma_sync.cu").read()).get_function("mma_sync")
mma_sync.max_dynamic_shared_size_bytes = CUDA_SHARED = 3 * 48 * 1024  # three stages


def matmul_cuda(a, b):
    """Return ``a @ b`` for a of shape (M, K) and b of shape (K, N), rounded to bfloat16."""
    rows, columns = len(a), np.shape(b)[1]
    d_a, d_b = cp.asarray(padded(a)), cp.asarray(padded(b))
    (m, k), n = d_a.shape, d_b.shape[1]
    c = cp.empty((m, n), np.uint16)
    sizes = (np.int32(m), np.int32(n), np.int32(k))
    blocks = -(-m // 128) * -(-n // 256)
    mma_sync((blocks,), (256,), (d_a, d_b, c, *sizes), shared_mem=CUDA_SHARED)
    return from_bfloat16(c.get()[:rows, :columns])


# --8<-- [end:mma_sync]

# --8<-- [start:ring]
module = cp.RawModule(code=open("wmma_ring.cu").read(), options=options)
wmma_ring = module.get_function("wmma_ring")
wmma_ring.max_dynamic_shared_size_bytes = RING_SHARED = 4 * 2 * (128 * 40 + 32 * 264)  # four stages


def matmul_wmma_ring(a, b):
    """Return ``a @ b`` as float32, for a of shape (M, K) and b of shape (K, N) in bfloat16."""
    rows, columns = len(a), np.shape(b)[1]
    d_a, d_b = cp.asarray(padded(a)), cp.asarray(padded(b))
    (m, k), n = d_a.shape, d_b.shape[1]
    c = cp.empty((m, n), np.float32)
    sizes = (np.int32(m), np.int32(n), np.int32(k))
    blocks = -(-n // 256), -(-m // 128)
    wmma_ring(blocks, (256,), (d_a, d_b, c, *sizes), shared_mem=RING_SHARED)
    return c.get()[:rows, :columns]


# --8<-- [end:ring]


def _same():
    """
    --8<-- [start:same]
    >>> random = np.random.default_rng(seed=1)
    >>> a, b = random.standard_normal((300, 200)), random.standard_normal((200, 100))
    >>> bool((matmul_cuda(a, b) == matmul_mma_sync(a, b)).all())
    True

    --8<-- [end:same]

    --8<-- [start:ring_example]
    >>> bool(np.allclose(matmul_wmma_ring(a, b), matmul_wmma(a, b), atol=1e-4))
    True

    --8<-- [end:ring_example]
    """

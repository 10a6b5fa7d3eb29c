"""Many small matrix products at once, several to a block: where a library's tiles are too large."""

# --8<-- [start:imports]
from functools import cache

import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:kernel]
@cache
def make_small_products(n):
    """Return (kernel, threads, products in a block) for out[p] = a[p] @ b[p], n x n, n <= 32."""
    each = min(64, max(1, 256 // (n * n)))  # a block has at most 64 threads in z

    @cuda.jit
    def small_products_kernel(a, b, out):
        left = cuda.shared.array((each, n, n), np.float32)
        right = cuda.shared.array((each, n, n), np.float32)
        column, row, mine = cuda.threadIdx.x, cuda.threadIdx.y, cuda.threadIdx.z
        product = cuda.blockIdx.x * each + mine
        if product < a.shape[0]:
            left[mine, row, column] = a[product, row, column]
            right[mine, row, column] = b[product, row, column]
        cuda.syncthreads()
        if product < a.shape[0]:
            total = np.float32(0)
            for k in range(n):  # n is known when this is compiled
                total += left[mine, row, k] * right[mine, k, column]
            out[product, row, column] = total

    return small_products_kernel, (n, n, each), each


# --8<-- [end:kernel]


# --8<-- [start:host]
def small_products(a, b):
    """Return a[p] @ b[p] for all p, float32 of shape (count, n, n), n at most 32."""
    kernel, threads, each = make_small_products(a.shape[1])
    d_out = cuda.device_array(a.shape, np.float32)
    blocks = -(-a.shape[0] // each)
    kernel[blocks, threads](cuda.to_device(a), cuda.to_device(b), d_out)
    return d_out.copy_to_host()


# --8<-- [end:host]


def three():
    """Compare with NumPy.

    --8<-- [start:example]
    >>> a = np.arange(5 * 9, dtype=np.float32).reshape(5, 3, 3)
    >>> b = np.ones((5, 3, 3), np.float32)
    >>> np.array_equal(small_products(a, b), a @ b)
    True

    --8<-- [end:example]
    """

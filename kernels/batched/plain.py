"""Thousands of small matrix products: one thread for each product."""

# --8<-- [start:imports]
import numpy as np
from numba import cuda, float32

# --8<-- [end:imports]


# --8<-- [start:kernel]
@cuda.jit
def products_thread_kernel(a, b, out):
    """out[p] = a[p] @ b[p], a thread for each p."""
    p = cuda.grid(1)
    n = a.shape[1]
    if p < a.shape[0]:
        for i in range(n):
            for j in range(n):
                total = float32(0)
                for k in range(n):
                    total += a[p, i, k] * b[p, k, j]
                out[p, i, j] = total


# --8<-- [end:kernel]


# --8<-- [start:host]
def products_thread(a, b, threads=128):
    """Return a[p] @ b[p] for all p, float32 of shape (count, n, n).

    --8<-- [start:example]
    >>> a = np.arange(5 * 9, dtype=np.float32).reshape(5, 3, 3)
    >>> b = np.stack([np.diag([1, 10, 100])] * 5).astype(np.float32)  # scales the columns
    >>> products_thread(a, b)[4]
    array([[  36.,  370., 3800.],
           [  39.,  400., 4100.],
           [  42.,  430., 4400.]], dtype=float32)

    --8<-- [end:example]
    """
    out = cuda.device_array(a.shape, np.float32)
    blocks = -(-len(a) // threads)
    products_thread_kernel[blocks, threads](cuda.to_device(a), cuda.to_device(b), out)
    return out.copy_to_host()


# --8<-- [end:host]

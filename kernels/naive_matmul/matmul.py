"""Matrix product, one thread per result: the baseline, and the same with its indices swapped."""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:kernel]
@cuda.jit
def matmul_kernel(a, b, c):
    column, row = cuda.grid(2)  # x runs along a row, as the elements in memory do
    if row < c.shape[0] and column < c.shape[1]:
        total = np.float32(0)
        for k in range(a.shape[1]):
            total += a[row, k] * b[k, column]
        c[row, column] = total


# --8<-- [end:kernel]


# --8<-- [start:swapped]
@cuda.jit
def matmul_swapped_kernel(a, b, c):
    row, column = cuda.grid(2)  # x runs down a column: the one difference
    if row < c.shape[0] and column < c.shape[1]:
        total = np.float32(0)
        for k in range(a.shape[1]):
            total += a[row, k] * b[k, column]
        c[row, column] = total


# --8<-- [end:swapped]


# --8<-- [start:host]
def matmul(a, b, threads=(32, 8)):
    """Return ``a @ b`` as float32 for ``a`` of shape (M, K) and ``b`` of shape (K, N).

    --8<-- [start:example]
    >>> a = np.arange(15).reshape(3, 5)
    >>> b = np.arange(20).reshape(5, 4)
    >>> matmul(a, b, threads=(4, 2))  # 4 x 4 threads for 3 x 4 results
    array([[120., 130., 140., 150.],
           [320., 355., 390., 425.],
           [520., 580., 640., 700.]], dtype=float32)

    --8<-- [end:example]
    """
    d_a = cuda.to_device(np.asarray(a, dtype=np.float32))
    d_b = cuda.to_device(np.asarray(b, dtype=np.float32))
    rows, columns = d_a.shape[0], d_b.shape[1]
    d_c = cuda.device_array((rows, columns), np.float32)
    blocks = (-(-columns // threads[0]), -(-rows // threads[1]))  # x covers the columns
    matmul_kernel[blocks, threads](d_a, d_b, d_c)
    return d_c.copy_to_host()


# --8<-- [end:host]

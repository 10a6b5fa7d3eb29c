"""Matrix product through tiles in shared memory, the Numba side of the pair."""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:kernel]
TILE = 16


@cuda.jit
def matmul_kernel(a, b, c):
    tile_a = cuda.shared.array((TILE, TILE), dtype=np.float32)
    tile_b = cuda.shared.array((TILE, TILE), dtype=np.float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    column, row = cuda.grid(2)
    m, k = a.shape
    n = b.shape[1]
    total = np.float32(0)
    for start in range(0, k, TILE):
        tile_a[y, x] = np.float32(0)
        tile_b[y, x] = np.float32(0)
        if row < m and start + x < k:
            tile_a[y, x] = a[row, start + x]
        if start + y < k and column < n:
            tile_b[y, x] = b[start + y, column]
        cuda.syncthreads()
        for i in range(TILE):
            total += tile_a[y, i] * tile_b[i, x]
        cuda.syncthreads()
    if row < m and column < n:
        c[row, column] = total


# --8<-- [end:kernel]


# --8<-- [start:host]
def matmul(a, b):
    """Return a @ b for float32 matrices of shapes (m, k) and (k, n).

    --8<-- [start:example]
    >>> a = np.arange(6, dtype=np.float32).reshape(2, 3)
    >>> b = np.arange(12, dtype=np.float32).reshape(3, 4)
    >>> matmul(a, b)
    array([[20., 23., 26., 29.],
           [56., 68., 80., 92.]], dtype=float32)

    --8<-- [end:example]
    """
    m, n = a.shape[0], b.shape[1]
    c = cuda.device_array((m, n), dtype=np.float32)
    blocks = (-(-n // TILE), -(-m // TILE))
    matmul_kernel[blocks, (TILE, TILE)](cuda.to_device(a), cuda.to_device(b), c)
    return c.copy_to_host()


# --8<-- [end:host]

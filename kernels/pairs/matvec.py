"""Matrix times vector, one warp a row, the Numba side of the pair."""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:kernel]
@cuda.jit
def matvec_kernel(a, x, y):
    rows, columns = a.shape
    lane = cuda.threadIdx.x % 32
    row = cuda.blockIdx.x * (cuda.blockDim.x // 32) + cuda.threadIdx.x // 32
    if row >= rows:
        return  # the whole warp goes, and no barrier follows
    total = np.float32(0)
    for c in range(lane, columns, 32):
        total += a[row, c] * x[c]
    for step in (16, 8, 4, 2, 1):
        total += cuda.shfl_down_sync(0xFFFFFFFF, total, step)
    if lane == 0:
        y[row] = total


# --8<-- [end:kernel]


# --8<-- [start:host]
def matvec(a, x, threads=128):
    """Return a @ x for a float32 matrix and vector.

    threads: a multiple of 32. Each warp makes one element.

    --8<-- [start:example]
    >>> a = np.arange(15, dtype=np.float32).reshape(3, 5)
    >>> x = np.array([1, 0, 2, 0, 3], dtype=np.float32)
    >>> matvec(a, x, threads=64)
    array([16., 46., 76.], dtype=float32)

    --8<-- [end:example]
    """
    rows = a.shape[0]
    y = cuda.device_array(rows, dtype=np.float32)
    blocks = -(-rows // (threads // 32))
    matvec_kernel[blocks, threads](cuda.to_device(a), cuda.to_device(x), y)
    return y.copy_to_host()


# --8<-- [end:host]

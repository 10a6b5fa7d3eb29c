"""Matrix times vector: a thread for a row, then a warp for a row."""

# --8<-- [start:imports]
import numpy as np
from numba import cuda, float32

# --8<-- [end:imports]


# --8<-- [start:thread]
@cuda.jit
def thread_row_kernel(a, x, y):
    """y = a @ x, a thread for each row."""
    row = cuda.grid(1)
    if row < a.shape[0]:
        total = float32(0)
        for column in range(a.shape[1]):
            total += a[row, column] * x[column]
        y[row] = total


# --8<-- [end:thread]


# --8<-- [start:warp]
@cuda.jit
def warp_row_kernel(a, x, y):
    """y = a @ x, a warp for each row: neighboring lanes read neighboring columns."""
    row, lane = cuda.grid(1) // 32, cuda.threadIdx.x % 32
    if row < a.shape[0]:  # the same for all lanes of a warp
        total = float32(0)
        for column in range(lane, a.shape[1], 32):
            total += a[row, column] * x[column]
        for hop in (16, 8, 4, 2, 1):
            total += cuda.shfl_down_sync(0xFFFFFFFF, total, hop)
        if lane == 0:
            y[row] = total


# --8<-- [end:warp]


# --8<-- [start:host]
def matvec_rows(kernel, a, x, lanes, threads=256):
    """Return a @ x in float32 by one of the two kernels, with so many lanes for a row.

    --8<-- [start:example]
    >>> a = np.arange(12, dtype=np.float32).reshape(3, 4)
    >>> x = np.array([1, 0, 0, 2], dtype=np.float32)
    >>> matvec_rows(thread_row_kernel, a, x, lanes=1, threads=32)
    array([ 6., 18., 30.], dtype=float32)

    --8<-- [end:example]

    --8<-- [start:warp_example]
    >>> matvec_rows(warp_row_kernel, a, x, lanes=32, threads=64)
    array([ 6., 18., 30.], dtype=float32)

    --8<-- [end:warp_example]
    """
    y = cuda.device_array(len(a), np.float32)
    blocks = -(-len(a) * lanes // threads)
    kernel[blocks, threads](cuda.to_device(a), cuda.to_device(x), y)
    return y.copy_to_host()


# --8<-- [end:host]

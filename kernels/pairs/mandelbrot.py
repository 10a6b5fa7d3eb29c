"""The Mandelbrot set, the Numba side of the pair."""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:kernel]
@cuda.jit
def mandelbrot_kernel(counts, left, top, step, most):
    column, row = cuda.grid(2)
    height, width = counts.shape
    if row >= height or column >= width:
        return
    cx = cuda.fma(np.float32(column), step, left)
    cy = cuda.fma(np.float32(row), -step, top)
    x, y = np.float32(0), np.float32(0)
    count = 0
    while count < most and cuda.fma(x, x, y * y) <= np.float32(4):
        following = cuda.fma(x, x, -(y * y)) + cx
        y = cuda.fma(x + x, y, cy)
        x = following
        count += 1
    counts[row, column] = count


# --8<-- [end:kernel]


# --8<-- [start:host]
def mandelbrot(width, height, left, top, step, most=30, threads=(16, 16)):
    """Return after how many steps each point leaves the circle of radius 2, at most ``most``.

    Point (row, column) is (left + column * step) + (top - row * step) * i, in float32.

    --8<-- [start:example]
    >>> counts = mandelbrot(11, 5, left=-2, top=1, step=0.25, most=9, threads=(4, 2))
    >>> counts
    array([[1, 1, 2, 3, 3, 3, 4, 6, 9, 4, 2],
           [1, 2, 3, 3, 3, 4, 6, 9, 9, 5, 3],
           [1, 3, 3, 4, 5, 6, 9, 9, 9, 9, 5],
           [1, 4, 5, 9, 9, 9, 9, 9, 9, 9, 5],
           [9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 5]], dtype=uint32)

    --8<-- [end:example]
    """
    counts = cuda.device_array((height, width), dtype=np.uint32)
    blocks = (-(-width // threads[0]), -(-height // threads[1]))
    corner = np.float32(left), np.float32(top), np.float32(step)
    mandelbrot_kernel[blocks, threads](counts, *corner, np.uint32(most))
    return counts.copy_to_host()


# --8<-- [end:host]

"""Stencils in one, two and three dimensions, a thread for a cell, and one with a tile and a halo.

Each replaces a cell by center * cell + side * (sum of its nearest neighbors). The cells of the
border keep their values.
"""

# --8<-- [start:imports]
import numpy as np
from numba import cuda, float32, int32, uint32

# --8<-- [end:imports]


# --8<-- [start:line]
@cuda.jit
def line_kernel(a, center, side, out):
    i = cuda.grid(1)
    last = a.size - 1
    if 0 < i < last:
        out[i] = center * a[i] + side * (a[i - 1] + a[i + 1])
    elif i <= last:
        out[i] = a[i]


# --8<-- [end:line]


# --8<-- [start:line_halo]
CELLS = 256  # of a block
LINE = CELLS + 2  # with a halo of one at each end


@cuda.jit
def line_halo_kernel(a, center, side, out):
    tile = cuda.shared.array(LINE, float32)
    t, i = cuda.threadIdx.x, cuda.grid(1)
    last = a.size - 1
    if i <= last:
        tile[t + 1] = a[i]
    if t == 0 and i > 0:
        tile[0] = a[i - 1]
    if t == CELLS - 1 and i < last:
        tile[CELLS + 1] = a[i + 1]
    cuda.syncthreads()
    if 0 < i < last:
        out[i] = center * tile[t + 1] + side * (tile[t] + tile[t + 2])
    elif i <= last:
        out[i] = tile[t + 1]


# --8<-- [end:line_halo]


# --8<-- [start:plane]
@cuda.jit
def plane_kernel(a, center, side, out):
    x, y = cuda.grid(2)
    x, y = uint32(x), uint32(y)
    rows, columns = uint32(a.shape[0]), uint32(a.shape[1])
    if x < columns and y < rows:
        mid = a[y, x]
        if 0 < x < columns - 1 and 0 < y < rows - 1:
            around = a[uint32(y - 1), x] + a[uint32(y + 1), x]
            around += a[y, uint32(x - 1)] + a[y, uint32(x + 1)]
            mid = center * mid + side * around
        out[y, x] = mid


# --8<-- [end:plane]


# --8<-- [start:plane_halo]
WIDE, HIGH = 32, 8  # cells of a block
TILE_WIDE, TILE_HIGH = WIDE + 2, HIGH + 2  # with a halo of one on each side


@cuda.jit
def plane_halo_kernel(a, center, side, out):
    tile = cuda.shared.array((TILE_HIGH, TILE_WIDE), float32)
    rows, columns = int32(a.shape[0]), int32(a.shape[1])
    left, top = int32(cuda.blockIdx.x * WIDE - 1), int32(cuda.blockIdx.y * HIGH - 1)  # of the halo
    thread = uint32(cuda.threadIdx.y * WIDE + cuda.threadIdx.x)
    for k in range(thread, TILE_HIGH * TILE_WIDE, HIGH * WIDE):
        ty, tx = uint32(uint32(k) // uint32(TILE_WIDE)), uint32(uint32(k) % uint32(TILE_WIDE))
        y, x = int32(top + ty), int32(left + tx)
        if 0 <= y < rows and 0 <= x < columns:
            tile[ty, tx] = a[uint32(y), uint32(x)]
    cuda.syncthreads()
    tx, ty = uint32(cuda.threadIdx.x + 1), uint32(cuda.threadIdx.y + 1)
    x, y = int32(left + tx), int32(top + ty)
    if x < columns and y < rows:
        mid = tile[ty, tx]
        if 0 < x < columns - 1 and 0 < y < rows - 1:
            around = tile[uint32(ty - 1), tx] + tile[uint32(ty + 1), tx]
            around += tile[ty, uint32(tx - 1)] + tile[ty, uint32(tx + 1)]
            mid = center * mid + side * around
        out[uint32(y), uint32(x)] = mid


# --8<-- [end:plane_halo]


# --8<-- [start:space]
@cuda.jit
def space_kernel(a, center, side, out):
    x, y, z = cuda.grid(3)
    x, y, z = uint32(x), uint32(y), uint32(z)
    planes, rows, columns = uint32(a.shape[0]), uint32(a.shape[1]), uint32(a.shape[2])
    if x < columns and y < rows and z < planes:
        mid = a[z, y, x]
        if 0 < x < columns - 1 and 0 < y < rows - 1 and 0 < z < planes - 1:
            around = a[uint32(z - 1), y, x] + a[uint32(z + 1), y, x]
            around += a[z, uint32(y - 1), x] + a[z, uint32(y + 1), x]
            around += a[z, y, uint32(x - 1)] + a[z, y, uint32(x + 1)]
            mid = center * mid + side * around
        out[z, y, x] = mid


# --8<-- [end:space]


# --8<-- [start:host]
def step(kernel, a, center, side, threads):
    """Return one step of a stencil over a float32 array of one, two or three dimensions.

    ``threads`` are those of a block: along x, then y, then z.

    --8<-- [start:example]
    >>> a = np.zeros((4, 6), np.float32)
    >>> a[1, 1] = a[2, 4] = 8
    >>> later = step(plane_kernel, a, 0.5, 0.125, threads=(4, 2))
    >>> later
    array([[0., 0., 0., 0., 0., 0.],
           [0., 4., 1., 0., 1., 0.],
           [0., 1., 0., 1., 4., 0.],
           [0., 0., 0., 0., 0., 0.]], dtype=float32)
    >>> np.array_equal(step(plane_halo_kernel, a, 0.5, 0.125, threads=(32, 8)), later)
    True
    >>> step(line_kernel, np.array([0, 0, 8, 0, 0]), 0.5, 0.25, threads=(2,))
    array([0., 2., 4., 2., 0.], dtype=float32)
    >>> step(line_halo_kernel, np.array([0, 0, 8, 0, 0]), 0.5, 0.25, threads=(256,))
    array([0., 2., 4., 2., 0.], dtype=float32)
    >>> cube = np.zeros((3, 3, 3), np.float32)
    >>> cube[0, 1, 1] = cube[1, 1, 1] = 6
    >>> step(space_kernel, cube, 0.5, 0.5, threads=(2, 2, 2))[1, 1]
    array([0., 6., 0.], dtype=float32)

    --8<-- [end:example]
    """
    d_a = cuda.to_device(np.asarray(a, dtype=np.float32))
    out = cuda.device_array_like(d_a)
    shape = d_a.shape[::-1]
    blocks = tuple(-(-n // t) for n, t in zip(shape, threads, strict=True))
    kernel[blocks, threads](d_a, np.float32(center), np.float32(side), out)
    return out.copy_to_host()


# --8<-- [end:host]

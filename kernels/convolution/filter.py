"""A filter on an image: weights in global memory, weights as constants, a tile in shared memory."""

# --8<-- [start:imports]
import numpy as np
from numba import cuda, float32, int32

# --8<-- [end:imports]


# --8<-- [start:plain]
@cuda.jit
def filter_plain_kernel(x, w, out):
    """A thread for each pixel of ``out``; ``w`` is R x S, both odd, with zeros outside of x."""
    j, i = cuda.grid(2)
    height, width = x.shape
    if i < height and j < width:
        total = float32(0)
        for r in range(w.shape[0]):
            for s in range(w.shape[1]):
                row, column = i + r - w.shape[0] // 2, j + s - w.shape[1] // 2
                if 0 <= row < height and 0 <= column < width:
                    total += x[row, column] * w[r, s]
        out[i, j] = total


# --8<-- [end:plain]


# --8<-- [start:constant]
def make_filter_constant(w):
    """Return a kernel (x, out) for one filter, whose weights are compiled in."""
    R, S = w.shape

    @cuda.jit
    def filter_constant_kernel(x, out):
        taps = cuda.const.array_like(w)
        j, i = cuda.grid(2)
        i, j = int32(i), int32(j)
        height, width = int32(x.shape[0]), int32(x.shape[1])
        if i < height and j < width:
            total = float32(0)
            for r in range(R):
                for s in range(S):
                    row, column = int32(i + r - R // 2), int32(j + s - S // 2)
                    if 0 <= row < height and 0 <= column < width:
                        total += x[row, column] * taps[r, s]
            out[i, j] = total

    return filter_constant_kernel


# --8<-- [end:constant]


# --8<-- [start:tile]
WIDE, HIGH = 32, 8  # threads and output pixels of a block


def make_filter_tile(w):
    """Return a kernel (x, out) that fetches each pixel of a block and its halo once."""
    R, S = w.shape
    tile_high, tile_wide = HIGH + R - 1, WIDE + S - 1

    @cuda.jit
    def filter_tile_kernel(x, out):
        taps = cuda.const.array_like(w)
        tile = cuda.shared.array((tile_high, tile_wide), float32)
        tx, ty = int32(cuda.threadIdx.x), int32(cuda.threadIdx.y)
        left, top = int32(cuda.blockIdx.x * WIDE), int32(cuda.blockIdx.y * HIGH)
        height, width = int32(x.shape[0]), int32(x.shape[1])
        for r in range(ty, tile_high, HIGH):
            for s in range(tx, tile_wide, WIDE):
                row, column = int32(top + r - R // 2), int32(left + s - S // 2)
                value = float32(0)
                if 0 <= row < height and 0 <= column < width:
                    value = x[row, column]
                tile[r, s] = value
        cuda.syncthreads()  # everybody fetches and waits; only then some have nothing to write
        i, j = int32(top + ty), int32(left + tx)
        if i < height and j < width:
            total = float32(0)
            for r in range(R):
                for s in range(S):
                    total += tile[ty + r, tx + s] * taps[r, s]
            out[i, j] = total

    return filter_tile_kernel


# --8<-- [end:tile]


# --8<-- [start:host]
def filter_image(kernel, x, *weights):
    """Return an image filtered by one of the three kernels; ``weights`` is w for the first.

    --8<-- [start:example]
    >>> photo = np.zeros((5, 6), dtype=np.float32)
    >>> photo[2, 2] = 16  # one bright pixel
    >>> blur = np.outer([1, 2, 1], [1, 2, 1]).astype(np.float32) / 16
    >>> blurred = filter_image(filter_plain_kernel, photo, blur)
    >>> blurred
    array([[0., 0., 0., 0., 0., 0.],
           [0., 1., 2., 1., 0., 0.],
           [0., 2., 4., 2., 0., 0.],
           [0., 1., 2., 1., 0., 0.],
           [0., 0., 0., 0., 0., 0.]], dtype=float32)

    --8<-- [end:example]

    --8<-- [start:constant_example]
    >>> bool((filter_image(make_filter_constant(blur), photo) == blurred).all())
    True

    --8<-- [end:constant_example]

    --8<-- [start:tile_example]
    >>> bool((filter_image(make_filter_tile(blur), photo) == blurred).all())
    True

    --8<-- [end:tile_example]
    """
    out = cuda.device_array(x.shape, np.float32)
    blocks = -(-x.shape[1] // 32), -(-x.shape[0] // 8)
    kernel[blocks, (32, 8)](cuda.to_device(x), *map(cuda.to_device, weights), out)
    return out.copy_to_host()


# --8<-- [end:host]

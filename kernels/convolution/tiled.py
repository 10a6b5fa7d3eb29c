"""Convolution with a tile of the image in shared memory, and sums for 4 x 8 outputs a thread."""

# --8<-- [start:imports]
import functools

import numpy as np
from numba import cuda, float32, int32

# --8<-- [end:imports]
from kernels.convolution.direct import output_shape

# --8<-- [start:kernel]
WIDE, HIGH = 32, 32  # output pixels of a block
ROWS = 8  # of threads: each thread makes the pixels of four rows
PIXELS = HIGH // ROWS
FILTERS = 8  # output channels of a block


@functools.cache
def make_conv_tiled(R, S):
    """Return a kernel for filters of R x S."""
    tile_high, tile_wide = HIGH + R - 1, WIDE + S - 1  # with the halo that the filter reaches
    size = R * S

    @cuda.jit
    def conv_tiled_kernel(x, w, padding, out):
        tile = cuda.shared.array((tile_high, tile_wide), float32)
        taps = cuda.shared.array((size, FILTERS), float32)
        acc = cuda.local.array((PIXELS, FILTERS), float32)
        tx, ty = int32(cuda.threadIdx.x), int32(cuda.threadIdx.y)
        outputs, channels = int32(out.shape[1]), int32(x.shape[1])
        height, width = int32(x.shape[2]), int32(x.shape[3])
        groups = (outputs + FILTERS - 1) // FILTERS
        n, first = int32(cuda.blockIdx.z) // groups, int32(cuda.blockIdx.z) % groups * FILTERS
        top = int32(cuda.blockIdx.y) * HIGH
        left = int32(cuda.blockIdx.x) * WIDE

        for i in range(PIXELS):
            for k in range(FILTERS):
                acc[i, k] = float32(0)
        for c in range(channels):
            cuda.syncthreads()  # nobody reads the tile before any more
            for i in range(ty, tile_high, ROWS):
                for j in range(tx, tile_wide, WIDE):
                    row, column = top + i - padding, left + j - padding
                    value = float32(0)
                    if 0 <= row < height and 0 <= column < width:
                        value = x[n, c, row, column]
                    tile[i, j] = value
            place = ty * WIDE + tx
            while place < size * FILTERS:
                tap, k = place // FILTERS, place % FILTERS
                weight = float32(0)
                if first + k < outputs:
                    weight = w[first + k, c, tap // S, tap % S]
                taps[tap, k] = weight
                place += WIDE * ROWS
            cuda.syncthreads()
            for r in range(R):
                for s in range(S):
                    for i in range(PIXELS):
                        value = tile[ty + i * ROWS + r, tx + s]
                        for k in range(FILTERS):
                            acc[i, k] += value * taps[r * S + s, k]

        column = left + tx
        for i in range(PIXELS):
            row = top + ty + i * ROWS
            if row < out.shape[2] and column < out.shape[3]:
                for k in range(FILTERS):
                    if first + k < outputs:
                        out[n, first + k, row, column] = acc[i, k]

    return conv_tiled_kernel


# --8<-- [end:kernel]


# --8<-- [start:host]
def conv_tiled_launch(x, w, padding, out):
    """Launch on device arrays: x (N, C, H, W), w (K, C, R, S), out (N, K, P, Q)."""
    n, outputs, height, width = out.shape
    kernel = make_conv_tiled(w.shape[2], w.shape[3])
    blocks = -(-width // WIDE), -(-height // HIGH), n * -(-outputs // FILTERS)
    kernel[blocks, (WIDE, ROWS)](x, w, padding, out)


def conv_tiled(x, w, padding=0):
    """Return what ``conv_direct`` returns.

    --8<-- [start:example]
    >>> random = np.random.default_rng(seed=1)
    >>> x = random.standard_normal((2, 2, 18, 37), dtype=np.float32)
    >>> w = random.standard_normal((5, 2, 3, 3), dtype=np.float32)
    >>> got = conv_tiled(x, w, padding=1)
    >>> bool(np.allclose(got, conv_direct(x, w, padding=1), atol=1e-4))
    True

    --8<-- [end:example]
    """
    out = cuda.device_array(output_shape(x, w, padding), np.float32)
    d_x, d_w = (cuda.to_device(np.asarray(a, dtype=np.float32)) for a in (x, w))
    conv_tiled_launch(d_x, d_w, padding, out)
    return out.copy_to_host()


# --8<-- [end:host]

"""Matrix product with tiles in shared memory: a block reads each value once for many threads."""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:kernel]
def make_tiled(tile):
    """Return a kernel whose blocks of tile x tile threads compute tile x tile results."""

    @cuda.jit
    def tiled_kernel(a, b, c):
        tile_a = cuda.shared.array((tile, tile), np.float32)
        tile_b = cuda.shared.array((tile, tile), np.float32)
        tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
        column, row = cuda.grid(2)
        total = np.float32(0)
        for start in range(0, a.shape[1], tile):
            # Each thread brings one element of either tile, or a zero from outside.
            inside = row < a.shape[0] and start + tx < a.shape[1]
            tile_a[ty, tx] = a[row, start + tx] if inside else np.float32(0)
            inside = start + ty < b.shape[0] and column < b.shape[1]
            tile_b[ty, tx] = b[start + ty, column] if inside else np.float32(0)
            cuda.syncthreads()  # the tiles are full
            for k in range(tile):
                total += tile_a[ty, k] * tile_b[k, tx]
            cuda.syncthreads()  # nobody needs them any more
        if row < c.shape[0] and column < c.shape[1]:
            c[row, column] = total

    return tiled_kernel


# --8<-- [end:kernel]


# --8<-- [start:host]
def matmul_tiled(a, b, tile=16):
    """Return ``a @ b`` as float32, computed in blocks of tile x tile results.

    --8<-- [start:example]
    >>> a = np.arange(15).reshape(3, 5)
    >>> b = np.arange(20).reshape(5, 4)
    >>> matmul_tiled(a, b, tile=2)  # 2 x 2 blocks, and 3 steps of two for 5 terms
    array([[120., 130., 140., 150.],
           [320., 355., 390., 425.],
           [520., 580., 640., 700.]], dtype=float32)

    --8<-- [end:example]
    """
    d_a = cuda.to_device(np.asarray(a, dtype=np.float32))
    d_b = cuda.to_device(np.asarray(b, dtype=np.float32))
    rows, columns = d_a.shape[0], d_b.shape[1]
    d_c = cuda.device_array((rows, columns), np.float32)
    blocks = (-(-columns // tile), -(-rows // tile))
    make_tiled(tile)[blocks, (tile, tile)](d_a, d_b, d_c)
    return d_c.copy_to_host()


# --8<-- [end:host]


# --8<-- [start:traffic]
def asked_bytes(n, tile):
    """Return what all blocks read from device memory or L2 for an n x n x n product, in bytes.

    --8<-- [start:traffic-example]
    >>> [asked_bytes(4096, tile) // 2**30 for tile in (1, 8, 16, 32, 128)]  # GiB
    [512, 64, 32, 16, 4]

    --8<-- [end:traffic-example]
    """
    blocks = (n // tile) ** 2
    return blocks * 2 * tile * n * 4  # each: ``tile`` rows of a and ``tile`` columns of b


# --8<-- [end:traffic]

"""The exercise of the tiled matrix product: the second matrix comes transposed."""

import numpy as np
from numba import cuda


# --8<-- [start:kernel]
def make_tiled_transposed(tile):
    pitch = tile + 1  # so that a column of the tile lies in different banks

    @cuda.jit
    def tiled_transposed_kernel(a, bt, c):
        tile_a = cuda.shared.array((tile, tile), np.float32)
        tile_b = cuda.shared.array((tile, pitch), np.float32)
        tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
        column, row = cuda.grid(2)
        bt_row = cuda.blockIdx.x * tile + ty  # a row of bt is a column of b
        total = np.float32(0)
        for start in range(0, a.shape[1], tile):
            inside = row < a.shape[0] and start + tx < a.shape[1]
            tile_a[ty, tx] = a[row, start + tx] if inside else np.float32(0)
            inside = bt_row < bt.shape[0] and start + tx < bt.shape[1]
            tile_b[ty, tx] = bt[bt_row, start + tx] if inside else np.float32(0)
            cuda.syncthreads()
            for k in range(tile):
                total += tile_a[ty, k] * tile_b[tx, k]
            cuda.syncthreads()
        if row < c.shape[0] and column < c.shape[1]:
            c[row, column] = total

    return tiled_transposed_kernel


# --8<-- [end:kernel]


def matmul_tiled_transposed(a, bt, tile=16):
    """Return ``a @ bt.T`` as float32 for ``a`` of shape (M, K) and ``bt`` of shape (N, K).

    --8<-- [start:example]
    >>> d_a = cuda.to_device(np.arange(15, dtype=np.float32).reshape(3, 5))
    >>> bt = np.ascontiguousarray(np.arange(20, dtype=np.float32).reshape(5, 4).T)
    >>> d_c = cuda.device_array((3, 4), np.float32)
    >>> make_tiled_transposed(2)[(2, 2), (2, 2)](d_a, cuda.to_device(bt), d_c)
    >>> d_c.copy_to_host()[2]
    array([520., 580., 640., 700.], dtype=float32)

    --8<-- [end:example]
    """
    d_a = cuda.to_device(np.asarray(a, dtype=np.float32))
    d_bt = cuda.to_device(np.asarray(bt, dtype=np.float32))
    d_c = cuda.device_array((d_a.shape[0], d_bt.shape[0]), np.float32)
    blocks = (-(-d_c.shape[1] // tile), -(-d_c.shape[0] // tile))
    make_tiled_transposed(tile)[blocks, (tile, tile)](d_a, d_bt, d_c)
    return d_c.copy_to_host()

"""Transpose through a swizzled tile, with 16-byte accesses on both sides."""

import numpy as np
from numba import cuda

from kernels.elementwise.vectors import load4, store4


# --8<-- [start:kernel]
def make_transpose(height=64, width=64, threads=256, resident=6, along_out=True):
    """Return a kernel (a, out, rows, columns) that transposes a matrix by tiles of height x width.

    a, out: float32, flat, one row behind the other. height, width: multiples of 32, and threads
    of both. ``resident``: the blocks that shall fit a multiprocessor, which limits the registers
    of a thread. The grid is (rows / height, columns / width), rounded up, so that neighboring
    blocks write to the same rows of ``out``; the other way round without ``along_out``, so that
    they read from the same rows of ``a``.
    """
    warps = threads // 32
    across, up = width // 32, height // 32
    area, pieces = height * width, height * width // 128 // warps  # of 4 x 32, for each warp
    hop, hop_out = warps // across * 4, warps // up * 4  # rows from a warp's piece to its next

    @cuda.jit(launch_bounds=(threads, resident))
    def transpose_kernel(a, out, rows, columns):
        tile = cuda.shared.array(area, np.float32, alignment=16)
        held = cuda.local.array((pieces, 4), np.float32)
        down, right = cuda.blockIdx.x, cuda.blockIdx.y
        if not along_out:
            down, right = right, down
        top, left = np.int64(down) * height, np.int64(right) * width
        whole = top + height <= rows and left + width <= columns
        # With sizes that are multiples of four, rows begin at multiples of 16 bytes.
        if whole and rows % 4 == 0 and columns % 4 == 0:
            lane, warp = np.uint32(cuda.threadIdx.x % 32), np.uint32(cuda.threadIdx.x // 32)
            y, x = warp // across * 4 + lane // 8, warp % across * 32 + lane % 8 * 4
            start = (top + y) * columns + left + x
            for k in range(pieces):
                four = load4(a, start + k * hop * columns)
                held[k, 0], held[k, 1], held[k, 2], held[k, 3] = four
            for k in range(pieces):
                # Column by column; groups of four rows change places, by the group of columns.
                at = np.uint32(x * height + ((y + k * hop) // 4 ^ lane % 8) * 4 + lane // 8)
                for j in range(4):
                    tile[np.uint32(at + j * height)] = held[k, j]
            cuda.syncthreads()
            x, y = warp // up * 4 + lane // 8, warp % up * 32 + lane % 8 * 4
            start = (left + x) * rows + top + y
            for k in range(pieces):
                here = x + k * hop_out
                at = np.uint32(here * height + (y // 4 ^ here // 4 % 8) * 4)
                store4(out, start + k * hop_out * rows, load4(tile, at))
        else:
            for i in range(cuda.threadIdx.x, area, threads):
                y, x = i // width, i % width
                if top + y < rows and left + x < columns:
                    tile[x * height + y] = a[(top + y) * columns + left + x]
            cuda.syncthreads()
            for i in range(cuda.threadIdx.x, area, threads):
                x, y = i // height, i % height
                if top + y < rows and left + x < columns:
                    out[(left + x) * rows + top + y] = tile[i]

    return transpose_kernel


# --8<-- [end:kernel]


# --8<-- [start:host]
def transpose(a, height=64, width=64):
    """Return the transpose of a float32 matrix.

    --8<-- [start:example]
    >>> a = np.arange(130 * 68, dtype=np.float32).reshape(130, 68)
    >>> np.array_equal(transpose(a), a.T)
    True
    >>> np.array_equal(transpose(a[:, :65].copy()), a[:, :65].T)  # rows of 260 bytes
    True

    --8<-- [end:example]
    """
    rows, columns = a.shape
    out = cuda.device_array(a.size, np.float32)
    if a.size:
        blocks = -(-rows // height), -(-columns // width)
        kernel = make_transpose(height, width)
        kernel[blocks, 256](cuda.to_device(a.ravel()), out, rows, columns)
    return out.copy_to_host().reshape(columns, rows)


# --8<-- [end:host]

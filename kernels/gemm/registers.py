"""Matrix product with register tiles: each thread computes a column, then a rectangle."""

import numpy as np
from numba import cuda


# --8<-- [start:tile]
@cuda.jit(device=True)
def load_tile(tile, source, first_row, first_column, tid, threads):
    """Copy a part of ``source`` into a tile, with zeros where it sticks out.

    All ``threads`` of the block help. ``tid`` is this thread's number.
    """
    rows, columns = tile.shape
    for i in range(rows * columns // threads):
        at = tid + np.uint32(i * threads)
        y, x = np.uint32(at // columns), np.uint32(at % columns)
        row, column = np.uint32(first_row + y), np.uint32(first_column + x)
        inside = row < source.shape[0] and column < source.shape[1]
        tile[y, x] = source[row, column] if inside else np.float32(0)


# --8<-- [end:tile]


# --8<-- [start:column]
def make_column(BM, BN, BK, TM):
    """Return a kernel: a block computes BM x BN results, a thread ``TM`` of a column.

    A block has (BN, BM // TM) threads, and its tiles are ``BK`` deep.
    """
    threads_y = BM // TM
    threads = BN * threads_y

    @cuda.jit
    def column_kernel(a, b, c):
        tile_a = cuda.shared.array((BM, BK), np.float32)
        tile_b = cuda.shared.array((BK, BN), np.float32)
        acc = cuda.local.array(TM, np.float32)
        tx, ty = np.uint32(cuda.threadIdx.x), np.uint32(cuda.threadIdx.y)
        tid = np.uint32(ty * BN + tx)
        first_row = np.uint32(cuda.blockIdx.y * BM)
        first_column = np.uint32(cuda.blockIdx.x * BN)
        for i in range(TM):
            acc[i] = 0
        for start in range(0, a.shape[1], BK):
            load_tile(tile_a, a, first_row, np.uint32(start), tid, threads)
            load_tile(tile_b, b, np.uint32(start), first_column, tid, threads)
            cuda.syncthreads()
            for k in range(BK):
                value = tile_b[k, tx]  # read once, used ``TM`` times
                for i in range(TM):
                    acc[i] += tile_a[ty + i * threads_y, k] * value
            cuda.syncthreads()
        column = first_column + tx
        for i in range(TM):
            row = first_row + ty + i * threads_y
            if row < c.shape[0] and column < c.shape[1]:
                c[row, column] = acc[i]

    return column_kernel


# --8<-- [end:column]


# --8<-- [start:rectangle]
def make_rectangle(BM, BN, BK, TM, TN):
    """Return a kernel: a block computes BM x BN results, a thread TM x TN of them.

    A block has (BN // TN, BM // TM) threads, and its tiles are ``BK`` deep.
    """
    threads_x, threads_y = BN // TN, BM // TM
    threads = threads_x * threads_y

    @cuda.jit
    def rectangle_kernel(a, b, c):
        tile_a = cuda.shared.array((BM, BK), np.float32)
        tile_b = cuda.shared.array((BK, BN), np.float32)
        acc = cuda.local.array((TM, TN), np.float32)
        a_frag = cuda.local.array(TM, np.float32)
        b_frag = cuda.local.array(TN, np.float32)
        tx, ty = np.uint32(cuda.threadIdx.x), np.uint32(cuda.threadIdx.y)
        tid = np.uint32(ty * threads_x + tx)
        first_row = np.uint32(cuda.blockIdx.y * BM)
        first_column = np.uint32(cuda.blockIdx.x * BN)
        for i in range(TM):
            for j in range(TN):
                acc[i, j] = 0
        for start in range(0, a.shape[1], BK):
            load_tile(tile_a, a, first_row, np.uint32(start), tid, threads)
            load_tile(tile_b, b, np.uint32(start), first_column, tid, threads)
            cuda.syncthreads()
            for k in range(BK):
                for i in range(TM):
                    a_frag[i] = tile_a[ty + i * threads_y, k]
                for j in range(TN):
                    b_frag[j] = tile_b[k, tx + j * threads_x]
                for i in range(TM):  # TM + TN values read, TM x TN products
                    for j in range(TN):
                        acc[i, j] += a_frag[i] * b_frag[j]
            cuda.syncthreads()
        for i in range(TM):
            row = first_row + ty + i * threads_y
            for j in range(TN):
                column = first_column + tx + j * threads_x
                if row < c.shape[0] and column < c.shape[1]:
                    c[row, column] = acc[i, j]

    return rectangle_kernel


# --8<-- [end:rectangle]


# --8<-- [start:host]
def matmul(kernel, a, b, tile, threads):
    """Return ``a @ b`` as float32. A block of ``threads`` computes a tile of (rows, columns).

    --8<-- [start:column-example]
    >>> a, b = np.arange(45).reshape(9, 5), np.arange(35).reshape(5, 7)
    >>> column = make_column(8, 8, BK=4, TM=4)
    >>> np.array_equal(matmul(column, a, b, tile=(8, 8), threads=(8, 2)), a @ b)
    True

    --8<-- [end:column-example]

    --8<-- [start:rectangle-example]
    >>> rectangle = make_rectangle(8, 8, BK=4, TM=4, TN=2)
    >>> np.array_equal(matmul(rectangle, a, b, tile=(8, 8), threads=(4, 2)), a @ b)
    True

    --8<-- [end:rectangle-example]
    """
    d_a = cuda.to_device(np.asarray(a, dtype=np.float32))
    d_b = cuda.to_device(np.asarray(b, dtype=np.float32))
    rows, columns = d_a.shape[0], d_b.shape[1]
    d_c = cuda.device_array((rows, columns), np.float32)
    blocks = (-(-columns // tile[1]), -(-rows // tile[0]))
    kernel[blocks, threads](d_a, d_b, d_c)
    return d_c.copy_to_host()


# --8<-- [end:host]


# --8<-- [start:count]
def reads_for_each_product(TM, TN):
    """Return how many values a thread reads from shared memory for each multiply-add.

    --8<-- [start:count-example]
    >>> [reads_for_each_product(*tile) for tile in ((1, 1), (16, 1), (8, 8), (8, 16))]
    [2.0, 1.0625, 0.25, 0.1875]

    --8<-- [end:count-example]
    """
    return (TM + TN) / (TM * TN)


# --8<-- [end:count]

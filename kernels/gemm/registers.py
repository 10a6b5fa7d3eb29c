"""Matrix product with register tiles: each thread computes a column, then a rectangle."""

import numpy as np
from numba import cuda


# --8<-- [start:tile]
@cuda.jit(device=True)
def load_tile(tile, source, first_row, first_column, me, threads):
    """Copy a part of ``source`` into a tile, with zeros where it sticks out.

    All ``threads`` of the block help. ``me`` is this thread's number.
    """
    rows, columns = tile.shape
    for i in range(rows * columns // threads):
        at = me + np.uint32(i * threads)
        y, x = np.uint32(at // columns), np.uint32(at % columns)
        row, column = np.uint32(first_row + y), np.uint32(first_column + x)
        inside = row < source.shape[0] and column < source.shape[1]
        tile[y, x] = source[row, column] if inside else np.float32(0)


# --8<-- [end:tile]


# --8<-- [start:column]
def make_column(rows, columns, depth, high):
    """Return a kernel: a block computes rows x columns results, a thread ``high`` of a column.

    A block has (columns, rows // high) threads, and its tiles are ``depth`` deep.
    """
    threads_y = rows // high
    threads = columns * threads_y

    @cuda.jit
    def column_kernel(a, b, c):
        tile_a = cuda.shared.array((rows, depth), np.float32)
        tile_b = cuda.shared.array((depth, columns), np.float32)
        totals = cuda.local.array(high, np.float32)
        tx, ty = np.uint32(cuda.threadIdx.x), np.uint32(cuda.threadIdx.y)
        me = np.uint32(ty * columns + tx)
        first_row = np.uint32(cuda.blockIdx.y * rows)
        first_column = np.uint32(cuda.blockIdx.x * columns)
        for i in range(high):
            totals[i] = 0
        for start in range(0, a.shape[1], depth):
            load_tile(tile_a, a, first_row, np.uint32(start), me, threads)
            load_tile(tile_b, b, np.uint32(start), first_column, me, threads)
            cuda.syncthreads()
            for k in range(depth):
                value = tile_b[k, tx]  # read once, used ``high`` times
                for i in range(high):
                    totals[i] += tile_a[ty + i * threads_y, k] * value
            cuda.syncthreads()
        column = first_column + tx
        for i in range(high):
            row = first_row + ty + i * threads_y
            if row < c.shape[0] and column < c.shape[1]:
                c[row, column] = totals[i]

    return column_kernel


# --8<-- [end:column]


# --8<-- [start:rectangle]
def make_rectangle(rows, columns, depth, high, wide):
    """Return a kernel: a block computes rows x columns results, a thread high x wide of them.

    A block has (columns // wide, rows // high) threads, and its tiles are ``depth`` deep.
    """
    threads_x, threads_y = columns // wide, rows // high
    threads = threads_x * threads_y

    @cuda.jit
    def rectangle_kernel(a, b, c):
        tile_a = cuda.shared.array((rows, depth), np.float32)
        tile_b = cuda.shared.array((depth, columns), np.float32)
        totals = cuda.local.array((high, wide), np.float32)
        some_a = cuda.local.array(high, np.float32)
        some_b = cuda.local.array(wide, np.float32)
        tx, ty = np.uint32(cuda.threadIdx.x), np.uint32(cuda.threadIdx.y)
        me = np.uint32(ty * threads_x + tx)
        first_row = np.uint32(cuda.blockIdx.y * rows)
        first_column = np.uint32(cuda.blockIdx.x * columns)
        for i in range(high):
            for j in range(wide):
                totals[i, j] = 0
        for start in range(0, a.shape[1], depth):
            load_tile(tile_a, a, first_row, np.uint32(start), me, threads)
            load_tile(tile_b, b, np.uint32(start), first_column, me, threads)
            cuda.syncthreads()
            for k in range(depth):
                for i in range(high):
                    some_a[i] = tile_a[ty + i * threads_y, k]
                for j in range(wide):
                    some_b[j] = tile_b[k, tx + j * threads_x]
                for i in range(high):  # high + wide values read, high x wide products
                    for j in range(wide):
                        totals[i, j] += some_a[i] * some_b[j]
            cuda.syncthreads()
        for i in range(high):
            row = first_row + ty + i * threads_y
            for j in range(wide):
                column = first_column + tx + j * threads_x
                if row < c.shape[0] and column < c.shape[1]:
                    c[row, column] = totals[i, j]

    return rectangle_kernel


# --8<-- [end:rectangle]


# --8<-- [start:host]
def matmul(kernel, a, b, tile, threads):
    """Return ``a @ b`` as float32. A block of ``threads`` computes a tile of (rows, columns).

    --8<-- [start:column-example]
    >>> a, b = np.arange(45).reshape(9, 5), np.arange(35).reshape(5, 7)
    >>> column = make_column(8, 8, depth=4, high=4)
    >>> np.array_equal(matmul(column, a, b, tile=(8, 8), threads=(8, 2)), a @ b)
    True

    --8<-- [end:column-example]

    --8<-- [start:rectangle-example]
    >>> rectangle = make_rectangle(8, 8, depth=4, high=4, wide=2)
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
def reads_for_each_product(high, wide):
    """Return how many values a thread reads from shared memory for each multiply-add.

    --8<-- [start:count-example]
    >>> [reads_for_each_product(*tile) for tile in ((1, 1), (16, 1), (8, 8), (8, 16))]
    [2.0, 1.0625, 0.25, 0.1875]

    --8<-- [end:count-example]
    """
    return (high + wide) / (high * wide)


# --8<-- [end:count]

"""Sparse matrix times vector by merge path: each thread has as much work as any other."""

# --8<-- [start:imports]
import functools

import numpy as np
from numba import cuda, float32, int32, uint32

# --8<-- [end:imports]


# --8<-- [start:split]
@cuda.jit
def split_kernel(starts, tile, first_rows):
    """Find the row at which each block begins.

    Row ends and nonzeros are two sorted lists, merged: a row's end comes behind its nonzeros. Block
    b begins at item b * tile of the merged list.
    """
    b = cuda.grid(1)
    rows = starts.size - 1
    nonzeros = starts[rows]
    if b < first_rows.size:
        item = min(b * tile, rows + nonzeros)
        low, high = max(0, item - nonzeros), min(item, rows)
        while low < high:
            middle = (low + high) // 2
            if starts[middle + 1] <= item - middle - 1:
                low = middle + 1
            else:
                high = middle
        first_rows[b] = low


@cuda.jit
def clear_kernel(first_rows, y):
    """Set to zero the rows that several blocks may add to: those in which a block begins."""
    b = cuda.grid(1)
    if b < first_rows.size and first_rows[b] < y.size:
        y[first_rows[b]] = 0


# --8<-- [end:split]


# --8<-- [start:merge]
NEVER = int32(0x7FFFFFFF)


def make_merge(threads, items):
    """Return a kernel whose threads each take ``items`` items, nonzeros or ends of rows."""
    tile = threads * items
    places = tile + 1

    @cuda.jit
    def merge_kernel(starts, columns, values, x, first_rows, y):
        products = cuda.shared.array(tile, float32)
        ends = cuda.shared.array(places, int32)  # of the block's rows, counted from its nonzeros
        sums = cuda.shared.array(places, float32)
        where = cuda.local.array(items, int32)
        held = cuda.local.array(items, float32)
        thread, block = int32(cuda.threadIdx.x), int32(cuda.blockIdx.x)
        total_rows = int32(y.size)
        nonzeros = starts[uint32(total_rows)]
        first_row, last_row = first_rows[uint32(block)], first_rows[uint32(block + 1)]
        first = int32(block * tile - first_row)
        last = int32(min((block + 1) * tile, total_rows + nonzeros) - last_row)
        count, rows = int32(last - first), int32(last_row - first_row)  # of this block

        if count > 0:
            for k in range(items):  # a thread past the last one reads that again: no branches, so
                i = int32(min(thread + k * threads, count - 1))  # that all loads are in flight
                place = uint32(first + i)
                where[k], held[k] = columns[place], values[place]
            for k in range(items):
                held[k] *= x[uint32(where[k])]
            for k in range(items):
                products[uint32(thread + k * threads)] = held[k]
        for i in range(thread, rows + 1, threads):
            row = uint32(first_row + i)
            ends[uint32(i)] = starts[uint32(row + 1)] - first if row < total_rows else NEVER
            sums[uint32(i)] = 0
        cuda.syncthreads()

        item = int32(thread * items)
        low, high = int32(max(item - count, 0)), int32(min(item, rows))
        while low < high:
            middle = int32((low + high) // 2)
            if ends[middle] <= item - middle - 1:
                low = int32(middle + 1)
            else:
                high = middle
        row, k = low, int32(item - low)
        whole = False  # whether the sum holds its row from the beginning
        total = float32(0)
        for _ in range(items):
            if row < rows or k < count:
                if k < count and k < ends[row]:
                    total += products[k]
                    k = int32(k + 1)
                else:
                    if whole:
                        sums[row] = total
                    else:
                        cuda.atomic.add(sums, row, total)
                    total = float32(0)
                    whole = True
                    row = int32(row + 1)
        if total != 0:
            cuda.atomic.add(sums, row, total)
        cuda.syncthreads()

        for i in range(thread, rows + 1, threads):
            row = int32(first_row + i)
            if i == 0 or i == rows:  # another block may add to these
                if row < total_rows:
                    cuda.atomic.add(y, row, sums[i])
            else:
                y[uint32(row)] = sums[i]

    return merge_kernel


# --8<-- [end:merge]


# --8<-- [start:host]
THREADS, ITEMS = 128, 6
make_merge = functools.cache(make_merge)


def split(starts, nonzeros, tile):
    """Return the row at which each block begins, on the device. Once for a matrix."""
    blocks = -(-(starts.size - 1 + nonzeros) // tile)
    first_rows = cuda.device_array(blocks + 1, np.int32)
    split_kernel[-(-(blocks + 1) // 128), 128](starts, tile, first_rows)
    return first_rows


def merge(matrix, x, first_rows, y, threads=THREADS, items=ITEMS):
    """Launch y = matrix times x, all on the device."""
    blocks = first_rows.size - 1
    clear_kernel[-(-first_rows.size // 128), 128](first_rows, y)
    make_merge(threads, items)[blocks, threads](*matrix, x, first_rows, y)


def multiply_merge(matrix, x, threads=THREADS, items=ITEMS):
    """Return a sparse matrix (starts, columns, values) times a vector, float32.

    --8<-- [start:example]
    >>> multiply_merge(matrix, x, threads=32, items=2)
    array([1020.,    0.,  403.], dtype=float32)

    --8<-- [end:example]
    """
    matrix = [cuda.to_device(part) for part in matrix]
    y = cuda.device_array(matrix[0].size - 1, np.float32)
    first_rows = split(matrix[0], matrix[1].size, threads * items)
    merge(matrix, cuda.to_device(x), first_rows, y, threads, items)
    return y.copy_to_host()


# --8<-- [end:host]

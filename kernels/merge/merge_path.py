"""Merge two sorted arrays: by a search for each element, and along the merge path."""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:ranks]
@cuda.jit(device=True)
def how_many_below(x, value, equal_too):
    """Return how many elements of a sorted array are below a value, or not above it."""
    low, high = 0, x.size
    while low < high:
        middle = (low + high) // 2
        if x[middle] < value or (equal_too and x[middle] == value):
            low = middle + 1
        else:
            high = middle
    return low


@cuda.jit
def merge_ranks_kernel(a, b, out):
    """Each thread takes an element to its place: its own index, and how many come before it."""
    i = cuda.grid(1)
    if i < a.size:
        out[i + how_many_below(b, a[i], False)] = a[i]
    elif i < out.size:
        j = i - a.size
        out[j + how_many_below(a, b[j], True)] = b[j]


# --8<-- [end:ranks]


# --8<-- [start:path]
@cuda.jit(device=True)
def split(a, a_size, b, b_size, steps):
    """Return how many of the first ``steps`` results come from a, whose elements win ties."""
    low, high = max(0, steps - b_size), min(steps, a_size)
    while low < high:
        middle = (low + high) // 2
        if a[middle] <= b[steps - 1 - middle]:
            low = middle + 1
        else:
            high = middle
    return low


# --8<-- [end:path]


# --8<-- [start:kernel]
def make_merge(dtype, threads=256, items=8):
    """Return kernels (a, b, splits) and (a, b, splits, out): where tiles begin, and the merge.

    A tile has threads * items results; ``splits`` is an int64 for each tile and one more.
    """
    tile = threads * items

    @cuda.jit
    def splits_kernel(a, b, splits):
        t = cuda.grid(1)
        if t < splits.size:
            steps = min(t * tile, a.size + b.size)
            splits[t] = split(a, a.size, b, b.size, steps)

    @cuda.jit
    def merge_kernel(a, b, splits, out):
        stage = cuda.shared.array(tile, dtype)
        held = cuda.local.array(items, dtype)
        t, tid = cuda.blockIdx.x, cuda.threadIdx.x
        first = np.int64(t) * tile
        a0, b0 = splits[t], first - splits[t]
        count = np.int32(min(tile, out.size - first))
        a_size = np.int32(splits[t + 1] - a0)
        b_size = np.int32(count - a_size)
        for i in range(tid, count, threads):  # a's part of the tile, then b's
            stage[i] = a[a0 + i] if i < a_size else b[b0 + i - a_size]
        cuda.syncthreads()

        part_a, part_b = stage[:a_size], stage[a_size:]
        steps = min(tid * items, count)
        i = np.int32(split(part_a, a_size, part_b, b_size, steps))
        j = np.int32(steps - i)
        for k in range(items):
            if j >= b_size or (i < a_size and part_a[i] <= part_b[j]):
                held[k] = stage[min(i, tile - 1)]  # past the end nobody looks at it
                i += np.int32(1)
            else:
                held[k] = part_b[j]
                j += np.int32(1)
        cuda.syncthreads()
        for k in range(items):
            if steps + k < count:
                stage[steps + k] = held[k]
        cuda.syncthreads()
        for i in range(tid, count, threads):
            out[first + i] = stage[i]

    return splits_kernel, merge_kernel


# --8<-- [end:kernel]


# --8<-- [start:host]
def merge_ranks(a, b, threads=256):
    """Return two sorted arrays of one type as one sorted array.

    --8<-- [start:ranks_example]
    >>> a, b = np.array([1, 3, 3, 9]), np.array([0, 3, 4, 5, 12, 13])
    >>> merge_ranks(a, b, threads=4)
    array([ 0,  1,  3,  3,  3,  4,  5,  9, 12, 13])

    --8<-- [end:ranks_example]
    """
    out = cuda.device_array(a.size + b.size, a.dtype)
    if out.size:
        blocks = -(-out.size // threads)
        merge_ranks_kernel[blocks, threads](cuda.to_device(a), cuda.to_device(b), out)
    return out.copy_to_host()


def merge(a, b, threads=256, items=8):
    """Return two sorted arrays of one type as one sorted array. Of equals, those of a come first.

    --8<-- [start:example]
    >>> merge(a, b, threads=4, items=2)
    array([ 0,  1,  3,  3,  3,  4,  5,  9, 12, 13])

    --8<-- [end:example]
    """
    out = cuda.device_array(a.size + b.size, a.dtype)
    tiles = -(-out.size // (threads * items))
    if tiles:
        splits_kernel, merge_kernel = make_merge(a.dtype, threads, items)
        splits = cuda.device_array(tiles + 1, np.int64)
        d_a, d_b = cuda.to_device(a), cuda.to_device(b)
        splits_kernel[-(-splits.size // 128), 128](d_a, d_b, splits)
        merge_kernel[tiles, threads](d_a, d_b, splits, out)
    return out.copy_to_host()


# --8<-- [end:host]

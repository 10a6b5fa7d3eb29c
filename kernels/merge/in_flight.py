"""Merge along the merge path with all reads of a thread in flight, and few instructions a step."""

# --8<-- [start:imports]
import numpy as np
from numba import cuda, uint32, uint64

# --8<-- [end:imports]
from kernels.merge.merge_path import make_merge


# --8<-- [start:kernel]
def make_merge_in_flight(dtype, threads=256, items=15):
    """Return a kernel (a, b, splits, out) that merges a tile of threads * items results a block.

    ``splits`` is that of ``make_merge`` with the same numbers. An odd ``items`` has no conflicts.
    """
    tile = threads * items

    @cuda.jit
    def merge_in_flight_kernel(a, b, splits, out):
        stage = cuda.shared.array(tile, dtype)
        held = cuda.local.array(items, dtype)
        t, tid = cuda.blockIdx.x, uint32(cuda.threadIdx.x)
        first = uint64(t) * uint64(tile)
        a0 = uint64(splits[t])
        b0 = uint64(first - a0)
        a_size = uint32(uint64(splits[t + 1]) - a0)
        count = uint32(min(uint64(tile), uint64(out.size) - first))
        last = uint32(count - 1)

        for k in range(items):  # nothing waits until all are asked for
            i = min(uint32(tid + k * threads), last)
            if i < a_size:
                held[k] = a[uint64(a0 + i)]
            else:
                held[k] = b[uint64(b0 + uint32(i - a_size))]
        for k in range(items):
            stage[uint32(tid + k * threads)] = held[k]
        cuda.syncthreads()

        steps = min(uint32(tid * items), count)
        low, high = uint32(steps - min(steps, uint32(count - a_size))), min(steps, a_size)
        while low < high:
            middle = uint32((low + high) >> uint32(1))
            if stage[middle] <= stage[uint32(a_size + steps - 1 - middle)]:
                low = uint32(middle + 1)
            else:
                high = middle
        i, j = low, uint32(a_size + steps - low)
        x, y = stage[min(i, last)], stage[min(j, last)]
        for k in range(items):
            from_a = (j >= count) | ((i < a_size) & (x <= y))
            held[k] = x if from_a else y
            i, j = uint32(i + from_a), uint32(j + (not from_a))
            coming = stage[min(i if from_a else j, last)]  # one read a step
            x, y = (coming, y) if from_a else (x, coming)
        cuda.syncthreads()
        for k in range(items):
            stage[uint32(tid * items + k)] = held[k]
        cuda.syncthreads()
        for k in range(items):
            i = uint32(tid + k * threads)
            if i < count:
                out[uint64(first + i)] = stage[i]

    return merge_in_flight_kernel


# --8<-- [end:kernel]


# --8<-- [start:host]
def merge_in_flight(a, b, threads=256, items=15):
    """Return two sorted arrays of one type as one sorted array. Of equals, those of a come first.

    --8<-- [start:example]
    >>> merge_in_flight(a, b, threads=4, items=3)
    array([ 0,  1,  3,  3,  3,  4,  5,  9, 12, 13])

    --8<-- [end:example]
    """
    out = cuda.device_array(a.size + b.size, a.dtype)
    tiles = -(-out.size // (threads * items))
    if tiles:
        splits_kernel, _ = make_merge(a.dtype, threads, items)
        merge_kernel = make_merge_in_flight(a.dtype, threads, items)
        splits = cuda.device_array(tiles + 1, np.int64)
        d_a, d_b = cuda.to_device(a), cuda.to_device(b)
        splits_kernel[-(-splits.size // 128), 128](d_a, d_b, splits)
        merge_kernel[tiles, threads](d_a, d_b, splits, out)
    return out.copy_to_host()


# --8<-- [end:host]

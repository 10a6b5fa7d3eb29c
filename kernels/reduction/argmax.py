"""Where the largest element is: a reduction of pairs, in one launch."""

import numpy as np
from numba import cuda

from kernels.elementwise.vectors import load4

# --8<-- [start:pairs]
NOWHERE = 0xFFFFFFFF  # the index of no element


@cuda.jit(device=True)
def beats(value, best):
    """Whether a value takes the place of the best before it. NaN beats numbers, as in NumPy."""
    return (value > best) | ((value != value) & (best == best))  # | and &: no branch


@cuda.jit(device=True)
def better(value, index, best, place):
    """Return the winner of two pairs: the larger value, and of equals the lower index."""
    equal = (value == best) | ((value != value) & (best != best))
    if beats(value, best) | (equal & (index < place)):
        return value, index
    return best, place


@cuda.jit(device=True)
def block_argmax(value, index):
    """Return, in thread 0, the winner of a block. Its threads: a multiple of 32."""
    values = cuda.shared.array(32, np.float32)
    indices = cuda.shared.array(32, np.uint32)
    lane, warp = cuda.threadIdx.x % 32, cuda.threadIdx.x // 32
    value, index = warp_argmax(value, index)
    if lane == 0:
        values[warp], indices[warp] = value, index
    cuda.syncthreads()
    value, index = np.float32(-np.inf), np.uint32(NOWHERE)
    if lane < cuda.blockDim.x // 32:
        value, index = values[lane], indices[lane]
    return warp_argmax(value, index)


@cuda.jit(device=True)
def warp_argmax(value, index):
    """Return, in lane 0, the winner of a warp."""
    for step in (16, 8, 4, 2, 1):
        other = cuda.shfl_down_sync(0xFFFFFFFF, value, step)
        its = np.uint32(cuda.shfl_down_sync(0xFFFFFFFF, np.int32(index), step))
        value, index = better(other, its, value, index)
    return value, index


# --8<-- [end:pairs]


# --8<-- [start:kernel]
def make_argmax(threads=512, vectors=4):
    """Return a kernel (x, values, indices, ticket, place) as ``make_sum`` does.

    ``values`` and ``indices`` have an element for each block; ``place`` is one int64.
    """
    step = 4 * threads
    tile = vectors * step

    @cuda.jit(launch_bounds=threads)
    def argmax_kernel(x, values, indices, ticket, place):
        held = cuda.local.array((vectors, 4), np.float32)
        last = cuda.shared.array(1, np.uint32)
        tid, n = np.uint32(cuda.threadIdx.x), np.uint32(x.size)
        whole = np.uint32(n // np.uint32(tile))
        rest = np.uint32(whole * np.uint32(tile))
        best, at = np.float32(-np.inf), np.uint32(rest + cuda.grid(1))
        if cuda.blockIdx.x < whole:  # this thread's first element
            at = np.uint32(cuda.blockIdx.x * np.uint32(tile) + 4 * tid)
        elif at >= n:
            at = np.uint32(NOWHERE)
        for t in range(cuda.blockIdx.x, whole, cuda.gridDim.x):
            here = np.int64(t) * tile + 4 * tid
            for k in range(vectors):
                held[k, 0], held[k, 1], held[k, 2], held[k, 3] = load4(x, here + k * step)
            for k in range(vectors):
                for j in range(4):  # in the order of indices: of equals the first stays
                    wins = beats(held[k, j], best)
                    best = held[k, j] if wins else best
                    at = np.uint32(here + k * step + j) if wins else at
        for i in range(rest + cuda.grid(1), n, cuda.gridsize(1)):
            if beats(x[i], best):
                best, at = x[i], np.uint32(i)

        best, at = block_argmax(best, at)
        if tid == 0:
            values[cuda.blockIdx.x], indices[cuda.blockIdx.x] = best, at
            cuda.threadfence()
            last[0] = cuda.atomic.add(ticket, 0, np.uint32(1)) == cuda.gridDim.x - 1
        cuda.syncthreads()
        if last[0]:
            cuda.threadfence()
            best, at = np.float32(-np.inf), np.uint32(NOWHERE)
            for b in range(tid, cuda.gridDim.x, threads):
                best, at = better(values[b], indices[b], best, at)
            best, at = block_argmax(best, at)
            if tid == 0:
                place[0] = at
                ticket[0] = 0

    return argmax_kernel


# --8<-- [end:kernel]


# --8<-- [start:host]
def argmax(x, blocks=264, threads=512, vectors=4):
    """Return where the largest element of a float32 array is: the first of equals, as NumPy does.

    The first NaN, where there is one. Raises ValueError for an empty array.

    --8<-- [start:example]
    >>> x = np.array([3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 9], dtype=np.float32)
    >>> argmax(x, blocks=2, threads=32)
    5
    >>> x[7] = np.nan
    >>> argmax(x, blocks=2, threads=32), int(np.argmax(x))
    (7, 7)

    --8<-- [end:example]
    """
    if not x.size:
        raise ValueError("argmax of an empty array")
    values = cuda.device_array(blocks, np.float32)
    indices = cuda.device_array(blocks, np.uint32)
    ticket = cuda.to_device(np.zeros(1, dtype=np.uint32))
    place = cuda.device_array(1, np.int64)
    kernel = make_argmax(threads, vectors)
    kernel[blocks, threads](cuda.to_device(x), values, indices, ticket, place)
    return int(place.copy_to_host()[0])


# --8<-- [end:host]

"""Radix select with 16-byte loads, several in flight, and a block that chooses the digit."""

# --8<-- [start:imports]
import functools

import numpy as np
from numba import cuda

# --8<-- [end:imports]
from kernels.elementwise.vectors import load4
from kernels.top_k.select import BINS, LEFT, MASK, PREFIX


# --8<-- [start:choose]
@cuda.jit
def choose_block_kernel(counts, shift, known):
    """Find the digit of the k-th largest with a thread for each, by a scan of the counts."""
    sums = cuda.shared.array(BINS, np.int32)
    t = cuda.threadIdx.x
    digit, left = BINS - 1 - t, known[LEFT]  # from above
    sums[t] = counts[digit]
    reach = 1
    while reach < BINS:
        cuda.syncthreads()
        before = sums[t - reach] if t >= reach else np.int32(0)
        cuda.syncthreads()
        sums[t] += before
        reach *= 2
    above = sums[t] - counts[digit]
    if above < left <= sums[t]:  # one thread's
        known[PREFIX] |= digit << shift
        known[MASK] |= (BINS - 1) << shift
        known[LEFT] = left - above
    counts[digit] = 0


# --8<-- [end:choose]


# --8<-- [start:count]
COUNTERS = 32 * BINS  # digit d of lane l has number 32 * d + l: a lane stays in its bank


@cuda.jit(device=True, forceinline=True)
def count_digit(local, value, prefix, mask, shift, lane):
    """Count the digit of a key that begins like the k-th largest, in this lane's column."""
    if value & mask == prefix:
        digit = np.uint32((value >> shift) & np.uint32(BINS - 1))
        cuda.atomic.add(local, np.uint32(digit * np.uint32(32) + lane), np.int32(1))


def make_count(threads=1024, vectors=4):
    """Return a kernel with the arguments of ``count_kernel``, for blocks of ``threads``.

    Each thread has ``vectors`` loads of 16 bytes in flight, and each lane counters of its own.
    """
    step = 4 * threads
    tile = vectors * step

    @cuda.jit(launch_bounds=threads)
    def count_wide_kernel(x, known, shift, counts):
        local = cuda.shared.array(COUNTERS, np.int32)
        held = cuda.local.array((vectors, 4), np.uint32)
        prefix, mask, shift = np.uint32(known[PREFIX]), np.uint32(known[MASK]), np.uint32(shift)
        tid = np.uint32(cuda.threadIdx.x)
        lane = np.uint32(tid % np.uint32(32))
        for d in range(tid, COUNTERS, threads):
            local[d] = 0
        cuda.syncthreads()
        whole = np.uint32(np.uint32(x.size) // np.uint32(tile))
        for t in range(cuda.blockIdx.x, whole, cuda.gridDim.x):
            here = np.int64(t) * tile + 4 * tid
            for k in range(vectors):
                held[k, 0], held[k, 1], held[k, 2], held[k, 3] = load4(x, here + k * step)
            for k in range(vectors):
                for j in range(4):
                    count_digit(local, held[k, j], prefix, mask, shift, lane)
        for i in range(np.int64(whole) * tile + cuda.grid(1), x.size, cuda.gridsize(1)):
            count_digit(local, x[i], prefix, mask, shift, lane)
        cuda.syncthreads()
        for d in range(tid // 32, BINS, threads // 32):  # a warp adds up the lanes of a digit
            total = local[32 * d + lane]
            for half in (16, 8, 4, 2, 1):
                total += cuda.shfl_down_sync(0xFFFFFFFF, total, half)
            if lane == 0 and total > 0:
                cuda.atomic.add(counts, d, total)

    return count_wide_kernel


# --8<-- [end:count]


# --8<-- [start:collect]
@cuda.jit(device=True, forceinline=True)
def take(value, least, equals, taken, out):
    """Write a value that belongs to the k largest."""
    if value > least:
        out[cuda.atomic.add(taken, 0, 1)] = value
    elif value == least:
        place = cuda.atomic.add(taken, 1, 1)
        if place < equals:
            out[out.size - equals + place] = value


def make_collect(threads=1024, vectors=4):
    """Return a kernel with the arguments of ``collect_kernel``, for blocks of ``threads``."""
    step = 4 * threads
    tile = vectors * step

    @cuda.jit(launch_bounds=threads)
    def collect_wide_kernel(x, known, taken, out):
        held = cuda.local.array((vectors, 4), np.uint32)
        least, equals = np.uint32(known[PREFIX]), np.int32(known[LEFT])
        whole = np.uint32(np.uint32(x.size) // np.uint32(tile))
        for t in range(cuda.blockIdx.x, whole, cuda.gridDim.x):
            here = np.int64(t) * tile + 4 * cuda.threadIdx.x
            for k in range(vectors):
                held[k, 0], held[k, 1], held[k, 2], held[k, 3] = load4(x, here + k * step)
            for k in range(vectors):
                for j in range(4):
                    take(held[k, j], least, equals, taken, out)
        for i in range(np.int64(whole) * tile + cuda.grid(1), x.size, cuda.gridsize(1)):
            take(x[i], least, equals, taken, out)

    return collect_wide_kernel


# --8<-- [end:collect]


# --8<-- [start:host]
make_count, make_collect = functools.cache(make_count), functools.cache(make_collect)


def select_wide(x, known, counts, taken, out, blocks=264, threads=1024, vectors=4):
    """What ``select`` does, by these kernels. ``threads``: a multiple of 32.

    --8<-- [start:example]
    >>> x = cuda.to_device(np.array([3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5] * 100, dtype=np.uint32))
    >>> known = cuda.to_device(np.array([0, 0, 103]))
    >>> counts, taken = (cuda.to_device(np.zeros(n, dtype=np.int32)) for n in (BINS, 2))
    >>> out = cuda.device_array(103, np.uint32)
    >>> select_wide(x, known, counts, taken, out, blocks=2, threads=32)
    >>> np.sort(out.copy_to_host())[:5]
    array([6, 6, 6, 9, 9], dtype=uint32)

    --8<-- [end:example]
    """
    count_kernel, collect_kernel = make_count(threads, vectors), make_collect(threads, vectors)
    for shift in (24, 16, 8, 0):
        count_kernel[blocks, threads](x, known, shift, counts)
        choose_block_kernel[1, BINS](counts, shift, known)
    collect_kernel[blocks, threads](x, known, taken, out)


# --8<-- [end:host]

"""The k largest of an array by radix select: four histograms find the k-th, a pass collects."""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]

# --8<-- [start:digits]
BINS = 256
# What is known of the k-th largest: its upper digits, which bits those are, and how many of
# those that begin like it belong to the k largest.
PREFIX, MASK, LEFT = 0, 1, 2


@cuda.jit
def count_kernel(x, known, shift, counts):
    """Count the digits at ``shift`` of those that begin like the k-th largest."""
    local = cuda.shared.array(BINS, np.int32)
    prefix, mask = np.uint32(known[PREFIX]), np.uint32(known[MASK])
    for d in range(cuda.threadIdx.x, BINS, cuda.blockDim.x):
        local[d] = 0
    cuda.syncthreads()
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        if x[i] & mask == prefix:
            cuda.atomic.add(local, np.int32(x[i] >> np.uint32(shift)) & (BINS - 1), 1)
    cuda.syncthreads()
    for d in range(cuda.threadIdx.x, BINS, cuda.blockDim.x):
        cuda.atomic.add(counts, d, local[d])


@cuda.jit
def choose_kernel(counts, shift, known):
    """Find the digit of the k-th largest, from above. One thread is enough for 256 counts."""
    left, digit = known[LEFT], BINS - 1
    while counts[digit] < left:
        left -= counts[digit]
        digit -= 1
    known[PREFIX] |= digit << shift
    known[MASK] |= (BINS - 1) << shift
    known[LEFT] = left
    for d in range(BINS):
        counts[d] = 0


# --8<-- [end:digits]


# --8<-- [start:collect]
@cuda.jit
def collect_kernel(x, known, taken, out):
    """Write what is above the k-th largest, and as many equal to it as are wanted.

    taken: two int32, 0 before: how many of either kind are written.
    """
    least, equals = np.uint32(known[PREFIX]), np.int32(known[LEFT])
    above = out.size - equals
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        if x[i] > least:
            out[cuda.atomic.add(taken, 0, 1)] = x[i]
        elif x[i] == least:
            place = cuda.atomic.add(taken, 1, 1)
            if place < equals:
                out[above + place] = x[i]


# --8<-- [end:collect]


# --8<-- [start:host]
def select(x, known, counts, taken, out, blocks=264, threads=512):
    """Fill ``out`` with the largest of ``x``, in no order. All are arrays on the GPU.

    x, out: uint32. known: int64, 0, 0 and out.size. counts, taken: int32, 0.
    """
    for shift in (24, 16, 8, 0):
        count_kernel[blocks, threads](x, known, shift, counts)
        choose_kernel[1, 1](counts, shift, known)
    collect_kernel[blocks, threads](x, known, taken, out)


def top_k(x, k, blocks=264, threads=512):
    """Return the k largest of a uint32 array, the largest first. 1 <= k <= x.size.

    --8<-- [start:example]
    >>> x = np.array([3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5], dtype=np.uint32)
    >>> top_k(x, k=4, blocks=2, threads=4)
    array([9, 6, 5, 5], dtype=uint32)

    --8<-- [end:example]
    """
    if not 1 <= k <= x.size:
        raise ValueError(f"k = {k} is not in 1 to {x.size}")
    known = cuda.to_device(np.array([0, 0, k]))
    counts, taken = (cuda.to_device(np.zeros(n, dtype=np.int32)) for n in (BINS, 2))
    out = cuda.device_array(k, np.uint32)
    select(cuda.to_device(x), known, counts, taken, out, blocks, threads)
    return np.sort(out.copy_to_host())[::-1]


# --8<-- [end:host]

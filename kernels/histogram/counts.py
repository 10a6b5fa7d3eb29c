"""Histogram: atomic additions in global memory, in shared memory, and a copy for each warp."""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]

# --8<-- [start:global]
BINS = 256


@cuda.jit
def histogram_global_kernel(x, counts):
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        if 0 <= x[i] < BINS:
            cuda.atomic.add(counts, x[i], np.uint32(1))


# --8<-- [end:global]


# --8<-- [start:shared]
@cuda.jit
def histogram_shared_kernel(x, counts):
    local = cuda.shared.array(BINS, np.uint32)
    tid, threads = cuda.threadIdx.x, cuda.blockDim.x
    for b in range(tid, BINS, threads):
        local[b] = 0
    cuda.syncthreads()
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        if 0 <= x[i] < BINS:
            cuda.atomic.add(local, x[i], np.uint32(1))
    cuda.syncthreads()
    for b in range(tid, BINS, threads):
        cuda.atomic.add(counts, b, local[b])


# --8<-- [end:shared]


# --8<-- [start:warps]
def make_histogram_warps(threads=256):
    """Return a kernel (x, counts) with a histogram for each warp of a block."""
    warps = threads // 32

    @cuda.jit
    def histogram_warps_kernel(x, counts):
        local = cuda.shared.array((warps, BINS), np.uint32)
        tid = cuda.threadIdx.x
        warp = tid // 32
        for b in range(tid, BINS, threads):
            for w in range(warps):
                local[w, b] = 0
        cuda.syncthreads()
        for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
            if 0 <= x[i] < BINS:
                cuda.atomic.add(local, (warp, x[i]), np.uint32(1))
        cuda.syncthreads()
        for b in range(tid, BINS, threads):
            count = np.uint32(0)
            for w in range(warps):
                count += local[w, b]
            cuda.atomic.add(counts, b, count)

    return histogram_warps_kernel


# --8<-- [end:warps]


# --8<-- [start:host]
def histogram(kernel, x, blocks=264, threads=256):
    """Return how often each of 0 to 255 occurs in an int32 array. Other values are not counted.

    --8<-- [start:example]
    >>> x = np.array([3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 300, -1], dtype=np.int32)
    >>> histogram(histogram_global_kernel, x, blocks=2, threads=4)[:10]
    array([0, 2, 1, 2, 1, 3, 1, 0, 0, 1], dtype=uint32)

    --8<-- [end:example]

    --8<-- [start:shared_example]
    >>> histogram(histogram_shared_kernel, x, blocks=2, threads=4)[:10]
    array([0, 2, 1, 2, 1, 3, 1, 0, 0, 1], dtype=uint32)

    --8<-- [end:shared_example]

    --8<-- [start:warps_example]
    >>> histogram(make_histogram_warps(64), x, blocks=2, threads=64)[:10]
    array([0, 2, 1, 2, 1, 3, 1, 0, 0, 1], dtype=uint32)

    --8<-- [end:warps_example]
    """
    counts = cuda.to_device(np.zeros(BINS, dtype=np.uint32))
    kernel[blocks, threads](cuda.to_device(x), counts)
    return counts.copy_to_host()


# --8<-- [end:host]

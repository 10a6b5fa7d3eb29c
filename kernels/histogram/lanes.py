"""Histogram with a column of counters for each lane, so that lanes never meet at a bank."""

import numpy as np
from numba import cuda

from kernels.elementwise.vectors import load4
from kernels.histogram.counts import BINS


# --8<-- [start:kernel]
@cuda.jit(device=True)
def count(local, value, lane):
    """Add one to this lane's counter of a value, if there is one."""
    if np.uint32(value) < np.uint32(BINS):  # a negative number is a large one without its sign
        cuda.atomic.add(local, (value, lane), np.uint32(1))


def make_histogram_lanes(threads=1024, vectors=2):
    """Return a kernel (x, counts). ``local`` has the counters of a lane in one bank: 32 KiB."""
    step = 4 * threads
    tile = vectors * step

    @cuda.jit(launch_bounds=threads)
    def histogram_lanes_kernel(x, counts):
        local = cuda.shared.array((BINS, 32), np.uint32)
        held = cuda.local.array((vectors, 4), np.int32)
        tid = cuda.threadIdx.x
        lane = tid % 32
        for b in range(tid // 32, BINS, threads // 32):
            local[b, lane] = 0
        cuda.syncthreads()
        whole = np.uint32(np.uint32(x.size) // np.uint32(tile))
        for t in range(cuda.blockIdx.x, whole, cuda.gridDim.x):
            here = np.int64(t) * tile + 4 * tid
            for k in range(vectors):
                held[k, 0], held[k, 1], held[k, 2], held[k, 3] = load4(x, here + k * step)
            for k in range(vectors):
                for j in range(4):
                    count(local, held[k, j], lane)
        rest = np.int64(whole) * tile
        for i in range(rest + cuda.grid(1), x.size, cuda.gridsize(1)):
            count(local, x[i], lane)
        cuda.syncthreads()
        for b in range(tid // 32, BINS, threads // 32):  # a warp adds up the lanes of a bin
            total = np.int32(local[b, lane])
            for half in (16, 8, 4, 2, 1):
                total += cuda.shfl_down_sync(0xFFFFFFFF, total, half)
            if lane == 0 and total > 0:
                cuda.atomic.add(counts, b, np.uint32(total))

    return histogram_lanes_kernel


# --8<-- [end:kernel]

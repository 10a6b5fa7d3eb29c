"""Sum of an array in one launch: 16-byte loads, several in flight, and the last block finishes."""

import numpy as np
from numba import cuda

from kernels.elementwise.vectors import load4
from kernels.reduction.warps import block_sum


# --8<-- [start:kernel]
def make_sum(threads=512, vectors=4):
    """Return a kernel (x, partial, ticket, total): one launch sums a float32 array.

    Each thread has ``vectors`` loads of 16 bytes in flight. ``partial`` has an element for each
    block; ``ticket`` is one uint32, 0 before the launch and 0 again behind it.
    """
    step = 4 * threads  # elements that a block reads with one load of each thread
    tile = vectors * step

    @cuda.jit(launch_bounds=threads)
    def sum_kernel(x, partial, ticket, total):
        held = cuda.local.array((vectors, 4), np.float32)
        acc = cuda.local.array(4, np.float32)
        last = cuda.shared.array(1, np.uint32)
        tid, n = np.uint32(cuda.threadIdx.x), np.uint32(x.size)
        for j in range(4):
            acc[j] = 0
        whole = np.uint32(n // np.uint32(tile))
        for t in range(cuda.blockIdx.x, whole, cuda.gridDim.x):
            here = np.int64(t) * tile + 4 * tid
            for k in range(vectors):
                held[k, 0], held[k, 1], held[k, 2], held[k, 3] = load4(x, here + k * step)
            for k in range(vectors):
                for j in range(4):
                    acc[j] += held[k, j]
        rest = np.uint32(whole * np.uint32(tile))  # what is left of the last tile
        for i in range(rest + cuda.grid(1), n, cuda.gridsize(1)):
            acc[0] += x[i]

        value = block_sum((acc[0] + acc[1]) + (acc[2] + acc[3]))
        if tid == 0:
            partial[cuda.blockIdx.x] = value
            cuda.threadfence()  # the partial sum is there before the ticket is drawn
            last[0] = cuda.atomic.add(ticket, 0, np.uint32(1)) == cuda.gridDim.x - 1
        cuda.syncthreads()
        if last[0]:  # every other block has drawn its ticket
            cuda.threadfence()
            value = np.float32(0)
            for b in range(tid, cuda.gridDim.x, threads):
                value += partial[b]
            value = block_sum(value)
            if tid == 0:
                total[0] = value
                ticket[0] = 0

    return sum_kernel


# --8<-- [end:kernel]


# --8<-- [start:host]
def sum_one_pass(x, blocks=264, threads=512, vectors=4):
    """Return the sum of a float32 array of fewer than 2^32 elements.

    --8<-- [start:example]
    >>> x = np.arange(1000, dtype=np.float32)
    >>> sum_one_pass(x, blocks=3, threads=32), float(x.sum())
    (499500.0, 499500.0)

    --8<-- [end:example]
    """
    partial = cuda.device_array(blocks, np.float32)
    total = cuda.device_array(1, np.float32)
    ticket = cuda.to_device(np.zeros(1, dtype=np.uint32))
    kernel = make_sum(threads, vectors)
    kernel[blocks, threads](cuda.to_device(x), partial, ticket, total)
    return float(total.copy_to_host()[0])


# --8<-- [end:host]

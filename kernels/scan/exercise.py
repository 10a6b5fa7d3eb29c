"""The exercise of the page: the exclusive scan of a block after another."""

import numpy as np
from numba import cuda

from kernels.scan.block import add_before_kernel, block_scan, scan_on_device


# --8<-- [start:solution]
@cuda.jit
def exclusive_blocks_kernel(x, out, sums):
    i = cuda.grid(1)
    value = x[i] if i < x.size else np.int32(0)
    running = block_scan(value)
    if i < x.size:
        out[i] = running - value
    if cuda.threadIdx.x == cuda.blockDim.x - 1:
        sums[cuda.blockIdx.x] = running


def exclusive_scan(x, threads=256):
    """Return, for each element of an int32 array, the sum of those before it.

    --8<-- [start:example]
    >>> exclusive_scan(np.array([3, 1, 4, 1, 5], dtype=np.int32), threads=32)
    array([0, 3, 4, 8, 9], dtype=int32)

    --8<-- [end:example]
    """
    out = cuda.device_array(x.size, np.int32)
    blocks = -(-x.size // threads)
    if blocks:
        sums = cuda.device_array(blocks, np.int32)
        exclusive_blocks_kernel[blocks, threads](cuda.to_device(x), out, sums)
        scan_on_device(sums, sums, threads)
        add_before_kernel[blocks, threads](out, sums)
    return out.copy_to_host()


# --8<-- [end:solution]

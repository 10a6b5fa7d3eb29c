"""Inclusive scan: a block at a time, and three kernels for an array of any size."""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:block]
@cuda.jit(device=True)
def warp_scan(value):
    """Return the sum of the values of this lane and of those below it."""
    lane = cuda.threadIdx.x % 32
    for step in (1, 2, 4, 8, 16):
        below = cuda.shfl_up_sync(0xFFFFFFFF, value, step)
        if lane >= step:
            value = np.int32(value + below)
    return value


@cuda.jit(device=True)
def block_scan(value):
    """Return the running sum of a block's values at this thread. Threads: a multiple of 32."""
    totals = cuda.shared.array(32, np.int32)
    lane, warp = cuda.threadIdx.x % 32, cuda.threadIdx.x // 32
    value = warp_scan(value)
    if lane == 31:
        totals[warp] = value
    cuda.syncthreads()
    before = totals[lane] if lane < warp else np.int32(0)  # the warps before this one
    for step in (16, 8, 4, 2, 1):
        before = np.int32(before + cuda.shfl_xor_sync(0xFFFFFFFF, before, step))
    return np.int32(value + before)


# --8<-- [end:block]


# --8<-- [start:kernels]
@cuda.jit
def scan_blocks_kernel(x, out, sums):
    i = cuda.grid(1)
    running = block_scan(x[i] if i < x.size else np.int32(0))
    if i < x.size:
        out[i] = running
    if cuda.threadIdx.x == cuda.blockDim.x - 1:
        sums[cuda.blockIdx.x] = running


@cuda.jit
def add_before_kernel(out, sums):
    i = cuda.grid(1)
    if cuda.blockIdx.x > 0 and i < out.size:
        out[i] += sums[cuda.blockIdx.x - 1]


# --8<-- [end:kernels]


# --8<-- [start:host]
def scan_on_device(x, out, threads=256):
    """Fill ``out`` with the running sums of ``x``, two int32 arrays on the GPU."""
    blocks = -(-x.size // threads)
    sums = cuda.device_array(blocks, np.int32)
    scan_blocks_kernel[blocks, threads](x, out, sums)
    if blocks > 1:
        scan_on_device(sums, sums, threads)
        add_before_kernel[blocks, threads](out, sums)


def scan(x, threads=256):
    """Return the running sums of an int32 array. threads: a multiple of 32, at most 1024.

    --8<-- [start:example]
    >>> x = np.array([3, 1, 4, 1, 5, 9, 2, 6], dtype=np.int32)
    >>> scan(x, threads=32)
    array([ 3,  4,  8,  9, 14, 23, 25, 31], dtype=int32)
    >>> ones = np.ones(5000, dtype=np.int32)
    >>> bool((scan(ones, threads=64) == np.arange(1, 5001)).all())
    True

    --8<-- [end:example]
    """
    out = cuda.device_array(x.size, np.int32)
    if x.size:
        scan_on_device(cuda.to_device(x), out, threads)
    return out.copy_to_host()


# --8<-- [end:host]

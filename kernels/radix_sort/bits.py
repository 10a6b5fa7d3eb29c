"""Radix sort, one bit a pass: mark, scan, scatter."""

import numpy as np
from numba import cuda

from kernels.scan.block import scan_on_device


# --8<-- [start:kernels]
@cuda.jit
def mark_zeros_kernel(keys, bit, flags):
    i = cuda.grid(1)
    if i < keys.size:
        flags[i] = keys[i] >> np.uint32(bit) & np.uint32(1) == 0


@cuda.jit
def split_kernel(keys, bit, zeros, out):
    """zeros[i]: how many keys up to i have a zero. They come first, and the others behind them."""
    i = cuda.grid(1)
    if i < keys.size:
        if keys[i] >> np.uint32(bit) & np.uint32(1) == 0:
            out[zeros[i] - 1] = keys[i]
        else:
            out[zeros[keys.size - 1] + i - zeros[i]] = keys[i]


# --8<-- [end:kernels]


# --8<-- [start:host]
def sort_bits(x, threads=256):
    """Return a sorted copy of a uint32 array: 32 passes.

    --8<-- [start:example]
    >>> sort_bits(np.array([3, 1, 4, 1, 5, 9, 2, 6], dtype=np.uint32), threads=32)
    array([1, 1, 2, 3, 4, 5, 6, 9], dtype=uint32)

    --8<-- [end:example]
    """
    if not x.size:
        return x.copy()
    keys, out = cuda.to_device(x), cuda.device_array(x.size, np.uint32)
    zeros = cuda.device_array(x.size, np.int32)
    blocks = -(-x.size // threads)
    for bit in range(32):
        mark_zeros_kernel[blocks, threads](keys, bit, zeros)
        scan_on_device(zeros, zeros, threads)
        split_kernel[blocks, threads](keys, bit, zeros, out)
        keys, out = out, keys
    return keys.copy_to_host()


# --8<-- [end:host]

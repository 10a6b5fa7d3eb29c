"""Instruction-level parallelism: a sum with one load in flight in each thread, and with four."""

import numpy as np
from numba import cuda, float32, uint32


# --8<-- [start:one]
@cuda.jit
def one_in_flight_kernel(a, out):
    """out[thread]: the sum of every gridsize-th element of ``a`` (float32) from the thread's on."""
    i, step = uint32(cuda.grid(1)), uint32(cuda.gridsize(1))
    total = float32(0)
    while i < a.size:
        total += a[i]  # load, use, load, use
        i += step
    out[cuda.grid(1)] = total


# --8<-- [end:one]


# --8<-- [start:four]
@cuda.jit
def four_in_flight_kernel(a, out):
    """The same sums with four loads before the first of them is used."""
    i, step = uint32(cuda.grid(1)), uint32(cuda.gridsize(1))
    total = float32(0)
    while i + uint32(3) * step < a.size:
        w, x = a[i], a[i + step]
        y, z = a[i + uint32(2) * step], a[i + uint32(3) * step]
        total += (w + x) + (y + z)  # the first use: by now all four are on their way
        i += uint32(4) * step
    while i < a.size:  # at most three are left
        total += a[i]
        i += step
    out[cuda.grid(1)] = total


# --8<-- [end:four]


# --8<-- [start:host]
def grid_sum(kernel, a, blocks, threads):
    """Return the sum of ``a`` as float32, from the partial sums of all threads.

    --8<-- [start:example]
    >>> a = np.arange(1, 101)  # Gauss's sum: 5050
    >>> grid_sum(one_in_flight_kernel, a, blocks=3, threads=4)
    5050.0
    >>> grid_sum(four_in_flight_kernel, a, blocks=3, threads=4)
    5050.0

    --8<-- [end:example]
    """
    d_out = cuda.device_array(blocks * threads, np.float32)
    kernel[blocks, threads](cuda.to_device(np.asarray(a, dtype=np.float32)), d_out)
    return float(d_out.copy_to_host().sum())


# --8<-- [end:host]

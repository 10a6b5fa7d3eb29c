"""Inclusive scan in one block: each place gets the sum of all values up to itself."""

import numpy as np
from numba import cuda


# --8<-- [start:kernel]
@cuda.jit
def scan_kernel(x, out):
    buffers = cuda.shared.array((2, 1024), np.int32)  # one to read from, one to write to
    i = cuda.threadIdx.x
    if i < x.size:
        buffers[0, i] = x[i]
    cuda.syncthreads()

    source = 0
    step = 1
    while step < x.size:
        if i < x.size:
            value = buffers[source, i]
            if i >= step:
                value += buffers[source, i - step]
            buffers[1 - source, i] = value
        cuda.syncthreads()  # all have written, all have read: the two can change places
        source = 1 - source
        step *= 2
    if i < x.size:
        out[i] = buffers[source, i]


# --8<-- [end:kernel]


def scan(x, threads=256):
    """Return the running sums of x as int32. x.size <= threads <= 1024.

    --8<-- [start:example]
    >>> values = cuda.to_device(np.array([3, 1, 7, 0, 4, 1, 6], dtype=np.int32))
    >>> sums = cuda.device_array_like(values)
    >>> scan_kernel[1, 8](values, sums)
    >>> sums.copy_to_host()
    array([ 3,  4, 11, 11, 15, 16, 22], dtype=int32)

    --8<-- [end:example]
    """
    x = np.asarray(x, dtype=np.int32)
    if x.size > threads:
        raise ValueError(f"{x.size} values need as many threads, not {threads}")
    d_x = cuda.to_device(x)
    d_out = cuda.device_array_like(d_x)
    scan_kernel[1, threads](d_x, d_out)
    return d_out.copy_to_host()

"""Two kernels in one stream run in order; an event tells when the first is done."""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:kernel]
@cuda.jit
def add_one_kernel(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] += np.float32(1)


@cuda.jit
def double_kernel(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] *= np.float32(2)


# --8<-- [end:kernel]


def examples():
    """Queue work, go on, wait.

    --8<-- [start:stream]
    >>> stream = cuda.stream()
    >>> x = cuda.to_device(np.arange(5, dtype=np.float32), stream=stream)
    >>> add_one_kernel[1, 32, stream](x)  # returns at once
    >>> double_kernel[1, 32, stream](x)  # begins when the first is done
    >>> stream.synchronize()  # the host waits here
    >>> x.copy_to_host()
    array([ 2.,  4.,  6.,  8., 10.], dtype=float32)

    --8<-- [end:stream]

    --8<-- [start:event]
    >>> before, after = cuda.event(), cuda.event()
    >>> x = cuda.to_device(np.arange(5, dtype=np.float32))
    >>> before.record()
    >>> add_one_kernel[1, 32](x)
    >>> after.record()
    >>> after.synchronize()  # wait until the GPU has come to it
    >>> x.copy_to_host()  # before.elapsed_time(after) now gives milliseconds
    array([1., 2., 3., 4., 5.], dtype=float32)

    --8<-- [end:event]
    """

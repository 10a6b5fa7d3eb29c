"""The exercise of the page: two arrays, each in a stream of its own."""

import numpy as np
from numba import cuda

from kernels.execution_model.square import square_kernel


# --8<-- [start:host]
def square_both(a, b, threads=4):
    """Return the squares of ``a`` and of ``b`` as float32, each computed in its own stream."""
    results = []
    for values in (a, b):
        stream = cuda.stream()
        d_x = cuda.to_device(np.asarray(values, dtype=np.float32), stream=stream)
        square_kernel[-(-d_x.size // threads), threads, stream](d_x)
        results.append((stream, d_x))  # asked for, not waited for
    for stream, _ in results:
        stream.synchronize()
    return [d_x.copy_to_host() for _, d_x in results]


# --8<-- [end:host]


def _example():
    """
    --8<-- [start:example]
    >>> a, b = square_both([1, 2, 3], [10, 20, 30, 40, 50])
    >>> a
    array([1., 4., 9.], dtype=float32)
    >>> b
    array([ 100.,  400.,  900., 1600., 2500.], dtype=float32)

    --8<-- [end:example]
    """

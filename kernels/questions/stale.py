"""A kernel that leaves some outputs unwritten, and a test that does not notice."""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:kernels]
@cuda.jit
def relu(x, out):
    i = cuda.grid(1)
    if i < x.size:
        out[i] = max(x[i], np.float32(0))


@cuda.jit
def relu_forgets(x, out):
    i = cuda.grid(1)
    if i < x.size and x[i] > 0:  # where x is negative, nothing is written
        out[i] = x[i]


# --8<-- [end:kernels]


def example():
    """The reference runs first, and leaves the right answer where the other one should write.

    --8<-- [start:example]
    >>> x = np.array([3, -1, 4, -1, 5], np.float32)
    >>> right = np.maximum(x, 0)
    >>> d_x, buffer = cuda.to_device(x), cuda.device_array(5, np.float32)
    >>> relu[1, 32](d_x, buffer)  # the reference
    >>> relu_forgets[1, 32](d_x, buffer)  # the generated kernel, into the same memory
    >>> np.array_equal(buffer.copy_to_host(), right)
    True
    >>> buffer.copy_to_device(np.full(5, np.nan, np.float32))
    >>> relu_forgets[1, 32](d_x, buffer)
    >>> np.array_equal(buffer.copy_to_host(), right)
    False

    --8<-- [end:example]
    """

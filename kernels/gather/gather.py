"""Gather and scatter: read or write where an array of indices says."""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:kernels]
@cuda.jit
def gather_kernel(x, indices, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = x[indices[i]]


@cuda.jit
def scatter_kernel(x, indices, out):
    i = cuda.grid(1)
    if i < x.size:
        out[indices[i]] = x[i]


# --8<-- [end:kernels]


# --8<-- [start:add]
@cuda.jit
def scatter_add_kernel(x, indices, out):
    """Where several indices are equal, their values are added: no update is lost."""
    i = cuda.grid(1)
    if i < x.size:
        cuda.atomic.add(out, indices[i], x[i])


# --8<-- [end:add]


# --8<-- [start:host]
def gather(x, indices, threads=256):
    """Return x[indices]. Every index must be one of x, and none negative.

    Raises IndexError where one is not: a kernel would read what lies there.

    --8<-- [start:example]
    >>> x = np.array([10, 20, 30, 40], dtype=np.float32)
    >>> gather(x, np.array([3, 0, 0, 2, 1], dtype=np.int32), threads=4)
    array([40., 10., 10., 30., 20.], dtype=float32)

    --8<-- [end:example]
    """
    if indices.size and not (0 <= indices.min() and indices.max() < x.size):
        raise IndexError(f"an index is not in 0 to {x.size - 1}")
    out = cuda.device_array(indices.size, x.dtype)
    if indices.size:
        blocks = -(-indices.size // threads)
        gather_kernel[blocks, threads](cuda.to_device(x), cuda.to_device(indices), out)
    return out.copy_to_host()


def scatter(kernel, x, indices, size, threads=256):
    """Return zeros with x[i] at indices[i], by one of the two kernels. IndexError as above.

    --8<-- [start:scatter_example]
    >>> scatter(scatter_kernel, x, np.array([2, 0, 3, 1], dtype=np.int32), size=4)
    array([20., 40., 10., 30.], dtype=float32)
    >>> scatter(scatter_add_kernel, x, np.array([2, 0, 2, 1], dtype=np.int32), size=4)
    array([20., 40., 40.,  0.], dtype=float32)

    --8<-- [end:scatter_example]
    """
    if indices.size and not (0 <= indices.min() and indices.max() < size):
        raise IndexError(f"an index is not in 0 to {size - 1}")
    out = cuda.to_device(np.zeros(size, x.dtype))
    if x.size:
        blocks = -(-x.size // threads)
        kernel[blocks, threads](cuda.to_device(x), cuda.to_device(indices), out)
    return out.copy_to_host()


# --8<-- [end:host]

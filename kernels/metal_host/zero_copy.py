"""One memory for both sides: the CPU writes, the GPU works on it, the CPU reads."""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:kernel]
@cuda.jit
def square_kernel(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] *= x[i]


# --8<-- [end:kernel]


# --8<-- [start:copies]
def square_by_copies(values, threads=256):
    """Return the squares of ``values`` (n,) as float32: there and back again."""
    d_x = cuda.to_device(np.asarray(values, dtype=np.float32))
    square_kernel[-(-d_x.size // threads), threads](d_x)
    return d_x.copy_to_host()  # waits for the kernel, then copies


# --8<-- [end:copies]


# --8<-- [start:shared]
def square_shared(values, threads=256):
    """Return the squares of ``values`` (n,) as float32, in memory that both sides reach.

    --8<-- [start:example]
    >>> square_by_copies([1, 2, 3, 4, 5], threads=2)
    array([ 1.,  4.,  9., 16., 25.], dtype=float32)
    >>> square_shared([1, 2, 3, 4, 5], threads=2)
    array([ 1.,  4.,  9., 16., 25.], dtype=float32)

    --8<-- [end:example]
    """
    x = cuda.mapped_array(len(values), dtype=np.float32)
    x[:] = values  # before the launch
    square_kernel[-(-x.size // threads), threads](x)
    cuda.synchronize()  # nothing copies, so nothing waits unless you do
    return np.array(x)


# --8<-- [end:shared]

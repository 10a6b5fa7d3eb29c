"""A Numba kernel that reads an array of another GPU."""

from numba import cuda


# --8<-- [start:kernel]
@cuda.jit
def add_kernel(theirs, mine, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = theirs[i] + mine[i]


# --8<-- [end:kernel]


def examples():
    """The kernel on arrays that one GPU holds.

    --8<-- [start:example]
    >>> out = np.zeros(5, np.float32)
    >>> add_kernel[2, 4](np.arange(5, dtype=np.float32), np.full(5, 10, np.float32), out)
    >>> out
    array([10., 11., 12., 13., 14.], dtype=float32)

    --8<-- [end:example]
    """

"""Wrong: launched with half of the blocks, it writes half of the output, in half of the time."""

from numba import cuda


# --8<-- [start:kernel]
@cuda.jit
def half_add_kernel(a, b, out):
    i = cuda.grid(1)  # launched with half of the blocks, no thread has the second half
    if i < out.size:
        out[i] = a[i] + b[i]


# --8<-- [end:kernel]

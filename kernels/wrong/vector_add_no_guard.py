"""Wrong: the threads of the last block that have no element write past the end."""

from numba import cuda


# --8<-- [start:kernel]
@cuda.jit
def add_no_guard_kernel(a, b, out):
    i = cuda.grid(1)
    out[i] = a[i] + b[i]  # no guard: some threads have no element


# --8<-- [end:kernel]

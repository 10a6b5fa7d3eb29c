"""Wrong: four loads at a time, and nobody reads what is left at the end."""

from numba import cuda, float32, uint32

from kernels.latency_hiding.sums import grid_sum  # noqa: F401


# --8<-- [start:kernel]
@cuda.jit
def no_tail_kernel(a, out):
    i, step = uint32(cuda.grid(1)), uint32(cuda.gridsize(1))
    total = float32(0)
    while i + uint32(3) * step < a.size:
        w, x = a[i], a[i + step]
        y, z = a[i + uint32(2) * step], a[i + uint32(3) * step]
        total += (w + x) + (y + z)
        i += uint32(4) * step
    out[cuda.grid(1)] = total  # WRONG: up to three elements of each thread are left


# --8<-- [end:kernel]


def try_it():
    """Sum two arrays.

    --8<-- [start:example]
    >>> grid_sum(no_tail_kernel, np.arange(1, 97), blocks=3, threads=4)  # 96 elements
    4656.0
    >>> grid_sum(no_tail_kernel, np.arange(1, 101), blocks=3, threads=4)  # 100: not 5050
    4656.0

    --8<-- [end:example]
    """

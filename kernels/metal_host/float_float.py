"""Where there is no double: a sum in pairs of floats, the value and what rounding lost."""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:device]
@cuda.jit(device=True)
def two_sum(a, b):
    """Return a + b as a float, and exactly what its rounding lost."""
    total = a + b
    b_seen = total - a  # the part of b that arrived
    lost = (a - (total - b_seen)) + (b - b_seen)
    return total, lost


# --8<-- [end:device]


# --8<-- [start:kernel]
@cuda.jit
def sum_kernel(values, totals, rests):
    thread = cuda.grid(1)
    total = np.float32(0)
    rest = np.float32(0)
    for i in range(thread, values.size, cuda.gridsize(1)):
        total, lost = two_sum(total, values[i])
        rest += lost
    totals[thread] = total
    rests[thread] = rest


# --8<-- [end:kernel]


# --8<-- [start:host]
def careful_sum(values, blocks=2, threads=32):
    """Return the sum of ``values`` (n,) float32, nearly as exact as in double precision.

    --8<-- [start:example]
    >>> values = np.full(2001, 1e-8, dtype=np.float32)
    >>> values[0] = 1
    >>> one_by_one = np.float32(0)
    >>> for value in values:
    ...     one_by_one += value
    >>> float(one_by_one)
    1.0
    >>> round(float(careful_sum(values, blocks=1, threads=2)), 9)
    1.00002

    --8<-- [end:example]
    """
    d_values = cuda.to_device(np.asarray(values, dtype=np.float32))
    d_totals = cuda.device_array(blocks * threads, dtype=np.float32)
    d_rests = cuda.device_array(blocks * threads, dtype=np.float32)
    sum_kernel[blocks, threads](d_values, d_totals, d_rests)
    # A few numbers are left, and the CPU has doubles.
    parts = np.concatenate([d_totals.copy_to_host(), d_rests.copy_to_host()])
    return parts.sum(dtype=np.float64)


# --8<-- [end:host]

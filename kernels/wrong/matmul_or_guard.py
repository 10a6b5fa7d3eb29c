"""Wrong: "or" where both conditions must hold, so threads beside the matrix work too."""

import numpy as np
from numba import cuda


# --8<-- [start:kernel]
@cuda.jit
def matmul_or_guard_kernel(a, b, c):
    column, row = cuda.grid(2)
    if row < c.shape[0] or column < c.shape[1]:  # must be "and"
        total = np.float32(0)
        for k in range(a.shape[1]):
            total += a[row, k] * b[k, column]
        c[row, column] = total


# --8<-- [end:kernel]

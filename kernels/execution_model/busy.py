"""A kernel that keeps the GPU busy for as many rounds as you ask."""

import numpy as np
from numba import cuda


# --8<-- [start:kernel]
@cuda.jit
def busy_kernel(x, rounds):
    i = cuda.grid(1)
    if i < x.size:
        value = x[i]
        for _ in range(rounds):
            value = value * np.float32(0.5) + np.float32(1)
        x[i] = value


# --8<-- [end:kernel]

"""Nothing but multiply-adds, four chains of them in each thread: the flat part of the roof."""

import numpy as np
from numba import cuda


# --8<-- [start:kernel]
@cuda.jit
def chains_kernel(rounds, out):
    """Do 128 multiply-adds a round in each thread, in four chains that do not need each other."""
    a, b = np.float32(0.999), np.float32(0.5)
    x = np.float32(cuda.threadIdx.x)
    y, z, w = x + np.float32(1), x + np.float32(2), x + np.float32(3)
    for _ in range(rounds):
        for _ in range(32):  # the compiler writes this out
            x = x * a + b
            y = y * a + b
            z = z * a + b
            w = w * a + b
    out[cuda.grid(1)] = (x + y) + (z + w)


# --8<-- [end:kernel]

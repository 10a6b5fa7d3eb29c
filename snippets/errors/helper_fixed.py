import numpy as np
from numba import cuda


@cuda.jit(device=True)
def twice(v):
    return 2 * v


@cuda.jit
def double(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] = twice(x[i])


double[1, 32](np.ones(32, dtype=np.float32))

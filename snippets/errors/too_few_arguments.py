import numpy as np
from numba import cuda


@cuda.jit
def scale_kernel(x, factor):
    i = cuda.grid(1)
    if i < x.size:
        x[i] *= factor


scale_kernel[1, 1](np.ones(32, dtype=np.float32))

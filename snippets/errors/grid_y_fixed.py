import numpy as np
from numba import cuda


@cuda.jit
def clear_kernel(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] = 0


clear_kernel[64, 32](cuda.to_device(np.ones(2048, dtype=np.float32)))

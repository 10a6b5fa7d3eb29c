import numpy as np
from numba import cuda


@cuda.jit
def shift_kernel(x):
    i = cuda.grid(1)
    x[i] = cuda.shfl_down_sync(0xFFFFFFFF, x[i], 1)


shift_kernel[1, 1](np.ones(32, dtype=np.float32))

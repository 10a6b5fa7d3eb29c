import numpy as np
from numba import cuda


@cuda.jit
def shift_kernel(x):
    i = cuda.threadIdx.x
    value = cuda.shfl_down_sync(0xFFFFFFFF, x[i], 8)
    if i < 16:
        x[i] += value


shift_kernel[1, 32](cuda.to_device(np.ones(32, dtype=np.float32)))

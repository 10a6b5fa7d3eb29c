import numpy as np
from numba import cuda


@cuda.jit
def scale_kernel(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] *= 2


x = np.ones(1000, dtype=np.float32)
threads = 256
scale_kernel[1000](x)

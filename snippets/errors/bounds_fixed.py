import numpy as np
from numba import cuda


@cuda.jit
def scale_kernel(x, out):
    i = cuda.grid(1)
    if i < x.size:
        out[i] = 2 * x[i]


x = cuda.to_device(np.ones(100, dtype=np.float32))
scale_kernel[4, 32](x, cuda.device_array(100, dtype=np.float32))

import numpy as np
from numba import cuda


@cuda.jit
def add_kernel(x, out):
    i = cuda.grid(1)
    if i < x.size:
        out[i] += x[i]


x = cuda.to_device(np.ones(64, dtype=np.float32))
add_kernel[2, 32](x, cuda.device_array(64, dtype=np.float32))

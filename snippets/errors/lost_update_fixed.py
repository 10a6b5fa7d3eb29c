import numpy as np
from numba import cuda


@cuda.jit
def sum_kernel(x, total):
    i = cuda.grid(1)
    if i < x.size:
        cuda.atomic.add(total, 0, x[i])


x = cuda.to_device(np.ones(64, dtype=np.float32))
sum_kernel[2, 32](x, cuda.to_device(np.zeros(1, dtype=np.float32)))

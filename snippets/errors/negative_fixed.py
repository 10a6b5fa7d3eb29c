import numpy as np
from numba import cuda


@cuda.jit
def change_kernel(price, change):
    i = cuda.grid(1)
    if 0 < i < price.size:
        change[i] = price[i] - price[i - 1]


price = cuda.to_device(np.ones(64, dtype=np.float32))
change_kernel[2, 32](price, cuda.to_device(np.zeros(64, dtype=np.float32)))

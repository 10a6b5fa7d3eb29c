import numpy as np
from numba import cuda


@cuda.jit
def add_one_kernel(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] += 1


x = cuda.to_device(np.ones(2048, dtype=np.float32))
add_one_kernel[-(-x.size // 256), 256](x)

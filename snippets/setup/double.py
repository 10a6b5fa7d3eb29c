import numpy as np
from numba import cuda


@cuda.jit
def double_kernel(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] = x[i] + x[i]


x = cuda.to_device(np.arange(1, 6, dtype=np.float32))
double_kernel[3, 2](x)
print(cuda.__name__, x.copy_to_host())

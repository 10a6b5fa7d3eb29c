import numpy as np
from numba import cuda


@cuda.jit
def wait_kernel(flag, tries):
    n = 0
    while flag[0] == 0:
        n += 1
    tries[0] = n


zero = np.zeros(1, dtype=np.int32)
wait_kernel[1, 1](cuda.to_device(zero), cuda.to_device(zero))

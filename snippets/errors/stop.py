import numpy as np
from numba import cuda


@cuda.jit
def smooth_kernel(x, out):
    i = cuda.threadIdx.x + cuda.blockIdx.x * cuda.blockDim.y
    if cuda.blockIdx.x == 2 and cuda.threadIdx.x == 0:
        breakpoint()
    if 0 < i < x.size - 1:
        out[i] = (x[i - 1] + x[i] + x[i + 1]) / 3


x = np.array([1, 1, 1, 4, 4, 4, 7, 7, 7, 7, 7, 7], dtype=np.float32)
smooth_kernel[3, 4](x, np.zeros_like(x))

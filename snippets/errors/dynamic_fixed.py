import numpy as np
from numba import cuda, float32


@cuda.jit
def reverse_kernel(x):
    tile = cuda.shared.array(0, float32)
    i = cuda.threadIdx.x
    tile[i] = x[i]
    cuda.syncthreads()
    x[i] = tile[63 - i]


reverse_kernel[1, 64, 0, 64 * 4](cuda.to_device(np.ones(64, dtype=np.float32)))

import numpy as np
from numba import cuda, float32


@cuda.jit
def first_kernel(x):
    tile = cuda.shared.array(64, float32)
    i = cuda.threadIdx.x
    tile[i] = x[i]
    cuda.syncthreads()
    x[i] = tile[0]


first_kernel[1, 64](cuda.to_device(np.ones(64, dtype=np.float32)))

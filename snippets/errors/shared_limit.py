import numpy as np
from numba import cuda, float32


@cuda.jit
def corner_kernel(x):
    tile = cuda.shared.array((128, 128), float32)
    i = cuda.threadIdx.x
    tile[i, 0] = x[i]
    x[i] = tile[i, 0]


corner_kernel[1, 32](cuda.to_device(np.ones(32, dtype=np.float32)))

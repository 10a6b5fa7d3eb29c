import numpy as np
from numba import cuda, float32


@cuda.jit
def first_kernel(x):
    tile = cuda.shared.array(64, float32)
    i = cuda.grid(1)
    if i < x.size:
        tile[cuda.threadIdx.x] = x[i]
        cuda.syncthreads()
        x[i] = tile[0]


first_kernel[2, 64](cuda.to_device(np.ones(100, dtype=np.float32)))

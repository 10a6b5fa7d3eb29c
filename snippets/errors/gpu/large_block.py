import numpy as np
from numba import cuda


@cuda.jit
def double(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] *= 2


x = cuda.to_device(np.ones(2048, dtype=np.float32))


def right():
    double[2, 1024](x)


def wrong():
    double[1, 2048](x)

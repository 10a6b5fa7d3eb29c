from numba import cuda, float32


def invert(x):
    i = cuda.grid(1)
    if i < x.size and x[i] != 0:
        x[i] = 1 / x[i]


cuda.compile_ptx(invert, (float32[:],), cc=(9, 0))

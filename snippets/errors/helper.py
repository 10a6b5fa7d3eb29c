from numba import cuda, float32


def twice(v):
    return 2 * v


def double(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] = twice(x[i])


cuda.compile_ptx(double, (float32[:],), cc=(9, 0))

from numba import cuda, float32


@cuda.jit
def add(x, y):
    i = cuda.grid(1)
    x[i] += y[i]


cuda.compile_ptx(add, (float32[:],), cc=(9, 0))

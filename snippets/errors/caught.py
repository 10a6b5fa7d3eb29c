from numba import cuda, float32


def invert(x):
    i = cuda.grid(1)
    try:
        x[i] = 1 / x[i]
    except ZeroDivisionError:
        x[i] = 0


cuda.compile_ptx(invert, (float32[:],), cc=(9, 0))

from numba import cuda, float32


def invert(x):
    i = cuda.grid(1)
    try:
        x[i] = 1 / x[i]
    except ZeroDivisionError:
        print("division by zero at", i)


cuda.compile_ptx(invert, (float32[:],), cc=(9, 0))

from numba import cuda, float32


def log(x):
    print("thread", cuda.grid(1))
    x[0] = 1


cuda.compile_ptx(log, (float32[:],), cc=(9, 0))

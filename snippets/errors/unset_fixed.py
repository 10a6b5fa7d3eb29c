from numba import cuda, float32


def total(x):
    s = float32(0)
    for i in range(4):
        s += x[i]
    x[0] = s


cuda.compile_ptx(total, (float32[:],), cc=(9, 0))

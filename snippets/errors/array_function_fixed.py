from numba import cuda, float32


def square_norm(x, out):
    i = cuda.grid(1)
    if i < x.size:
        cuda.atomic.add(out, 0, x[i] * x[i])


cuda.compile_ptx(square_norm, (float32[:], float32[:]), cc=(9, 0))

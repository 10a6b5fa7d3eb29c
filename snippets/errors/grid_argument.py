from numba import cuda, float32, int32


def mark(x, dimensions):
    i = cuda.grid(dimensions)
    x[i] = 1


cuda.compile_ptx(
    mark,
    (
        float32[:],
        int32,
    ),
    cc=(9, 0),
)

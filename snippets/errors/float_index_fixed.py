from numba import cuda, float32


def middle(x, out):
    out[0] = x[x.size // 2]


cuda.compile_ptx(
    middle,
    (
        float32[:],
        float32[:],
    ),
    cc=(9, 0),
)

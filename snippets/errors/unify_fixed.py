from numba import cuda, float32


def pick(x, out):
    out[0] = x[0] if x.size > 3 else 0


cuda.compile_ptx(
    pick,
    (
        float32[:],
        float32[:],
    ),
    cc=(9, 0),
)

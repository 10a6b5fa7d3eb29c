from numba import cuda, float32


def pick(x, out):
    row = x if x.size > 3 else 0
    out[0] = row[0]


cuda.compile_ptx(
    pick,
    (
        float32[:],
        float32[:],
    ),
    cc=(9, 0),
)

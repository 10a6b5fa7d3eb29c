from numba import cuda, float32


def collect(x, out):
    found = cuda.local.array(3, float32)
    for i in range(3):
        found[i] = x[i]
    out[0] = found[2]


cuda.compile_ptx(
    collect,
    (
        float32[:],
        float32[:],
    ),
    cc=(9, 0),
)

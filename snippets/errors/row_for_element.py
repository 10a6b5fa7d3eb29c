from numba import cuda, float32


def copy(image, out):
    i, j = cuda.grid(2)
    if i < image.shape[0] and j < image.shape[1]:
        out[i, j] = image[i]


cuda.compile_ptx(
    copy,
    (
        float32[:, :],
        float32[:, :],
    ),
    cc=(9, 0),
)

"""One filter on images of one channel: four rows a thread, the filter in registers."""

# --8<-- [start:imports]
import functools

import numpy as np
from numba import cuda, float32, int32

# --8<-- [end:imports]


# --8<-- [start:kernel]
DOWN = 4  # output pixels of a thread, one below the other


@functools.cache
def make_filter(R, S):
    """Return a kernel (x, w, out) for a filter of R x S and images of one size, zeros outside."""
    window, size = DOWN + R - 1, R * S

    @cuda.jit
    def filter_kernel(x, w, out):
        taps = cuda.local.array(size, float32)
        acc = cuda.local.array(DOWN, float32)
        height, width = int32(x.shape[1]), int32(x.shape[2])
        j = int32(cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x)
        top = int32(cuda.blockIdx.y * cuda.blockDim.y + cuda.threadIdx.y) * DOWN
        image = x[cuda.blockIdx.z]
        if j < width and top < height:
            for tap in range(size):
                taps[tap] = w[tap // S, tap % S]
            for k in range(DOWN):
                acc[k] = float32(0)
            for i in range(window):
                row = top + i - R // 2
                for s in range(S):
                    column = j + s - S // 2
                    value = float32(0)
                    if 0 <= row < height and 0 <= column < width:
                        value = image[row, column]
                    for k in range(DOWN):  # output row k has this pixel under its tap i - k
                        if 0 <= i - k < R:
                            acc[k] += value * taps[(i - k) * S + s]
            for k in range(DOWN):
                if top + k < height:
                    out[cuda.blockIdx.z, top + k, j] = acc[k]

    return filter_kernel


# --8<-- [end:kernel]


# --8<-- [start:host]
def filter_launch(x, w, out):
    """Launch on device arrays: x and out (images, height, width), w (R, S), R and S odd."""
    threads = 32, 8
    n, height, width = x.shape
    blocks = -(-width // threads[0]), -(-height // (DOWN * threads[1])), n
    make_filter(*w.shape)[blocks, threads](x, w, out)


def filter_images(x, w):
    """Return images (n, height, width) filtered by w, as float32 and as large.

    --8<-- [start:example]
    >>> photo = np.zeros((1, 5, 6), dtype=np.float32)
    >>> photo[0, 2, 2] = 16  # one bright pixel
    >>> blur = np.outer([1, 2, 1], [1, 2, 1]).astype(np.float32) / 16
    >>> filter_images(photo, blur)[0]
    array([[0., 0., 0., 0., 0., 0.],
           [0., 1., 2., 1., 0., 0.],
           [0., 2., 4., 2., 0., 0.],
           [0., 1., 2., 1., 0., 0.],
           [0., 0., 0., 0., 0., 0.]], dtype=float32)

    --8<-- [end:example]
    """
    x, w = (np.asarray(a, dtype=np.float32) for a in (x, w))
    if w.shape[0] % 2 == 0 or w.shape[1] % 2 == 0:
        raise ValueError(f"a filter of {w.shape[0]} x {w.shape[1]} has no middle")
    out = cuda.device_array(x.shape, np.float32)
    filter_launch(cuda.to_device(x), cuda.to_device(w), out)
    return out.copy_to_host()


# --8<-- [end:host]

"""The exercise of the page: mirror an image left to right, one thread for each pixel."""

import numpy as np
from numba import cuda


# --8<-- [start:kernel]
@cuda.jit
def mirror_kernel(image, out):
    x, y = cuda.grid(2)
    rows, columns = image.shape
    if x < columns and y < rows:
        out[y, columns - 1 - x] = image[y, x]


# --8<-- [end:kernel]


def mirror(image, threads=(8, 8)):
    """Return ``image[:, ::-1]``, computed on the GPU. ``threads`` is a block's shape, x first.

    --8<-- [start:example]
    >>> image = cuda.to_device(np.arange(10, dtype=np.int32).reshape(2, 5))
    >>> out = cuda.device_array_like(image)
    >>> mirror_kernel[(2, 1), (3, 2)](image, out)
    >>> out.copy_to_host()
    array([[4, 3, 2, 1, 0],
           [9, 8, 7, 6, 5]], dtype=int32)

    --8<-- [end:example]
    """
    image = cuda.to_device(np.ascontiguousarray(image))
    out = cuda.device_array_like(image)
    blocks = (-(-image.shape[1] // threads[0]), -(-image.shape[0] // threads[1]))
    mirror_kernel[blocks, threads](image, out)
    return out.copy_to_host()

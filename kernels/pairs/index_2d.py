"""Mirror an image: index arithmetic in two dimensions, the Numba side of the pair."""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:kernel]
@cuda.jit
def mirror_kernel(image, out):
    column, row = cuda.grid(2)
    height, width = out.shape
    if row < height and column < width:
        out[row, column] = image[row, width - 1 - column]


# --8<-- [end:kernel]


# --8<-- [start:host]
def mirror(image, threads=(16, 16)):
    """Return an image of uint8, of shape (height, width), with left and right exchanged.

    --8<-- [start:example]
    >>> image = np.arange(15, dtype=np.uint8).reshape(3, 5)
    >>> mirror(image, threads=(4, 2))
    array([[ 4,  3,  2,  1,  0],
           [ 9,  8,  7,  6,  5],
           [14, 13, 12, 11, 10]], dtype=uint8)

    --8<-- [end:example]
    """
    out = cuda.device_array(image.shape, dtype=np.uint8)
    height, width = image.shape
    blocks = (-(-width // threads[0]), -(-height // threads[1]))
    mirror_kernel[blocks, threads](cuda.to_device(image), out)
    return out.copy_to_host()


# --8<-- [end:host]

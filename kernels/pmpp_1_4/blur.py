"""A blur: each pixel becomes the mean of its neighborhood, which ends at the image's edge."""

import numpy as np
from numba import cuda

from kernels.pmpp_1_4.gray import grid_for


# --8<-- [start:kernel]
@cuda.jit
def blur_kernel(image, radius, out):
    x, y = cuda.grid(2)
    height, width = image.shape
    if x < width and y < height:
        total = 0
        count = 0
        for row in range(max(y - radius, 0), min(y + radius + 1, height)):
            for column in range(max(x - radius, 0), min(x + radius + 1, width)):
                total += int(image[row, column])
                count += 1  # nine in the middle, four in a corner
        out[y, x] = total // count


# --8<-- [end:kernel]


def blur(image, radius, threads=(16, 16)):
    """Return the mean over ``2 * radius + 1`` by as many pixels, clipped at the edges.

    ``image`` and the result are uint8 of shape (rows, columns); means are rounded down.

    --8<-- [start:example]
    >>> image = np.zeros((5, 7), dtype=np.uint8)
    >>> image[4, 6] = 180  # one bright pixel, in the last corner
    >>> blurred = cuda.device_array((5, 7), np.uint8)
    >>> blur_kernel[grid_for((5, 7), (4, 2)), (4, 2)](cuda.to_device(image), 1, blurred)
    >>> blurred.copy_to_host()
    array([[ 0,  0,  0,  0,  0,  0,  0],
           [ 0,  0,  0,  0,  0,  0,  0],
           [ 0,  0,  0,  0,  0,  0,  0],
           [ 0,  0,  0,  0,  0, 20, 30],
           [ 0,  0,  0,  0,  0, 30, 45]], dtype=uint8)

    --8<-- [end:example]
    """
    d_out = cuda.device_array(image.shape, np.uint8)
    blur_kernel[grid_for(image.shape, threads), threads](cuda.to_device(image), radius, d_out)
    return d_out.copy_to_host()

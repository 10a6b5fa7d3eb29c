"""Wrong: a neighborhood that begins at a negative index continues at the far side."""

import numpy as np
from numba import cuda

from kernels.pmpp_1_4.gray import grid_for


# --8<-- [start:kernel]
@cuda.jit
def blur_no_edge_kernel(image, radius, out):
    x, y = cuda.grid(2)
    height, width = image.shape
    if x < width and y < height:
        total = 0
        count = 0
        for row in range(y - radius, min(y + radius + 1, height)):  # may begin at -1
            for column in range(x - radius, min(x + radius + 1, width)):
                total += int(image[row, column])
                count += 1
        out[y, x] = total // count


# --8<-- [end:kernel]


def blur_no_edge(image, radius, threads=(16, 16)):
    """Return a wrong blur of image; ``radius`` must not exceed its sides.

    --8<-- [start:example]
    >>> blur_no_edge_kernel[grid_for((5, 7), (4, 2)), (4, 2)](cuda.to_device(image), 1, blurred)
    >>> blurred.copy_to_host()
    array([[20,  0,  0,  0,  0, 20, 30],
           [ 0,  0,  0,  0,  0,  0,  0],
           [ 0,  0,  0,  0,  0,  0,  0],
           [20,  0,  0,  0,  0, 20, 30],
           [30,  0,  0,  0,  0, 30, 45]], dtype=uint8)

    --8<-- [end:example]
    """
    d_out = cuda.device_array(image.shape, np.uint8)
    launch = blur_no_edge_kernel[grid_for(image.shape, threads), threads]
    launch(cuda.to_device(image), radius, d_out)
    return d_out.copy_to_host()

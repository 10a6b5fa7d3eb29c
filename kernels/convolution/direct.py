"""Convolution of images in two dimensions, directly: a thread for each output element."""

# --8<-- [start:imports]
import numpy as np
from numba import cuda, float32, int32

# --8<-- [end:imports]


# --8<-- [start:kernel]
@cuda.jit
def conv_direct_kernel(x, w, padding, out):
    q, p, image = cuda.grid(3)
    q, p = int32(q), int32(p)
    outputs = int32(out.shape[1])
    n, k = int32(image) // outputs, int32(image) % outputs
    if n < out.shape[0] and p < out.shape[2] and q < out.shape[3]:
        height, width = int32(x.shape[2]), int32(x.shape[3])
        total = float32(0)
        for c in range(int32(w.shape[1])):
            for r in range(int32(w.shape[2])):
                for s in range(int32(w.shape[3])):
                    i, j = int32(p + r - padding), int32(q + s - padding)
                    if 0 <= i < height and 0 <= j < width:  # outside of the image are zeros
                        total += x[n, c, i, j] * w[k, c, r, s]
        out[n, k, p, q] = total


# --8<-- [end:kernel]


# --8<-- [start:host]
def output_shape(x, w, padding):
    """Return (images, output channels, height, width) of a convolution with stride 1."""
    n, channels, height, width = x.shape
    outputs, of_filter, r, s = w.shape
    shape = n, outputs, height + 2 * padding - r + 1, width + 2 * padding - s + 1
    if channels != of_filter or min(shape) < 1:
        raise ValueError(f"images {x.shape} and filters {w.shape} do not belong together")
    return shape


def conv_direct(x, w, padding=0):
    """Return each image of x filtered by each filter of w, as float32.

    x is (images, channels, height, width), w is (output channels, channels, R, S).

    --8<-- [start:example]
    >>> image = np.zeros((1, 1, 4, 5), dtype=np.float32)
    >>> image[0, 0, :, 3:] = 8  # dark left, bright right
    >>> edge = np.array([[[[-1, 0, 1]]]], dtype=np.float32)  # right neighbor minus left
    >>> conv_direct(image, edge)[0, 0]
    array([[0., 8., 8.],
           [0., 8., 8.],
           [0., 8., 8.],
           [0., 8., 8.]], dtype=float32)

    --8<-- [end:example]
    """
    out = cuda.device_array(output_shape(x, w, padding), np.float32)
    n, outputs, height, width = out.shape
    threads = 32, 4, 1
    blocks = -(-width // 32), -(-height // 4), n * outputs
    d_x, d_w = (cuda.to_device(np.asarray(a, dtype=np.float32)) for a in (x, w))
    conv_direct_kernel[blocks, threads](d_x, d_w, padding, out)
    return out.copy_to_host()


# --8<-- [end:host]

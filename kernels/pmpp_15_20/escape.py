"""The Mandelbrot set in NumPy, which the kernels have to equal in every pixel."""

# --8<-- [start:steps]
import numpy as np


def escape_steps(side, most, left=-2.0, top=1.25, width=2.5):
    """Return the steps until z = z*z + c leaves the circle of radius 2, for side x side numbers c.

    --8<-- [start:example]
    >>> escape_steps(side=8, most=50)
    array([[ 1,  1,  2,  2,  3,  3,  3,  2],
           [ 1,  2,  3,  3,  4,  4, 13,  4],
           [ 1,  3,  3,  4,  5, 12, 50, 10],
           [ 1,  4,  6, 11, 10, 50, 50, 50],
           [50, 50, 50, 50, 50, 50, 50, 50],
           [ 1,  4,  6, 11, 10, 50, 50, 50],
           [ 1,  3,  3,  4,  5, 12, 50, 10],
           [ 1,  2,  3,  3,  4,  4, 13,  4]], dtype=int32)

    --8<-- [end:example]
    """
    pixel, at = np.float32(width / side), np.arange(side, dtype=np.float32)
    re, im = np.meshgrid(np.float32(left) + pixel * at, np.float32(top) - pixel * at)
    a, b, steps = np.zeros_like(re), np.zeros_like(re), np.zeros(re.shape, np.int32)
    with np.errstate(over="ignore", invalid="ignore"):
        for _ in range(most):
            steps += a * a + b * b <= 4
            a, b = a * a - b * b + re, 2 * a * b + im
    return steps


# --8<-- [end:steps]

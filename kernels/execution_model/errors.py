"""Errors that a launch raises before anything runs on the device."""

import numpy as np
from numba import cuda

from kernels.execution_model.square import square_kernel


# --8<-- [start:host]
def refused(launch):
    """Return whether ``launch()`` raises an exception."""
    try:
        launch()
    except Exception:
        return True
    return False


# --8<-- [end:host]


def _example():
    """
    --8<-- [start:example]
    >>> d_x = cuda.to_device(np.arange(5, dtype=np.float32))
    >>> refused(lambda: square_kernel[2, 4]())  # an argument is missing
    True
    >>> refused(lambda: square_kernel[2, 4]("0 1 2 3 4"))  # text has no squares
    True
    >>> d_x.copy_to_host()  # and nothing has run
    array([0., 1., 2., 3., 4.], dtype=float32)

    --8<-- [end:example]
    """
    _ = np, cuda, square_kernel  # the names that the example uses

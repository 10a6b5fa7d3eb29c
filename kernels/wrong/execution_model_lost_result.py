"""Wrong: the result is written into a converted copy of the caller's array, and dropped."""

import numpy as np

from kernels.execution_model.square import square_kernel


# --8<-- [start:host]
def square_in_place(values, threads=4):
    """Square an array in place, it says."""
    x = np.asarray(values, dtype=np.float32)  # float32 already: the same array. Else: a copy
    square_kernel[-(-x.size // threads), threads](x)


# --8<-- [end:host]


def _example():
    """
    --8<-- [start:example]
    >>> single = np.array([1, 2, 3], dtype=np.float32)
    >>> square_in_place(single)
    >>> single
    array([1., 4., 9.], dtype=float32)
    >>> double = np.array([1.0, 2.0, 3.0])
    >>> square_in_place(double)
    >>> double  # no error, and no squares
    array([1., 2., 3.])

    --8<-- [end:example]
    """

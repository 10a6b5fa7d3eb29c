"""The same photo on a CPU, compiled by Numba: on one core, and on all of them."""

import numpy as np

# --8<-- [start:imports]
from numba import njit, prange

# --8<-- [end:imports]


# --8<-- [start:njit]
def develop_loop(photo, gain, out):
    """Develop float32 ``photo`` into ``out``, both of one dimension, element by element."""
    for i in prange(photo.size):  # without parallel=True this is range
        light = photo[i] * gain
        out[i] = (light / (np.float32(1) + light)) ** np.float32(1 / 2.2)


develop_core = njit(develop_loop)
develop_cores = njit(parallel=True)(develop_loop)
# --8<-- [end:njit]


def example():
    """The same curve.

    --8<-- [start:example]
    >>> photo, out = np.array([0, 0.25, 1, 4], np.float32), np.empty(4, np.float32)
    >>> develop_core(photo, np.float32(1), out)
    >>> out.round(3)
    array([0.   , 0.481, 0.73 , 0.904], dtype=float32)

    --8<-- [end:example]
    """

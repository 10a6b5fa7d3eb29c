"""DLPack: one array, two libraries, no copy.

Source: https://dmlc.github.io/dlpack/latest/python_spec.html
"""

# --8<-- [start:imports]
import numpy as np

# --8<-- [end:imports]


# --8<-- [start:producer]
class Readings:
    """An array of our own that any library can take: two methods are all it needs."""

    def __init__(self, values):
        self._values = np.asarray(values, dtype=np.float32)

    def __dlpack_device__(self):
        return self._values.__dlpack_device__()  # (1, 0): the kind of device, and which one

    def __dlpack__(self, **options):
        return self._values.__dlpack__(**options)  # a capsule with the address and the shape


# --8<-- [end:producer]


def examples():
    """NumPy takes it, and sees the same memory.

    --8<-- [start:example]
    >>> readings = Readings([1, 2, 3])
    >>> view = np.from_dlpack(readings)
    >>> readings._values[0] = 7  # seen through the view: there is one buffer
    >>> view
    array([7., 2., 3.], dtype=float32)

    --8<-- [end:example]
    """

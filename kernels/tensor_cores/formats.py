"""bfloat16 and TF32 in NumPy: float32 numbers with fewer bits behind the point."""

# --8<-- [start:imports]
import numpy as np

# --8<-- [end:imports]


# --8<-- [start:formats]
def to_bfloat16(x):
    """Return finite float32 numbers rounded to bfloat16, as uint16: the upper half of their bits.

    --8<-- [start:example]
    >>> x = np.array([1, 1 / 3, 1000.1, 1001], dtype=np.float32)
    >>> from_bfloat16(to_bfloat16(x))
    array([1.0000000e+00, 3.3398438e-01, 1.0000000e+03, 1.0000000e+03],
          dtype=float32)
    >>> to_tf32(x)
    array([1.0000000e+00, 3.3325195e-01, 1.0000000e+03, 1.0010000e+03],
          dtype=float32)

    --8<-- [end:example]
    """
    bits = np.asarray(x, dtype=np.float32).view(np.uint32)
    last = bits >> 16 & 1  # half-way cases go to the even neighbor
    return ((bits + 0x7FFF + last) >> 16).astype(np.uint16)


def from_bfloat16(half):
    """Return bfloat16 numbers, given as uint16, as float32. This is exact."""
    return (np.asarray(half).astype(np.uint32) << 16).view(np.float32)


def to_tf32(x):
    """Return finite float32 numbers rounded to TF32, as float32 whose last 13 bits are zero."""
    bits = np.asarray(x, dtype=np.float32).view(np.uint32)
    return (bits + 0x1000 & 0xFFFFE000).view(np.float32)


# --8<-- [end:formats]

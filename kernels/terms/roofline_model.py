"""The roofline: what rate a kernel can reach, from two ceilings."""


# --8<-- [start:roofline]
def attainable(intensity, peak, bandwidth):
    """Return the rate that a kernel can reach at most, in the unit of ``peak``.

    ``intensity`` is in operations for each byte, ``peak`` in TFLOP/s, ``bandwidth`` in TB/s.
    """
    return min(peak, intensity * bandwidth)


def ridge(peak, bandwidth):
    """Return the intensity at which the two ceilings meet, in operations for each byte."""
    return peak / bandwidth


# --8<-- [end:roofline]


def examples():
    """The data sheet of an H200: 67 TFLOP/s in float32 and 4.8 TB/s.

    --8<-- [start:example]
    >>> attainable(intensity=1 / 12, peak=67, bandwidth=4.8)  # vector addition: far to the left
    0.39999999999999997
    >>> attainable(intensity=1000, peak=67, bandwidth=4.8)  # a large matrix product
    67

    --8<-- [end:example]

    --8<-- [start:ridge]
    >>> round(ridge(peak=67, bandwidth=4.8), 1)  # float32
    14.0
    >>> round(ridge(peak=989, bandwidth=4.8), 1)  # bfloat16 on tensor cores
    206.0

    --8<-- [end:ridge]
    """

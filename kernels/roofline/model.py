"""The roofline model: what a kernel could reach, from two ceilings and one ratio."""


# --8<-- [start:host]
def attainable(intensity, peak, bandwidth):
    """Return the most operations per second that a kernel can do.

    ``intensity``: operations for each byte of device memory. ``peak``: operations per second.
    ``bandwidth``: bytes per second.
    """
    return min(peak, intensity * bandwidth)


def ridge(peak, bandwidth):
    """Return the intensity from which on arithmetic is the limit."""
    return peak / bandwidth


# --8<-- [end:host]


def machine():
    """Use round numbers.

    --8<-- [start:example]
    >>> peak, bandwidth = 60e12, 4e12  # a GPU with round numbers
    >>> ridge(peak, bandwidth)
    15.0
    >>> attainable(1 / 12, peak, bandwidth) / 1e12  # vector addition: 1 operation, 12 bytes
    0.3333333333333333
    >>> attainable(4096 / 6, peak, bandwidth) / 1e12  # a product of 4096 x 4096 float32 matrices
    60.0

    --8<-- [end:example]
    """


# --8<-- [start:matmul]
def tiled_intensity(n, reused, size=4):
    """Return the operations a byte of an n x n x n product of elements of ``size`` bytes.

    Each element that is fetched from memory serves ``reused`` of the multiply-adds that need it;
    n of them need each, so ``reused`` is at most n.
    """
    moved = 2 * n**3 / reused + n * n  # elements of a and b, and of the result
    return 2 * n**3 / (size * moved)


# --8<-- [end:matmul]


def tiles():
    """Show what a tile does.

    --8<-- [start:matmul_example]
    >>> for reused in (1, 16, 128, 4096):
    ...     print(reused, round(tiled_intensity(4096, reused), 2))
    1 0.25
    16 3.99
    128 31.51
    4096 682.67

    --8<-- [end:matmul_example]
    """


# --8<-- [start:solution]
def smallest_tile(peak, bandwidth, n=8192, size=4):
    """Return the smallest power of two of reuse that brings an n^3 product to the flat roof.

    size: bytes of an element.
    """
    reused = 1
    while tiled_intensity(n, reused, size) < ridge(peak, bandwidth):
        reused *= 2
    return reused


# --8<-- [end:solution]


def exercise():
    """Show a GPU with round numbers.

    --8<-- [start:solved]
    >>> smallest_tile(peak=60e12, bandwidth=4e12)
    64
    >>> smallest_tile(peak=900e12, bandwidth=4e12, size=2)  # tensor cores, bfloat16
    512
    >>> smallest_tile(peak=450e12, bandwidth=4e12, size=4)  # tensor cores, TF32
    512

    --8<-- [end:solved]
    """

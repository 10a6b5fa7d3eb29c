"""Count the sectors that one warp's read touches: arithmetic, no GPU."""


# --8<-- [start:host]
def sectors(stride, offset=0, item=4, lanes=32, sector=32):
    """Return how many sectors of memory a warp touches, and the share of their bytes it uses.

    Lane i reads ``item`` bytes at element ``offset + i * stride``. Memory hands out whole sectors
    of ``sector`` bytes. Source: NVIDIA Nsight Compute, "sectors per request".

    --8<-- [start:example]
    >>> sectors(stride=1)
    (4, 1.0)
    >>> sectors(stride=2)
    (8, 0.5)
    >>> sectors(stride=8)
    (32, 0.125)
    >>> sectors(stride=32)
    (32, 0.125)
    >>> sectors(stride=1, offset=1)
    (5, 0.8)

    --8<-- [end:example]
    """
    touched = {(offset + i * stride) * item // sector for i in range(lanes)}
    return len(touched), lanes * item / (len(touched) * sector)


# --8<-- [end:host]

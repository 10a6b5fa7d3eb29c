"""Count what one read of a warp touches: 32-byte sectors, 128-byte lines, banks."""


# --8<-- [start:touched]
def touched(stride=1, offset=0, item=4, lanes=32):
    """Return how many 32-byte sectors and 128-byte lines of memory one read of a warp touches.

    Lane i reads ``item`` bytes at element ``offset + i * stride``.

    --8<-- [start:touched_example]
    >>> for stride, offset in ((1, 0), (1, 1), (1, 8), (1, 32), (2, 0), (8, 0), (32, 0)):
    ...     print(f"stride {stride:2}, offset {offset:2}:", touched(stride, offset))
    stride  1, offset  0: (4, 1)
    stride  1, offset  1: (5, 2)
    stride  1, offset  8: (4, 2)
    stride  1, offset 32: (4, 1)
    stride  2, offset  0: (8, 2)
    stride  8, offset  0: (32, 8)
    stride 32, offset  0: (32, 32)

    --8<-- [end:touched_example]
    """
    addresses = [(offset + i * stride) * item for i in range(lanes)]
    return len({a // 32 for a in addresses}), len({a // 128 for a in addresses})


# --8<-- [end:touched]


# --8<-- [start:conflicts]
def ways(stride, lanes=32, banks=32):
    """Return how many lanes of a warp want different words of the busiest bank.

    Lane i reads the 4-byte word ``i * stride``. Lanes that want the same word share one answer.

    --8<-- [start:conflicts_example]
    >>> [ways(stride) for stride in (0, 1, 2, 4, 8, 16, 32, 33)]
    [1, 1, 2, 4, 8, 16, 32, 1]

    --8<-- [end:conflicts_example]
    """
    words = {i * stride for i in range(lanes)}
    return max(sum(word % banks == bank for word in words) for bank in range(banks))


# --8<-- [end:conflicts]

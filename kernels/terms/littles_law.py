"""Little's law for memory: how much has to be in flight."""


# --8<-- [start:law]
def bytes_in_flight(gigabytes_a_second, nanoseconds):
    """Return the bytes that must be in flight to sustain a rate at a latency."""
    return gigabytes_a_second * nanoseconds  # 1e9 and 1e-9 cancel


# --8<-- [end:law]


def examples():
    """A memory of 4,000 GB/s that answers after 500 ns, and 132 multiprocessors.

    --8<-- [start:example]
    >>> needed = bytes_in_flight(4000, 500)
    >>> needed, needed // 132  # in all, and for each multiprocessor
    (2000000, 15151)
    >>> needed / 132 / 4 / 32  # as loads of 4 bytes by whole warps
    118.37121212121212

    --8<-- [end:example]
    """

"""How much of the gradients' traffic a backward pass hides, for a size of the buckets."""


# --8<-- [start:overlap]
def exposed(tensors, work, bytes, rate, start, bucket):
    """Return the seconds that a step waits for gradients after its backward pass has ended.

    tensors: how many parameters. work: seconds of the backward pass for one. bytes: its gradient.
    rate: bytes a second that an all-reduce gets through. start: seconds that each costs besides.
    bucket: bytes that close a bucket.
    """
    now, link_free, filled = 0.0, 0.0, 0
    for tensor in range(tensors):
        now += work
        filled += bytes
        if filled >= bucket or tensor == tensors - 1:
            link_free = max(now, link_free) + start + filled / rate  # one after another
            filled = 0
    return link_free - now


# --8<-- [end:overlap]


def examples():
    """200 parameters of 1 MB each, and 15 µs of backward pass for each.

    --8<-- [start:example]
    >>> for mb in (1, 2, 5, 25, 50, 200):
    ...     late = exposed(200, work=15e-6, bytes=1e6, rate=300e9, start=20e-6, bucket=mb * 1e6)
    ...     print(f"buckets of {mb:3} MB: {1e3 * late:.2f} ms late")
    buckets of   1 MB: 1.68 ms late
    buckets of   2 MB: 0.03 ms late
    buckets of   5 MB: 0.04 ms late
    buckets of  25 MB: 0.10 ms late
    buckets of  50 MB: 0.19 ms late
    buckets of 200 MB: 0.69 ms late

    --8<-- [end:example]
    """

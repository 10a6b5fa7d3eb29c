"""The clock of a benchmark harness: the GPU times itself, with a cold cache."""

# --8<-- [start:events]
import cupy as cp

flush = cp.empty(2**30, dtype=cp.uint8)  # far larger than any L2


def by_events(call):
    """Return the seconds that a call takes on the GPU, by the GPU's own clock."""
    flush.fill(1)  # empties L2 of our data; while the GPU does this, we queue what follows
    start, end = cp.cuda.Event(), cp.cuda.Event()
    start.record()  # the GPU notes the time when it gets here ...
    call()
    end.record()  # ... and here
    end.synchronize()
    return cp.cuda.get_elapsed_time(start, end) / 1e3


# --8<-- [end:events]

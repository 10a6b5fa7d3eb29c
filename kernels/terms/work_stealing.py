"""When the last worker ends: with a fixed share of the blocks, or taking the next when free."""

# --8<-- [start:imports]
import heapq

# --8<-- [end:imports]


# --8<-- [start:schedules]
def fixed_shares(times, workers):
    """Return the last end if worker w takes blocks w, w + workers, ..."""
    return max(sum(times[w::workers]) for w in range(workers))


def stealing(times, workers):
    """Return the same if a free worker takes the next block."""
    free_at = [0] * workers
    for time in times:
        heapq.heappush(free_at, heapq.heappop(free_at) + time)
    return max(free_at)


# --8<-- [end:schedules]


def examples():
    """Sixteen blocks on four workers; every fourth block takes eight times as long.

    --8<-- [start:example]
    >>> times = [8, 1, 1, 1] * 4
    >>> fixed_shares(times, workers=4), stealing(times, workers=4)
    (32, 14)

    --8<-- [end:example]
    """

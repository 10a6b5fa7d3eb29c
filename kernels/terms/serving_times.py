"""The figures of a served request, from the times at which its tokens arrived."""


# --8<-- [start:ttft]
def ttft(sent, arrivals):
    """Return the seconds from sending a request to its first token."""
    return arrivals[0] - sent


# --8<-- [end:ttft]


# --8<-- [start:tpot]
def tpot(arrivals):
    """Return the mean seconds for each token after the first."""
    return (arrivals[-1] - arrivals[0]) / (len(arrivals) - 1)


def gaps(arrivals):
    """Return the seconds between each token and the next: the inter-token latencies."""
    return [after - before for before, after in zip(arrivals, arrivals[1:], strict=False)]


# --8<-- [end:tpot]


# --8<-- [start:goodput]
def throughput_and_goodput(requests, limit, seconds):
    """Return requests a second: all of them, and those whose every gap kept the limit."""
    kept = [arrivals for arrivals in requests if max(gaps(arrivals)) <= limit]
    return len(requests) / seconds, len(kept) / seconds


# --8<-- [end:goodput]


def examples():
    """A request sent at second 10 whose fourth token was late; times are invented.

    --8<-- [start:ttft-example]
    >>> ttft(sent=10.0, arrivals=[10.5, 10.75, 11.0, 12.0])
    0.5

    --8<-- [end:ttft-example]

    --8<-- [start:tpot-example]
    >>> arrivals = [10.5, 10.75, 11.0, 12.0]
    >>> tpot(arrivals)
    0.5
    >>> gaps(arrivals)
    [0.25, 0.25, 1.0]

    --8<-- [end:tpot-example]

    --8<-- [start:goodput-example]
    >>> requests = [[0.5, 0.75, 1.0], [0.5, 1.5, 1.75], [2.0, 2.25, 2.5], [2.0, 2.25, 3.5]]
    >>> throughput_and_goodput(requests, limit=0.5, seconds=4.0)
    (1.0, 0.5)

    --8<-- [end:goodput-example]
    """

"""When the instructions of one warp issue, if each waits until its operands are there."""


# --8<-- [start:issue]
def issue(program, latency):
    """Return the cycle in which each instruction of one warp issues.

    ``program`` holds (operation, target, operands). The target is
    ready ``latency[operation]`` cycles after the issue.
    """
    ready, cycle, cycles = {}, 0, []
    for operation, target, operands in program:
        waits = [ready.get(operand, 0) for operand in operands]
        cycle = max([cycle, *waits])
        cycles.append(cycle)
        ready[target] = cycle + latency[operation]
        cycle += 1
    return cycles


# --8<-- [end:issue]


def examples():
    """Two loads and two multiplications, in two orders. The latencies are made up.

    --8<-- [start:example]
    >>> latency = {"load": 500, "mul": 4}
    >>> a, use_a = ("load", "a", ["p"]), ("mul", "x", ["a"])
    >>> b, use_b = ("load", "b", ["q"]), ("mul", "y", ["b"])
    >>> issue([a, use_a, b, use_b], latency)  # one load in flight
    [0, 500, 501, 1001]
    >>> issue([a, b, use_a, use_b], latency)  # both in flight
    [0, 1, 500, 501]

    --8<-- [end:example]
    """

"""How many of a scheduler's cycles issue an instruction, and how busy the pipes behind it are."""


# --8<-- [start:efficiency]
def issue_efficiency(warps, wait, cycles=1000):
    """Return the share of cycles in which one scheduler issues.

    Each warp can issue again ``wait`` cycles after its last time.
    """
    ready_at, issued = [0] * warps, 0
    for cycle in range(cycles):
        warp = min(range(warps), key=ready_at.__getitem__)
        if ready_at[warp] <= cycle:
            ready_at[warp] = cycle + wait
            issued += 1
    return issued / cycles


# --8<-- [end:efficiency]


# --8<-- [start:pipes]
def pipe_utilization(instructions, lanes, cycles):
    """Return how busy each pipe is: its cycles over all cycles.

    A pipe with fewer than 32 lanes takes several cycles for a warp.
    """
    busy = {p: n * 32 // lanes[p] for p, n in instructions.items()}
    return {pipe: n / cycles for pipe, n in busy.items()}


# --8<-- [end:pipes]


def examples():
    """One scheduler whose warps wait 20 cycles, then the pipes of one that issued 600 times.

    --8<-- [start:issue-example]
    >>> [issue_efficiency(warps, wait=20) for warps in (1, 4, 10, 16, 20)]
    [0.05, 0.2, 0.5, 0.8, 1.0]

    --8<-- [end:issue-example]

    --8<-- [start:pipe-example]
    >>> lanes = {"fma": 32, "special": 4}
    >>> pipe_utilization({"fma": 480, "special": 120}, lanes, cycles=1000)
    {'fma': 0.48, 'special': 0.96}

    --8<-- [end:pipe-example]
    """

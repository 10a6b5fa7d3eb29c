"""Steps that a server takes with static and with continuous batching."""


# --8<-- [start:static]
def static_steps(lengths, slots):
    """Return the steps taken when a batch ends before the next one begins."""
    return sum(max(lengths[i : i + slots]) for i in range(0, len(lengths), slots))


# --8<-- [end:static]


# --8<-- [start:continuous]
def continuous_steps(lengths, slots):
    """Return the steps taken when a waiting request enters as soon as a slot is free."""
    waiting, running, steps = list(lengths), [], 0
    while waiting or running:
        while waiting and len(running) < slots:
            running.append(waiting.pop(0))
        running = [left - 1 for left in running if left > 1]
        steps += 1
    return steps


# --8<-- [end:continuous]


def examples():
    """Eight requests that want this many tokens each, four slots.

    --8<-- [start:example]
    >>> lengths = [100, 5, 8, 20, 90, 10, 5, 12]
    >>> static_steps(lengths, slots=4), continuous_steps(lengths, slots=4)
    (190, 100)

    --8<-- [end:example]
    """

"""How often halos of several rows travel."""


# --8<-- [start:messages]
def exchanges(steps, wide):
    """Return how often halos of ``wide`` rows are exchanged in some steps."""
    return -(-steps // wide)


def rows_twice(steps, wide):
    """Return how many rows both sides of a cut compute in some steps, beyond their own."""
    return sum(2 * (wide - 1 - step % wide) for step in range(steps))


assert exchanges(50, 1) == 50 and exchanges(50, 2) == 25
assert rows_twice(50, 1) == 0 and rows_twice(50, 2) == 50
# --8<-- [end:messages]

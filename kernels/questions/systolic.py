"""A systolic array, cycle by cycle: weights stay, inputs move right, sums move down."""

# --8<-- [start:imports]
import numpy as np

# --8<-- [end:imports]


# --8<-- [start:array]
def systolic(a, weights):
    """Return ``a @ weights`` from a grid of cells, the cycles, and how many cells worked in each.

    Cell (k, n) holds ``weights[k, n]``. In each cycle it takes a number from its left neighbor
    and a sum from above, and hands both on, one cell to the right and one down.
    """
    rows, depth = a.shape
    depth, columns = weights.shape
    number = np.zeros((depth, columns))  # what each cell holds on its way to the right
    total = np.zeros((depth, columns))  # what each cell holds on its way down
    valid = np.zeros((depth, columns), bool)
    out = np.full((rows, columns), np.nan)
    busy, cycle = [], 0
    while np.isnan(out).any():
        # Row k of the grid gets column k of ``a``, a cycle later than the row above it.
        moment = cycle - np.arange(depth)
        enters = (moment >= 0) & (moment < rows)
        feed = np.where(enters, a[np.clip(moment, 0, rows - 1), np.arange(depth)], 0)
        number = np.column_stack([feed, number[:, :-1]])
        valid = np.column_stack([enters, valid[:, :-1]])
        above = np.vstack([np.zeros(columns), total[:-1]])
        total = above + number * weights  # every cell at once: that is the point
        busy.append(int(valid.sum()))
        for n in range(columns):  # finished sums leave at the foot, column after column
            row = cycle - (depth - 1) - n
            if 0 <= row < rows:
                out[row, n] = total[-1, n]
        cycle += 1
    return out, cycle, busy


# --8<-- [end:array]


# --8<-- [start:traffic]
def reads_per_product(rows, side):
    """Return how often memory is read for each multiplication, by an array of ``side`` cells.

    The weights go in once, each element of the input once; a dot product on its own reads two.
    """
    return (side * side + rows * side) / (rows * side * side)


# --8<-- [end:traffic]


def example():
    """Four by four cells.

    --8<-- [start:example]
    >>> rng = np.random.default_rng(1)
    >>> a, weights = rng.integers(-9, 9, (6, 4)), rng.integers(-9, 9, (4, 4))
    >>> out, cycles, busy = systolic(a, weights)
    >>> np.array_equal(out, a @ weights)
    True
    >>> cycles, busy
    (12, [1, 3, 6, 10, 13, 15, 15, 13, 10, 6, 3, 1])

    --8<-- [end:example]

    --8<-- [start:busy]
    >>> for rows in (1, 4, 100, 10_000):
    ...     _, cycles, busy = systolic(np.ones((rows, 4)), weights)
    ...     print(rows, cycles, round(sum(busy) / (cycles * weights.size), 2))
    1 7 0.14
    4 10 0.4
    100 106 0.94
    10000 10006 1.0

    --8<-- [end:busy]

    --8<-- [start:traffic_example]
    >>> [round(reads_per_product(rows=4096, side=side), 4) for side in (1, 8, 128, 256)]
    [1.0002, 0.1252, 0.0081, 0.0042]

    --8<-- [end:traffic_example]
    """

"""A swizzle: rows and columns of a tile both spread over all banks."""


# --8<-- [start:swizzle]
def plain(row, column):
    """Return the word at which a 32 x 32 tile keeps an element, row after row."""
    return row * 32 + column


def swizzled(row, column):
    """The same, with the columns of each row permuted by an exclusive or with the row."""
    return row * 32 + (column ^ row)


# --8<-- [end:swizzle]


# --8<-- [start:banks]
def banks(place, row=None, column=None):
    """Return how many of 32 banks a warp uses that reads one row, or one column, of the tile."""
    lanes = range(32)
    words = [place(row, i) if column is None else place(i, column) for i in lanes]
    return len({word % 32 for word in words})


# --8<-- [end:banks]


def examples():
    """Banks used by a row and by a column.

    --8<-- [start:example]
    >>> banks(plain, row=5), banks(plain, column=5)
    (32, 1)
    >>> banks(swizzled, row=5), banks(swizzled, column=5)
    (32, 32)

    --8<-- [end:example]
    """

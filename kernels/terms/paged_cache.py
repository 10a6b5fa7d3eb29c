"""A cache in blocks, reached through a table, in NumPy."""

# --8<-- [start:imports]
import numpy as np

# --8<-- [end:imports]


# --8<-- [start:gather]
def gather(pool, table, length):
    """Return a sequence's first ``length`` keys from the blocks that its table names.

    Shapes: pool (blocks, block size, d), table (blocks of this sequence,); result (length, d).
    """
    token = np.arange(length)
    block_size = pool.shape[1]
    return pool[table[token // block_size], token % block_size]


# --8<-- [end:gather]


def examples():
    """Two sequences in one pool of blocks of four tokens.

    --8<-- [start:example]
    >>> pool = np.arange(6 * 4).reshape(6, 4, 1)  # six blocks, one number for each token
    >>> gather(pool, table=np.array([5, 0]), length=6).ravel()
    array([20, 21, 22, 23,  0,  1])
    >>> gather(pool, table=np.array([5, 2, 3]), length=9).ravel()  # begins with the same block
    array([20, 21, 22, 23,  8,  9, 10, 11, 12])

    --8<-- [end:example]
    """

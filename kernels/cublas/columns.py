"""What cuBLAS computes, in NumPy: matrices lie column after column in flat memory."""

# --8<-- [start:host]
import numpy as np


def gemm_by_columns(m, n, k, a, lda, b, ldb, flip_a=False, flip_b=False):
    """Return op(A) @ op(B), m by n, in flat memory, column after column.

    ``a`` and ``b`` are flat; ``lda`` and ``ldb`` are how far apart two columns begin. A matrix
    that is flipped is used as its transpose.
    """

    def matrix(flat, distance, rows, columns, flip):
        if flip:
            rows, columns = columns, rows
        seen = flat[: columns * distance].reshape(columns, distance)[:, :rows].T
        return seen.T if flip else seen

    product = matrix(a, lda, m, k, flip_a) @ matrix(b, ldb, k, n, flip_b)
    return np.ravel(product, order="F")


# --8<-- [end:host]


def swapped():
    """Multiply row-first matrices by a library that counts columns first.

    --8<-- [start:example]
    >>> a = np.arange(6.0).reshape(2, 3)
    >>> b = np.arange(12.0).reshape(3, 4)
    >>> swapped = gemm_by_columns(4, 2, 3, b.reshape(-1), 4, a.reshape(-1), 3)
    >>> np.array_equal(swapped.reshape(2, 4), a @ b)
    True

    --8<-- [end:example]
    """


# --8<-- [start:solution]
def times_transposed(a, b):
    """Return a @ b.T for row-first a (m, k) and b (n, k), by one call of gemm_by_columns."""
    (m, k), n = a.shape, b.shape[0]
    # Read by columns, a is a.T and b is b.T. We want (a @ b.T).T = b @ a.T: b flipped back.
    flat = gemm_by_columns(n, m, k, b.reshape(-1), k, a.reshape(-1), k, flip_a=True)
    return flat.reshape(m, n)


# --8<-- [end:solution]


def exercise():
    """Compare with NumPy.

    --8<-- [start:solved]
    >>> a = np.arange(6.0).reshape(2, 3)
    >>> b = np.arange(15.0).reshape(5, 3)
    >>> np.array_equal(times_transposed(a, b), a @ b.T)
    True

    --8<-- [end:solved]
    """

"""A matrix product on a CPU: from three loops to blocks on all cores."""

import numpy as np
from numba import njit, prange


# --8<-- [start:orders]
@njit
def product_ijk(a, b, c):
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            total = np.float32(0)
            for k in range(a.shape[1]):
                total += a[i, k] * b[k, j]
            c[i, j] = total


@njit
def product_ikj(a, b, c):
    for i in range(a.shape[0]):
        c[i] = 0
        for k in range(a.shape[1]):
            for j in range(b.shape[1]):
                c[i, j] += a[i, k] * b[k, j]


# --8<-- [end:orders]

# --8<-- [start:blocked]
BK, BN = 64, 512  # a tile of b: 64 x 512 floats, 128 KiB


@njit(fastmath={"reassoc", "contract"})
def add_tile(row, b, out, k0, j0):
    """Add row[k0 : k0 + BK] times a tile of ``b`` to ``out``, four rows of the tile at a time."""
    out = out[j0 : j0 + BN]
    k1 = min(k0 + BK, row.size)
    fours = k1 - (k1 - k0) % 4
    for k in range(k0, fours, 4):
        p, q, r, s = row[k], row[k + 1], row[k + 2], row[k + 3]
        b0, b1, b2, b3 = b[k, j0:], b[k + 1, j0:], b[k + 2, j0:], b[k + 3, j0:]
        for j in range(out.size):
            out[j] += (p * b0[j] + q * b1[j]) + (r * b2[j] + s * b3[j])
    for k in range(fours, k1):
        b0 = b[k, j0:]
        for j in range(out.size):
            out[j] += row[k] * b0[j]


@njit
def product_blocked(a, b, c):
    c[:] = 0
    for k0 in range(0, a.shape[1], BK):
        for j0 in range(0, b.shape[1], BN):
            for i in range(a.shape[0]):
                add_tile(a[i], b, c[i], k0, j0)


# --8<-- [end:blocked]


# --8<-- [start:parallel]
BM = 32


@njit(parallel=True)
def product_cores(a, b, c):
    for band in prange(-(-a.shape[0] // BM)):
        rows = slice(band * BM, (band + 1) * BM)
        product_blocked(a[rows], b, c[rows])


# --8<-- [end:parallel]


def example():
    """Sizes that are multiples of nothing.

    --8<-- [start:example]
    >>> rng = np.random.default_rng(4)
    >>> a = rng.standard_normal((71, 103), dtype=np.float32)
    >>> b = rng.standard_normal((103, 601), dtype=np.float32)
    >>> for product in (product_ijk, product_ikj, product_blocked, product_cores):
    ...     c = np.full((71, 601), np.nan, np.float32)
    ...     product(a, b, c)
    ...     np.allclose(c, a @ b, atol=1e-4)
    True
    True
    True
    True

    --8<-- [end:example]
    """

"""What TF32 loses of a product: operands rounded, or cut off as the tensor cores do it."""

import numpy as np

from kernels.tensor_cores.formats import to_tf32  # noqa: F401


# --8<-- [start:error]
def cut_tf32(x):
    """Return float32 numbers without their last 13 bits: what a tensor core reads of them."""
    return (np.asarray(x, np.float32).view(np.uint32) & np.uint32(0xFFFFE000)).view(np.float32)


def product_error(way, n=256):
    """Return ||c - exact|| / ||exact|| for a product of random n x n matrices."""
    a, b = np.random.default_rng(0).standard_normal((2, n, n), dtype=np.float32)
    exact = a.astype(np.float64) @ b.astype(np.float64)
    c = way(a).astype(np.float64) @ way(b).astype(np.float64)  # the operands' loss alone
    return np.linalg.norm(c - exact) / np.linalg.norm(exact)


# --8<-- [end:error]


def _example():
    """
    --8<-- [start:example]
    >>> rounded, cut = product_error(to_tf32), product_error(cut_tf32)
    >>> f"{rounded:.1e} {cut:.1e} {cut / rounded:.1f}"
    '2.9e-04 7.7e-04 2.6'

    --8<-- [end:example]
    """

"""Adding up in a narrow and in a wide type."""

# --8<-- [start:imports]
import numpy as np

# --8<-- [end:imports]


# --8<-- [start:sums]
def sums(terms):
    """Return the sum of float16 terms, accumulated in float16 and in float32."""
    narrow, wide = np.float16(0), np.float32(0)
    for term in terms.astype(np.float16):
        narrow += term
        wide += np.float32(term)
    return narrow, wide


# --8<-- [end:sums]


def examples():
    """Ten thousand times the same number.

    --8<-- [start:example]
    >>> narrow, wide = sums(np.full(10_000, 0.5))
    >>> float(narrow), float(wide)
    (1024.0, 5000.0)

    --8<-- [end:example]
    """

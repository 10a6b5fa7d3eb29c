"""Pieces for the streams

To overlap copies and kernels, an array of `n` elements is cut into `parts` pieces, a stream each.
The pieces should differ as little as can be, and each must begin at a multiple of 4, for 16-byte
loads. Thread p writes where piece p begins and how long it is. A piece may be empty.
"""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:solution]
@cuda.jit
def pieces(n, parts, starts, lengths):
    """Write start and length of each piece; quads of four elements are never torn apart."""
    p = cuda.grid(1)
    if p < parts:
        quads = (n + 3) // 4
        first = p * quads // parts * 4
        after = min((p + 1) * quads // parts * 4, n)
        starts[p] = first
        lengths[p] = after - first


# --8<-- [end:solution]


HINTS = [
    "Share out groups of four elements, not elements: there are (n + 3) // 4 of them.",
    "Piece p of m groups in `parts` pieces goes from p * m // parts to (p + 1) * m // parts. In "
    "elements that is four times as much, and no more than n.",
]

WRONG = {
    "elements instead of fours": {
        "edits": [
            ["quads = (n + 3) // 4", "quads = n"],
            ["p * quads // parts * 4\n", "p * quads // parts\n"],
            ["min((p + 1) * quads // parts * 4, n)", "(p + 1) * quads // parts"],
        ],
        "says": "should be",
    },
    "the rest is lost": {
        "edits": [["quads = (n + 3) // 4", "quads = n // 4"]],
        "says": "should be",
    },
    "the end is passed": {
        "edits": [["min((p + 1) * quads // parts * 4, n)", "(p + 1) * quads // parts * 4"]],
        "says": "should be",
    },
}

CASES = [(4, 1), (10, 3), (97, 4), (1001, 33)]


def test(pieces, n, parts):
    """Blocks of 32 threads.

    --8<-- [start:example]
    >>> starts, lengths = (cuda.device_array(3, dtype=np.int32) for _ in range(2))
    >>> pieces[1, 32](10, 3, starts, lengths)
    >>> starts.copy_to_host(), lengths.copy_to_host()
    (array([0, 4, 8], dtype=int32), array([4, 4, 2], dtype=int32))

    --8<-- [end:example]
    """
    groups = -(-n // 4)
    edges = [min(p * groups // parts * 4, n) for p in range(parts + 1)]
    starts = cuda.to_device(np.full(parts, -1, dtype=np.int32))
    lengths = cuda.to_device(np.full(parts, -1, dtype=np.int32))
    pieces[-(-parts // 32), 32](n, parts, starts, lengths)
    yield "starts", starts, np.array(edges[:-1], dtype=np.int32)
    yield (
        "lengths",
        lengths,
        np.array([edges[p + 1] - edges[p] for p in range(parts)], dtype=np.int32),
    )

"""Two waits, one after the other

`next_stop[i]` says where somebody at place i goes next; -1 says that the journey ends there. Write
`two_hops`: `out[i]` is where somebody is after two steps from i, or -1 if the journey ends before.
The second load needs the first one's answer, so each thread waits twice, whatever the hardware
does.
"""

import numpy as np
from numba import cuda


# --8<-- [start:solution]
@cuda.jit
def two_hops(next_stop, out):
    """Follow ``next_stop`` (n int32, -1 for an end) twice from each place."""
    i = cuda.grid(1)
    if i < next_stop.size:
        place = next_stop[i]
        if place >= 0:
            place = next_stop[place]
        out[i] = place


# --8<-- [end:solution]


HINTS = [
    "The first step may end the journey. What would the second load read then?",
    "Take the second step only from a place that is not -1; store whatever you have then.",
]

WRONG = {
    "the end is an index, too": {"edits": [["if place >= 0", "if True"]], "says": "negative index"},
    "an ended journey is not written": {
        "edits": [
            [
                "            place = next_stop[place]\n        out[i] = place\n",
                "            out[i] = next_stop[place]\n",
            ]
        ],
        "says": "No thread wrote it",
    },
}

CASES = [1, 5, 65, 200]


def test(two_hops, n):
    """Blocks of 64 threads.

    --8<-- [start:example]
    >>> next_stop = cuda.to_device(np.array([2, 0, 3, -1], dtype=np.int32))
    >>> out = cuda.to_device(np.full(4, -7, dtype=np.int32))
    >>> two_hops[1, 8](next_stop, out)
    >>> out.copy_to_host()
    array([ 3,  2, -1, -1], dtype=int32)

    --8<-- [end:example]
    """
    stops = [(7 * k + 3) % n if k % 5 else -1 for k in range(n)]
    want = [stops[s] if s >= 0 else -1 for s in stops]
    out = cuda.to_device(np.full(n, -7, dtype=np.int32))
    two_hops[-(-n // 64), 64](cuda.to_device(np.array(stops, dtype=np.int32)), out)
    yield "out", out, np.array(want, dtype=np.int32)

"""A small attention

One head of attention, 32 wide. For each query: its product with every key, softmax over the keys,
and the mean of the values with those shares. One warp a query, one lane for each of the 32 numbers;
no score is ever stored. You have all that it takes: the sum by shuffles, and the softmax that
scales when a larger score comes. **Par** counts sectors and barriers: read every key and every
value once.
"""

# --8<-- [start:imports]
import math

import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:solution]
@cuda.jit
def attend(queries, keys, values, out):
    """Write softmax(queries @ keys.T / sqrt(32)) @ values, rows of 32 float32, a warp a query."""
    query = cuda.blockIdx.x
    lane = cuda.threadIdx.x
    q = queries[query, lane] * np.float32(1 / math.sqrt(32.0))
    top = np.float32(-np.inf)
    total = np.float32(0)
    mean = np.float32(0)
    for key in range(keys.shape[0]):
        score = q * keys[key, lane]
        delta = 16
        while delta > 0:
            score += cuda.shfl_xor_sync(0xFFFFFFFF, score, delta)
            delta //= 2
        new_top = max(top, score)  # the same in every lane
        scale = math.exp(top - new_top)
        share = math.exp(score - new_top)
        total = total * scale + share
        mean = mean * scale + share * values[key, lane]
        top = new_top
    out[query, lane] = mean / total


# --8<-- [end:solution]


HINTS = [
    "A loop over the keys. In it: every lane multiplies its number of the query by its number of "
    "the key, and `cuda.shfl_xor_sync` with 16, 8, 4, 2, 1 gives *every* lane the sum.",
    "Keep top, total and one number of the mean. A larger score scales total and mean by "
    "`exp(top - new_top)`; then add this key's share, and its share of `values[key, lane]`. "
    "Divide at the end.",
]

WRONG = {
    "the mean is not scaled": {
        "edits": [["mean = mean * scale + share", "mean = mean + share"]],
        "says": "should be",
    },
    "the sum reaches lane 0 alone": {
        "edits": [
            [
                "cuda.shfl_xor_sync(0xFFFFFFFF, score, delta)",
                "cuda.shfl_down_sync(0xFFFFFFFF, score, delta)",
            ],
        ],
        "says": "should be",
    },
    "not divided": {
        "edits": [["mean / total", "mean"]],
        "says": "should be",
    },
    "no square root": {
        "edits": [["np.float32(1 / math.sqrt(32.0))", "np.float32(1)"]],
        "says": "should be",
    },
}

CASES = [(1, 1), (2, 3), (3, 17), (2, 40)]
PAR = ["sectors", "barriers"]


def test(attend, queries, keys):
    """A block of one warp for each query: head dimension 32.

    --8<-- [start:example]
    >>> queries = np.zeros((1, 32), dtype=np.float32)
    >>> values = np.arange(64, dtype=np.float32).reshape(2, 32)
    >>> out = cuda.device_array((1, 32), dtype=np.float32)
    >>> attend[1, 32](cuda.to_device(queries), cuda.to_device(values), cuda.to_device(values), out)
    >>> out.copy_to_host()[0, :4]
    array([16., 17., 18., 19.], dtype=float32)

    --8<-- [end:example]
    """
    q = ((np.arange(queries * 32, dtype=np.float32) * 7) % 13 - 6).reshape(queries, 32)
    k = ((np.arange(keys * 32, dtype=np.float32) * 5) % 17 - 8).reshape(keys, 32)
    v = ((np.arange(keys * 32, dtype=np.float32) * 3) % 19).reshape(keys, 32)
    want, rows = [], v.tolist()
    for a in q.tolist():
        scores = [sum(p * r for p, r in zip(a, b, strict=True)) / math.sqrt(32) for b in k.tolist()]
        shares = [math.exp(s - max(scores)) for s in scores]
        mean = [sum(s * row[d] for s, row in zip(shares, rows, strict=True)) for d in range(32)]
        want.append([m / sum(shares) for m in mean])
    out = cuda.to_device(np.full((queries, 32), np.nan, dtype=np.float32))
    attend[queries, 32](cuda.to_device(q), cuda.to_device(k), cuda.to_device(v), out)
    yield "out", out, np.array(want, dtype=np.float32), 1e-4

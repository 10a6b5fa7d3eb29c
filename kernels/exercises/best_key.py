"""Keys in shared memory

Which key fits each query best? The kernel that you start from is right: a thread has a query, goes
over all keys, and each warp fetches each key again, element by element. Do as the attention kernel
does: a block of 64 queries fetches 32 keys together, waits, uses them 64 times, and waits. A query
and a key are 8 numbers. Write the largest product of each query with a key. **Par** counts requests
to global memory.
"""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:solution]
@cuda.jit
def best_key(queries, keys, best):
    """Write the largest score of each query to ``best``; queries and keys are n x 8 float32."""
    tile = cuda.shared.array((32, 8), np.float32)
    mine = cuda.local.array(8, np.float32)
    i, t = cuda.grid(1), cuda.threadIdx.x
    if i < queries.shape[0]:
        for e in range(8):
            mine[e] = queries[i, e]
    largest = np.float32(-1e30)
    for first in range(0, keys.shape[0], 32):
        for f in range(t, 32 * 8, 64):
            if first + f // 8 < keys.shape[0]:
                tile[f // 8, f % 8] = keys[first + f // 8, f % 8]
        cuda.syncthreads()
        if i < queries.shape[0]:
            for j in range(min(32, keys.shape[0] - first)):
                score = np.float32(0)
                for e in range(8):
                    score += mine[e] * tile[j, e]
                largest = max(largest, score)
        cuda.syncthreads()  # before the next keys replace these
    if i < queries.shape[0]:
        best[i] = largest


# --8<-- [end:solution]

START = [
    [
        "    tile = cuda.shared.array((32, 8), np.float32)\n"
        "    mine = cuda.local.array(8, np.float32)\n"
        "    i, t = cuda.grid(1), cuda.threadIdx.x\n    if i < queries.shape[0]:\n"
        "        for e in range(8):\n            mine[e] = queries[i, e]\n"
        "    largest = np.float32(-1e30)\n"
        "    for first in range(0, keys.shape[0], 32):\n"
        "        for f in range(t, 32 * 8, 64):\n"
        "            if first + f // 8 < keys.shape[0]:\n"
        "                tile[f // 8, f % 8] = keys[first + f // 8, f % 8]\n"
        "        cuda.syncthreads()\n        if i < queries.shape[0]:\n"
        "            for j in range(min(32, keys.shape[0] - first)):\n"
        "                score = np.float32(0)\n                for e in range(8):\n"
        "                    score += mine[e] * tile[j, e]\n"
        "                largest = max(largest, score)\n"
        "        cuda.syncthreads()  # before the next keys replace these\n"
        "    if i < queries.shape[0]:\n        best[i] = largest\n",
        "    i = cuda.grid(1)\n    if i < queries.shape[0]:\n        largest = np.float32(-1e30)\n"
        "        for j in range(keys.shape[0]):\n            score = np.float32(0)\n"
        "            for e in range(8):\n                score += queries[i, e] * keys[j, e]\n"
        "            largest = max(largest, score)\n        best[i] = largest\n",
    ],
]
HINTS = [
    "A loop over 32 keys at a time. 32 keys are 256 numbers, four for each of the 64 threads: "
    "`for f in range(t, 256, 64)`, with key `f // 8` and element `f % 8`.",
    "A thread without a query still fetches keys and still meets both barriers. Keep the query's "
    "8 numbers in a local array; the last tile may hold fewer than 32 keys.",
]

WRONG = {
    "each warp fetches each key": {"edits": "START", "says": "above par"},
    "one barrier": {
        "edits": [["        cuda.syncthreads()  # before the next keys replace these\n", ""]],
        "says": "comes first",
    },
    "the last tile is taken to be full": {
        "edits": [["range(min(32, keys.shape[0] - first))", "range(32)"]],
        "says": "nothing has written",
    },
    "the largest begins at 0": {
        "edits": [["np.float32(-1e30)", "np.float32(0)"]],
        "says": "should be",
    },
}

CASES = [(1, 1), (33, 31), (70, 50)]
PAR = ["requests"]


def test(best_key, queries, keys):
    """Blocks of 64 threads, one for each query.

    --8<-- [start:example]
    >>> queries = cuda.to_device(np.eye(2, 8, dtype=np.float32))
    >>> keys = cuda.to_device(np.arange(24, dtype=np.float32).reshape(3, 8))
    >>> best = cuda.device_array(2, dtype=np.float32)
    >>> best_key[1, 64](queries, keys, best)
    >>> best.copy_to_host()
    array([16., 17.], dtype=float32)

    --8<-- [end:example]
    """
    q = (np.arange(queries * 8) * 7 % 11 - 3).astype(np.float32).reshape(queries, 8)
    k = (np.arange(keys * 8) * 5 % 9 - 7).astype(np.float32).reshape(keys, 8)
    best = cuda.to_device(np.full(queries, np.nan, dtype=np.float32))
    best_key[-(-queries // 64), 64](cuda.to_device(q), cuda.to_device(k), best)
    yield "best", best, np.array([max(row) for row in (q @ k.T).tolist()], dtype=np.float32)

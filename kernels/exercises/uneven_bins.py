"""Bins of any width

`edges` holds 17 rising numbers, the borders of 16 bins: bin b counts the values from `edges[b]` up
to, but without, `edges[b + 1]`. What lies outside is not counted. A value finds its bin by a binary
search. The kernel that you start from is right: it searches in global memory, and it counts there,
where all blocks meet. Take the edges and the counts of a block into shared memory. **Par** counts
requests to global memory.
"""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:solution]
@cuda.jit
def uneven_bins(x, edges, counts):
    """Add the float32 values of ``x`` to the 16 int32 ``counts``; blocks of 64 threads."""
    bounds = cuda.shared.array(17, np.float32)
    own = cuda.shared.array(16, np.int32)
    t = cuda.threadIdx.x
    if t < 17:
        bounds[t] = edges[t]
    if t < 16:
        own[t] = 0
    cuda.syncthreads()
    i = cuda.grid(1)
    if i < x.size:
        value = x[i]
        if bounds[0] <= value < bounds[16]:
            low, high = 0, 16
            while high - low > 1:
                middle = (low + high) // 2
                if bounds[middle] <= value:
                    low = middle
                else:
                    high = middle
            cuda.atomic.add(own, low, 1)
    cuda.syncthreads()
    if t < 16:
        cuda.atomic.add(counts, t, own[t])


# --8<-- [end:solution]

START = [
    [
        """    bounds = cuda.shared.array(17, np.float32)
    own = cuda.shared.array(16, np.int32)
    t = cuda.threadIdx.x
    if t < 17:
        bounds[t] = edges[t]
    if t < 16:
        own[t] = 0
    cuda.syncthreads()
""",
        "",
    ],
    ["if bounds[0] <= value < bounds[16]", "if edges[0] <= value < edges[16]"],
    ["if bounds[middle] <= value", "if edges[middle] <= value"],
    ["cuda.atomic.add(own, low, 1)", "cuda.atomic.add(counts, low, 1)"],
    ["    cuda.syncthreads()\n    if t < 16:\n        cuda.atomic.add(counts, t, own[t])\n", ""],
]
HINTS = [
    "Before the first value is counted: 17 threads fetch an edge each, 16 of them set a counter "
    "to 0. What has to stand behind that?",
    "A barrier, and another one before the sums of the block are added to `counts`. All threads "
    "reach both, also those without a value.",
]

WRONG = {
    "everything in global memory": {"edits": "START", "says": "above par"},
    "what is outside goes to the last bins": {
        "edits": [["if bounds[0] <= value < bounds[16]:", "if True:"]],
        "says": "should be",
    },
    "the edge belongs to the bin below": {
        "edits": [["if bounds[middle] <= value", "if bounds[middle] < value"]],
        "says": "should be",
    },
    "nobody waits for the edges": {
        "edits": [
            ["        own[t] = 0\n    cuda.syncthreads()\n", "        own[t] = 0\n"],
        ],
        "says": "comes first",
    },
}

CASES = [1, 31, 65, 150, 256]
PAR = ["requests"]


def test(uneven_bins, n):
    """Blocks of 64 threads, and counts that begin at 0.

    --8<-- [start:example]
    >>> edges = cuda.to_device((np.arange(17) ** 2).astype(np.float32))  # 0, 1, 4, ... 256
    >>> x = cuda.to_device(np.array([0.5, 3, 4, 255, 256, -1], dtype=np.float32))
    >>> counts = cuda.to_device(np.zeros(16, dtype=np.int32))
    >>> uneven_bins[1, 64](x, edges, counts)
    >>> counts.copy_to_host()
    array([1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], dtype=int32)

    --8<-- [end:example]
    """
    edges = [float(b * b) for b in range(17)]
    values = [float(i * 37 % 281 - 8) for i in range(n)]
    counts = cuda.to_device(np.zeros(16, dtype=np.int32))
    given = [cuda.to_device(np.array(v, dtype=np.float32)) for v in (values, edges)]
    uneven_bins[-(-n // 64), 64](*given, counts)
    want = [sum(edges[b] <= v < edges[b + 1] for v in values) for b in range(16)]
    yield "counts", counts, np.array(want, dtype=np.int32)

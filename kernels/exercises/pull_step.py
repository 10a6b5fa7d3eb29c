"""A step of breadth-first search, bottom up

Vertices that `level` holds as -1 have not been reached. Write `pull_step`: such a vertex looks
through those that point to it, `sources[starts[v]]` to `sources[starts[v + 1] - 1]`, and gets the
level `depth + 1` if it finds one of level `depth`. All others keep theirs. The new levels go to
`following`, so that nobody writes what others read. If a vertex got a level, `more[0]` becomes 1.
One thread for each vertex.
"""

import numpy as np
from numba import cuda


# --8<-- [start:solution]
@cuda.jit
def pull_step(starts, sources, level, depth, following, more):
    """Copy ``level`` to ``following``; vertices that ``depth`` points to get ``depth + 1``."""
    v = cuda.grid(1)
    if v < level.size:
        mine = level[v]
        if mine < 0:
            for e in range(starts[v], starts[v + 1]):
                if level[sources[e]] == depth:
                    mine = depth + 1
                    cuda.atomic.max(more, 0, 1)
                    break
        following[v] = mine


# --8<-- [end:solution]


HINTS = [
    "A vertex that has a level keeps it. One without looks through its row, and may stop at the "
    "first neighbor that has level `depth`.",
    "Compare with `depth` exactly: not every neighbor with a level is of this step. Many threads "
    "may set `more[0]`; all write the same, so a plain store is enough on a GPU. The stepper "
    "reports it as a race, and accepts `cuda.atomic.max(more, 0, 1)`.",
]

WRONG = {
    "any neighbor with a level counts": {
        "edits": [["level[sources[e]] == depth", "level[sources[e]] >= 0"]],
        "says": "should be",
    },
    "a vertex with a level gets another": {
        "edits": [["if mine < 0:", "if mine < depth:"]],
        "says": "should be",
    },
    "nobody says that there is more": {
        "edits": [["                    cuda.atomic.max(more, 0, 1)\n", ""]],
        "says": "should be",
    },
}

CASES = [(2, 0), (33, 0), (33, 1), (64, 1), (97, 2)]


def test(pull_step, vertices, depth):
    """Blocks of 32 threads; vertex v is pointed to by two others.

    --8<-- [start:example]
    >>> starts, sources = np.array([0, 0, 1, 2, 4], np.int32), np.array([0, 0, 1, 2], np.int32)
    >>> level = cuda.to_device(np.array([0, -1, -1, -1], dtype=np.int32))
    >>> more = cuda.to_device(np.zeros(1, dtype=np.int32))
    >>> following = cuda.device_array(4, dtype=np.int32)
    >>> rows = cuda.to_device(starts), cuda.to_device(sources)
    >>> pull_step[1, 32](*rows, level, 0, following, more)
    >>> following.copy_to_host(), more.copy_to_host()
    (array([ 0,  1,  1, -1], dtype=int32), array([1], dtype=int32))

    --8<-- [end:example]
    """
    random = np.random.default_rng(vertices + depth)
    starts = [0]
    for degree in random.integers(0, 4, vertices).tolist():
        starts.append(starts[-1] + degree)
    sources = random.integers(0, vertices, starts[-1] + 1).tolist()
    before = [depth, *random.integers(-1, depth + 1, vertices - 2).tolist(), -1]
    want = list(before)
    for v in range(vertices):
        mine = sources[starts[v] : starts[v + 1]]
        if before[v] < 0 and any(before[u] == depth for u in mine):
            want[v] = depth + 1
    level, more = (cuda.to_device(np.array(x, dtype=np.int32)) for x in (before, [0]))
    following = cuda.to_device(np.full(vertices, -9, dtype=np.int32))
    rows = [cuda.to_device(np.array(x, dtype=np.int32)) for x in (starts, sources)]
    pull_step[-(-vertices // 32), 32](*rows, level, depth, following, more)
    yield "following", following, np.array(want, dtype=np.int32)
    yield "more", more, np.array([int(want != before)], dtype=np.int32)

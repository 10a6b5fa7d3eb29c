"""Halve the chain

A linked list is the worst program for a GPU, if one thread walks it. Let every node work instead:
`following[i]` is the node after i, and `steps[i]` how far away that is; the last node points to
itself, 0 steps away. In one round each node jumps over the next one, to `following[following[i]]`,
and adds up both distances. After log2 n rounds each node points to the last one and knows how far
it is. Write one round, into new arrays: the old ones must stay as others read them.
"""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:solution]
@cuda.jit
def jump(following, steps, next_following, next_steps):
    """Write where each node points after a jump, and how far away that is; all int32."""
    i = cuda.grid(1)
    if i < following.size:
        over = following[i]
        next_following[i] = following[over]
        next_steps[i] = steps[i] + steps[over]


# --8<-- [end:solution]

HINTS = [
    "The node after i is `over = following[i]`. Where does that one point, and how far away is it?",
    "The distances add up: `steps[i] + steps[over]`. The last node points to itself, 0 away, so "
    "it needs no `if`.",
]

WRONG = {
    "one step at a time": {
        "edits": [["steps[i] + steps[over]", "steps[i] + 1"]],
        "says": "should be",
    },
    "it stays where it points": {
        "edits": [["following[over]", "over"]],
        "says": "should be",
    },
    "its own steps twice": {
        "edits": [["steps[i] + steps[over]", "2 * steps[i]"]],
        "says": "should be",
    },
    "no guard": {"edits": [["if i < following.size:", "if True:"]], "says": "out of bounds"},
}

CASES = [1, 2, 33, 100]


def test(jump, n):
    """Blocks of 32 threads, launched until everybody points to the last node.

    --8<-- [start:example]
    >>> following = cuda.to_device(np.array([2, 1, 3, 1], dtype=np.int32))  # 0, 2, 3, 1
    >>> steps = cuda.to_device(np.array([1, 0, 1, 1], dtype=np.int32))
    >>> to, far = cuda.device_array(4, dtype=np.int32), cuda.device_array(4, dtype=np.int32)
    >>> jump[1, 32](following, steps, to, far)
    >>> to.copy_to_host(), far.copy_to_host()
    (array([3, 1, 1, 1], dtype=int32), array([2, 0, 2, 1], dtype=int32))

    --8<-- [end:example]
    """
    order = sorted(range(n), key=lambda i: (i * 37 % 101, i))  # the list, from its first node on
    now_to, now_far = [0] * n, [1] * n
    for place, node in enumerate(order):
        now_to[node] = order[min(place + 1, n - 1)]
    now_far[order[-1]] = 0
    following = cuda.to_device(np.array(now_to, dtype=np.int32))
    steps = cuda.to_device(np.array(now_far, dtype=np.int32))
    for _ in range(max(n - 1, 1).bit_length()):
        to = cuda.to_device(np.full(n, -1, dtype=np.int32))
        far = cuda.to_device(np.full(n, -1, dtype=np.int32))
        jump[-(-n // 32), 32](following, steps, to, far)
        now_far = [now_far[i] + now_far[now_to[i]] for i in range(n)]
        now_to = [now_to[now_to[i]] for i in range(n)]
        yield "next_following", to, np.array(now_to, dtype=np.int32)
        yield "next_steps", far, np.array(now_far, dtype=np.int32)
        following, steps = to, far

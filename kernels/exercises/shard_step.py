"""One rank's step of sharded momentum

Under ZeRO each rank keeps the optimizer's state of its own share of the parameters, and updates
that share alone. Write `shard_step` for rank `rank`: its share is elements `rank * share` up to
`(rank + 1) * share` of `weights` and `gradients`, where `share` is the size of `momentum`, which
holds that share only. The last rank's share may be short. For each element, momentum becomes
`0.9 * momentum + gradient`, and the weight loses `0.5 * momentum`.
"""

import numpy as np
from numba import cuda


# --8<-- [start:solution]
@cuda.jit
def shard_step(weights, gradients, momentum, rank):
    """Update the share of ``weights`` whose momentum this rank keeps."""
    share = momentum.size
    own = cuda.grid(1)
    i = rank * share + own
    if own < share and i < weights.size:
        momentum[own] = np.float32(0.9) * momentum[own] + gradients[i]
        weights[i] -= np.float32(0.5) * momentum[own]


# --8<-- [end:solution]


HINTS = [
    "There are two places: one in the whole arrays, and one in the rank's own `momentum`.",
    "Two guards: the grid may be longer than the share, and the last share may reach past the end "
    "of the weights.",
]

WRONG = {
    "the place in the whole for both": {
        "edits": [["i = rank * share + own", "i = rank * share + own\n    own = i"]],
        "says": "should be",
    },
    "the last share is taken to be full": {
        "edits": [["if own < share and i < weights.size:", "if own < share:"]],
        "says": "out of bounds",
    },
    "the grid is taken to be as long as the share": {
        "edits": [["if own < share and i < weights.size:", "if i < weights.size:"]],
        "says": "out of bounds",
    },
}

CASES = [(2, 0, 8), (3, 1, 100), (4, 3, 203), (3, 2, 70)]


def test(shard_step, ranks, rank, n):
    """Blocks of 32 threads over one share.

    --8<-- [start:example]
    >>> weights, momentum = np.ones(5, np.float32), cuda.to_device(np.zeros(3, np.float32))
    >>> d_weights = cuda.to_device(weights)
    >>> shard_step[1, 32](d_weights, cuda.to_device(weights), momentum, 1)
    >>> d_weights.copy_to_host()  # rank 1 of 2 has the last two
    array([1. , 1. , 1. , 0.5, 0.5], dtype=float32)

    --8<-- [end:example]
    """
    share = -(-n // ranks)
    weights = np.arange(n, dtype=np.float32) % 11
    gradients = np.arange(n, dtype=np.float32) % 7
    momentum = np.arange(share, dtype=np.float32) % 5
    d_weights, d_momentum = cuda.to_device(weights), cuda.to_device(momentum)
    blocks = -(-share // 32)
    shard_step[blocks, 32](d_weights, cuda.to_device(gradients), d_momentum, rank)
    mine = slice(rank * share, min((rank + 1) * share, n))
    count = mine.stop - mine.start
    momentum[:count] = np.float32(0.9) * momentum[:count] + gradients[mine]
    weights[mine] -= np.float32(0.5) * momentum[:count]
    yield "weights", d_weights, weights
    yield "momentum", d_momentum, momentum

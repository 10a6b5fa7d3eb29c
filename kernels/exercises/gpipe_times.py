"""The timetable of GPipe

Each stage is a block and each micro-batch a thread. A forward pass takes one step and a backward
pass takes one. Write `gpipe_times`: `forward[s, m]` is the step in which stage s runs the forward
pass of micro-batch m, and `backward[s, m]` its backward pass. Micro-batch 0 starts on stage 0 in
step 0. All forward passes come first; the last stage starts its backward passes in the step after
its last forward pass, in the order of the micro-batches, and they travel back to stage 0.
"""

import numpy as np
from numba import cuda


# --8<-- [start:solution]
@cuda.jit
def gpipe_times(forward, backward):
    """Fill both arrays, stages x micro-batches int32."""
    stages, micro = forward.shape
    s, m = cuda.blockIdx.x, cuda.threadIdx.x
    if m < micro:
        forward[s, m] = s + m
        backward[s, m] = stages + micro - 1 + (stages - 1 - s) + m


# --8<-- [end:solution]


HINTS = [
    "Forward, a micro-batch is one stage further in each step, and one micro-batch follows the "
    "other.",
    "The last forward pass of the last stage is in step `stages + micro - 2`. From there on the "
    "stages count down.",
]

WRONG = {
    "backward begins at stage 0": {
        "edits": [["(stages - 1 - s) + m", "s + m"]],
        "says": "should be",
    },
    "backward begins when stage 0 is done": {
        "edits": [["stages + micro - 1 + ", "micro + "]],
        "says": "should be",
    },
    "no guard": {"edits": [["if m < micro:", "if m >= 0:"]], "says": "out of bounds"},
}

CASES = [(1, 1), (2, 3), (4, 8), (5, 31)]


def test(gpipe_times, stages, micro):
    """A block for each stage, with 32 threads.

    --8<-- [start:example]
    >>> forward, backward = (cuda.to_device(np.full((2, 3), -1, np.int32)) for _ in range(2))
    >>> gpipe_times[2, 32](forward, backward)
    >>> forward.copy_to_host().tolist(), backward.copy_to_host().tolist()
    ([[0, 1, 2], [1, 2, 3]], [[5, 6, 7], [4, 5, 6]])

    --8<-- [end:example]
    """
    arrays = [cuda.to_device(np.full((stages, micro), -1, np.int32)) for _ in range(2)]
    gpipe_times[stages, 32](*arrays)
    free, done = [0] * stages, {}
    for kind, order in (("F", range(stages)), ("B", reversed(range(stages)))):
        before = None
        for s in order:
            for m in range(micro):
                came = 0 if before is None else done[kind, before, m] + 1
                done[kind, s, m] = max(free[s], came)
                free[s] = done[kind, s, m] + 1
            before = s
    for name, kind, array in (("forward", "F", arrays[0]), ("backward", "B", arrays[1])):
        want = [[done[kind, s, m] for m in range(micro)] for s in range(stages)]
        yield name, array, np.array(want, np.int32)

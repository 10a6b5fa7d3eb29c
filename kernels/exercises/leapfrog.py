"""Leapfrog

Write the step that moves stars. For each star i and each of its three axes, first the velocity gets
half of its push, `velocity += pull * dt / 2`, then the place moves by a whole step, `place +=
velocity * dt`, with the new velocity. (The other half of the push follows after the new pulls are
known.) Move with the velocity from before the push, and
the planet spirals away: this order keeps its energy.
"""

import numpy as np
from numba import cuda


# --8<-- [start:solution]
@cuda.jit
def leapfrog(place, velocity, pull, dt):
    """Change the velocity by half a step, then the place by a whole one; arrays (n, 3)."""
    i = cuda.grid(1)
    if i < place.shape[0]:
        for axis in range(3):
            velocity[i, axis] += pull[i, axis] * dt * np.float32(0.5)
            place[i, axis] += velocity[i, axis] * dt


# --8<-- [end:solution]


HINTS = [
    "A thread for a star, and a loop over the three axes. Both arrays are changed where they are.",
    "The place moves with the velocity that was changed the line before.",
]

WRONG = {
    "the place moves first": {
        "edits": [
            ["            place[i, axis] += velocity[i, axis] * dt\n", ""],
            [
                "            velocity[i, axis] +=",
                "            place[i, axis] += velocity[i, axis] * dt\n"
                "            velocity[i, axis] +=",
            ],
        ],
        "says": "should be",
    },
    "a whole step for the velocity": {
        "edits": [[" * np.float32(0.5)", ""]],
        "says": "should be",
    },
    "no guard": {"edits": [["if i < place.shape[0]", "if True"]], "says": "out of bounds"},
}

CASES = [1, 31, 33, 70]


def test(leapfrog, n):
    """Blocks of 32 threads.

    --8<-- [start:example]
    >>> place, velocity = (cuda.to_device(np.ones((2, 3), dtype=np.float32)) for _ in range(2))
    >>> pull = cuda.to_device(np.array([[2, 0, 0], [0, 0, 4]], dtype=np.float32))
    >>> leapfrog[1, 32](place, velocity, pull, np.float32(0.5))
    >>> velocity.copy_to_host()
    array([[1.5, 1. , 1. ],
           [1. , 1. , 2. ]], dtype=float32)
    >>> place.copy_to_host()
    array([[1.75, 1.5 , 1.5 ],
           [1.5 , 1.5 , 2.  ]], dtype=float32)

    --8<-- [end:example]
    """
    pull = (np.arange(3 * n, dtype=np.float32) % 7 - 3).reshape(n, 3)
    velocity = (np.arange(3 * n, dtype=np.float32) % 5 - 2).reshape(n, 3)
    place = (np.arange(3 * n, dtype=np.float32) % 11).reshape(n, 3)
    dt = np.float32(0.25)
    moved, pushed = cuda.to_device(place), cuda.to_device(velocity)
    leapfrog[-(-n // 32), 32](moved, pushed, cuda.to_device(pull), dt)
    faster = velocity + pull * dt / 2
    yield "velocity", pushed, faster
    yield "place", moved, place + faster * dt

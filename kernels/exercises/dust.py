"""Thirty-two sectors a request

A profile of the kernel that you start from says: *32 sectors for each request, where 4 would do*.
Each thread adds the squares of eight grains that lie side by side, so the lanes of a warp read 32
bytes apart. Let a warp read 32 neighbors at a time. **Par** counts sectors.
"""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:solution]
@cuda.jit
def dust_energy(speed, energy):
    """Add the sum of the squares of n float32 to energy[0], with a thread for each eight."""
    i = cuda.grid(1)
    total = np.float32(0)
    for k in range(i, speed.size, cuda.gridsize(1)):
        total += speed[k] * speed[k]
    if i < speed.size:
        cuda.atomic.add(energy, 0, total)


# --8<-- [end:solution]


START = [
    [
        "    for k in range(i, speed.size, cuda.gridsize(1)):\n",
        "    for k in range(8 * i, min(8 * i + 8, speed.size)):\n",
    ]
]
HINTS = [
    "In its first turn through the loop, which grain should each lane of a warp read, so that the "
    "32 lanes read 128 bytes in a row?",
    "Thread i begins at grain i. The next one that nobody else takes is as far on as the grid has "
    "threads: `cuda.gridsize(1)`.",
]

WRONG = {
    "eight neighbors a thread": {"edits": "START", "says": "above par"},
    "a step of a warp": {
        "edits": [["speed.size, cuda.gridsize(1)", "speed.size, 32"]],
        "says": "should be",
    },
    "one grain a thread": {
        "edits": [["speed.size, cuda.gridsize(1)", "min(i + 1, speed.size)"]],
        "says": "should be",
    },
}

CASES = [1, 500, 512, 1000]
PAR = ["sectors"]


def test(dust_energy, n):
    """A thread for each eight grains, in blocks of 64.

    --8<-- [start:example]
    >>> speed = cuda.to_device(np.arange(1, 101, dtype=np.float32))
    >>> energy = cuda.to_device(np.zeros(1, dtype=np.float32))
    >>> dust_energy[1, 64](speed, energy)
    >>> energy.copy_to_host()
    array([338350.], dtype=float32)

    --8<-- [end:example]
    """
    speed = np.arange(n, dtype=np.float32) % 7 + 1
    energy = cuda.to_device(np.zeros(1, dtype=np.float32))
    dust_energy[-(-n // 512), 64](cuda.to_device(speed), energy)
    yield "energy", energy, np.array([np.sum(speed**2)], dtype=np.float32)

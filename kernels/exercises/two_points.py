"""Two grid points a thread

The potential at a point is the sum over all atoms of charge / distance. The kernel that you start
from is right: a thread computes two neighbors of a row of the grid, one after the other, and
fetches each atom twice. Fetch it once and use it for both. `atoms` is n x 3: x, y and charge; the
row lies at height `y`, and its points are `spacing` apart. Their number may be odd. **Par** counts
requests.
"""

# --8<-- [start:imports]
import math

import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:solution]
@cuda.jit
def potentials(atoms, y, spacing, row):
    """Write the potential at each point of a row to ``row``; a thread for each two points."""
    first = 2 * cuda.grid(1)
    if first < row.size:
        left = np.float32(first) * spacing
        right = left + spacing
        here = there = np.float32(0)
        for atom in range(atoms.shape[0]):
            x, dy, charge = atoms[atom, 0], atoms[atom, 1] - y, atoms[atom, 2]
            here += charge / math.sqrt((x - left) * (x - left) + dy * dy)
            there += charge / math.sqrt((x - right) * (x - right) + dy * dy)
        row[first] = here
        if first + 1 < row.size:
            row[first + 1] = there


# --8<-- [end:solution]

START = [
    [
        "        left = np.float32(first) * spacing\n"
        "        right = left + spacing\n"
        "        here = there = np.float32(0)\n"
        "        for atom in range(atoms.shape[0]):\n"
        "            x, dy, charge = atoms[atom, 0], atoms[atom, 1] - y, atoms[atom, 2]\n"
        "            here += charge / math.sqrt((x - left) * (x - left) + dy * dy)\n"
        "            there += charge / math.sqrt((x - right) * (x - right) + dy * dy)\n"
        "        row[first] = here\n        if first + 1 < row.size:\n"
        "            row[first + 1] = there\n",
        "        for point in range(first, min(first + 2, row.size)):\n"
        "            here = np.float32(0)\n            for atom in range(atoms.shape[0]):\n"
        "                dx = atoms[atom, 0] - np.float32(point) * spacing\n"
        "                dy = atoms[atom, 1] - y\n"
        "                here += atoms[atom, 2] / math.sqrt(dx * dx + dy * dy)\n"
        "            row[point] = here\n",
    ]
]
HINTS = [
    "One loop over the atoms and two sums. What of an atom do both points need?",
    "x, y and charge: load each into a local variable. Both points also share dy. Guard the "
    "second store.",
]

WRONG = {
    "one point after the other": {"edits": "START", "says": "above par"},
    "both sums for one place": {
        "edits": [["(x - right) * (x - right)", "(x - left) * (x - left)"]],
        "says": "should be",
    },
    "the second store is not guarded": {
        "edits": [["if first + 1 < row.size:", "if True:"]],
        "says": "out of bounds",
    },
}

CASES = [(1, 1), (3, 33), (20, 70), (9, 129)]
PAR = ["requests"]


def test(potentials, atoms, n):
    """Blocks of 32 threads, one for each two points.

    --8<-- [start:example]
    >>> atoms = cuda.to_device(np.array([[0, 4, 8]], dtype=np.float32))  # 4 above the first point
    >>> row = cuda.device_array(2, dtype=np.float32)
    >>> potentials[1, 32](atoms, np.float32(0), np.float32(3), row)
    >>> row.copy_to_host()  # 8 / 4 and 8 / 5
    array([2. , 1.6], dtype=float32)

    --8<-- [end:example]
    """
    places = np.array([[a * 7 % 23, a % 5 + 1, a % 3 + 1] for a in range(atoms)], dtype=np.float32)
    row = cuda.to_device(np.full(n, np.nan, dtype=np.float32))
    blocks = -(-n // 64)
    potentials[blocks, 32](cuda.to_device(places), np.float32(-1), np.float32(0.5), row)
    want = [
        sum(charge / math.hypot(x - i * 0.5, y + 1) for x, y, charge in places.tolist())
        for i in range(n)
    ]
    yield "row", row, np.array(want, dtype=np.float32)

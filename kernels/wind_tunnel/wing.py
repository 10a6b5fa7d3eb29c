"""A wing section for the wind tunnel, and what the air does to a body in it."""

import numpy as np
from numba import cuda, float32


# --8<-- [start:wing]
def wing(rows, columns, x, y, chord, degrees):
    """Return where a wing stands, uint8 of shape (rows, columns), with its middle at (x, y).

    It is the symmetric section NACA 0015; ``degrees`` raise its nose, toward larger rows.
    """
    up, right = np.arange(rows)[:, None] - y, np.arange(columns) - x
    turn = np.deg2rad(degrees)
    t = np.clip(0.5 + (right * np.cos(turn) - up * np.sin(turn)) / chord, 0, 1)  # 0 at the nose
    off = (right * np.sin(turn) + up * np.cos(turn)) / chord
    series = 0.2969 * np.sqrt(t) - 0.126 * t - 0.3516 * t**2 + 0.2843 * t**3 - 0.1015 * t**4
    inside = (0 < t) & (t < 1) & (np.abs(off) < 0.75 * series)
    return inside.astype(np.uint8)


# --8<-- [end:wing]


# --8<-- [start:force]
RIGHT = (0, 1, 0, -1, 0, 1, -1, -1, 1)  # how far each of the nine numbers moves
UP = (0, 0, 1, 0, -1, 1, 1, -1, -1)


@cuda.jit
def force_kernel(f, solid, rows, columns, force):
    """Add the force of the air on the walls, in the last step, to ``force``: to the right, and up.

    A number that a wall sends back has turned around: the wall got its momentum twice.
    """
    x, y = cuda.grid(2)
    if 0 < x < columns - 1 and y < rows and solid[y * columns + x] != 0:
        n = rows * columns
        for d in range(1, 9):
            beside = (y + UP[d] + rows) % rows * columns + x + RIGHT[d]
            if solid[beside] == 0:  # it goes back into the air
                sent = float32(2) * f[d * n + y * columns + x]
                cuda.atomic.add(force, 0, float32(-RIGHT[d]) * sent)
                cuda.atomic.add(force, 1, float32(-UP[d]) * sent)


# --8<-- [end:force]

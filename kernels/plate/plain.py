"""Heat and waves on a plate, a thread for a cell. The cells of the border keep their values."""

# --8<-- [start:imports]
import numpy as np
from numba import cuda, float32

# --8<-- [end:imports]


# --8<-- [start:heat]
@cuda.jit
def heat_kernel(u, ratio, out):
    """Do a step of the heat equation. ratio: diffusivity times time step over cell size squared."""
    x, y = cuda.grid(2)
    rows, columns = u.shape
    if x < columns and y < rows:
        here = u[y, x]
        if 0 < x < columns - 1 and 0 < y < rows - 1:
            around = u[y - 1, x] + u[y + 1, x] + u[y, x - 1] + u[y, x + 1]
            here += ratio * (around - float32(4) * here)
        out[y, x] = here


# --8<-- [end:heat]


# --8<-- [start:wave]
@cuda.jit
def wave_kernel(now, medium, before):
    """Do a step of the wave equation: what comes after ``now`` goes where ``before`` was.

    medium: the square of (speed of the wave times time step over cell size), for each cell.
    """
    x, y = cuda.grid(2)
    rows, columns = now.shape
    if 0 < x < columns - 1 and 0 < y < rows - 1:
        here = now[y, x]
        around = now[y - 1, x] + now[y + 1, x] + now[y, x - 1] + now[y, x + 1]
        bend = around - float32(4) * here
        before[y, x] = float32(2) * here - before[y, x] + medium[y, x] * bend


# --8<-- [end:wave]


# --8<-- [start:look]
@cuda.jit
def drive_kernel(u, column, value):
    """Shake a column of the plate."""
    y = cuda.grid(1)
    if 0 < y < u.shape[0] - 1:
        u[y, column] = value


@cuda.jit
def probe_kernel(u, y, x, record, turn):
    """Note the value of a cell."""
    record[turn] = u[y, x]


@cuda.jit
def intensity_kernel(u, column, sums):
    """Add the square of each cell of a column to ``sums``."""
    y = cuda.grid(1)
    if y < u.shape[0]:
        sums[y] += u[y, column] * u[y, column]


# --8<-- [end:look]


# --8<-- [start:host]
def over(shape, threads=(32, 8)):
    """Return the blocks and threads of a launch over a plate."""
    rows, columns = shape
    return (-(-columns // threads[0]), -(-rows // threads[1])), threads


def mode(rows, columns):
    """Return a half wave in either direction, 0 at the border, float32."""
    y = np.sin(np.pi * np.arange(rows) / (rows - 1))
    x = np.sin(np.pi * np.arange(columns) / (columns - 1))
    u = np.outer(y, x).astype(np.float32)
    u[[0, -1]] = u[:, [0, -1]] = 0
    return u


# --8<-- [end:host]

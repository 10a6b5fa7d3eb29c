"""Lattice Boltzmann in two dimensions (D2Q9, BGK): a wind tunnel, a thread for a cell.

The nine populations of a cell are nine planes of one flat array: population d of cell (x, y) is at
(d * rows + y) * columns + x. They move by (0, 0), (1, 0), (0, 1), (-1, 0), (0, -1), (1, 1),
(-1, 1), (-1, -1) and (1, -1). The wind comes in on the left and leaves on the right; above the top
row is the bottom row. A cell whose ``solid`` is 1 sends back what it gets.
"""

# --8<-- [start:imports]
import numpy as np
from numba import cuda, float32, uint32

# --8<-- [end:imports]


# --8<-- [start:collide]
REST, STRAIGHT, DIAGONAL = float32(4 / 9), float32(1 / 9), float32(1 / 36)
ONE, THREE, HALF9, HALF3 = float32(1), float32(3), float32(4.5), float32(1.5)


@cuda.jit(device=True, forceinline=True)
def equilibrium(rho, u, v):
    """Return the nine populations of a gas of density rho that moves with (u, v)."""
    still = ONE - HALF3 * (u * u + v * v)
    s, d = STRAIGHT * rho, DIAGONAL * rho
    p, m = u + v, u - v
    return (
        REST * rho * still,
        s * (still + THREE * u + HALF9 * u * u),
        s * (still + THREE * v + HALF9 * v * v),
        s * (still - THREE * u + HALF9 * u * u),
        s * (still - THREE * v + HALF9 * v * v),
        d * (still + THREE * p + HALF9 * p * p),
        d * (still - THREE * m + HALF9 * m * m),
        d * (still - THREE * p + HALF9 * p * p),
        d * (still + THREE * m + HALF9 * m * m),
    )


@cuda.jit(device=True, forceinline=True)
def collide(f0, f1, f2, f3, f4, f5, f6, f7, f8, solid, inlet, omega, wind):
    """Return the populations of a cell after a collision, or what a wall or the inlet makes."""
    rho = f0 + f1 + f2 + f3 + f4 + f5 + f6 + f7 + f8
    inverse = ONE / rho
    u = (f1 - f3 + f5 - f6 - f7 + f8) * inverse
    v = (f2 - f4 + f5 + f6 - f7 - f8) * inverse
    if inlet:
        rho, u, v, omega = ONE, wind, float32(0), ONE
    e0, e1, e2, e3, e4, e5, e6, e7, e8 = equilibrium(rho, u, v)
    if solid:  # each one goes back where it came from
        return f0, f3, f4, f1, f2, f7, f8, f5, f6
    return (
        f0 + omega * (e0 - f0),
        f1 + omega * (e1 - f1),
        f2 + omega * (e2 - f2),
        f3 + omega * (e3 - f3),
        f4 + omega * (e4 - f4),
        f5 + omega * (e5 - f5),
        f6 + omega * (e6 - f6),
        f7 + omega * (e7 - f7),
        f8 + omega * (e8 - f8),
    )


# --8<-- [end:collide]


# --8<-- [start:kernel]
@cuda.jit
def lattice_kernel(f, solid, rows, columns, omega, wind, out):
    """Do one step: fetch the nine populations that arrive at a cell, let them collide, write."""
    x, y = cuda.grid(2)
    x, y, rows, columns = uint32(x), uint32(y), uint32(rows), uint32(columns)
    if x < columns and y < rows:
        west = uint32(x - 1 if x > 0 else 0)
        east = uint32(x + 1 if x < columns - 1 else x)  # past the outlet, as before the outlet
        here = uint32(y * columns)
        south = uint32((y - 1 if y > 0 else rows - 1) * columns)
        north = uint32((y + 1 if y < rows - 1 else 0) * columns)
        n = uint32(rows * columns)
        g0, g1, g2, g3, g4, g5, g6, g7, g8 = collide(
            f[uint32(here + x)],
            f[uint32(n + here + west)],
            f[uint32(2 * n + south + x)],
            f[uint32(3 * n + here + east)],
            f[uint32(4 * n + north + x)],
            f[uint32(5 * n + south + west)],
            f[uint32(6 * n + south + east)],
            f[uint32(7 * n + north + east)],
            f[uint32(8 * n + north + west)],
            solid[uint32(here + x)] != 0,
            x == 0,
            omega,
            wind,
        )
        i = uint32(here + x)
        out[i] = g0
        out[uint32(n + i)] = g1
        out[uint32(2 * n + i)] = g2
        out[uint32(3 * n + i)] = g3
        out[uint32(4 * n + i)] = g4
        out[uint32(5 * n + i)] = g5
        out[uint32(6 * n + i)] = g6
        out[uint32(7 * n + i)] = g7
        out[uint32(8 * n + i)] = g8


# --8<-- [end:kernel]


# --8<-- [start:look]
@cuda.jit
def velocity_kernel(f, rows, columns, u, v):
    """Write the velocity of each cell, for a look at it."""
    i = cuda.grid(1)
    n = rows * columns
    if i < n:
        f1, f2, f3, f4 = f[n + i], f[2 * n + i], f[3 * n + i], f[4 * n + i]
        f5, f6, f7, f8 = f[5 * n + i], f[6 * n + i], f[7 * n + i], f[8 * n + i]
        rho = f[i] + f1 + f2 + f3 + f4 + f5 + f6 + f7 + f8
        u[i] = (f1 - f3 + f5 - f6 - f7 + f8) / rho
        v[i] = (f2 - f4 + f5 + f6 - f7 - f8) / rho


@cuda.jit
def probe_kernel(f, n, i, record, turn):
    """Note how fast the gas moves upward in cell i."""
    f2, f4, f5, f6 = f[2 * n + i], f[4 * n + i], f[5 * n + i], f[6 * n + i]
    f7, f8 = f[7 * n + i], f[8 * n + i]
    rho = f[i] + f[n + i] + f2 + f[3 * n + i] + f4 + f5 + f6 + f7 + f8
    record[turn] = (f2 - f4 + f5 + f6 - f7 - f8) / rho


# --8<-- [end:look]


# --8<-- [start:host]
WEIGHTS = np.array([4 / 9] + 4 * [1 / 9] + 4 * [1 / 36])
MOVES = np.array([(0, 0), (1, 0), (0, 1), (-1, 0), (0, -1), (1, 1), (-1, 1), (-1, -1), (1, -1)])


def at_wind(u, v):
    """Return the populations, float32 of shape (9, rows, columns), of a gas that moves so."""
    towards = MOVES[:, 0, None, None] * u + MOVES[:, 1, None, None] * v
    f = 1 + 3 * towards + 4.5 * towards**2 - 1.5 * (u * u + v * v)
    return (WEIGHTS[:, None, None] * f).astype(np.float32)


def disk(rows, columns, x, y, diameter):
    """Return where a cylinder stands, uint8 of shape (rows, columns)."""
    down, right = np.ogrid[:rows, :columns]
    return ((right - x) ** 2 + (down - y) ** 2 < diameter**2 / 4).astype(np.uint8)


def steps(f, solid, count, omega, wind, threads=(32, 4)):
    """Return the populations after some steps."""
    _, rows, columns = f.shape
    d_f, d_solid = cuda.to_device(f.reshape(-1)), cuda.to_device(solid.reshape(-1))
    out = cuda.device_array_like(d_f)
    blocks = -(-columns // threads[0]), -(-rows // threads[1])
    for _ in range(count):
        lattice_kernel[blocks, threads](
            d_f, d_solid, rows, columns, np.float32(omega), np.float32(wind), out
        )
        d_f, out = out, d_f
    return d_f.copy_to_host().reshape(f.shape)


# --8<-- [end:host]

"""Lattice Boltzmann D2Q9: updates of cells a second, against the limit that memory sets."""

from functools import partial

import cupy as cp
import numpy as np

from benchmarks.harness import Case, Reference, rounded
from kernels.wind_tunnel.fours import fours_kernel
from kernels.wind_tunnel.lattice import MOVES, WEIGHTS, disk, lattice_kernel

PLAIN, FOURS = "kernels/wind_tunnel/lattice.py", "kernels/wind_tunnel/fours.py"
OPPOSITE = [0, 3, 4, 1, 2, 7, 8, 5, 6]
OMEGA, WIND = np.float32(1.6), np.float32(0.1)
HIGH = 4  # rows of a block


def run(bench):
    with bench.part("a step past a cylinder"):
        step(bench, *((256, 1024) if bench.quick else (4096, 8192)))


def one_step(f, solid, omega, wind):
    """Return a step by CuPy, in the type of ``f``: nine rolls, then arithmetic on whole arrays."""
    arrived = cp.empty_like(f)
    for d, (right, up) in enumerate(MOVES.tolist()):
        column = cp.roll(f[d], up, axis=0)
        arrived[d] = cp.roll(column, right, axis=1)
        if right:
            end = 0 if right == 1 else -1
            arrived[d][:, end] = column[:, end]
    rho = arrived.sum(axis=0)
    u = (arrived[1] - arrived[3] + arrived[5] - arrived[6] - arrived[7] + arrived[8]) / rho
    v = (arrived[2] - arrived[4] + arrived[5] + arrived[6] - arrived[7] - arrived[8]) / rho
    u[:, 0], v[:, 0] = wind, 0
    density = rho.copy()
    density[:, 0] = 1
    still = 1 - 1.5 * (u * u + v * v)
    new = cp.empty_like(f)
    for d, (right, up) in enumerate(MOVES.tolist()):
        towards = right * u + up * v
        balance = WEIGHTS[d] * density * (still + 3 * towards + 4.5 * towards * towards)
        new[d] = arrived[d] + omega * (balance - arrived[d])
        new[d][:, 0] = balance[:, 0]
        new[d][solid != 0] = arrived[OPPOSITE[d]][solid != 0]
    return new


def step(bench, rows, columns):
    n = rows * columns
    u = WIND + cp.float32(0.02) * bench.random((rows, columns))
    v = cp.float32(0.02) * bench.random((rows, columns))
    f = cp.empty((9, rows, columns), cp.float32)
    for d, (right, up) in enumerate(MOVES.tolist()):
        towards = right * u + up * v
        f[d] = WEIGHTS[d] * (1 + 3 * towards + 4.5 * towards**2 - 1.5 * (u * u + v * v))
    solid = cp.asarray(disk(rows, columns, columns // 5, rows // 2, rows // 20))
    output = bench.output(f.shape)
    expected = one_step(f.astype(cp.float64), solid, float(OMEGA), float(WIND))
    bench.xp.get_default_memory_pool().free_all_blocks()

    numba = bench.device.numba
    ins, outs = numba(f.reshape(-1)), numba(output.array.reshape(-1))
    walls = solid.reshape(-1)
    rest = rows, columns, OMEGA, WIND, outs
    blocks = -(-columns // 32), -(-rows // HIGH)
    wide = -(-columns // 128), -(-rows // HIGH)
    plain = partial(lattice_kernel[blocks, (32, HIGH)], ins, numba(walls), *rest)
    fours = partial(fours_kernel[wide, (32, HIGH)], ins, numba(walls.view(cp.uint32)), *rest)

    def library():
        output.array[...] = one_step(f, solid, OMEGA, WIND)

    title = "Lattice Boltzmann D2Q9, Numba, "
    rows_of = bench.compare(
        [
            Case("lattice-boltzmann", title + "four cells a thread", FOURS, fours, output),
            Case("lattice-boltzmann-plain", title + "a cell a thread", PLAIN, plain, output),
        ],
        Reference("CuPy, rolls and whole arrays", library, output),
        expected,
        size=n,
        dtype="float32",
        unit="GB/s",
        tolerance=1e-6,
        bytes=2 * 9 * 4 * n,  # each population read once and written once; the walls are left out
    )
    for row in rows_of:
        row["mlups"] = rounded(n / row["us"])

"""The electrostatic potential of atoms on a slice of a grid, in four ways."""

import numpy as np
from numba import cuda

# --8<-- [start:scatter]
import math  # isort: skip

from numba import float32  # isort: skip


@cuda.jit
def scatter_kernel(atoms, spacing, energy):
    """A thread for each atom (x, y, z squared, charge): it adds its potential to all points."""
    a = cuda.grid(1)
    if a < atoms.shape[0]:
        for j in range(energy.shape[0]):
            dy = spacing * float32(j) - atoms[a, 1]
            for i in range(energy.shape[1]):
                dx = spacing * float32(i) - atoms[a, 0]
                part = atoms[a, 3] / math.sqrt(dx * dx + dy * dy + atoms[a, 2])
                cuda.atomic.add(energy, (j, i), part)


# --8<-- [end:scatter]


# --8<-- [start:gather]
@cuda.jit
def gather_kernel(atoms, spacing, energy):
    """A thread for each point: it sums over all atoms in a register."""
    i, j = cuda.grid(2)
    if i < energy.shape[1] and j < energy.shape[0]:
        x, y = spacing * float32(i), spacing * float32(j)
        total = float32(0)
        for a in range(atoms.shape[0]):
            dx, dy = x - atoms[a, 0], y - atoms[a, 1]
            total += atoms[a, 3] / math.sqrt(dx * dx + dy * dy + atoms[a, 2])
        energy[j, i] = total


# --8<-- [end:gather]


# --8<-- [start:coarse]
POINTS = 4  # of a thread, a block's width apart


@cuda.jit(fastmath=True)
def coarse_kernel(atoms, spacing, energy):
    """Four points of a row for each thread: an atom is read once, and its dy computed once."""
    i = cuda.blockIdx.x * POINTS * cuda.blockDim.x + cuda.threadIdx.x
    j = cuda.blockIdx.y * cuda.blockDim.y + cuda.threadIdx.y
    step = spacing * float32(cuda.blockDim.x)
    x, y = spacing * float32(i), spacing * float32(j)
    t0, t1, t2, t3 = float32(0), float32(0), float32(0), float32(0)
    for a in range(atoms.shape[0]):
        dx, dy, charge = x - atoms[a, 0], y - atoms[a, 1], atoms[a, 3]
        rest = dy * dy + atoms[a, 2]
        t0 += charge / math.sqrt(dx * dx + rest)
        dx += step
        t1 += charge / math.sqrt(dx * dx + rest)
        dx += step
        t2 += charge / math.sqrt(dx * dx + rest)
        dx += step
        t3 += charge / math.sqrt(dx * dx + rest)
    if j < energy.shape[0]:
        for total in (t0, t1, t2, t3):
            if i < energy.shape[1]:
                energy[j, i] = total
            i += cuda.blockDim.x


# --8<-- [end:coarse]


# --8<-- [start:constant]
def make_constant(atoms):
    """Return gather_kernel with these atoms in constant memory: 64 KB hold 4,096 of them."""
    atoms = np.ascontiguousarray(atoms, dtype=np.float32)
    if atoms.nbytes > 64 * 1024:
        raise ValueError(f"{len(atoms)} atoms: constant memory holds 4,096")
    count = len(atoms)

    @cuda.jit
    def constant_kernel(spacing, energy):
        held = cuda.const.array_like(atoms)
        i, j = cuda.grid(2)
        if i < energy.shape[1] and j < energy.shape[0]:
            x, y = spacing * float32(i), spacing * float32(j)
            total = float32(0)
            for a in range(count):
                dx, dy = x - held[a, 0], y - held[a, 1]
                total += held[a, 3] / math.sqrt(dx * dx + dy * dy + held[a, 2])
            energy[j, i] = total

    return constant_kernel


# --8<-- [end:constant]


# --8<-- [start:host]
def potential(xyzq, rows, columns, spacing, way, block=(16, 4)):
    """Return the potential of atoms (x, y, z, charge) at the points of the plane z = 0."""
    atoms = np.array(xyzq, dtype=np.float32)
    atoms[:, 2] **= 2
    spacing = np.float32(spacing)
    energy = cuda.to_device(np.zeros((rows, columns), np.float32))
    if way is scatter_kernel:
        way[-(-len(atoms) // 64), 64](cuda.to_device(atoms), spacing, energy)
        return energy.copy_to_host()
    width = block[0] * (POINTS if way is coarse_kernel else 1)
    grid = (-(-columns // width), -(-rows // block[1]))
    if way is make_constant:
        way(atoms)[grid, block](spacing, energy)
    else:
        way[grid, block](cuda.to_device(atoms), spacing, energy)
    return energy.copy_to_host()


# --8<-- [end:host]


def _example():
    """
    --8<-- [start:example]
    >>> water = [[2, 1, 0.5, -0.8], [1.4, 1.6, 0.5, 0.4], [2.6, 1.6, 0.5, 0.4]]  # O, H, H
    >>> for way in (scatter_kernel, gather_kernel, coarse_kernel, make_constant):
    ...     slice = potential(water, 3, 5, 1.0, way)
    ...     print(slice[1].round(3))
    [ 0.009 -0.035 -0.788 -0.035  0.009]
    [ 0.009 -0.035 -0.788 -0.035  0.009]
    [ 0.009 -0.035 -0.788 -0.035  0.009]
    [ 0.009 -0.035 -0.788 -0.035  0.009]

    --8<-- [end:example]
    """

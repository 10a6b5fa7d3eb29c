"""A 3D stencil whose planes come through a ring of tiles in shared memory, by the copy engine.

The arrays are flat, and their rows are a multiple of four long.
"""

# --8<-- [start:imports]
import functools

import numpy as np
from numba import cuda, float32, int32, uint32, uint64

# --8<-- [end:imports]
from kernels.patterns.shared import launch
from kernels.patterns.wide import load4, store4
from kernels.stencil.march import inside
from kernels.tensor_cores.ptx import ptx
from kernels.tensor_cores.tma import (
    barrier_arrive,
    barrier_expect,
    barrier_init,
    barrier_init_done,
    barrier_wait,
    shared_address,
)

# --8<-- [start:engine]
# Read %2 bytes at %1 into shared memory at %0, and count them at the barrier %3.
load_bytes = ptx(
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];",
    "r l r r",
)
# --8<-- [end:engine]


# --8<-- [start:kernel]
def make_space_ring(wide, high, slots, resident=1, load=None, store=store4):
    """Return a kernel for a step of the 3D stencil.

    A block owns ``high`` rows of ``wide`` cells and marches through the planes. Its last warp asks
    the copy engine for a tile of each plane, with a halo, ``slots`` planes ahead; the other
    threads have four cells each. ``wide * high`` is a multiple of 128, ``high`` at most 30.
    ``resident`` blocks share a multiprocessor.
    """
    load = load or load_bytes
    fours, pitch = wide // 4, wide + 8  # a halo of four on each side: the engine's 16 bytes
    tile = (high + 2) * pitch
    workers, waits = fours * high, 2 * slots

    @cuda.jit(launch_bounds=(workers + 32, resident))
    def space_ring_kernel(a, planes, rows, columns, depth, center, side, out):
        ring = cuda.shared.array(0, float32, alignment=128)  # slots x tile
        barriers = cuda.shared.array(waits, uint64)
        thread = int32(cuda.threadIdx.x)
        full = uint32(shared_address(barriers.ctypes.data))  # for each slot: its tile is there
        empty = full + uint32(8 * slots)  # and: all warps are done with it
        if thread == 0:
            for s in range(slots):
                barrier_init(full + uint32(8 * s), 1)
                barrier_init(empty + uint32(8 * s), workers // 32)
            barrier_init_done()
        cuda.syncthreads()
        left, top = int32(cuda.blockIdx.x * wide), int32(cuda.blockIdx.y * high)
        first = int32(cuda.blockIdx.z * depth)
        end = int32(min(first + depth, planes))
        slot, parity = int32(0), int32(0)

        if thread >= workers:  # a lane for each row of the tile
            lane = int32(thread - workers)
            y = int32(top - 1 + lane)
            low, high_end = max(int32(left - 4), int32(0)), min(int32(left + wide + 4), columns)
            bytes = uint32(4) * uint32(high_end - low)
            present = min(int32(top + high + 1), rows) - max(int32(top - 1), int32(0))
            to = uint32(shared_address(ring.ctypes.data))
            to += uint32(4) * uint32(lane * pitch + low - (left - 4))
            for z in range(first - 1, end + 1):
                barrier_wait(empty + uint32(8) * uint32(slot), parity ^ 1)
                bar = full + uint32(8) * uint32(slot)
                if lane == 0:
                    barrier_expect(bar, bytes * uint32(present))
                cuda.syncwarp()
                if lane < high + 2 and 0 <= y < rows:
                    line = int32(inside(int32(z), planes) * rows + y)
                    cell = uint64(line) * uint64(columns) + uint64(low)
                    place = to + uint32(4 * tile) * uint32(slot)
                    load(place, uint64(a.ctypes.data) + uint64(4) * cell, bytes, bar)
                slot = int32(slot + 1)
                if slot == slots:
                    slot, parity = int32(0), int32(parity ^ 1)
        else:
            x, y = int32(left + thread % fours * 4), int32(top + thread // fours)
            mine = uint32((thread // fours + 1) * pitch + 4 + thread % fours * 4)  # in a tile
            owner = x < columns and y < rows
            edge = y == 0 or y == rows - 1
            at = uint64(first * rows + y) * uint64(columns) + uint64(x)
            b0, b1, b2, b3 = float32(0), float32(0), float32(0), float32(0)  # the plane before
            m0, m1, m2, m3 = float32(0), float32(0), float32(0), float32(0)  # this plane
            for z in range(first - 1, end + 1):
                barrier_wait(full + uint32(8) * uint32(slot), parity)
                n0, n1, n2, n3 = load4(ring, uint32(slot) * uint32(tile) + mine)
                if z > first:  # the plane before this one has all neighbors now
                    old = int32(slot - 1 if slot > 0 else slots - 1)
                    here = uint32(old) * uint32(tile) + mine
                    u0, u1, u2, u3 = load4(ring, here - uint32(pitch))
                    d0, d1, d2, d3 = load4(ring, here + uint32(pitch))
                    before, behind = ring[here - uint32(1)], ring[here + uint32(4)]
                    border = edge or z == 1 or z == planes
                    r0 = center * m0 + side * (b0 + n0 + u0 + d0 + before + m1)
                    r1 = center * m1 + side * (b1 + n1 + u1 + d1 + m0 + m2)
                    r2 = center * m2 + side * (b2 + n2 + u2 + d2 + m1 + m3)
                    r3 = center * m3 + side * (b3 + n3 + u3 + d3 + m2 + behind)
                    r0 = m0 if border or x == 0 else r0
                    r1 = m1 if border else r1
                    r2 = m2 if border else r2
                    r3 = m3 if border or x == columns - 4 else r3
                    if owner:
                        store(out, at, (r0, r1, r2, r3))
                    at += uint64(rows) * uint64(columns)
                    cuda.syncwarp()
                    if thread % 32 == 0:
                        barrier_arrive(empty + uint32(8) * uint32(old))
                elif z == first:  # nobody asks for neighbors in the plane before the first
                    cuda.syncwarp()
                    if thread % 32 == 0:
                        old = int32(slot - 1 if slot > 0 else slots - 1)
                        barrier_arrive(empty + uint32(8) * uint32(old))
                b0, b1, b2, b3 = m0, m1, m2, m3
                m0, m1, m2, m3 = n0, n1, n2, n3
                slot = int32(slot + 1)
                if slot == slots:
                    slot, parity = int32(0), int32(parity ^ 1)

    return space_ring_kernel


# --8<-- [end:kernel]


# --8<-- [start:host]
make_space_ring = functools.cache(make_space_ring)


def space_ring(a, shape, center, side, out, wide=128, high=25, slots=12, depth=None, **options):
    """Launch a step of the 3D stencil on flat float32 arrays on the device.

    A block takes ``depth`` planes, or all.
    """
    planes, rows, columns = shape
    depth = depth or planes
    blocks = -(-columns // wide), -(-rows // high), -(-planes // depth)
    kernel = make_space_ring(wide, high, slots, **options)
    shared = 4 * slots * (high + 2) * (wide + 8)
    sizes = *map(np.int32, shape), np.int32(depth)
    launch(kernel, blocks, wide * high // 4 + 32, shared, a, *sizes, center, side, out)


# --8<-- [end:host]

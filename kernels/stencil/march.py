"""Stencils whose warps march through the array with a queue of rows, or planes, in registers.

The arrays are flat, and their rows are a multiple of four long.
"""

# --8<-- [start:imports]
import functools

import numpy as np
from numba import cuda, float32, int32, uint32

# --8<-- [end:imports]
from kernels.patterns.wide import load4, store4
from kernels.stencil.once import store4_once

# --8<-- [start:fetch]
ALL = 0xFFFFFFFF


@cuda.jit(device=True, forceinline=True)
def inside(i, n):
    """Return the index nearest to i that an axis of length n has."""
    return int32(min(max(i, int32(0)), int32(n - 1)))


@cuda.jit(device=True, forceinline=True)
def fetch(a, y, rows, column, columns, coming):
    """Read this lane's four columns of some rows from y on.

    Where a cell is outside, the nearest one inside is read: only the border asks for it, and the
    border keeps its values. So no load needs a branch.
    """
    at = uint32(min(max(column, int32(0)), int32(columns - 4)))
    for j in range(coming.shape[0]):
        line = uint32(uint32(inside(int32(y + j), rows)) * uint32(columns))
        coming[j, 0], coming[j, 1], coming[j, 2], coming[j, 3] = load4(a, uint32(line + at))


# --8<-- [end:fetch]


# --8<-- [start:plane]
def make_march(steps, group):
    """Return a kernel that does some steps of the 2D stencil in one pass over memory.

    A warp owns 128 columns and marches down. Of each step it keeps two rows in registers, and a
    third comes in: then the row between them can take its next step. Rows are read ``group`` at a
    time. The outer 4 * ceil(steps / 4) columns on both sides are only there for the others.
    """
    margin = 4 * -(-steps // 4)
    useful = 128 - 2 * margin

    @cuda.jit
    def march_kernel(a, rows, columns, height, center, side, out):
        coming = cuda.local.array((group, 4), float32)
        now = cuda.local.array((group, 4), float32)
        old = cuda.local.array((steps, 4), float32)  # the older row of each step
        mid = cuda.local.array((steps, 4), float32)  # and the newer one
        strip = int32(cuda.blockIdx.x * cuda.blockDim.y + cuda.threadIdx.y)
        lane = int32(cuda.threadIdx.x)
        column = int32(strip * useful - margin + 4 * lane)
        first = int32(cuda.blockIdx.y * height)
        end = int32(min(first + height, rows))
        writes = margin <= 4 * lane < 128 - margin and column < columns
        for s in range(steps):
            for k in range(4):
                old[s, k] = 0
                mid[s, k] = 0
        fetch(a, int32(first - steps), rows, column, columns, coming)
        for top in range(first - steps, end + steps, group):
            for j in range(group):
                for k in range(4):
                    now[j, k] = coming[j, k]
            fetch(a, int32(top + group), rows, column, columns, coming)
            for j in range(group):
                n0, n1, n2, n3 = now[j, 0], now[j, 1], now[j, 2], now[j, 3]
                for s in range(steps):
                    y = int32(top + j - 1 - s)  # the row that takes its step
                    m0, m1, m2, m3 = mid[s, 0], mid[s, 1], mid[s, 2], mid[s, 3]
                    before = cuda.shfl_up_sync(ALL, m3, 1)
                    behind = cuda.shfl_down_sync(ALL, m0, 1)
                    r0 = center * m0 + side * (old[s, 0] + n0 + before + m1)
                    r1 = center * m1 + side * (old[s, 1] + n1 + m0 + m2)
                    r2 = center * m2 + side * (old[s, 2] + n2 + m1 + m3)
                    r3 = center * m3 + side * (old[s, 3] + n3 + m2 + behind)
                    border = y <= 0 or y >= rows - 1
                    old[s, 0], old[s, 1], old[s, 2], old[s, 3] = m0, m1, m2, m3
                    mid[s, 0], mid[s, 1], mid[s, 2], mid[s, 3] = n0, n1, n2, n3
                    n0 = m0 if border or column == 0 else r0
                    n1 = m1 if border else r1
                    n2 = m2 if border else r2
                    n3 = m3 if border or column == columns - 4 else r3
                y = int32(top + j - steps)
                if writes and first <= y < end:
                    store4(out, uint32(y) * uint32(columns) + uint32(column), (n0, n1, n2, n3))

    return march_kernel


# --8<-- [end:plane]


# --8<-- [start:patch]
def make_patch(high):
    """Return a kernel for a step of the 2D stencil. A warp owns 128 columns of ``high`` rows, all
    of which it reads before it computes. A block's warps own patches above each other.
    """
    queue = high + 2

    @cuda.jit
    def patch_kernel(a, rows, columns, center, side, out):
        lane = int32(cuda.threadIdx.x)
        column = int32(cuda.blockIdx.x * 128 + 4 * lane)
        first = int32((cuda.blockIdx.y * cuda.blockDim.y + cuda.threadIdx.y) * high)
        own = cuda.local.array((queue, 4), float32)
        edge = cuda.local.array(high, float32)  # what a lane at a warp's end cannot be handed
        outer = inside(int32(column - 1 if lane == 0 else column + 4), columns)
        fetch(a, int32(first - 1), rows, column, columns, own)
        for j in range(high):
            if lane == 0 or lane == 31:
                line = uint32(inside(int32(first + j), rows)) * uint32(columns)
                edge[j] = a[uint32(line + uint32(outer))]
        for j in range(high):
            m0, m1, m2, m3 = own[j + 1, 0], own[j + 1, 1], own[j + 1, 2], own[j + 1, 3]
            before = cuda.shfl_up_sync(ALL, m3, 1)
            behind = cuda.shfl_down_sync(ALL, m0, 1)
            if lane == 0:
                before = edge[j]
            if lane == 31:
                behind = edge[j]
            r0 = center * m0 + side * (own[j, 0] + own[j + 2, 0] + before + m1)
            r1 = center * m1 + side * (own[j, 1] + own[j + 2, 1] + m0 + m2)
            r2 = center * m2 + side * (own[j, 2] + own[j + 2, 2] + m1 + m3)
            r3 = center * m3 + side * (own[j, 3] + own[j + 2, 3] + m2 + behind)
            y = int32(first + j)
            border = y == 0 or y == rows - 1
            r0 = m0 if border or column == 0 else r0
            r1 = m1 if border else r1
            r2 = m2 if border else r2
            r3 = m3 if border or column == columns - 4 else r3
            if y < rows and column < columns:
                store4(out, uint32(y) * uint32(columns) + uint32(column), (r0, r1, r2, r3))

    return patch_kernel


# --8<-- [end:patch]


# --8<-- [start:space]
def make_space_march(high, group):
    """Return a kernel for a step of the 3D stencil.

    A warp owns 128 cells of ``high`` rows and marches through the planes, ``group`` of them at a
    time. A block's warps own neighboring rows.
    """
    queue, cells = group + 2, 4 * high

    @cuda.jit
    def space_march_kernel(a, planes, rows, columns, depth, center, side, out):
        lane = int32(cuda.threadIdx.x)
        column = int32(cuda.blockIdx.x * 128 + 4 * lane)
        y = int32((cuda.blockIdx.y * cuda.blockDim.y + cuda.threadIdx.y) * high)
        first = int32(cuda.blockIdx.z * depth)
        end = int32(min(first + depth, planes))
        own = cuda.local.array((queue, cells), float32)  # this lane's cells of some planes
        north = cuda.local.array((group, 4), float32)
        south = cuda.local.array((group, 4), float32)
        edge = cuda.local.array((group, high), float32)  # what a warp's end cannot be handed
        at = uint32(min(column, int32(columns - 4)))
        outer = uint32(inside(int32(column - 1 if lane == 0 else column + 4), columns))
        above = uint32(uint32(inside(int32(y - 1), rows)) * uint32(columns) + at)
        below = uint32(uint32(inside(int32(y + high), rows)) * uint32(columns) + at)
        size = uint32(uint32(rows) * uint32(columns))  # of a plane
        for k in range(2):
            plane = uint32(uint32(inside(int32(first - 1 + k), planes)) * size)
            for h in range(high):
                line = uint32(uint32(inside(int32(y + h), rows)) * uint32(columns))
                four = load4(a, uint32(plane + line + at))
                for c in range(4):
                    own[k, 4 * h + c] = four[c]
        for z in range(first, end, group):
            for j in range(group):
                plane = uint32(uint32(inside(int32(z + j + 1), planes)) * size)
                for h in range(high):
                    line = uint32(uint32(inside(int32(y + h), rows)) * uint32(columns))
                    four = load4(a, uint32(plane + line + at))
                    for c in range(4):
                        own[j + 2, 4 * h + c] = four[c]
            for j in range(group):
                plane = uint32(uint32(inside(int32(z + j), planes)) * size)
                four = load4(a, uint32(plane + above))
                for c in range(4):
                    north[j, c] = four[c]
                four = load4(a, uint32(plane + below))
                for c in range(4):
                    south[j, c] = four[c]
                if lane == 0 or lane == 31:
                    for h in range(high):
                        line = uint32(uint32(inside(int32(y + h), rows)) * uint32(columns))
                        edge[j, h] = a[uint32(plane + line + outer)]
            for j in range(group):
                here = int32(z + j)
                plane = uint32(uint32(here) * size)
                for h in range(high):
                    m0, m1 = own[j + 1, 4 * h], own[j + 1, 4 * h + 1]
                    m2, m3 = own[j + 1, 4 * h + 2], own[j + 1, 4 * h + 3]
                    before = cuda.shfl_up_sync(ALL, m3, 1)
                    behind = cuda.shfl_down_sync(ALL, m0, 1)
                    if lane == 0:
                        before = edge[j, h]
                    if lane == 31:
                        behind = edge[j, h]
                    s0 = before + m1 + own[j, 4 * h] + own[j + 2, 4 * h]
                    s1 = m0 + m2 + own[j, 4 * h + 1] + own[j + 2, 4 * h + 1]
                    s2 = m1 + m3 + own[j, 4 * h + 2] + own[j + 2, 4 * h + 2]
                    s3 = m2 + behind + own[j, 4 * h + 3] + own[j + 2, 4 * h + 3]
                    if h == 0:
                        s0, s1 = s0 + north[j, 0], s1 + north[j, 1]
                        s2, s3 = s2 + north[j, 2], s3 + north[j, 3]
                    else:
                        s0, s1 = s0 + own[j + 1, 4 * h - 4], s1 + own[j + 1, 4 * h - 3]
                        s2, s3 = s2 + own[j + 1, 4 * h - 2], s3 + own[j + 1, 4 * h - 1]
                    if h == high - 1:
                        s0, s1 = s0 + south[j, 0], s1 + south[j, 1]
                        s2, s3 = s2 + south[j, 2], s3 + south[j, 3]
                    else:
                        s0, s1 = s0 + own[j + 1, 4 * h + 4], s1 + own[j + 1, 4 * h + 5]
                        s2, s3 = s2 + own[j + 1, 4 * h + 6], s3 + own[j + 1, 4 * h + 7]
                    row = int32(y + h)
                    border = here == 0 or here == planes - 1 or row == 0 or row == rows - 1
                    r0 = m0 if border or column == 0 else center * m0 + side * s0
                    r1 = m1 if border else center * m1 + side * s1
                    r2 = m2 if border else center * m2 + side * s2
                    r3 = m3 if border or column == columns - 4 else center * m3 + side * s3
                    if here < end and row < rows and column < columns:
                        line = uint32(uint32(row) * uint32(columns))
                        store4_once(out, uint32(plane + line + at), (r0, r1, r2, r3))
            for k in range(2):
                for c in range(cells):
                    own[k, c] = own[k + group, c]

    return space_march_kernel


# --8<-- [end:space]


# --8<-- [start:host]
HEIGHT = 128  # rows that a warp marches through in a plane
make_march, make_patch = functools.cache(make_march), functools.cache(make_patch)
make_space_march = functools.cache(make_space_march)


def march(a, rows, columns, steps, center, side, out):
    """Launch some steps of the 2D stencil on flat float32 arrays on the device."""
    sizes = np.int32(rows), np.int32(columns)
    if steps == 1:
        blocks = -(-columns // 128), -(-rows // 16)
        make_patch(2)[blocks, (32, 8)](a, *sizes, center, side, out)
        return
    useful = 128 - 8 * -(-steps // 4)
    blocks = -(-columns // (4 * useful)), -(-rows // HEIGHT)
    make_march(steps, 4)[blocks, (32, 4)](a, *sizes, np.int32(HEIGHT), center, side, out)


def space_march(a, shape, center, side, out, high=2, group=2, warps=4, depth=4):
    """Launch a step of the 3D stencil on flat float32 arrays on the device, below 2^32 cells."""
    planes, rows, columns = shape
    blocks = -(-columns // 128), -(-rows // (high * warps)), -(-planes // depth)
    make_space_march(high, group)[blocks, (32, warps)](
        a, *map(np.int32, shape), np.int32(depth), center, side, out
    )


def after(a, center, side, steps=1):
    """Return a float32 plane, or space (one step), whose rows are a multiple of four long, later.

    --8<-- [start:example]
    >>> plate = np.zeros((5, 8), np.float32)
    >>> plate[2, 3] = 16
    >>> after(plate, 0.5, 0.125)[1:4, 2:5]
    array([[0., 2., 0.],
           [2., 8., 2.],
           [0., 2., 0.]], dtype=float32)
    >>> twice = after(after(plate, 0.5, 0.125), 0.5, 0.125)
    >>> np.array_equal(after(plate, 0.5, 0.125, steps=2), twice)
    True

    --8<-- [end:example]
    """
    if a.shape[-1] % 4:
        raise ValueError(f"rows of {a.shape[-1]}: their length must be a multiple of four")
    d_a = cuda.to_device(np.ascontiguousarray(a, dtype=np.float32).reshape(-1))
    out = cuda.device_array_like(d_a)
    center, side = np.float32(center), np.float32(side)
    if a.ndim == 2:
        march(d_a, *a.shape, steps, center, side, out)
    else:
        space_march(d_a, a.shape, center, side, out)
    return out.copy_to_host().reshape(a.shape)


# --8<-- [end:host]

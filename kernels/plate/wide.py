"""A step of the wave equation with four columns a lane: 16-byte loads and shuffles."""

# --8<-- [start:imports]
from numba import cuda, float32, int32, uint32

# --8<-- [end:imports]
from kernels.patterns.wide import load4, store4

# --8<-- [start:wave]
ALL = 0xFFFFFFFF


@cuda.jit(device=True, forceinline=True)
def stepped(here, left, right, up, down, speed, before):
    """Return what a cell becomes."""
    bend = left + right + up + down - float32(4) * here
    return float32(2) * here - before + speed * bend


def make_wave_patch(high):
    """Return a kernel (now, medium, rows, columns, before) with ``high`` rows for each warp.

    The arrays are flat, and ``columns`` is a multiple of four. A warp owns 128 columns.
    """
    lines = high + 2

    @cuda.jit
    def wave_patch_kernel(now, medium, rows, columns, before):
        own = cuda.local.array((lines, 4), float32)
        lane = int32(cuda.threadIdx.x)
        column = int32(cuda.blockIdx.x * 128 + 4 * lane)
        at = min(column, int32(columns - 4))  # lanes that are too many read what is there
        first = int32((cuda.blockIdx.y * cuda.blockDim.y + cuda.threadIdx.y) * high)
        outer = max(int32(column - 1), int32(0)) if lane == 0 else int32(at + 4)
        outer = min(outer, int32(columns - 1))  # the cell that no lane can hand on
        for j in range(lines):
            y = min(max(int32(first - 1 + j), int32(0)), int32(rows - 1))
            line = uint32(uint32(y) * uint32(columns))
            own[j, 0], own[j, 1], own[j, 2], own[j, 3] = load4(now, uint32(line + uint32(at)))
        for j in range(high):
            y = int32(first + j)
            line = uint32(uint32(min(y, int32(rows - 1))) * uint32(columns))
            m0, m1, m2, m3 = own[j + 1, 0], own[j + 1, 1], own[j + 1, 2], own[j + 1, 3]
            left = cuda.shfl_up_sync(ALL, m3, 1)
            right = cuda.shfl_down_sync(ALL, m0, 1)
            if lane == 0:
                left = now[uint32(line + uint32(outer))]
            if lane == 31:
                right = now[uint32(line + uint32(outer))]
            if 0 < y < rows - 1 and column < columns:
                i = uint32(line + uint32(column))
                s0, s1, s2, s3 = load4(medium, i)
                b0, b1, b2, b3 = load4(before, i)
                r0 = stepped(m0, left, m1, own[j, 0], own[j + 2, 0], s0, b0)
                r1 = stepped(m1, m0, m2, own[j, 1], own[j + 2, 1], s1, b1)
                r2 = stepped(m2, m1, m3, own[j, 2], own[j + 2, 2], s2, b2)
                r3 = stepped(m3, m2, right, own[j, 3], own[j + 2, 3], s3, b3)
                r0 = b0 if column == 0 else r0  # the border keeps its values
                r3 = b3 if column == columns - 4 else r3
                store4(before, i, (r0, r1, r2, r3))

    return wave_patch_kernel


# --8<-- [end:wave]

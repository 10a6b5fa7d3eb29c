"""The step of the wind tunnel with four cells a thread and 16-byte loads and stores.

What arrives from the west or east lies one cell off. It is read where it is aligned, and handed on
by shuffles.
"""

# --8<-- [start:imports]
from numba import cuda, float32, uint32

# --8<-- [end:imports]
from kernels.patterns.wide import load4, store4
from kernels.wind_tunnel.lattice import collide

# --8<-- [start:kernel]
ALL = 0xFFFFFFFF


@cuda.jit(device=True, forceinline=True)
def from_west(four, edge, lane):
    """Return the values that lie one to the left of these four."""
    before = cuda.shfl_up_sync(ALL, four[3], 1)
    return edge if lane == 0 else before, four[0], four[1], four[2]


@cuda.jit(device=True, forceinline=True)
def from_east(four, edge, lane):
    """Return the values that lie one to the right of these four."""
    behind = cuda.shfl_down_sync(ALL, four[0], 1)
    return four[1], four[2], four[3], edge if lane == 31 else behind


@cuda.jit
def fours_kernel(f, solid, rows, columns, omega, wind, out):
    """As ``lattice_kernel``, for columns that are a multiple of four and blocks of (32, any).

    ``solid`` is read as uint32, four cells in one.
    """
    lane = uint32(cuda.threadIdx.x)
    x = uint32(4 * cuda.grid(2)[0])
    y = uint32(cuda.grid(2)[1])
    rows, columns = uint32(rows), uint32(columns)
    if y >= rows:  # a whole warp
        return
    right = uint32(columns - 4)
    last = x == right
    inside = x <= right
    at = x if inside else right  # the lanes that are too many stay and read what is there
    # What a lane at a warp's end cannot be handed; the tunnel's ends take their own.
    outer = at if lane == 0 else uint32(at + 3)
    if lane == 0 and at > 0:
        outer = uint32(at - 1)
    if lane == 31 and not last and inside:
        outer = uint32(at + 4)
    here = uint32(y * columns)
    south = uint32((y - 1 if y > 0 else rows - 1) * columns)
    north = uint32((y + 1 if y < rows - 1 else 0) * columns)
    n = uint32(rows * columns)
    edge_here = edge_south = edge_north = float32(0)
    if lane == 0:
        edge_here = f[uint32(n + here + outer)]
        edge_south = f[uint32(5 * n + south + outer)]
        edge_north = f[uint32(8 * n + north + outer)]
    elif lane == 31:
        edge_here = f[uint32(3 * n + here + outer)]
        edge_south = f[uint32(6 * n + south + outer)]
        edge_north = f[uint32(7 * n + north + outer)]
    a0 = load4(f, uint32(here + at))
    a1 = from_west(load4(f, uint32(n + here + at)), edge_here, lane)
    a2 = load4(f, uint32(2 * n + south + at))
    e3 = load4(f, uint32(3 * n + here + at))
    a3 = from_east(e3, edge_here, lane)
    a4 = load4(f, uint32(4 * n + north + at))
    a5 = from_west(load4(f, uint32(5 * n + south + at)), edge_south, lane)
    e6 = load4(f, uint32(6 * n + south + at))
    a6 = from_east(e6, edge_south, lane)
    e7 = load4(f, uint32(7 * n + north + at))
    a7 = from_east(e7, edge_north, lane)
    a8 = from_west(load4(f, uint32(8 * n + north + at)), edge_north, lane)
    if last:  # past the outlet, as before the outlet
        a3 = a3[0], a3[1], a3[2], e3[3]
        a6 = a6[0], a6[1], a6[2], e6[3]
        a7 = a7[0], a7[1], a7[2], e7[3]
    walls = solid[uint32((here + at) // 4)]
    g = cuda.local.array((9, 4), float32)
    for k in range(4):
        g[0, k], g[1, k], g[2, k], g[3, k], g[4, k], g[5, k], g[6, k], g[7, k], g[8, k] = collide(
            a0[k], a1[k], a2[k], a3[k], a4[k], a5[k], a6[k], a7[k], a8[k],
            walls >> uint32(8 * k) & uint32(255) != 0, k == 0 and x == 0, omega, wind,
        )  # fmt: skip
    if inside:
        i = uint32(here + x)
        for d in range(9):
            store4(out, uint32(d * n + i), (g[d, 0], g[d, 1], g[d, 2], g[d, 3]))


# --8<-- [end:kernel]

"""Matrix product with warp tiles: the lanes of a warp stand 8 by 4, so they read less."""

import numpy as np
from numba import cuda

from kernels.gemm.pipeline import START_ROWS, commit, make_instruction, start_turned
from kernels.gemm.vectors import add_products, fetch, write


# --8<-- [start:kernel]
def make_warps(rows, columns, depth, warps_y, warps_x, stages=2, piece=4, pad=4):
    """Return a kernel as ``make_pipeline`` does, for blocks of warps_y x warps_x warps.

    --8<-- [start:example]
    >>> warps = make_warps(128, 128, depth=8, warps_y=2, warps_x=4)
    >>> np.array_equal(product(warps, (128, 128), 256, a4, b4), a4 @ b4)
    True
    >>> warps_any = make_warps(128, 128, depth=8, warps_y=2, warps_x=4, piece=1)
    >>> np.array_equal(product(warps_any, (128, 128), 256, a, b), a @ b)
    True

    --8<-- [end:example]
    """
    threads, pitch = 32 * warps_y * warps_x, rows + pad
    warp_rows, warp_columns = rows // warps_y, columns // warps_x
    high, wide = warp_rows // 8, warp_columns // 4
    ahead = stages - 1
    wait = make_instruction(f"cp.async.wait_group {ahead - 1};")
    line, start_b = columns // piece, START_ROWS[piece]

    @cuda.jit(launch_bounds=(threads, 2))
    def warps_kernel(a, b, c):
        tiles_a = cuda.shared.array((stages, depth, pitch), np.float32, alignment=16)
        tiles_b = cuda.shared.array((stages, depth, columns), np.float32, alignment=16)
        totals = cuda.local.array((high, wide), np.float32)
        some_a = cuda.local.array(high, np.float32)
        some_b = cuda.local.array(wide, np.float32)
        me = np.uint32(cuda.threadIdx.x)
        warp, lane = np.uint32(me // 32), np.uint32(me % 32)
        y = np.uint32(warp // warps_x * warp_rows + lane // 4 * 4)
        x = np.uint32(warp % warps_x * warp_columns + lane % 4 * 4)
        row0 = np.uint32(cuda.blockIdx.y * rows)
        column0 = np.uint32(cuda.blockIdx.x * columns)
        for i in range(high):
            for j in range(wide):
                totals[i, j] = 0
        at_a = np.int64(row0 + me // depth) * a.shape[1] + me % depth  # what this thread copies
        at_b = np.int64(me // line) * b.shape[1] + column0 + me % line * piece
        left = np.int32(a.shape[1])
        for stage in range(ahead):
            start_turned(tiles_a[stage], rows, a, at_a, row0, left, me, threads)
            start_b(tiles_b[stage], b, at_b, column0, left, me, threads)
            commit()
            at_a, at_b, left = at_a + depth, at_b + depth * b.shape[1], np.int32(left - depth)
        use, fill = np.uint32(0), np.uint32(ahead)
        while left > -ahead * depth:
            wait()
            cuda.syncthreads()
            start_turned(tiles_a[fill], rows, a, at_a, row0, left, me, threads)
            start_b(tiles_b[fill], b, at_b, column0, left, me, threads)
            commit()
            at_a, at_b, left = at_a + depth, at_b + depth * b.shape[1], np.int32(left - depth)
            for k in range(depth):
                fetch(tiles_a[use], k, y, 32, some_a)  # 8 lanes, one above the other
                fetch(tiles_b[use], k, x, 16, some_b)  # 4 lanes, side by side
                add_products(some_a, some_b, totals)
            use = np.uint32(use + 1 if use < ahead else 0)
            fill = np.uint32(fill + 1 if fill < ahead else 0)
        write(c, row0 + y, column0 + x, 32, 16, totals)

    return warps_kernel


# --8<-- [end:kernel]

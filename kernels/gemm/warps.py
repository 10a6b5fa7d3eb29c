"""Matrix product with warp tiles: the lanes of a warp stand 8 by 4, so they read less."""

import numpy as np
from numba import cuda

from kernels.gemm.pipeline import START_ROWS, commit, make_instruction, start_transposed
from kernels.gemm.vectors import add_products, fetch, write


# --8<-- [start:kernel]
def make_warps(BM, BN, BK, warps_y, warps_x, stages=2, vector_width=4, pad=4):
    """Return a kernel as ``make_pipeline`` does, for blocks of warps_y x warps_x warps.

    --8<-- [start:example]
    >>> warps = make_warps(128, 128, BK=8, warps_y=2, warps_x=4)
    >>> np.array_equal(product(warps, (128, 128), 256, a4, b4), a4 @ b4)
    True
    >>> warps_any = make_warps(128, 128, BK=8, warps_y=2, warps_x=4, vector_width=1)
    >>> np.array_equal(product(warps_any, (128, 128), 256, a, b), a @ b)
    True

    --8<-- [end:example]
    """
    threads, pitch = 32 * warps_y * warps_x, BM + pad
    WM, WN = BM // warps_y, BN // warps_x
    TM, TN = WM // 8, WN // 4
    ahead = stages - 1
    wait = make_instruction(f"cp.async.wait_group {ahead - 1};")
    line, start_b = BN // vector_width, START_ROWS[vector_width]

    @cuda.jit(launch_bounds=(threads, 2))
    def warps_kernel(a, b, c):
        tiles_a = cuda.shared.array((stages, BK, pitch), np.float32, alignment=16)
        tiles_b = cuda.shared.array((stages, BK, BN), np.float32, alignment=16)
        acc = cuda.local.array((TM, TN), np.float32)
        a_frag = cuda.local.array(TM, np.float32)
        b_frag = cuda.local.array(TN, np.float32)
        tid = np.uint32(cuda.threadIdx.x)
        warp, lane = np.uint32(tid // 32), np.uint32(tid % 32)
        y = np.uint32(warp // warps_x * WM + lane // 4 * 4)
        x = np.uint32(warp % warps_x * WN + lane % 4 * 4)
        row0 = np.uint32(cuda.blockIdx.y * BM)
        column0 = np.uint32(cuda.blockIdx.x * BN)
        for i in range(TM):
            for j in range(TN):
                acc[i, j] = 0
        at_a = np.int64(row0 + tid // BK) * a.shape[1] + tid % BK  # what this thread copies
        at_b = np.int64(tid // line) * b.shape[1] + column0 + tid % line * vector_width
        left = np.int32(a.shape[1])
        for stage in range(ahead):
            start_transposed(tiles_a[stage], BM, a, at_a, row0, left, tid, threads)
            start_b(tiles_b[stage], b, at_b, column0, left, tid, threads)
            commit()
            at_a, at_b, left = at_a + BK, at_b + BK * b.shape[1], np.int32(left - BK)
        use, fill = np.uint32(0), np.uint32(ahead)
        while left > -ahead * BK:
            wait()
            cuda.syncthreads()
            start_transposed(tiles_a[fill], BM, a, at_a, row0, left, tid, threads)
            start_b(tiles_b[fill], b, at_b, column0, left, tid, threads)
            commit()
            at_a, at_b, left = at_a + BK, at_b + BK * b.shape[1], np.int32(left - BK)
            for k in range(BK):
                fetch(tiles_a[use], k, y, 32, a_frag)  # 8 lanes, one above the other
                fetch(tiles_b[use], k, x, 16, b_frag)  # 4 lanes, side by side
                add_products(a_frag, b_frag, acc)
            use = np.uint32(use + 1 if use < ahead else 0)
            fill = np.uint32(fill + 1 if fill < ahead else 0)
        write(c, row0 + y, column0 + x, 32, 16, acc)

    return warps_kernel


# --8<-- [end:kernel]

"""Matrix product that reads a step ahead, in blocks ordered for the L2 cache, ready to tune."""

import numpy as np
from numba import cuda

from kernels.gemm.pipeline import START_ROWS, commit, make_instruction, start_transposed
from kernels.gemm.vectors import add_products, fetch, write


# --8<-- [start:steps]
@cuda.jit(device=True, forceinline=True)
def two_steps(tile_a, tile_b, k, y, x, even_a, even_b, odd_a, odd_b, acc):
    """Multiply steps k and k + 1, and read the values of k + 2 meanwhile."""
    fetch(tile_a, k + 1, y, 32, odd_a)
    fetch(tile_b, k + 1, x, 16, odd_b)
    add_products(even_a, even_b, acc)
    fetch(tile_a, k + 2, y, 32, even_a)
    fetch(tile_b, k + 2, x, 16, even_b)
    add_products(odd_a, odd_b, acc)


# --8<-- [end:steps]


# --8<-- [start:kernel]
def make_tuned(BM, BN, BK, warps_y, warps_x, stages, blocks, vector_width=4, group=8, pad=4):
    """Return a kernel as ``make_warps`` does, for a grid of one dimension.

    At least ``blocks`` blocks shall fit on a multiprocessor. Blocks with neighboring numbers
    work on ``group`` rows of blocks, so that they find their parts of the matrices in the L2.
    """
    threads, pitch = 32 * warps_y * warps_x, BM + pad
    WM, WN = BM // warps_y, BN // warps_x
    TM, TN = WM // 8, WN // 4
    ahead = stages - 1
    wait = make_instruction(f"cp.async.wait_group {ahead - 1};")
    line, start_b = BN // vector_width, START_ROWS[vector_width]

    @cuda.jit(launch_bounds=(threads, blocks))
    def tuned_kernel(a, b, c):
        tiles_a = cuda.shared.array((stages, BK, pitch), np.float32, alignment=16)
        tiles_b = cuda.shared.array((stages, BK, BN), np.float32, alignment=16)
        acc = cuda.local.array((TM, TN), np.float32)
        even_a = cuda.local.array(TM, np.float32)
        even_b = cuda.local.array(TN, np.float32)
        odd_a = cuda.local.array(TM, np.float32)
        odd_b = cuda.local.array(TN, np.float32)
        tid = np.uint32(cuda.threadIdx.x)
        warp, lane = np.uint32(tid // 32), np.uint32(tid % 32)
        y = np.uint32(warp // warps_x * WM + lane // 4 * 4)
        x = np.uint32(warp % warps_x * WN + lane % 4 * 4)
        block = np.uint32(cuda.blockIdx.x)
        blocks_y = np.uint32((c.shape[0] + BM - 1) // BM)
        blocks_x = np.uint32((c.shape[1] + BN - 1) // BN)
        first = np.uint32(block // (group * blocks_x) * group)
        in_group = np.uint32(block % (group * blocks_x))
        group_rows = np.uint32(min(blocks_y - first, group))
        row0 = np.uint32((first + in_group % group_rows) * BM)
        column0 = np.uint32(in_group // group_rows * BN)
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
        wait()
        cuda.syncthreads()
        fetch(tiles_a[use], 0, y, 32, even_a)
        fetch(tiles_b[use], 0, x, 16, even_b)
        while left > -ahead * BK:
            start_transposed(tiles_a[fill], BM, a, at_a, row0, left, tid, threads)
            start_b(tiles_b[fill], b, at_b, column0, left, tid, threads)
            commit()
            at_a, at_b, left = at_a + BK, at_b + BK * b.shape[1], np.int32(left - BK)
            tile_a, tile_b = tiles_a[use], tiles_b[use]
            two_steps(tile_a, tile_b, 0, y, x, even_a, even_b, odd_a, odd_b, acc)
            two_steps(tile_a, tile_b, 2, y, x, even_a, even_b, odd_a, odd_b, acc)
            two_steps(tile_a, tile_b, 4, y, x, even_a, even_b, odd_a, odd_b, acc)
            if BK > 8:
                two_steps(tile_a, tile_b, 6, y, x, even_a, even_b, odd_a, odd_b, acc)
                two_steps(tile_a, tile_b, 8, y, x, even_a, even_b, odd_a, odd_b, acc)
                two_steps(tile_a, tile_b, 10, y, x, even_a, even_b, odd_a, odd_b, acc)
                two_steps(tile_a, tile_b, 12, y, x, even_a, even_b, odd_a, odd_b, acc)
            fetch(tiles_a[use], BK - 1, y, 32, odd_a)
            fetch(tiles_b[use], BK - 1, x, 16, odd_b)
            add_products(even_a, even_b, acc)
            fill = use  # nobody needs it after the barrier
            use = np.uint32(use + 1 if use < ahead else 0)
            wait()
            cuda.syncthreads()
            fetch(tiles_a[use], 0, y, 32, even_a)
            fetch(tiles_b[use], 0, x, 16, even_b)
            add_products(odd_a, odd_b, acc)
        write(c, row0 + y, column0 + x, 32, 16, acc)

    return tuned_kernel


# --8<-- [end:kernel]


# --8<-- [start:host]
tuned = make_tuned(128, 256, BK=8, warps_y=2, warps_x=4, stages=3, blocks=1)
tuned_any = make_tuned(128, 256, BK=8, warps_y=2, warps_x=4, stages=3, blocks=1, vector_width=1)


def matmul_tuned(d_a, d_b, d_c):
    """Multiply two matrices on the device with the tile that was the quickest on an H200.

    --8<-- [start:example]
    >>> for x, y in ((a4, b4), (a, b)):
    ...     d_x, d_y = (cuda.to_device(m.astype(np.float32)) for m in (x, y))
    ...     d_z = cuda.device_array((x.shape[0], y.shape[1]), np.float32)
    ...     matmul_tuned(d_x, d_y, d_z)
    ...     print(np.array_equal(d_z.copy_to_host(), x @ y))
    True
    True

    --8<-- [end:example]
    """
    kernel = tuned_any if d_b.shape[1] % 4 else tuned
    blocks = -(-d_c.shape[0] // 128) * -(-d_c.shape[1] // 256)
    kernel[blocks, 256](d_a, d_b, d_c)


# --8<-- [end:host]

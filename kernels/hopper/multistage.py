"""The bf16 product of kernels/tensor_cores/wgmma.py without warp specialization."""

import numpy as np
from numba import cuda, int32, uint64

from kernels.tensor_cores.formats import from_bfloat16
from kernels.tensor_cores.tma import (
    barrier_expect,
    barrier_init,
    barrier_init_done,
    barrier_wait,
    load_box,
    shared_address,
    stores_done,
    tensor_map,
    use_map,
)
from kernels.tensor_cores.wgmma import (
    A_BYTES,
    B_BYTES,
    BK,
    BM,
    BN,
    BOX,
    SHARED,
    STAGES,
    describe,
    launch,
    multiply,
    padded,
    place,
    put,
    wgmma_begin,
    wgmma_end,
    wgmma_wait,
    zeros,
)


# --8<-- [start:kernel]
@cuda.jit(device=True)
def fetch(maps, tiles, full, slot, y, x, along):
    """Ask for the tiles of a step: rows from y of a, columns from x of b, at ``along`` of k."""
    to_b = tiles + STAGES * A_BYTES + slot * B_BYTES
    barrier_expect(full + 8 * slot, A_BYTES + B_BYTES)
    load_box(tiles + slot * A_BYTES, maps, along, y, full + 8 * slot)
    for j in range(4):
        load_box(to_b + j * BOX, maps + uint64(128), x + 64 * j, along, full + 8 * slot)


@cuda.jit(device=True)
def following(tile, y, x, along, rows, columns, k):
    """Return what is fetched next: the tile of c, its place, and how far along k."""
    along = int32(along + BK)
    if along >= k:
        tile, along = int32(tile + cuda.gridDim.x), int32(0)
        if tile < rows * columns:
            row, column = place(tile, rows, columns)
            y, x = int32(row * BM), int32(column * BN)
    return tile, y, x, along


@cuda.jit(launch_bounds=(256, 1))
def multistage_kernel(maps, m, n, k):
    """c = a @ b as wgmma_kernel does it, but every warp multiplies and thread 0 also fetches."""
    map_a = uint64(maps.ctypes.data)
    map_c = map_a + uint64(256)
    memory = cuda.shared.array(0, np.uint8, alignment=1024)
    tiles = int32(shared_address(memory.ctypes.data))
    tiles_b = int32(tiles + STAGES * A_BYTES)
    boxes = int32(tiles_b + STAGES * B_BYTES)
    full = int32(boxes + 4 * BOX)
    half, thread = cuda.threadIdx.x // 128, cuda.threadIdx.x % 128
    rows, columns, steps = (m + BM - 1) // BM, (n + BN - 1) // BN, int32((k + BK - 1) // BK)
    box = boxes + half * 2 * BOX

    if thread == 0:
        use_map(map_a)
        use_map(map_a + uint64(128))
        use_map(map_c)
    if cuda.threadIdx.x == 0:
        for s in range(STAGES):
            barrier_init(full + 8 * s, 1)
        barrier_init_done()
    row, column = place(min(cuda.blockIdx.x, rows * columns - 1), rows, columns)
    ahead, along = int32(cuda.blockIdx.x), int32(0)
    ahead_y, ahead_x = int32(row * BM), int32(column * BN)
    for s in range(STAGES):
        if cuda.threadIdx.x == 0 and ahead < rows * columns:
            fetch(map_a, tiles, full, int32(s), ahead_y, ahead_x, along)
        ahead, ahead_y, ahead_x, along = following(ahead, ahead_y, ahead_x, along, rows, columns, k)
    cuda.syncthreads()

    slot, parity = int32(0), int32(0)
    for tile in range(cuda.blockIdx.x, rows * columns, cuda.gridDim.x):
        row, column = place(tile, rows, columns)
        y, x = row * BM + half * 64, column * BN
        total = zeros()
        for _ in range(steps):
            barrier_wait(full + 8 * slot, parity)
            a = describe(tiles + slot * A_BYTES + half * BOX, 16, 1024)
            b = describe(tiles_b + slot * B_BYTES, BOX, 1024)
            wgmma_begin()
            total = multiply(total, a, b)
            total = multiply(total, a + uint64(2), b + uint64(128))
            total = multiply(total, a + uint64(4), b + uint64(256))
            total = multiply(total, a + uint64(6), b + uint64(384))
            wgmma_end()
            wgmma_wait()
            cuda.syncthreads()  # both halves have used the slot
            if cuda.threadIdx.x == 0 and ahead < rows * columns:
                fetch(map_a, tiles, full, slot, ahead_y, ahead_x, along)
            ahead, ahead_y, ahead_x, along = following(
                ahead, ahead_y, ahead_x, along, rows, columns, k
            )
            slot = int32(slot + 1)
            if slot == STAGES:
                slot, parity = int32(0), int32(parity ^ 1)
        put(total[0:32], box, half + 1, map_c, x, y)
        put(total[32:64], box + BOX, half + 1, map_c, x + 64, y)
        put(total[64:96], box, half + 1, map_c, x + 128, y)
        put(total[96:128], box + BOX, half + 1, map_c, x + 192, y)
    if thread == 0:
        stores_done()


# --8<-- [end:kernel]


# --8<-- [start:host]
def matmul_multistage(a, b):
    """Return ``a @ b`` rounded to bfloat16, by warps that all fetch and multiply.

    --8<-- [start:example]
    >>> a, b = np.arange(15).reshape(3, 5), np.arange(20).reshape(5, 4)
    >>> matmul_multistage(a, b)
    array([[120., 130., 140., 150.],
           [320., 356., 390., 424.],
           [520., 580., 640., 700.]], dtype=float32)

    --8<-- [end:example]
    """
    rows, columns = len(a), np.shape(b)[1]
    d_a, d_b = cuda.to_device(padded(a)), cuda.to_device(padded(b))
    (m, k), n = d_a.shape, d_b.shape[1]
    d_c = cuda.device_array((m, n), np.uint16)
    maps = [tensor_map(d_a, BM), tensor_map(d_b, BK), tensor_map(d_c, 64)]
    d_maps = cuda.to_device(np.concatenate(maps))
    blocks = cuda.get_current_device().MULTIPROCESSOR_COUNT
    launch(multistage_kernel, blocks, 256, SHARED, d_maps, int32(m), int32(n), int32(k))
    return from_bfloat16(d_c.copy_to_host()[:rows, :columns])


# --8<-- [end:host]

"""TF32 matrix product with mma.sync from Numba: float32 in and out, ten bits behind the point."""

import numpy as np
from numba import cuda, int32, int64

from kernels.tensor_cores.formats import to_tf32
from kernels.tensor_cores.mma_sync import (
    copy_16_bytes,
    end_of_stage,
    launch,
    load_a,
    place,
    shared_address,
    zeros,
)
from kernels.tensor_cores.ptx import ptx

# --8<-- [start:instructions]
BM_TF32, BN_TF32, BK_TF32 = (
    128,
    128,
    32,
)  # a row of 32 float32 has 128 bytes, like one of 64 bfloat16
STAGES_TF32 = 3
A_BYTES_TF32, B_BYTES_TF32, BOX_TF32 = BM_TF32 * BK_TF32 * 4, BK_TF32 * BN_TF32 * 4, 32 * 32 * 4
STAGE_TF32 = A_BYTES_TF32 + B_BYTES_TF32

wait_for_tf32_stage = ptx(f"cp.async.wait_group {STAGES_TF32 - 2};")
load_b_tf32 = ptx(
    " ".join(  # rows k and k + 4 of a box, for eight columns: two boxes of 32 x 32
        f"ld.shared.b32 %0[{2 * j}], [%1[{j % 4}] + {j // 4 * BOX_TF32}];"
        f" ld.shared.b32 %0[{2 * j + 1}], [%1[{j % 4}] + {j // 4 * BOX_TF32 + 4 * 128}];"
        for j in range(8)
    ),
    "=r16 r4",
)
multiply_tf32 = ptx(
    " ".join(  # 64 x 8 by 8 x 64
        "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32"
        f" %0[{d}:{d + 4}], %1[{4 * i}:{4 * i + 4}], %2[{2 * j}:{2 * j + 2}], %0[{d}:{d + 4}];"
        for i in range(4)
        for j in range(8)
        for d in [32 * i + 4 * j]
    ),
    "+f128 r16 r16",
)
store_float32 = ptx(
    "{ .reg .pred row, both; .reg .b64 to; mov.u64 to, %0; "
    + " ".join(
        f"setp.gt.s32 row, %2, {8 * i}; "
        + " ".join(
            f"setp.gt.and.s32 both, %3, {8 * j}, row;"
            f" @both st.global.v2.f32 [to + {32 * j}], %4[{d}:{d + 2}];"
            for j in range(8)
            for d in [i // 2 * 32 + 4 * j + i % 2 * 2]
        )
        + " add.u64 to, to, %1;"
        for i in range(8)
    )
    + " }",
    "l l r r f128",
)
# --8<-- [end:instructions]


# --8<-- [start:copy]
@cuda.jit(device=True)
def copy_stage_tf32(to, a, b, row, column, k0, m, n, k):
    """Ask for a tile of a and one of b: 16 copies of 16 bytes a thread, zeros outside."""
    r, piece = cuda.threadIdx.x // 8, cuda.threadIdx.x % 8
    to_a = to + r * 128 + ((piece ^ r % 8) << 4)
    from_a = a + (int64(row + r) * k + k0 + piece * 4) * 4
    for i in range(8):
        inside = row + r + 16 * i < m and k0 + piece * 4 < k
        copy_16_bytes(to_a + 16 * 128 * i, from_a + 64 * k * i, 16 if inside else 0)
    r, piece = cuda.threadIdx.x // 32, cuda.threadIdx.x % 32
    to_b = to + A_BYTES_TF32 + piece // 8 * BOX_TF32 + r * 128 + ((piece % 8 ^ 2 * r) << 4)
    from_b = b + (int64(k0 + r) * n + column + piece * 4) * 4
    for i in range(8):
        inside = k0 + r + 4 * i < k and column + piece * 4 < n
        copy_16_bytes(to_b + 4 * 128 * i, from_b + 16 * n * i, 16 if inside else 0)


# --8<-- [end:copy]


# --8<-- [start:kernel]
@cuda.jit(device=True)
def load_8x64(at, turn):
    """Return a fragment of b from eight rows. ``turn`` is the place of the lane's first piece."""
    return load_b_tf32(
        (at + (turn << 4), at + ((turn ^ 2) << 4), at + ((turn ^ 4) << 4), at + ((turn ^ 6) << 4))
    )


@cuda.jit(launch_bounds=(128, 2))
def mma_tf32_kernel(a, b, c):
    """c = a @ b for float32. The columns of a and b are multiples of 4."""
    m, k, n = int32(a.shape[0]), int32(a.shape[1]), int32(b.shape[1])
    from_a, from_b = int64(a.ctypes.data), int64(b.ctypes.data)
    memory = cuda.shared.array(0, np.uint8, alignment=1024)
    tiles = int32(shared_address(memory.ctypes.data))
    row, column = place(cuda.blockIdx.x, (m + BM_TF32 - 1) // BM_TF32, (n + BN_TF32 - 1) // BN_TF32)
    row, column = row * BM_TF32, column * BN_TF32

    warp, lane = cuda.threadIdx.x // 32, cuda.threadIdx.x % 32
    warp_row, warp_column = warp // 2 * 64, warp % 2 * 64
    at_a = int32(tiles + (warp_row + lane % 16) * 128 + ((lane // 16 ^ lane % 8) << 4))
    group, pair = lane // 4, lane % 4  # a column of b, and a row
    turn = group // 4 ^ 2 * pair
    at_b = int32(tiles + A_BYTES_TF32 + warp_column // 32 * BOX_TF32 + pair * 128 + group % 4 * 4)

    steps = int32((k + BK_TF32 - 1) // BK_TF32)
    for s in range(STAGES_TF32 - 1):
        if s < steps:
            to = tiles + s * STAGE_TF32
            copy_stage_tf32(to, from_a, from_b, row, column, s * BK_TF32, m, n, k)
        end_of_stage()
    total = zeros()
    slot = int32(0)
    wait_for_tf32_stage()
    cuda.syncthreads()
    a0, b0 = load_a(at_a), load_8x64(at_b, turn)
    for step in range(steps):
        free = slot - 1 if slot > 0 else STAGES_TF32 - 1
        ahead = (step + STAGES_TF32 - 1) * BK_TF32
        here_a, here_b = int32(at_a + slot * STAGE_TF32), int32(at_b + slot * STAGE_TF32)
        a1, b1 = load_a(here_a ^ 32), load_8x64(here_b + 8 * 128, turn)
        if ahead < k:
            to = tiles + free * STAGE_TF32
            copy_stage_tf32(to, from_a, from_b, row, column, ahead, m, n, k)
        end_of_stage()
        total = multiply_tf32(total, a0, b0)
        a0, b0 = load_a(here_a ^ 64), load_8x64(here_b + 16 * 128, turn)
        total = multiply_tf32(total, a1, b1)
        a1, b1 = load_a(here_a ^ 96), load_8x64(here_b + 24 * 128, turn)
        total = multiply_tf32(total, a0, b0)
        wait_for_tf32_stage()
        cuda.syncthreads()
        slot = int32(slot + 1 if slot < STAGES_TF32 - 1 else 0)
        a0, b0 = load_a(at_a + slot * STAGE_TF32), load_8x64(at_b + slot * STAGE_TF32, turn)
        total = multiply_tf32(total, a1, b1)

    row += warp_row + lane // 4
    column += warp_column + lane % 4 * 2
    to = int64(c.ctypes.data) + (int64(row) * n + column) * 4
    store_float32(to, int64(n) * 32, m - row, n - column, total)


# --8<-- [end:kernel]


# --8<-- [start:host]
def matmul_tf32(a, b):
    """Return ``a @ b`` as float32 for a of shape (M, K) and b of shape (K, N), by way of TF32.

    --8<-- [start:example]
    >>> a, b = np.arange(15).reshape(3, 5), np.arange(20).reshape(5, 4)
    >>> matmul_tf32(a, b)
    array([[120., 130., 140., 150.],
           [320., 355., 390., 425.],
           [520., 580., 640., 700.]], dtype=float32)

    --8<-- [end:example]
    """
    rows, columns = len(a), np.shape(b)[1]
    a, b = (np.pad(x, [(0, -length % 8) for length in np.shape(x)]) for x in (a, b))
    d_a, d_b = cuda.to_device(to_tf32(a)), cuda.to_device(to_tf32(b))
    d_c = cuda.device_array((d_a.shape[0], d_b.shape[1]), np.float32)
    blocks = -(-d_c.shape[0] // BM_TF32) * -(-d_c.shape[1] // BN_TF32)
    launch(mma_tf32_kernel, blocks, 128, STAGES_TF32 * STAGE_TF32, d_a, d_b, d_c)
    return d_c.copy_to_host()[:rows, :columns]


# --8<-- [end:host]

"""What the backward pass of attention needs of each row of scores: its lse and its delta."""

# --8<-- [start:imports]
import math

import numpy as np
from numba import cuda, int32, uint64

# --8<-- [end:imports]
from kernels.attention.boxes import BOX, load_head, scores_text
from kernels.attention.softmax import (
    correction,
    for_each,
    hide,
    inverse,
    lowest,
    no_sums,
    row_maxima,
    row_sums,
    weights,
    write_32,
)
from kernels.tensor_cores.ptx import ptx
from kernels.tensor_cores.tma import (
    barrier_expect,
    barrier_init,
    barrier_init_done,
    barrier_wait,
    shared_address,
    use_map,
)
from kernels.tensor_cores.wgmma import describe, wgmma_wait

# --8<-- [start:lse]
Q_BYTES, K_BYTES = 64 * 128 * 2, 128 * 128 * 2
SHARED_LSE = Q_BYTES + K_BYTES + 16
scores = ptx(scores_text(128, 64 * 128), "=f64 l l")
# minus_lse(1 / sums, maxima): log2 of a row's sum of powers, with the other sign
minus_lse = ptx(
    for_each(2, lambda r: f"lg2.approx.f32 %0[{r}], %1[{r}]; sub.f32 %0[{r}], %0[{r}], %2[{r}];"),
    "=f2 f2 f2",
)


@cuda.jit(launch_bounds=(128, 2))
def lse_kernel(maps, out, queries, keys, group, causal, scale):
    """Minus lse of 64 queries of one head; -infinity past the end. Head dimension 128."""
    map_q = uint64(maps.ctypes.data)
    map_k = map_q + uint64(128)
    memory = cuda.shared.array(0, np.uint8, alignment=1024)
    q_s = int32(shared_address(memory.ctypes.data))
    k_s = int32(q_s + Q_BYTES)
    q_full = int32(k_s + K_BYTES)
    k_full = int32(q_full + 8)
    thread, head = int32(cuda.threadIdx.x), int32(cuda.blockIdx.y)
    first = int32(cuda.blockIdx.x * 64)
    row = int32(first + thread // 32 * 16 + thread % 32 // 4)
    column = int32(2 * (thread % 4))
    seen = int32(keys)
    if causal:
        seen = min(keys, int32(first + 64))
    steps = int32((seen + 127) // 128)
    if thread == 0:
        barrier_init(q_full, 1)
        barrier_init(k_full, 1)
        barrier_init_done()
        use_map(map_q)
        use_map(map_k)
        barrier_expect(q_full, Q_BYTES)
        load_head(q_s, map_q, 0, first, head, q_full)
        load_head(q_s + 64 * 128, map_q, 64, first, head, q_full)
    cuda.syncthreads()
    row_max, row_sum = lowest(), no_sums()
    barrier_wait(q_full, 0)
    for i in range(steps):
        y = int32(i * 128)
        if thread == 0:
            barrier_expect(k_full, K_BYTES)
            load_head(k_s, map_k, 0, y, int32(head // group), k_full)
            load_head(k_s + BOX, map_k, 64, y, int32(head // group), k_full)
        barrier_wait(k_full, int32(i % 2))
        s = scores(describe(q_s, 16, 1024), describe(k_s, 16, 1024))
        wgmma_wait()
        limit, below = int32(keys - y - column), int32(keys - y - column)
        if causal:
            limit = min(limit, int32(row + 1 - y - column))
            below = min(below, int32(row + 9 - y - column))
        if i == steps - 1:
            s = hide(s, limit, below)
        new_max = row_maxima(s, row_max, scale)
        alpha = correction(row_max, new_max)
        row_max = new_max
        s = weights(s, row_max, scale)
        row_sum = row_sums(s, row_sum, alpha)
        cuda.syncthreads()  # all four warps have used the tile
    minus = minus_lse(inverse(row_sum), row_max)
    if thread % 4 == 0:
        nothing = np.float32(-math.inf)
        out[0, head, row] = minus[0] if row < queries else nothing
        out[0, head, row + 8] = minus[1] if row + 8 < queries else nothing


# --8<-- [end:lse]

# --8<-- [start:delta]
# dot_4(address, address): the sum of four products of bfloat16, which is the upper half of float32
dot_4 = ptx(
    "{ .reg .b32 a<2>, b<2>, c, d; .reg .f32 x, y; "
    "ld.global.v2.b32 {a0, a1}, [%1]; ld.global.v2.b32 {b0, b1}, [%2]; mov.f32 %0, 0f00000000; "
    + " ".join(
        f"{operation.format('c', f'a{i}')} {operation.format('d', f'b{i}')} "
        "mov.b32 x, c; mov.b32 y, d; fma.rn.f32 %0, x, y, %0;"
        for i in (0, 1)
        for operation in ("shl.b32 {}, {}, 16;", "and.b32 {}, {}, 0xffff0000;")
    )
    + " }",
    "=f l l",
)


@cuda.jit
def delta_kernel(out, d_out, rows, dq, queries):
    """delta: the sum of out * d_out over each row, a warp a row; and zeros in dq, to add to."""
    lane, head = cuda.threadIdx.x % 32, cuda.blockIdx.y
    row = cuda.blockIdx.x * (cuda.blockDim.x // 32) + cuda.threadIdx.x // 32
    if row < rows.shape[2]:
        total = np.float32(0)
        if row < queries:
            at = (uint64(head) * uint64(queries) + uint64(row)) * uint64(256) + uint64(8 * lane)
            total = dot_4(uint64(out.ctypes.data) + at, uint64(d_out.ctypes.data) + at)
        for step in (16, 8, 4, 2, 1):
            total += cuda.shfl_xor_sync(0xFFFFFFFF, total, step)
        if lane == 0:
            rows[1, head, row] = total
        for i in range(4):
            dq[head, row, lane + 32 * i] = np.float32(0)


# --8<-- [end:delta]

# --8<-- [start:round]
load_part = ptx(
    for_each(8, lambda j: f"ld.global.v4.f32 %0[{4 * j}:{4 * j + 4}], [%1+{2048 * j}];"), "=f32 l"
)
scale_32 = ptx(for_each(32, lambda i: f"mul.f32 %0[{i}], %0[{i}], %1;"), "+f32 f")


@cuda.jit
def round_kernel(total, dq, queries, scale):
    """dq = total * scale in bfloat16: 64 queries x 64 columns, which lie as threads held them."""
    tile, part, head = cuda.blockIdx.x, cuda.blockIdx.y, cuda.blockIdx.z
    thread, lane = cuda.threadIdx.x, cuda.threadIdx.x % 32
    at = (uint64(head) * uint64(cuda.gridDim.x) + uint64(tile)) * uint64(2) + uint64(part)
    at = at * uint64(16384) + uint64(16 * thread)
    some = scale_32(load_part(uint64(total.ctypes.data) + at), scale)
    row = int32(tile * 64 + thread // 32 * 16 + lane // 4)
    column = uint64(part * 64 + 2 * (lane % 4))
    to = uint64(head) * uint64(queries) + uint64(row)
    to = uint64(dq.ctypes.data) + (to * uint64(128) + column) * uint64(2)
    write_32(to, to + uint64(8 * 256), row < queries, row + 8 < queries, some)


# --8<-- [end:round]

"""Attention by a warpgroup that loads and two that multiply and wait for each product."""

import numpy as np
from numba import cuda, int32, uint64

from kernels.attention.boxes import BOX, load_head, scores_text, values_text
from kernels.attention.softmax import (
    correction,
    hide,
    inverse,
    lowest,
    no_sums,
    pack,
    rescale_64,
    row_maxima,
    row_sums,
    weights,
    write_64,
    zeros_64,
)
from kernels.tensor_cores.ptx import ptx
from kernels.tensor_cores.tma import (
    barrier_arrive,
    barrier_expect,
    barrier_init,
    barrier_init_done,
    barrier_wait,
    shared_address,
    use_map,
)
from kernels.tensor_cores.wgmma import describe, wgmma_wait

KV_BYTES = 128 * 128 * 2
values_128 = ptx(values_text(128), "+f64 r32 l")

# --8<-- [start:kernel]
STAGES, Q_BYTES_2 = 2, 128 * 128 * 2
SHARED_2 = Q_BYTES_2 + STAGES * 2 * KV_BYTES + 8 * (1 + 4 * STAGES)
scores_2 = ptx(scores_text(128, 128 * 128), "=f64 l l")
fewer_registers = ptx("setmaxnreg.dec.sync.aligned.u32 24;")
more_registers = ptx("setmaxnreg.inc.sync.aligned.u32 240;")


@cuda.jit(launch_bounds=(384, 1))
def two_consumers_kernel(maps, out, queries, keys, scale):
    """128 queries of one head a block, 64 for each consumer; head dimension 128."""
    map_q = uint64(maps.ctypes.data)
    map_k, map_v = map_q + uint64(128), map_q + uint64(256)
    memory = cuda.shared.array(0, np.uint8, alignment=1024)
    q_s = int32(shared_address(memory.ctypes.data))
    k_s = int32(q_s + Q_BYTES_2)
    v_s = int32(k_s + STAGES * KV_BYTES)
    q_full = int32(v_s + STAGES * KV_BYTES)
    k_full = int32(q_full + 8)
    v_full = int32(k_full + 8 * STAGES)
    k_empty = int32(v_full + 8 * STAGES)
    v_empty = int32(k_empty + 8 * STAGES)
    warpgroup, thread = cuda.threadIdx.x // 128, cuda.threadIdx.x % 128
    first, head = int32(cuda.blockIdx.x * 128), int32(cuda.blockIdx.y)
    steps = int32((keys + 127) // 128)
    if cuda.threadIdx.x == 0:
        barrier_init(q_full, 1)
        for s in range(STAGES):
            barrier_init(k_full + 8 * s, 1)
            barrier_init(v_full + 8 * s, 1)
            barrier_init(k_empty + 8 * s, 2)
            barrier_init(v_empty + 8 * s, 2)
        barrier_init_done()
    cuda.syncthreads()

    slot, parity = int32(0), int32(0)
    if warpgroup == 0:
        fewer_registers()
        if thread == 0:
            use_map(map_q)
            use_map(map_k)
            use_map(map_v)
            barrier_expect(q_full, Q_BYTES_2)
            load_head(q_s, map_q, 0, first, head, q_full)
            load_head(q_s + BOX, map_q, 64, first, head, q_full)
            for i in range(steps):
                y, k_to, v_to = int32(i * 128), k_s + slot * KV_BYTES, v_s + slot * KV_BYTES
                barrier_wait(k_empty + 8 * slot, parity ^ 1)
                barrier_expect(k_full + 8 * slot, KV_BYTES)
                load_head(k_to, map_k, 0, y, head, k_full + 8 * slot)
                load_head(k_to + BOX, map_k, 64, y, head, k_full + 8 * slot)
                barrier_wait(v_empty + 8 * slot, parity ^ 1)
                barrier_expect(v_full + 8 * slot, KV_BYTES)
                load_head(v_to, map_v, 0, y, head, v_full + 8 * slot)
                load_head(v_to + BOX, map_v, 64, y, head, v_full + 8 * slot)
                slot = int32(slot + 1)
                if slot == STAGES:
                    slot, parity = int32(0), int32(parity ^ 1)
    else:
        more_registers()
        part = int32(warpgroup - 1)
        q = describe(q_s + part * 64 * 128, 16, 1024)
        column = int32(2 * (thread % 4))
        acc, row_max, row_sum = zeros_64(), lowest(), no_sums()
        barrier_wait(q_full, 0)
        for i in range(steps):
            barrier_wait(k_full + 8 * slot, parity)
            s = scores_2(q, describe(k_s + slot * KV_BYTES, 16, 1024))
            wgmma_wait()
            if thread == 0:
                barrier_arrive(k_empty + 8 * slot)
            left = int32(keys - i * 128)
            if left < 128:
                s = hide(s, left - column, left - column)
            new_max = row_maxima(s, row_max, scale)
            alpha = correction(row_max, new_max)
            row_max = new_max
            s = weights(s, row_max, scale)
            row_sum = row_sums(s, row_sum, alpha)
            acc = rescale_64(acc, alpha)
            barrier_wait(v_full + 8 * slot, parity)
            acc = values_128(acc, pack(s), describe(v_s + slot * KV_BYTES, BOX, 1024))
            wgmma_wait()
            if thread == 0:
                barrier_arrive(v_empty + 8 * slot)
            slot = int32(slot + 1)
            if slot == STAGES:
                slot, parity = int32(0), int32(parity ^ 1)
        acc = rescale_64(acc, inverse(row_sum))
        at = int32(first + part * 64 + thread // 32 * 16 + thread % 32 // 4)
        to = uint64(head) * uint64(queries) + uint64(at)
        to = uint64(out.ctypes.data) + (to * uint64(128) + uint64(column)) * uint64(2)
        write_64(to, to + uint64(8 * 256), at < queries, at + 8 < queries, acc)


# --8<-- [end:kernel]


def _example():
    """
    --8<-- [start:example]
    >>> got = rung(two_consumers_kernel, 128, 384, SHARED_2, q, k, v)
    >>> bool(np.linalg.norm(got - exact) < 0.005 * np.linalg.norm(exact))
    True

    --8<-- [end:example]
    """

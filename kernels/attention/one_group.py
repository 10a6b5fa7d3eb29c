"""Attention by one warpgroup: load, scores, softmax, weights times values, one after the other."""

import math

import numpy as np
from numba import cuda, int32, uint64

from kernels.attention.boxes import BOX, head_map, load_head, scores_text, values_text
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
from kernels.tensor_cores.formats import from_bfloat16, to_bfloat16
from kernels.tensor_cores.ptx import ptx
from kernels.tensor_cores.tma import (
    barrier_expect,
    barrier_init,
    barrier_init_done,
    barrier_wait,
    shared_address,
    use_map,
)
from kernels.tensor_cores.wgmma import describe, launch, wgmma_wait

# --8<-- [start:kernel]
Q_BYTES_1, KV_BYTES = 64 * 128 * 2, 128 * 128 * 2
SHARED_1 = Q_BYTES_1 + 2 * KV_BYTES + 24
scores_1 = ptx(scores_text(128, 64 * 128), "=f64 l l")
values_128 = ptx(values_text(128), "+f64 r32 l")


@cuda.jit(launch_bounds=(128, 2))
def one_group_kernel(maps, out, queries, keys, scale):
    """64 queries of one head a block; head dimension 128. Heads are along y."""
    map_q = uint64(maps.ctypes.data)
    map_k, map_v = map_q + uint64(128), map_q + uint64(256)
    memory = cuda.shared.array(0, np.uint8, alignment=1024)
    q_s = int32(shared_address(memory.ctypes.data))
    k_s = int32(q_s + Q_BYTES_1)
    v_s = int32(k_s + KV_BYTES)
    q_full = int32(v_s + KV_BYTES)
    k_full, v_full = int32(q_full + 8), int32(q_full + 16)
    thread, head = cuda.threadIdx.x, int32(cuda.blockIdx.y)
    first = int32(cuda.blockIdx.x * 64)
    steps = int32((keys + 127) // 128)
    if thread == 0:
        for barrier in range(3):
            barrier_init(q_full + 8 * barrier, 1)
        barrier_init_done()
        use_map(map_q)
        use_map(map_k)
        use_map(map_v)
        barrier_expect(q_full, Q_BYTES_1)
        load_head(q_s, map_q, 0, first, head, q_full)
        load_head(q_s + 64 * 128, map_q, 64, first, head, q_full)
    cuda.syncthreads()
    q = describe(q_s, 16, 1024)
    k, v = describe(k_s, 16, 1024), describe(v_s, BOX, 1024)
    acc, row_max, row_sum = zeros_64(), lowest(), no_sums()
    barrier_wait(q_full, 0)
    for i in range(steps):
        y, parity = int32(i * 128), int32(i % 2)
        if thread == 0:
            barrier_expect(k_full, KV_BYTES)
            load_head(k_s, map_k, 0, y, head, k_full)
            load_head(k_s + BOX, map_k, 64, y, head, k_full)
            barrier_expect(v_full, KV_BYTES)
            load_head(v_s, map_v, 0, y, head, v_full)
            load_head(v_s + BOX, map_v, 64, y, head, v_full)
        barrier_wait(k_full, parity)
        s = scores_1(q, k)
        wgmma_wait()
        column = int32(2 * (thread % 4))
        left = int32(keys - y - column)
        if keys - y < 128:
            s = hide(s, left, left)
        new_max = row_maxima(s, row_max, scale)
        alpha = correction(row_max, new_max)
        row_max = new_max
        s = weights(s, row_max, scale)
        row_sum = row_sums(s, row_sum, alpha)
        acc = rescale_64(acc, alpha)
        barrier_wait(v_full, parity)
        acc = values_128(acc, pack(s), v)
        wgmma_wait()
        cuda.syncthreads()  # all four warps have used the tiles
    acc = rescale_64(acc, inverse(row_sum))
    at = int32(first + thread // 32 * 16 + thread % 32 // 4)
    to = uint64(head) * uint64(queries) + uint64(at)
    to = uint64(out.ctypes.data) + (to * uint64(128) + uint64(2 * (thread % 4))) * uint64(2)
    write_64(to, to + uint64(8 * 256), at < queries, at + 8 < queries, acc)


# --8<-- [end:kernel]


# --8<-- [start:host]
def rung_arguments(d_q, d_k, d_v, d_out, bm):
    """Return (blocks, arguments) for device arrays of bfloat16 (heads, length, 128)."""
    maps = [head_map(x, rows) for x, rows in ((d_q, bm), (d_k, 128), (d_v, 128))]
    d_maps = cuda.to_device(np.concatenate(maps))
    heads, queries, depth = d_q.shape
    scale = np.float32(1 / (math.log(2) * math.sqrt(depth)))  # the kernels take powers of 2
    blocks = (-(-queries // bm), heads)
    return blocks, (d_maps, d_out, np.int32(queries), np.int32(d_k.shape[1]), scale)


def rung(kernel, bm, threads, shared, q, k, v):
    """Return attention, in bfloat16, of arrays (heads, length, 128), by one kernel of the ladder.

    --8<-- [start:example]
    >>> random = np.random.default_rng(seed=1)
    >>> q, k, v = (from_bfloat16(to_bfloat16(random.normal(size=(2, 1000, 128)))) for _ in range(3))
    >>> exact = np.stack([attention(*head) for head in zip(q, k, v, strict=True)])
    >>> got = rung(one_group_kernel, 64, 128, SHARED_1, q, k, v)
    >>> bool(np.linalg.norm(got - exact) < 0.005 * np.linalg.norm(exact))
    True

    --8<-- [end:example]
    """
    d_q, d_k, d_v = (cuda.to_device(to_bfloat16(x)) for x in (q, k, v))
    d_out = cuda.device_array(d_q.shape, np.uint16)
    blocks, arguments = rung_arguments(d_q, d_k, d_v, d_out, bm)
    launch(kernel, blocks, threads, shared, *arguments)
    return from_bfloat16(d_out.copy_to_host())


# --8<-- [end:host]

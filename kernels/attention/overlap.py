"""FlashAttention forward on Hopper from Numba: the next scores run while the softmax is computed.

The scheme is that of FlashAttention-3 (arXiv 2407.08608): a warpgroup that loads, two or three
that multiply, and within each of these two products in flight during the softmax between them.
"""

# --8<-- [start:imports]
import math

import numpy as np
from numba import cuda, int32, uint32, uint64

# --8<-- [end:imports]
from kernels.attention.boxes import (
    BOX,
    head_map,
    load_head,
    scores_text,
    values_text,
    wait_but_one,
)
from kernels.attention.softmax import (
    correction,
    hide,
    inverse,
    lowest,
    no_sums,
    pack,
    rescale_32,
    rescale_64,
    row_maxima,
    row_sums,
    weights,
    write_32,
    write_64,
    zeros_32,
    zeros_64,
)
from kernels.tensor_cores.formats import from_bfloat16, to_bfloat16
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
from kernels.tensor_cores.wgmma import describe, launch, wgmma_wait


# --8<-- [start:place]
@cuda.jit(device=True)
def place_head(item, tiles, heads, band, causal):
    """Return the tile of queries and the head of a work item.

    ``band`` heads at a time, so that their keys and values stay in the L2 cache. With a causal
    mask the last tile has the most keys: begin with it, and end with the short ones.
    """
    first = uint32(item) // uint32(tiles * band) * uint32(band)
    height = min(uint32(band), uint32(heads - first))
    inside = uint32(item - first * tiles)
    tile, head = inside // uint32(height), first + inside % uint32(height)
    if causal:
        tile = tiles - 1 - tile
    return int32(tile), int32(head)


# --8<-- [end:place]


# --8<-- [start:kernel]
def flash_kernel(depth, causal):
    """Return a kernel of attention for head dimension 64 or 128, with a causal mask or without."""
    CONSUMERS, STAGES = (2, 2) if depth == 128 else (3, 3)
    Q_SLOTS = 2  # the next tile of queries is fetched while this one is multiplied
    BM, BN = 64 * CONSUMERS, 128
    THREADS = 128 + 128 * CONSUMERS
    Q_BOX = BM * 128
    Q_BYTES, KV_BYTES = BM * depth * 2, BN * depth * 2
    BOXES = depth // 64
    scores = ptx(scores_text(depth, Q_BOX), "=f64 l l")
    if depth == 128:
        values, rescale, zeros, write = (
            ptx(values_text(128), "+f64 r32 l"), rescale_64, zeros_64, write_64
        )  # fmt: skip
        fewer, more = 24, 240  # registers of a thread: 128 * (24 + 2 * 240) of 65,536
    else:
        values, rescale, zeros, write = (
            ptx(values_text(64), "+f32 r32 l"), rescale_32, zeros_32, write_32
        )  # fmt: skip
        fewer, more = 32, 160
    fewer = ptx(f"setmaxnreg.dec.sync.aligned.u32 {fewer};")
    more = ptx(f"setmaxnreg.inc.sync.aligned.u32 {more};")

    @cuda.jit(launch_bounds=(THREADS, 1))
    def attention(maps, out, queries, keys, heads, group, band, scale):
        """out = softmax(q @ k.T * scale / log2(e)) @ v, for q (heads, queries, depth).

        ``maps`` are the tensor maps of q, k and v. ``group`` heads of q share one of k and v.
        """
        map_q = uint64(maps.ctypes.data)
        map_k, map_v = map_q + uint64(128), map_q + uint64(256)
        memory = cuda.shared.array(0, np.uint8, alignment=1024)
        q_s = int32(shared_address(memory.ctypes.data))
        k_s = int32(q_s + Q_SLOTS * Q_BYTES)
        v_s = int32(k_s + STAGES * KV_BYTES)
        q_full = int32(v_s + STAGES * KV_BYTES)
        q_empty = int32(q_full + 8 * Q_SLOTS)
        k_full = int32(q_empty + 8 * Q_SLOTS)
        v_full = int32(k_full + 8 * STAGES)
        k_empty = int32(v_full + 8 * STAGES)
        v_empty = int32(k_empty + 8 * STAGES)
        warpgroup = cuda.threadIdx.x // 128
        thread = cuda.threadIdx.x % 128
        tiles = int32(uint32(queries + BM - 1) // uint32(BM))
        key_tiles = int32(uint32(keys + BN - 1) // uint32(BN))

        if cuda.threadIdx.x == 0:
            for s in range(Q_SLOTS):
                barrier_init(q_full + 8 * s, 1)
                barrier_init(q_empty + 8 * s, CONSUMERS)
            for s in range(STAGES):
                barrier_init(k_full + 8 * s, 1)
                barrier_init(v_full + 8 * s, 1)
                barrier_init(k_empty + 8 * s, CONSUMERS)
                barrier_init(v_empty + 8 * s, CONSUMERS)
            barrier_init_done()
        cuda.syncthreads()

        slot, parity = int32(0), int32(0)
        q_slot, q_parity = int32(0), int32(0)
        if warpgroup == 0:
            fewer()
            if thread == 0:
                use_map(map_q)
                use_map(map_k)
                use_map(map_v)
                for item in range(cuda.blockIdx.x, tiles * heads, cuda.gridDim.x):
                    tile, head = place_head(int32(item), tiles, heads, band, causal)
                    kv_head = int32(uint32(head) // uint32(group))
                    steps = key_tiles
                    if causal:
                        steps = min(key_tiles, int32(uint32(tile * BM + BM - 1) // uint32(BN) + 1))
                    barrier_wait(q_empty + 8 * q_slot, q_parity ^ 1)
                    barrier_expect(q_full + 8 * q_slot, Q_BYTES)
                    for box in range(BOXES):
                        to = q_s + q_slot * Q_BYTES + box * Q_BOX
                        load_head(to, map_q, 64 * box, tile * BM, head, q_full + 8 * q_slot)
                    q_slot = int32(q_slot + 1)
                    if q_slot == Q_SLOTS:
                        q_slot, q_parity = int32(0), int32(q_parity ^ 1)
                    for i in range(steps):  # from the last keys to the first
                        y = int32((steps - 1 - i) * BN)
                        barrier_wait(k_empty + 8 * slot, parity ^ 1)
                        barrier_expect(k_full + 8 * slot, KV_BYTES)
                        for box in range(BOXES):
                            to = k_s + slot * KV_BYTES + box * BOX
                            load_head(to, map_k, 64 * box, y, kv_head, k_full + 8 * slot)
                        barrier_wait(v_empty + 8 * slot, parity ^ 1)
                        barrier_expect(v_full + 8 * slot, KV_BYTES)
                        for box in range(BOXES):
                            to = v_s + slot * KV_BYTES + box * BOX
                            load_head(to, map_v, 64 * box, y, kv_head, v_full + 8 * slot)
                        slot = int32(slot + 1)
                        if slot == STAGES:
                            slot, parity = int32(0), int32(parity ^ 1)
        else:
            more()
            part = int32(warpgroup - 1)  # which 64 rows of the tile
            lane = int32(thread % 32)
            my_row = int32(part * 64 + thread // 32 * 16 + lane // 4)
            my_column = int32(2 * (lane % 4))
            for item in range(cuda.blockIdx.x, tiles * heads, cuda.gridDim.x):
                tile, head = place_head(int32(item), tiles, heads, band, causal)
                steps = key_tiles
                if causal:
                    steps = min(key_tiles, int32(uint32(tile * BM + BM - 1) // uint32(BN) + 1))
                at = int32(tile * BM + my_row)
                acc, row_max, row_sum = zeros(), lowest(), no_sums()
                barrier_wait(q_full + 8 * q_slot, q_parity)
                q = describe(q_s + q_slot * Q_BYTES + part * 64 * 128, 16, 1024)
                barrier_wait(k_full + 8 * slot, parity)
                s = scores(q, describe(k_s + slot * KV_BYTES, 16, 1024))
                wgmma_wait()
                if thread == 0:
                    barrier_arrive(k_empty + 8 * slot)
                left = int32(keys - (steps - 1) * BN)
                if causal:
                    left = int32(at + 1 - (steps - 1) * BN - my_column)
                    s = hide(s, left, left + 8)
                elif left < BN:
                    s = hide(s, left - my_column, left - my_column)
                new_max = row_maxima(s, row_max, scale)
                alpha = correction(row_max, new_max)
                row_max = new_max
                s = weights(s, row_max, scale)
                row_sum = row_sums(s, row_sum, alpha)
                p = pack(s)
                v_slot, v_parity = slot, parity
                slot = int32(slot + 1)
                if slot == STAGES:
                    slot, parity = int32(0), int32(parity ^ 1)
                for i in range(1, steps):
                    barrier_wait(k_full + 8 * slot, parity)
                    s = scores(q, describe(k_s + slot * KV_BYTES, 16, 1024))
                    barrier_wait(v_full + 8 * v_slot, v_parity)
                    acc = values(acc, p, describe(v_s + v_slot * KV_BYTES, BOX, 1024))
                    wait_but_one()  # the scores are there; the values are still in flight
                    if thread == 0:
                        barrier_arrive(k_empty + 8 * slot)
                    if causal and CONSUMERS == 3:
                        left = int32(left + BN)
                        if i == 1:
                            s = hide(s, left, left + 8)
                    new_max = row_maxima(s, row_max, scale)
                    alpha = correction(row_max, new_max)
                    row_max = new_max
                    s = weights(s, row_max, scale)
                    row_sum = row_sums(s, row_sum, alpha)
                    wgmma_wait()
                    if thread == 0:
                        barrier_arrive(v_empty + 8 * v_slot)
                    acc = rescale(acc, alpha)
                    p = pack(s)
                    v_slot, v_parity = slot, parity
                    slot = int32(slot + 1)
                    if slot == STAGES:
                        slot, parity = int32(0), int32(parity ^ 1)
                if thread == 0:
                    barrier_arrive(q_empty + 8 * q_slot)
                q_slot = int32(q_slot + 1)
                if q_slot == Q_SLOTS:
                    q_slot, q_parity = int32(0), int32(q_parity ^ 1)
                barrier_wait(v_full + 8 * v_slot, v_parity)
                acc = values(acc, p, describe(v_s + v_slot * KV_BYTES, BOX, 1024))
                wgmma_wait()
                if thread == 0:
                    barrier_arrive(v_empty + 8 * v_slot)
                acc = rescale(acc, inverse(row_sum))
                to = uint64(head) * uint64(queries) + uint64(at)
                to = uint64(out.ctypes.data) + (to * uint64(depth) + uint64(my_column)) * uint64(2)
                write(to, to + uint64(8 * 2 * depth), at < queries, at + 8 < queries, acc)

    shared = Q_SLOTS * Q_BYTES + STAGES * 2 * KV_BYTES + 8 * (2 * Q_SLOTS + 4 * STAGES)
    return attention, BM, THREADS, shared


FLASH = {(depth, causal): flash_kernel(depth, causal) for depth in (64, 128) for causal in (0, 1)}
# --8<-- [end:kernel]


# --8<-- [start:host]
def check_heads(q, k, v, causal):
    """Raise ValueError where the arrays are not those of one attention."""
    for name, array in (("q", q), ("k", k), ("v", v)):
        if array.ndim != 4 or 0 in array.shape:
            raise ValueError(f"{name} has shape {array.shape}, not (batch, heads, length, depth)")
    if k.shape != v.shape or q.shape[0] != k.shape[0] or q.shape[3] != k.shape[3]:
        raise ValueError(f"q {q.shape}, k {k.shape} and v {v.shape} do not belong together")
    if q.shape[1] % k.shape[1]:
        raise ValueError(f"{q.shape[1]} heads of q cannot share {k.shape[1]} of k and v evenly")
    if q.shape[3] not in (64, 128):
        raise ValueError(f"head dimension {q.shape[3]}: 64 or 128 wanted")
    if causal and q.shape[2] != k.shape[2]:
        raise ValueError(f"a causal mask of {q.shape[2]} queries and {k.shape[2]} keys")


def grid_of(depth, heads, keys, causal):
    """Return (whether to launch one block a multiprocessor, or one a tile; heads in a band).

    Persistent blocks save each tile's start, which counts where tiles are short. With one block a
    tile the hardware gives the next tile to whoever is free, which counts where they differ. From
    a search over lengths on an H200.
    """
    if not causal:
        return depth == 128 or keys <= 8192, 1
    if depth == 128:
        return keys <= 2048, 4
    return (True, heads) if keys <= 8192 else (False, 4)


def flash_arguments(d_q, d_k, d_v, d_out, causal=False, blocks=None, band=None):
    """Return (kernel, blocks, threads, shared bytes, arguments) for device arrays of bfloat16.

    q and out are (batch * heads, queries, depth), k and v (batch * shared heads, keys, depth).
    ``blocks`` and ``band`` are as ``grid_of`` says unless given.
    """
    heads, queries, depth = d_q.shape
    keys, group = d_k.shape[1], heads // d_k.shape[0]
    kernel, bm, threads, shared = FLASH[depth, int(causal)]
    maps = [head_map(d_q, bm), head_map(d_k, 128), head_map(d_v, 128)]
    d_maps = cuda.to_device(np.concatenate(maps))
    items = -(-queries // bm) * heads
    fitting = grid_of(depth, heads, keys, causal)
    if blocks is None:
        blocks = min(items, cuda.get_current_device().MULTIPROCESSOR_COUNT)
        blocks = blocks if fitting[0] else items
    band = band or fitting[1]
    scale = np.float32(1 / (math.log(2) * math.sqrt(depth)))  # the kernel takes powers of 2
    sizes = [np.int32(x) for x in (queries, keys, heads, group, band)]
    return kernel, blocks, threads, shared, (d_maps, d_out, *sizes, scale)


def flash_attention(q, k, v, causal=False):
    """Return softmax(q @ k.T / sqrt(depth)) @ v, rounded to bfloat16.

    q is (batch, heads, queries, depth), k and v are (batch, shared heads, keys, depth); the depth
    is 64 or 128, and the heads of q are a multiple of the shared ones. The operands are rounded to
    bfloat16; scores and sums are float32. With ``causal`` query i sees keys 0 to i. Needs a Hopper
    GPU. Raises ValueError for other shapes.

    --8<-- [start:example]
    >>> got = flash_attention(q[None], k[None], v[None])[0]
    >>> bool(np.linalg.norm(got - exact) < 0.005 * np.linalg.norm(exact))
    True
    >>> got = flash_attention(q[None], k[None, :1], v[None, :1], causal=True)[0]  # a shared head
    >>> exact = np.stack([attention(x, k[0], v[0], causal=True) for x in q])
    >>> bool(np.linalg.norm(got - exact) < 0.005 * np.linalg.norm(exact))
    True

    --8<-- [end:example]
    """
    q, k, v = (np.asarray(x, dtype=np.float32) for x in (q, k, v))
    check_heads(q, k, v, causal)
    d_q, d_k, d_v = (
        cuda.to_device(to_bfloat16(np.ascontiguousarray(x.reshape(-1, *x.shape[2:]))))
        for x in (q, k, v)
    )
    d_out = cuda.device_array(d_q.shape, np.uint16)
    kernel, blocks, threads, shared, arguments = flash_arguments(d_q, d_k, d_v, d_out, causal)
    launch(kernel, blocks, threads, shared, *arguments)
    return from_bfloat16(d_out.copy_to_host()).reshape(q.shape)


# --8<-- [end:host]

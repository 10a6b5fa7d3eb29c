"""FlashAttention forward in FP8 on Hopper from Numba: both products of e4m3, sums in float32.

Scores and weights as in overlap.py. What differs is where bytes have to lie: a product of bytes
wants both its operands in rows along the sum.
"""

import ctypes
import math

import numpy as np
from cuda.bindings import driver
from numba import cuda, int32, uint32, uint64

from kernels.attention.boxes import load_head, wait_but_one
from kernels.attention.overlap import check_heads, place_head
from kernels.attention.softmax import (
    correction,
    hide,
    inverse,
    lowest,
    no_sums,
    rescale_64,
    row_maxima,
    row_sums,
    weights,
    write_64,
    zeros_64,
)
from kernels.attention.transposed_values import transposed_values
from kernels.tensor_cores.e4m3 import LARGEST, to_e4m3
from kernels.tensor_cores.formats import from_bfloat16
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


# --8<-- [start:products]
def scores_fp8_text():
    """Return PTX that starts scores = q @ k.T for 64 queries and 128 keys: 32 bytes a step."""
    text = "{ .reg .b64 a, b; .reg .pred no; setp.ne.b32 no, 0, 0; wgmma.fence.sync.aligned; "
    for k in range(4):
        text += f"add.s64 a, %1, {2 * k}; add.s64 b, %2, {2 * k}; "
        text += "wgmma.mma_async.sync.aligned.m64n128k32.f32.e4m3.e4m3"
        text += f" %0, a, b, {'1' if k else 'no'}, 1, 1; "
    return text + "wgmma.commit_group.sync.aligned; }"


def values_fp8_text():
    """Return PTX that starts out += weights @ v: weights from registers, 32 keys a step."""
    text = "{ .reg .b64 b; wgmma.fence.sync.aligned; "
    for k in range(4):
        text += f"add.s64 b, %2, {2 * k}; wgmma.mma_async.sync.aligned.m64n128k32.f32.e4m3.e4m3"
        text += f" %0, %1[{4 * k}:{4 * k + 4}], b, 1, 1, 1; "
    return text + "wgmma.commit_group.sync.aligned; }"


def pack_fp8_text():
    """Return PTX that rounds 64 weights to e4m3: four to a register, as the product takes them.

    Register 4 j + 2 r + e of the scores is column 8 j + 2 t + e of row r or r + 8, in thread t of
    four. The product takes columns 4 t to 4 t + 3 of every 16 from a register: we give it two of
    one j and two of the next, and the values stand in the same order.
    """
    text = "{ .reg .b16 low, high; "
    for i in range(16):
        j, r = 2 * (i // 2), i % 2
        first = 4 * j + 2 * r
        text += f"cvt.rn.satfinite.e4m3x2.f32 low, %1[{first + 1}], %1[{first}]; "
        text += f"cvt.rn.satfinite.e4m3x2.f32 high, %1[{first + 5}], %1[{first + 4}]; "
        text += f"mov.b32 %0[{i}], {{low, high}}; "
    return text + "}"


scores_fp8 = ptx(scores_fp8_text(), "=f64 l l")
values_fp8 = ptx(values_fp8_text(), "+f64 r16 l")
pack_fp8 = ptx(pack_fp8_text(), "=r16 f64")
# --8<-- [end:products]


# --8<-- [start:kernel]
TILE, SLOTS, QUERY_SLOTS = 128 * 128, 4, 2  # bytes of a tile: 128 rows of 128
SHARED_FP8 = (QUERY_SLOTS + 2 * SLOTS) * TILE + 8 * (2 * QUERY_SLOTS + 4 * SLOTS)
LIFT = np.float32(8)  # weights are 0 to 256: e4m3 has no number between 0 and 1/512


def fp8_flash_kernel(causal):
    """Return a kernel of attention in FP8 for head dimension 128, with a causal mask or without."""
    fewer = ptx("setmaxnreg.dec.sync.aligned.u32 24;")
    more = ptx("setmaxnreg.inc.sync.aligned.u32 240;")

    @cuda.jit(launch_bounds=(384, 1))
    def fp8_attention(maps, out, queries, keys, heads, group, band, scale, value_scale):
        """out = softmax(q @ k.T * scale / log2(e)) @ v * value_scale, in bfloat16.

        ``maps`` are the tensor maps of q, k and the transposed v, all e4m3. ``group`` heads of q
        share one of k and v.
        """
        map_q = uint64(maps.ctypes.data)
        map_k, map_v = map_q + uint64(128), map_q + uint64(256)
        memory = cuda.shared.array(0, np.uint8, alignment=1024)
        q_s = int32(shared_address(memory.ctypes.data))
        k_s = int32(q_s + QUERY_SLOTS * TILE)
        v_s = int32(k_s + SLOTS * TILE)
        q_full = int32(v_s + SLOTS * TILE)
        q_empty = int32(q_full + 8 * QUERY_SLOTS)
        k_full = int32(q_empty + 8 * QUERY_SLOTS)
        v_full = int32(k_full + 8 * SLOTS)
        k_empty = int32(v_full + 8 * SLOTS)
        v_empty = int32(k_empty + 8 * SLOTS)
        warpgroup, thread = cuda.threadIdx.x // 128, cuda.threadIdx.x % 128
        tiles = int32(uint32(queries + 127) // uint32(128))
        key_tiles = int32(uint32(keys + 127) // uint32(128))

        if cuda.threadIdx.x == 0:
            for s in range(QUERY_SLOTS):
                barrier_init(q_full + 8 * s, 1)
                barrier_init(q_empty + 8 * s, 2)
            for s in range(SLOTS):
                barrier_init(k_full + 8 * s, 1)
                barrier_init(v_full + 8 * s, 1)
                barrier_init(k_empty + 8 * s, 2)
                barrier_init(v_empty + 8 * s, 2)
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
                    steps = min(key_tiles, int32(tile + 1)) if causal else key_tiles
                    barrier_wait(q_empty + 8 * q_slot, q_parity ^ 1)
                    barrier_expect(q_full + 8 * q_slot, TILE)
                    to = q_s + q_slot * TILE
                    load_head(to, map_q, 0, tile * 128, head, q_full + 8 * q_slot)
                    q_slot = int32(q_slot + 1)
                    if q_slot == QUERY_SLOTS:
                        q_slot, q_parity = int32(0), int32(q_parity ^ 1)
                    for i in range(steps):  # from the last keys to the first
                        key = int32((steps - 1 - i) * 128)
                        barrier_wait(k_empty + 8 * slot, parity ^ 1)
                        barrier_expect(k_full + 8 * slot, TILE)
                        load_head(k_s + slot * TILE, map_k, 0, key, kv_head, k_full + 8 * slot)
                        barrier_wait(v_empty + 8 * slot, parity ^ 1)
                        barrier_expect(v_full + 8 * slot, TILE)
                        load_head(v_s + slot * TILE, map_v, key, 0, kv_head, v_full + 8 * slot)
                        slot = int32(slot + 1)
                        if slot == SLOTS:
                            slot, parity = int32(0), int32(parity ^ 1)
        else:
            more()
            part, lane = int32(warpgroup - 1), int32(thread % 32)
            my_row = int32(part * 64 + thread // 32 * 16 + lane // 4)
            my_column = int32(2 * (lane % 4))
            for item in range(cuda.blockIdx.x, tiles * heads, cuda.gridDim.x):
                tile, head = place_head(int32(item), tiles, heads, band, causal)
                steps = min(key_tiles, int32(tile + 1)) if causal else key_tiles
                at = int32(tile * 128 + my_row)
                acc, row_max, row_sum = zeros_64(), lowest(), no_sums()
                barrier_wait(q_full + 8 * q_slot, q_parity)
                q = describe(q_s + q_slot * TILE + part * 64 * 128, 16, 1024)
                barrier_wait(k_full + 8 * slot, parity)
                s = scores_fp8(q, describe(k_s + slot * TILE, 16, 1024))
                wgmma_wait()
                if thread == 0:
                    barrier_arrive(k_empty + 8 * slot)
                left = int32(keys - (steps - 1) * 128)
                if causal:
                    left = int32(at + 1 - (steps - 1) * 128 - my_column)
                    s = hide(s, left, left + 8)
                elif left < 128:
                    s = hide(s, left - my_column, left - my_column)
                new_max = row_maxima(s, row_max, scale)
                alpha = correction(row_max, new_max)
                row_max = new_max
                s = weights(s, (row_max[0] - LIFT, row_max[1] - LIFT), scale)
                row_sum = row_sums(s, row_sum, alpha)
                p = pack_fp8(s)
                v_slot, v_parity = slot, parity
                slot = int32(slot + 1)
                if slot == SLOTS:
                    slot, parity = int32(0), int32(parity ^ 1)
                for _ in range(1, steps):
                    barrier_wait(k_full + 8 * slot, parity)
                    s = scores_fp8(q, describe(k_s + slot * TILE, 16, 1024))
                    barrier_wait(v_full + 8 * v_slot, v_parity)
                    acc = values_fp8(acc, p, describe(v_s + v_slot * TILE, 16, 1024))
                    wait_but_one()  # the scores are there; the values are still in flight
                    if thread == 0:
                        barrier_arrive(k_empty + 8 * slot)
                    new_max = row_maxima(s, row_max, scale)
                    alpha = correction(row_max, new_max)
                    row_max = new_max
                    s = weights(s, (row_max[0] - LIFT, row_max[1] - LIFT), scale)
                    row_sum = row_sums(s, row_sum, alpha)
                    wgmma_wait()
                    if thread == 0:
                        barrier_arrive(v_empty + 8 * v_slot)
                    acc = rescale_64(acc, alpha)
                    p = pack_fp8(s)
                    v_slot, v_parity = slot, parity
                    slot = int32(slot + 1)
                    if slot == SLOTS:
                        slot, parity = int32(0), int32(parity ^ 1)
                if thread == 0:
                    barrier_arrive(q_empty + 8 * q_slot)
                q_slot = int32(q_slot + 1)
                if q_slot == QUERY_SLOTS:
                    q_slot, q_parity = int32(0), int32(q_parity ^ 1)
                barrier_wait(v_full + 8 * v_slot, v_parity)
                acc = values_fp8(acc, p, describe(v_s + v_slot * TILE, 16, 1024))
                wgmma_wait()
                if thread == 0:
                    barrier_arrive(v_empty + 8 * v_slot)
                share = inverse(row_sum)  # both sums are lifted, and the lift cancels
                acc = rescale_64(acc, (share[0] * value_scale, share[1] * value_scale))
                to = uint64(head) * uint64(queries) + uint64(at)
                to = uint64(out.ctypes.data) + (to * uint64(128) + uint64(my_column)) * uint64(2)
                write_64(to, to + uint64(8 * 256), at < queries, at + 8 < queries, acc)

    return fp8_attention


FP8_FLASH = {causal: fp8_flash_kernel(causal) for causal in (0, 1)}
# --8<-- [end:kernel]


# --8<-- [start:host]
def byte_head_map(words):
    """Describe a device array of (heads, rows, words of 4 bytes) to the copy engine.

    A box is 128 rows x 128 bytes of one head; past a head's end come zeros.
    """
    heads, rows, columns = words.shape
    address, _ = words.__cuda_array_interface__["data"]
    error, filled = driver.cuTensorMapEncodeTiled(
        driver.CUtensorMapDataType.CU_TENSOR_MAP_DATA_TYPE_UINT8,
        3,
        address,
        [driver.cuuint64_t(x) for x in (4 * columns, rows, heads)],
        [driver.cuuint64_t(x) for x in (4 * columns, rows * 4 * columns)],  # bytes
        [driver.cuuint32_t(x) for x in (128, 128, 1)],
        [driver.cuuint32_t(1)] * 3,
        driver.CUtensorMapInterleave.CU_TENSOR_MAP_INTERLEAVE_NONE,
        driver.CUtensorMapSwizzle.CU_TENSOR_MAP_SWIZZLE_128B,
        driver.CUtensorMapL2promotion.CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
        driver.CUtensorMapFloatOOBfill.CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE,  # zeros
    )
    if error:
        raise ValueError(f"no tensor map of {words.shape} at {address:#x}: {error.name}")
    return np.frombuffer(ctypes.string_at(filled.getPtr(), 128), dtype=np.uint8)


def quantize(x):
    """Return (e4m3 numbers, four to a word; scale): together they are about ``x``."""
    scale = float(np.abs(x).max()) / LARGEST or 1.0
    return to_e4m3(x / np.float32(scale)).view(np.uint32), scale


def fp8_flash_arguments(d_q, d_k, d_vt, d_out, keys, scales, causal=False, blocks=None, band=None):
    """Return (kernel, blocks, threads, shared bytes, arguments).

    q is (batch * heads, queries, 32 words), k has as many heads or a part of them, vt is v
    transposed, out bfloat16 in uint16. ``scales`` are those of q, k and v. ``blocks`` is one a
    multiprocessor for short sequences, and one a tile for long ones, unless given. ``band`` is how
    many heads are worked on at a time.
    """
    heads, queries, _ = d_q.shape
    maps = cuda.to_device(np.concatenate([byte_head_map(x) for x in (d_q, d_k, d_vt)]))
    items = -(-queries // 128) * heads
    if blocks is None:
        persistent = keys <= (2048 if causal else 8192)
        blocks = min(items, cuda.get_current_device().MULTIPROCESSOR_COUNT) if persistent else items
    of_q, of_k, of_v = scales
    scale = np.float32(of_q * of_k / (math.log(2) * math.sqrt(128)))
    band = band or (4 if causal else 1)
    sizes = [np.int32(x) for x in (queries, keys, heads, heads // d_k.shape[0], band)]
    arguments = (maps, d_out, *sizes, scale, np.float32(of_v))
    return FP8_FLASH[int(causal)], blocks, 384, SHARED_FP8, arguments


def flash_attention_fp8(q, k, v, causal=False):
    """Return softmax(q @ k.T / sqrt(128)) @ v for (batch, heads, length, 128), in bfloat16.

    The operands are rounded to e4m3, each array with a scale of its own, and so are the weights;
    scores and sums are float32 (the tensor cores' own sums have fewer bits). Shapes are those of
    ``flash_attention``, with a head dimension of 128. Needs a Hopper GPU. Raises ValueError for
    other shapes.

    --8<-- [start:example]
    >>> got = flash_attention_fp8(q[None], k[None], v[None])[0]
    >>> exact = np.stack([attention(*heads) for heads in zip(q, k, v)])
    >>> off = np.linalg.norm(got - exact) / np.linalg.norm(exact)
    >>> bool(0.01 < off < 0.1)  # three bits of mantissa
    True

    --8<-- [end:example]
    """
    q, k, v = (np.asarray(x, dtype=np.float32) for x in (q, k, v))
    check_heads(q, k, v, causal)
    if q.shape[3] != 128:
        raise ValueError(f"head dimension {q.shape[3]}: 128 wanted")
    bits, scales = zip(*(quantize(x.reshape(-1, *x.shape[2:])) for x in (q, k, v)), strict=True)
    d_q, d_k, d_v = (cuda.to_device(x) for x in bits)
    d_vt, transpose = transposed_values(d_v)
    transpose()
    d_out = cuda.device_array((*d_q.shape[:2], 128), np.uint16)
    kernel, blocks, threads, shared, arguments = fp8_flash_arguments(
        d_q, d_k, d_vt, d_out, k.shape[2], scales, causal
    )
    launch(kernel, blocks, threads, shared, *arguments)
    return from_bfloat16(d_out.copy_to_host()).reshape(q.shape)


# --8<-- [end:host]

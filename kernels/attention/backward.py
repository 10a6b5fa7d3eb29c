"""FlashAttention backward on Hopper from Numba: five products for each tile of scores.

The scheme is that of FlashAttention-3 (arXiv 2407.08608): a block keeps 128 keys and values and
takes tiles of 64 queries past them. Gradients of keys and values are summed in registers, those of
queries in memory, by atomic additions.
"""

# --8<-- [start:imports]
import math

import numpy as np
from numba import cuda, int32, uint32, uint64

# --8<-- [end:imports]
from kernels.attention.boxes import BOX, head_map, load_head, wait_but_one
from kernels.attention.overlap import place_head
from kernels.attention.rows import SHARED_LSE, delta_kernel, lse_kernel, round_kernel
from kernels.attention.softmax import for_each, write_64, zeros_64
from kernels.tensor_cores.formats import from_bfloat16, to_bfloat16
from kernels.tensor_cores.ptx import ptx
from kernels.tensor_cores.tma import (
    barrier_arrive,
    barrier_expect,
    barrier_init,
    barrier_init_done,
    barrier_wait,
    shared_address,
    show_to_engine,
    use_map,
)
from kernels.tensor_cores.wgmma import describe, launch, wgmma_wait

# --8<-- [start:products]
BM, BN = 64, 128  # queries of a step, keys of a block
Q_BOX = BM * 128  # bytes of 64 queries x 64 elements


def transposed_scores_text():
    """Return PTX that starts k @ q.T for 64 keys and 64 queries, or v @ d_out.T."""
    text = "{ .reg .b64 a, b; .reg .pred no; setp.ne.b32 no, 0, 0; wgmma.fence.sync.aligned; "
    for k in range(8):
        box, step = divmod(k, 4)
        text += f"add.s64 a, %1, {(box * BOX >> 4) + 2 * step}; "
        text += f"add.s64 b, %2, {(box * Q_BOX >> 4) + 2 * step}; "
        text += "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16"
        text += f" %0, a, b, {'1' if k else 'no'}, 1, 1, 0, 0; "
    return text + "wgmma.commit_group.sync.aligned; }"


def keys_text():
    """Return PTX that starts acc += weights.T @ d_out, or d_scores.T @ q: 64 keys, 64 queries."""
    text = "{ .reg .b64 b; wgmma.fence.sync.aligned; "
    for k in range(4):
        text += f"add.s64 b, %2, {128 * k}; "  # 16 queries further: 2,048 bytes
        text += "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16"
        text += f" %0, %1[{4 * k}:{4 * k + 4}], b, 1, 1, 1, 1; "
    return text + "wgmma.commit_group.sync.aligned; }"


def queries_text():
    """Return PTX that starts d_scores @ k for 64 queries, 128 keys and 64 columns of k.

    Shared memory holds d_scores.T, a row for each key, so both operands are read transposed.
    """
    text = "{ .reg .b64 a, b; .reg .pred no; setp.ne.b32 no, 0, 0; wgmma.fence.sync.aligned; "
    for k in range(8):
        text += f"add.s64 a, %1, {128 * k}; add.s64 b, %2, {128 * k}; "
        text += "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16"
        text += f" %0, a, b, {'1' if k else 'no'}, 1, 1, 1, 1; "
    return text + "wgmma.commit_group.sync.aligned; }"


transposed_scores = ptx(transposed_scores_text(), "=f32 l l")
add_to_keys = ptx(keys_text(), "+f64 r16 l")
for_queries = ptx(queries_text(), "=f32 l l")
# --8<-- [end:products]


# --8<-- [start:registers]
def pairs(line):
    """Return PTX that loads two numbers for each pair of columns, and what ``line(i)`` gives.

    In line(i), x0 and x1 are those of the columns of register i.
    """
    text = "{ .reg .f32 x<2>; "
    for j in range(8):
        text += f"ld.shared.v2.f32 {{x0, x1}}, [%2+{32 * j}]; "
        text += " ".join(line(i) for i in range(4 * j, 4 * j + 4)) + " "
    return text + "}"


# weights(scores, scale, address of minus lse): 2 ** (score * scale - lse)
weights_of = ptx(
    pairs(
        lambda i: f"fma.rn.f32 %0[{i}], %0[{i}], %1, x{i % 2}; ex2.approx.ftz.f32 %0[{i}], %0[{i}];"
    ),
    "+f32 f r",
)
# d_scores(gradient of the weights, weights, address of delta): weights * (gradient - delta)
d_scores_of = ptx(
    pairs(lambda i: f"sub.f32 %0[{i}], %0[{i}], x{i % 2}; mul.f32 %0[{i}], %0[{i}], %1[{i}];"),
    "+f32 f32 r",
)
# hide_below(scores, limit of row r, limit of row r + 8): -inf in the columns below the limit
hide_below = ptx(
    "{ .reg .pred p; "
    + for_each(
        32,
        lambda i: (
            f"setp.gt.s32 p, %{1 + i // 2 % 2}, {i // 4 * 8 + i % 2};"
            f" selp.f32 %0[{i}], 0fff800000, %0[{i}], p;"
        ),
    )
    + " }",
    "+f32 r r",
)
pack_32 = ptx(
    for_each(16, lambda i: f"cvt.rn.bf16x2.f32 %0[{i}], %1[{2 * i + 1}], %1[{2 * i}];"),
    "=r16 f32",
)
put_16x16 = ptx("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], %1;", "r r4")
add_part = ptx(
    for_each(8, lambda j: f"red.global.add.v4.f32 [%0+{2048 * j}], %1[{4 * j}:{4 * j + 4}];"),
    "l f32",
)
scale_64 = ptx(for_each(64, lambda i: f"mul.f32 %0[{i}], %0[{i}], %1;"), "+f64 f")
load_bytes = ptx(
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];",
    "r l r r",
)
both_consumers = ptx("bar.sync 1, 256;")
fewer_registers = ptx("setmaxnreg.dec.sync.aligned.u32 24;")
more_registers = ptx("setmaxnreg.inc.sync.aligned.u32 240;")
# --8<-- [end:registers]


# --8<-- [start:kernel]
def backward_kernel(causal):
    """Return the kernel for head dimension 128, with a causal mask or without."""
    STAGES = 2
    KV_BYTES, Q_BYTES = BN * 256, BM * 256
    S_BYTES, PART = BN * BM * 2, BM * 64 * 4

    @cuda.jit(launch_bounds=(384, 1))
    def attention_backward(
        maps, rows, dq, dk, dv, queries, keys, heads, group, band, scale, dk_scale
    ):
        """Gradients of 128 keys and values of one head, and their part of those of queries.

        ``maps`` are the tensor maps of q, k, v and d_out; ``rows`` is (2, heads, padded queries):
        minus lse, and delta. ``heads`` are those of k and v, each shared by ``group`` of q.
        """
        map_q = uint64(maps.ctypes.data)
        map_k, map_v, map_do = map_q + uint64(128), map_q + uint64(256), map_q + uint64(384)
        memory = cuda.shared.array(0, np.uint8, alignment=1024)
        k_s = int32(shared_address(memory.ctypes.data))
        v_s = int32(k_s + KV_BYTES)
        q_s = int32(v_s + KV_BYTES)
        do_s = int32(q_s + STAGES * Q_BYTES)
        s_s = int32(do_s + STAGES * Q_BYTES)  # d_scores, two slots
        lse_s = int32(s_s + 2 * S_BYTES)
        delta_s = int32(lse_s + STAGES * 256)
        kv_full = int32(delta_s + STAGES * 256)
        q_full = int32(kv_full + 8)
        do_full = int32(q_full + 8 * STAGES)
        q_empty = int32(do_full + 8 * STAGES)
        do_empty = int32(q_empty + 8 * STAGES)
        warpgroup, thread = cuda.threadIdx.x // 128, int32(cuda.threadIdx.x % 128)
        key_tiles = int32(uint32(keys + BN - 1) // uint32(BN))
        tile, kv_head = place_head(int32(cuda.blockIdx.x), key_tiles, heads, band, False)
        tiles = int32(uint32(queries + BM - 1) // uint32(BM))
        first = int32(0)
        if causal:
            first = int32(tile * (BN // BM))
        steps = int32((tiles - first) * group)
        if cuda.threadIdx.x == 0:
            barrier_init(kv_full, 1)
            for s in range(STAGES):
                barrier_init(q_full + 8 * s, 1)
                barrier_init(do_full + 8 * s, 1)
                barrier_init(q_empty + 8 * s, 2)
                barrier_init(do_empty + 8 * s, 2)
            barrier_init_done()
        cuda.syncthreads()

        slot, parity = int32(0), int32(0)
        # Each block begins somewhere else, so that they do not all add to the same rows of dq.
        start = int32(first + uint32(3 * tile) % uint32(tiles - first))
        at, head = start, int32(kv_head * group)
        if warpgroup == 0:
            fewer_registers()
            if thread == 0:
                use_map(map_q)
                use_map(map_k)
                use_map(map_v)
                use_map(map_do)
                barrier_expect(kv_full, 2 * KV_BYTES)
                load_head(k_s, map_k, 0, tile * BN, kv_head, kv_full)
                load_head(k_s + BOX, map_k, 64, tile * BN, kv_head, kv_full)
                load_head(v_s, map_v, 0, tile * BN, kv_head, kv_full)
                load_head(v_s + BOX, map_v, 64, tile * BN, kv_head, kv_full)
                lse = uint64(rows.ctypes.data)
                delta = lse + uint64(4) * uint64(rows.shape[1]) * uint64(rows.shape[2])
                for _ in range(steps):
                    row = (uint64(head) * uint64(tiles) + uint64(at)) * uint64(4 * BM)
                    barrier, to = q_full + 8 * slot, q_s + slot * Q_BYTES
                    barrier_wait(q_empty + 8 * slot, parity ^ 1)
                    barrier_expect(barrier, Q_BYTES + 256)
                    load_head(to, map_q, 0, at * BM, head, barrier)
                    load_head(to + Q_BOX, map_q, 64, at * BM, head, barrier)
                    load_bytes(lse_s + 256 * slot, lse + row, 256, barrier)
                    barrier, to = do_full + 8 * slot, do_s + slot * Q_BYTES
                    barrier_wait(do_empty + 8 * slot, parity ^ 1)
                    barrier_expect(barrier, Q_BYTES + 256)
                    load_head(to, map_do, 0, at * BM, head, barrier)
                    load_head(to + Q_BOX, map_do, 64, at * BM, head, barrier)
                    load_bytes(delta_s + 256 * slot, delta + row, 256, barrier)
                    slot = int32(slot + 1)
                    if slot == STAGES:
                        slot, parity = int32(0), int32(parity ^ 1)
                    at = int32(at + 1)
                    if at == tiles:
                        at = first
                    if at == start:
                        head = int32(head + 1)
        else:
            more_registers()
            part = int32(warpgroup - 1)  # which 64 keys, and which 64 columns of dq
            lane = int32(thread % 32)
            my_row = int32(part * 64 + thread // 32 * 16 + lane // 4)
            my_column = int32(2 * (lane % 4))
            key = int32(tile * BN + my_row)
            k = describe(k_s + part * 64 * 128, 16, 1024)
            v = describe(v_s + part * 64 * 128, 16, 1024)
            k_columns = describe(k_s + part * BOX, BOX, 1024)
            s_row = int32((part * 64 + thread // 32 * 16 + lane % 16) * 128)
            piece, turn = int32(lane // 16), int32(lane % 8)
            last_tile = int32(tile * BN + BN) > keys
            acc_k, acc_v = zeros_64(), zeros_64()
            barrier_wait(kv_full, 0)
            barrier_wait(q_full, 0)
            s = transposed_scores(k, describe(q_s, 16, 1024))
            wgmma_wait()
            for i in range(steps):
                q_at, do_at = q_s + slot * Q_BYTES, do_s + slot * Q_BYTES
                barrier_wait(do_full + 8 * slot, parity)
                dp = transposed_scores(v, describe(do_at, 16, 1024))
                if last_tile or (causal and at < first + BN // BM):
                    limit, below = int32(0), int32(0)
                    if causal:
                        limit = int32(key - at * BM)
                        below = int32(limit + 8)
                    if key >= keys:
                        limit = int32(BM)
                    if key + 8 >= keys:
                        below = int32(BM)
                    s = hide_below(s, limit - my_column, below - my_column)
                s = weights_of(s, scale, lse_s + 256 * slot + 4 * my_column)
                acc_v = add_to_keys(acc_v, pack_32(s), describe(do_at, Q_BOX, 1024))
                wait_but_one()  # the gradient of the weights is there
                dp = d_scores_of(dp, s, delta_s + 256 * slot + 4 * my_column)
                packed = pack_32(dp)
                acc_k = add_to_keys(acc_k, packed, describe(q_at, Q_BOX, 1024))
                s_at = int32(s_s + i % 2 * S_BYTES)
                put_16x16(s_at + s_row + ((piece ^ turn) << 4), packed[0:4])
                put_16x16(s_at + s_row + ((piece + 2 ^ turn) << 4), packed[4:8])
                put_16x16(s_at + s_row + ((piece + 4 ^ turn) << 4), packed[8:12])
                put_16x16(s_at + s_row + ((piece + 6 ^ turn) << 4), packed[12:16])
                show_to_engine()
                both_consumers()
                to_add = for_queries(describe(s_at, 16, 1024), k_columns)
                wait_but_one()  # the products for keys and values are done
                if thread == 0:
                    barrier_arrive(q_empty + 8 * slot)
                    barrier_arrive(do_empty + 8 * slot)
                slot = int32(slot + 1)
                if slot == STAGES:
                    slot, parity = int32(0), int32(parity ^ 1)
                if i + 1 < steps:
                    barrier_wait(q_full + 8 * slot, parity)
                s = transposed_scores(k, describe(q_s + slot * Q_BYTES, 16, 1024))
                wait_but_one()  # the next scores are in flight; the part of dq is there
                to = (uint64(head) * uint64(tiles) + uint64(at)) * uint64(2) + uint64(part)
                to = uint64(dq.ctypes.data) + to * uint64(PART)
                add_part(to + uint64(16 * thread), to_add)
                at = int32(at + 1)
                if at == tiles:
                    at = first
                if at == start:
                    head = int32(head + 1)
                wgmma_wait()
            acc_k = scale_64(acc_k, dk_scale)
            to = uint64(kv_head) * uint64(keys) + uint64(key)
            to = (to * uint64(128) + uint64(my_column)) * uint64(2)
            dk_to, dv_to = uint64(dk.ctypes.data) + to, uint64(dv.ctypes.data) + to
            write_64(dk_to, dk_to + uint64(8 * 256), key < keys, key + 8 < keys, acc_k)
            write_64(dv_to, dv_to + uint64(8 * 256), key < keys, key + 8 < keys, acc_v)

    shared = 2 * KV_BYTES + 2 * STAGES * Q_BYTES + 2 * S_BYTES
    shared += 2 * STAGES * 256 + 8 * (1 + 4 * STAGES)
    return attention_backward, shared


BACKWARD = [backward_kernel(causal) for causal in (0, 1)]
# --8<-- [end:kernel]


# --8<-- [start:host]
BAND = 4  # heads whose columns come together, the longest first: the fastest of a few


def row_lse(d_q, d_k, causal, d_rows):
    """Fill ``d_rows[0]`` with minus lse. A forward pass that is to be trained writes it itself."""
    d_maps = cuda.to_device(np.concatenate([head_map(d_q, 64), head_map(d_k, 128)]))
    heads, queries, depth = d_q.shape
    sizes = [np.int32(x) for x in (queries, d_k.shape[1], heads // d_k.shape[0], causal)]
    scale = np.float32(1 / (math.log(2) * math.sqrt(depth)))  # the kernels take powers of 2
    launch(lse_kernel, (-(-queries // BM), heads), 128, SHARED_LSE, d_maps, d_rows, *sizes, scale)


def workspace(heads, queries):
    """Return device memory for lse and delta of each row, and for sums of dq."""
    padded = -(-queries // BM) * BM
    return (
        cuda.device_array((2, heads, padded), np.float32),
        cuda.device_array((heads, padded, 128), np.float32),
    )


def gradients(d_q, d_k, d_v, d_out, d_do, d_rows, d_total, d_dq, d_dk, d_dv, causal, band=BAND):
    """Return a function that computes dq, dk and dv whenever it is called; all on the device."""
    heads, queries, depth = d_q.shape
    shared_heads, keys = d_k.shape[:2]
    kernel, shared = BACKWARD[causal]
    maps = [head_map(x, rows) for x, rows in ((d_q, BM), (d_k, BN), (d_v, BN), (d_do, BM))]
    d_maps = cuda.to_device(np.concatenate(maps))
    tiles = -(-queries // BM)
    scale = np.float32(1 / math.sqrt(depth))
    sizes = [np.int32(x) for x in (queries, keys, shared_heads, heads // shared_heads, band)]
    arguments = (
        d_maps, d_rows, d_total, d_dk, d_dv, *sizes, np.float32(scale / math.log(2)), scale
    )  # fmt: skip
    blocks = -(-keys // BN) * shared_heads

    def prepare():
        delta_kernel[(tiles * BM // 8, heads), 256](d_out, d_do, d_rows, d_total, sizes[0])

    prepare()
    launch(kernel, blocks, 384, shared, *arguments)  # raises its limit of shared memory
    main, last = kernel[blocks, 384, 0, shared], round_kernel[(tiles, 2, heads), 128]

    def call():
        prepare()
        main(*arguments)
        last(d_total, d_dq, sizes[0], scale)

    return call


def flash_gradients(q, k, v, out, d_out, causal=False):
    """Return the gradients of attention's q, k and v, given its output and the gradient of that.

    q, out and d_out are (batch, heads, queries, 128), k and v (batch, shared heads, keys, 128). All
    are rounded to bfloat16, and so are the results. With ``causal`` query i sees keys 0 to i. Needs
    a Hopper GPU. Raises ValueError for other shapes.

    --8<-- [start:example]
    >>> random = np.random.default_rng(seed=1)
    >>> q, k, v, d_out = (
    ...     from_bfloat16(to_bfloat16(random.normal(size=(1, 2, 1000, 128)))) for _ in range(4)
    ... )
    >>> out = np.stack([[attention(q[0, h], k[0, h], v[0, h], causal=True) for h in range(2)]])
    >>> got = flash_gradients(q, k, v, out, d_out, causal=True)
    >>> for head in range(2):
    ...     exact = gradients_of(*(x[0, head] for x in (q, k, v, d_out)), causal=True)
    ...     errors = [np.linalg.norm(x[0, head] - y) for x, y in zip(got, exact)]
    ...     print([bool(e < 0.01 * np.linalg.norm(y)) for e, y in zip(errors, exact)])
    [True, True, True]
    [True, True, True]

    --8<-- [end:example]
    """
    arrays = [np.asarray(x, dtype=np.float32) for x in (q, k, v, out, d_out)]
    shapes = [x.shape for x in arrays]
    like_q, like_k = {shapes[0], *shapes[3:]}, {*shapes[1:3]}
    fits = len(like_q) == len(like_k) == 1 and {len(s) for s in shapes} == {4}
    if not fits:
        raise ValueError(f"q, k, v, out and d_out of {shapes}: see what flash_gradients takes")
    (batch, heads, queries, depth), (others, shared, keys, other) = shapes[:2]
    fits = batch == others and depth == other == 128 and heads % shared == 0
    if not fits or (causal and queries != keys):
        raise ValueError(f"q, k, v, out and d_out of {shapes}: see what flash_gradients takes")
    d_q, d_k, d_v, d_o, d_do = (
        cuda.to_device(to_bfloat16(np.ascontiguousarray(x.reshape(-1, *x.shape[2:]))))
        for x in arrays
    )
    d_dq, d_dk, d_dv = (cuda.device_array(x.shape, np.uint16) for x in (d_q, d_k, d_v))
    d_rows, d_total = workspace(*d_q.shape[:2])
    row_lse(d_q, d_k, causal, d_rows)
    gradients(
        d_q, d_k, d_v, d_o, d_do, d_rows, d_total, d_dq, d_dk, d_dv, causal
    )()  # fmt: skip
    return tuple(
        from_bfloat16(x.copy_to_host()).reshape(shape)
        for x, shape in zip((d_dq, d_dk, d_dv), shapes, strict=False)
    )


# --8<-- [end:host]

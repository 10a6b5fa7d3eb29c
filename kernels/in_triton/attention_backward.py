"""FlashAttention backward in Triton: gradients of q, k and v, from the scores computed again."""

# --8<-- [start:imports]
import math

import torch
import triton
import triton.language as tl

# --8<-- [end:imports]
from kernels.in_triton.attention import steps


# --8<-- [start:forward]
@triton.jit
def forward_kernel(
    q, k, v, out, lse, queries, keys, group, scale,
    DEPTH: tl.constexpr, CAUSAL: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
):  # fmt: skip
    """out = softmax(q @ k.T) @ v, and ``lse``: log2 of each row's sum of powers of 2."""
    tile, head = tl.program_id(0), tl.program_id(1).to(tl.int64)
    if CAUSAL:
        tile = tl.num_programs(0) - 1 - tile  # the longest first
    q += head * queries * DEPTH
    out += head * queries * DEPTH
    k += head // group * keys * DEPTH
    v += head // group * keys * DEPTH
    q_head = tl.make_tensor_descriptor(q, [queries, DEPTH], [DEPTH, 1], [BM, DEPTH])
    out_head = tl.make_tensor_descriptor(out, [queries, DEPTH], [DEPTH, 1], [BM, DEPTH])
    k_head = tl.make_tensor_descriptor(k, [keys, DEPTH], [DEPTH, 1], [BN, DEPTH])
    v_head = tl.make_tensor_descriptor(v, [keys, DEPTH], [DEPTH, 1], [BN, DEPTH])
    row = tile * BM + tl.arange(0, BM)
    if CAUSAL:
        limit = tl.minimum(row + 1, keys)
        last = tl.minimum(tile * BM + BM, keys)
        unmasked = tile * BM // BN * BN
    else:
        limit = tl.zeros((BM,), tl.int32) + keys
        last = keys
        unmasked = keys // BN * BN
    row_max = tl.zeros((BM,), tl.float32) - 1e30
    row_sum = tl.zeros((BM,), tl.float32)
    acc = tl.zeros((BM, DEPTH), tl.float32)
    q_tile = q_head.load([tile * BM, 0])
    acc, row_max, row_sum = steps(
        q_tile, k_head, v_head, acc, row_max, row_sum, 0, unmasked, limit, scale,
        BN, False,
    )  # fmt: skip
    acc, row_max, row_sum = steps(
        q_tile, k_head, v_head, acc, row_max, row_sum, unmasked, last, limit, scale,
        BN, True,
    )  # fmt: skip
    out_head.store([tile * BM, 0], (acc / row_sum[:, None]).to(q_tile.dtype))
    tl.store(lse + head * queries + row, row_max + tl.math.log2(row_sum), row < queries)


# --8<-- [end:forward]


# --8<-- [start:delta]
@triton.jit
def delta_kernel(out, d_out, delta, queries, DEPTH: tl.constexpr, BM: tl.constexpr):
    """delta = the sum over each row of out * d_out."""
    head = tl.program_id(1).to(tl.int64)
    row = tl.program_id(0) * BM + tl.arange(0, BM)
    at = (head * queries + row)[:, None] * DEPTH + tl.arange(0, DEPTH)
    inside = row < queries
    o = tl.load(out + at, inside[:, None], 0.0).to(tl.float32)
    do = tl.load(d_out + at, inside[:, None], 0.0).to(tl.float32)
    tl.store(delta + head * queries + row, tl.sum(o * do, 1), inside)


# --8<-- [end:delta]


# --8<-- [start:keys]
@triton.jit
def past_queries(
    k, v, dk, dv, q_head, do_head, lse, delta, first, last, queries, key, scale,
    BM: tl.constexpr, MASKED: tl.constexpr,
):  # fmt: skip
    """Take a tile of keys and values past queries first to last - 1."""
    for start in range(first, last, BM):
        row = start + tl.arange(0, BM)
        q = q_head.load([start, 0])
        # Past the end: a weight of 2 ** -infinity
        row_lse = tl.load(lse + row, row < queries, float("inf"))
        weights = tl.math.exp2(tl.dot(k, q.T) * scale - row_lse[None, :])
        if MASKED:
            weights = tl.where(key[:, None] <= row[None, :], weights, 0.0)
        do = do_head.load([start, 0])
        dv = tl.dot(weights.to(q.dtype), do, dv)
        d_weights = tl.dot(v, do.T)
        row_delta = tl.load(delta + row, row < queries, 0.0)
        d_scores = weights * (d_weights - row_delta[None, :])
        dk = tl.dot(d_scores.to(q.dtype), q, dk)
    return dk, dv


@triton.jit
def keys_kernel(
    q, k, v, d_out, lse, delta, dk, dv, queries, keys, group, scale, dk_scale,
    DEPTH: tl.constexpr, CAUSAL: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
):  # fmt: skip
    """Gradients of a tile of keys and values: over all queries, of all heads that share them."""
    tile, kv_head = tl.program_id(0), tl.program_id(1).to(tl.int64)
    k += kv_head * keys * DEPTH
    v += kv_head * keys * DEPTH
    k_head = tl.make_tensor_descriptor(k, [keys, DEPTH], [DEPTH, 1], [BN, DEPTH])
    v_head = tl.make_tensor_descriptor(v, [keys, DEPTH], [DEPTH, 1], [BN, DEPTH])
    k_tile, v_tile = k_head.load([tile * BN, 0]), v_head.load([tile * BN, 0])
    key = tile * BN + tl.arange(0, BN)
    acc_k = tl.zeros((BN, DEPTH), tl.float32)
    acc_v = tl.zeros((BN, DEPTH), tl.float32)
    # One stage: a loop that makes descriptors cannot be pipelined. The loops inside are.
    for head in tl.range(kv_head * group, kv_head * group + group, num_stages=1):
        q_here, do_here = q + head * queries * DEPTH, d_out + head * queries * DEPTH
        q_head = tl.make_tensor_descriptor(q_here, [queries, DEPTH], [DEPTH, 1], [BM, DEPTH])
        do_head = tl.make_tensor_descriptor(do_here, [queries, DEPTH], [DEPTH, 1], [BM, DEPTH])
        lse_head, delta_head = lse + head * queries, delta + head * queries
        unmasked = 0
        if CAUSAL:  # query i sees keys 0 to i, so these keys are seen from query tile * BN on
            first = tile * BN // BM * BM
            unmasked = (tile * BN + BN + BM - 1) // BM * BM
            acc_k, acc_v = past_queries(
                k_tile, v_tile, acc_k, acc_v, q_head, do_head, lse_head, delta_head,
                first, tl.minimum(unmasked, queries), queries, key, scale, BM, True,
            )  # fmt: skip
        acc_k, acc_v = past_queries(
            k_tile, v_tile, acc_k, acc_v, q_head, do_head, lse_head, delta_head,
            unmasked, queries, queries, key, scale, BM, False,
        )  # fmt: skip
    at = (kv_head * keys + key)[:, None] * DEPTH + tl.arange(0, DEPTH)
    inside = (key < keys)[:, None]
    tl.store(dk + at, (acc_k * dk_scale).to(k_tile.dtype), inside)
    tl.store(dv + at, acc_v.to(k_tile.dtype), inside)


# --8<-- [end:keys]


# --8<-- [start:queries]
@triton.jit
def past_keys(
    q, do, dq, k_head, v_head, row_lse, row_delta, first, last, limit, scale,
    BN: tl.constexpr, MASKED: tl.constexpr,
):  # fmt: skip
    """Take a tile of queries past keys first to last - 1; row i sees those before limit[i]."""
    for start in range(first, last, BN):
        k = k_head.load([start, 0])
        weights = tl.math.exp2(tl.dot(q, k.T) * scale - row_lse[:, None])
        if MASKED:
            weights = tl.where(start + tl.arange(0, BN) < limit[:, None], weights, 0.0)
        d_weights = tl.dot(do, v_head.load([start, 0]).T)
        d_scores = weights * (d_weights - row_delta[:, None])
        dq = tl.dot(d_scores.to(q.dtype), k, dq)
    return dq


@triton.jit
def queries_kernel(
    q, k, v, d_out, lse, delta, dq, queries, keys, group, scale, dq_scale,
    DEPTH: tl.constexpr, CAUSAL: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
):  # fmt: skip
    """Gradient of a tile of queries: over all keys."""
    tile, head = tl.program_id(0), tl.program_id(1).to(tl.int64)
    if CAUSAL:
        tile = tl.num_programs(0) - 1 - tile  # the longest first
    q += head * queries * DEPTH
    d_out += head * queries * DEPTH
    k += head // group * keys * DEPTH
    v += head // group * keys * DEPTH
    q_head = tl.make_tensor_descriptor(q, [queries, DEPTH], [DEPTH, 1], [BM, DEPTH])
    do_head = tl.make_tensor_descriptor(d_out, [queries, DEPTH], [DEPTH, 1], [BM, DEPTH])
    k_head = tl.make_tensor_descriptor(k, [keys, DEPTH], [DEPTH, 1], [BN, DEPTH])
    v_head = tl.make_tensor_descriptor(v, [keys, DEPTH], [DEPTH, 1], [BN, DEPTH])
    q_tile, do_tile = q_head.load([tile * BM, 0]), do_head.load([tile * BM, 0])
    row = tile * BM + tl.arange(0, BM)
    row_lse = tl.load(lse + head * queries + row, row < queries, float("inf"))
    row_delta = tl.load(delta + head * queries + row, row < queries, 0.0)
    if CAUSAL:
        limit = tl.minimum(row + 1, keys)
        last = tl.minimum(tile * BM + BM, keys)
        unmasked = tile * BM // BN * BN
    else:
        limit = tl.zeros((BM,), tl.int32) + keys
        last = keys
        unmasked = keys // BN * BN
    acc = tl.zeros((BM, DEPTH), tl.float32)
    acc = past_keys(
        q_tile, do_tile, acc, k_head, v_head, row_lse, row_delta, 0, unmasked, limit, scale,
        BN, False,
    )  # fmt: skip
    acc = past_keys(
        q_tile, do_tile, acc, k_head, v_head, row_lse, row_delta, unmasked, last, limit, scale,
        BN, True,
    )  # fmt: skip
    at = (head * queries + row)[:, None] * DEPTH + tl.arange(0, DEPTH)
    tl.store(dq + at, (acc * dq_scale).to(q_tile.dtype), (row < queries)[:, None])


# --8<-- [end:queries]


# --8<-- [start:host]
# Depth -> tile and launch options of each kernel: the fastest of a dozen on an H200.
FORWARD = {
    128: {"BM": 64, "BN": 64, "num_warps": 4, "num_stages": 3},
    64: {"BM": 64, "BN": 128, "num_warps": 4, "num_stages": 2},
}
KEYS = {
    128: {"BM": 64, "BN": 64, "num_warps": 4, "num_stages": 2},
    64: {"BM": 128, "BN": 64, "num_warps": 4, "num_stages": 2},
}
QUERIES = {"BM": 64, "BN": 64, "num_warps": 4, "num_stages": 2}


def scratch(size, alignment, stream):
    """Give Triton the memory in which the kernels write their descriptors."""
    return torch.empty(size, device="cuda", dtype=torch.int8)


def sizes(q, k, v, causal):
    """Return the numbers that all kernels take. Raises ValueError where shapes do not fit."""
    (batch, heads, queries, depth), keys = q.shape, k.shape[2]
    if k.shape != v.shape or k.shape[0] != batch or k.shape[3] != depth or heads % k.shape[1]:
        raise ValueError(f"q {q.shape}, k {k.shape} and v {v.shape} do not belong together")
    if depth not in (64, 128):
        raise ValueError(f"head dimension {depth}: 64 or 128 wanted")
    if causal and queries != keys:
        raise ValueError(f"a causal mask of {queries} queries and {keys} keys")
    return queries, keys, heads // k.shape[1], 1 / (math.log(2) * math.sqrt(depth))


def forward(q, k, v, causal=False):
    """Return (attention, lse): what the backward pass needs of the forward pass."""
    batch, heads, queries, depth = q.shape
    numbers = sizes(q, k, v, causal)
    triton.set_allocator(scratch)
    out = torch.empty_like(q)
    lse = torch.empty(q.shape[:3], device=q.device, dtype=torch.float32)
    options = FORWARD[depth]
    grid = (triton.cdiv(queries, options["BM"]), batch * heads)
    forward_kernel[grid](q, k, v, out, lse, *numbers, DEPTH=depth, CAUSAL=causal, **options)
    return out, lse


def backward(q, k, v, out, lse, d_out, causal=False):
    """Return the gradients (dq, dk, dv) for contiguous tensors, given that of the output."""
    batch, heads, queries, depth = q.shape
    queries, keys, group, scale = numbers = sizes(q, k, v, causal)
    triton.set_allocator(scratch)
    dq, dk, dv, delta = (torch.empty_like(x) for x in (q, k, v, lse))
    grid = (triton.cdiv(queries, 64), batch * heads)
    delta_kernel[grid](out, d_out, delta, queries, DEPTH=depth, BM=64)
    common = {"DEPTH": depth, "CAUSAL": causal}
    options = KEYS[depth]
    grid = (triton.cdiv(keys, options["BN"]), batch * heads // group)
    keys_kernel[grid](
        q, k, v, d_out, lse, delta, dk, dv, *numbers, depth**-0.5, **common, **options
    )
    grid = (triton.cdiv(queries, QUERIES["BM"]), batch * heads)
    queries_kernel[grid](q, k, v, d_out, lse, delta, dq, *numbers, depth**-0.5, **common, **QUERIES)
    return dq, dk, dv


class Flash(torch.autograd.Function):
    """Attention with its gradients, for PyTorch's autograd."""

    @staticmethod
    def forward(context, q, k, v, causal):
        q, k, v = q.contiguous(), k.contiguous(), v.contiguous()
        out, lse = forward(q, k, v, causal)
        context.save_for_backward(q, k, v, out, lse)
        context.causal = causal
        return out

    @staticmethod
    def backward(context, d_out):
        return *backward(*context.saved_tensors, d_out.contiguous(), context.causal), None


def flash(q, k, v, causal=False):
    """Return softmax(q @ k.T / sqrt(depth)) @ v for CUDA tensors, with gradients.

    q is (batch, heads, queries, depth), k and v are (batch, shared heads, keys, depth), all of
    float16 or bfloat16. Raises ValueError where these do not belong together.

    --8<-- [start:example]
    >>> q = torch.randn(2, 6, 1000, 64, device="cuda", dtype=torch.float16, requires_grad=True)
    >>> k, v = torch.randn(2, 2, 2, 1000, 64, device="cuda", dtype=torch.float16)  # 2 for 6 heads
    >>> d_out = torch.randn_like(q)
    >>> flash(q, k, v, causal=True).backward(d_out)
    >>> exact = q.detach().double().requires_grad_()
    >>> torch.nn.functional.scaled_dot_product_attention(
    ...     exact, k.double(), v.double(), is_causal=True, enable_gqa=True
    ... ).backward(d_out.double())
    >>> bool((q.grad - exact.grad).norm() < 0.002 * exact.grad.norm())
    True

    --8<-- [end:example]
    """
    return Flash.apply(q, k, v, causal)


# --8<-- [end:host]

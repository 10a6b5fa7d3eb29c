"""FlashAttention forward in Triton: a program takes a tile of queries past all keys."""

# --8<-- [start:imports]
import math

import torch
import triton
import triton.language as tl

# --8<-- [end:imports]


# --8<-- [start:step]
@triton.jit
def steps(
    q, k, v, acc, row_max, row_sum, first, last, limit, scale,
    BN: tl.constexpr, MASKED: tl.constexpr,
):  # fmt: skip
    """Take the tile q past keys first to last - 1; row i sees those before limit[i]."""
    column = tl.arange(0, BN)
    for start in range(first, last, BN):
        scores = tl.dot(q, k.load([start, 0]).T)
        if MASKED:
            scores = tl.where(start + column < limit[:, None], scores, -float("inf"))
        new_max = tl.maximum(row_max, tl.max(scores, 1) * scale)
        weights = tl.math.exp2(scores * scale - new_max[:, None])
        alpha = tl.math.exp2(row_max - new_max)
        row_sum = row_sum * alpha + tl.sum(weights, 1)
        acc = tl.dot(weights.to(q.dtype), v.load([start, 0]), acc * alpha[:, None])
        row_max = new_max
    return acc, row_max, row_sum


# --8<-- [end:step]


# --8<-- [start:kernel]
@triton.jit
def flash_kernel(
    q, k, v, out, queries, keys, group, scale,
    DEPTH: tl.constexpr, CAUSAL: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
):  # fmt: skip
    """out = softmax(q @ k.T) @ v for q (heads, queries, DEPTH); ``group`` heads share k and v."""
    tile, head = tl.program_id(0), tl.program_id(1).to(tl.int64)
    if CAUSAL:
        tile = tl.num_programs(0) - 1 - tile  # the longest first
    # A descriptor of one head: rows past its end are zeros on loads, and left out on stores.
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


# --8<-- [end:kernel]


# --8<-- [start:host]
def scratch(size, alignment, stream):
    """Give Triton the memory in which the kernel writes its descriptors."""
    return torch.empty(size, device="cuda", dtype=torch.int8)


# Depth -> tile and launch options: the fastest of a dozen on an H200.
BEST = {
    128: {"BM": 64, "BN": 64, "num_warps": 4, "num_stages": 3},
    64: {"BM": 64, "BN": 128, "num_warps": 4, "num_stages": 2},
}


def flash_triton(q, k, v, causal=False, out=None, **options):
    """Return softmax(q @ k.T / sqrt(depth)) @ v for CUDA tensors of float16 or bfloat16.

    q is (batch, heads, queries, depth), k and v are (batch, shared heads, keys, depth). Raises
    ValueError where these do not belong together.

    --8<-- [start:example]
    >>> q = torch.randn(2, 6, 1000, 64, device="cuda", dtype=torch.float16)
    >>> k, v = torch.randn(2, 2, 2, 1000, 64, device="cuda", dtype=torch.float16)  # 2 for 6 heads
    >>> got = flash_triton(q, k, v, causal=True)
    >>> right = torch.nn.functional.scaled_dot_product_attention(
    ...     q.double(), k.double(), v.double(), is_causal=True, enable_gqa=True
    ... )
    >>> bool((got - right).norm() < 0.002 * right.norm())
    True

    --8<-- [end:example]
    """
    (batch, heads, queries, depth), keys = q.shape, k.shape[2]
    if k.shape != v.shape or k.shape[0] != batch or k.shape[3] != depth or heads % k.shape[1]:
        raise ValueError(f"q {q.shape}, k {k.shape} and v {v.shape} do not belong together")
    if depth not in (64, 128) or (causal and queries != keys):
        raise ValueError(f"depth {depth}, {queries} queries, {keys} keys: see the docstring")
    triton.set_allocator(scratch)
    q, k, v = q.contiguous(), k.contiguous(), v.contiguous()
    out = torch.empty_like(q) if out is None else out
    options = BEST[depth] | options
    grid = (triton.cdiv(queries, options["BM"]), batch * heads)
    scale = 1 / (math.log(2) * math.sqrt(depth))  # the kernel takes powers of 2
    flash_kernel[grid](
        q, k, v, out, queries, keys, heads // k.shape[1], scale,
        DEPTH=depth, CAUSAL=causal, **options,
    )  # fmt: skip
    return out


# --8<-- [end:host]

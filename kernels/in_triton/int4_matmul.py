"""Products with 4-bit weights in Triton: unpacked for the tensor cores, group by group."""

# --8<-- [start:imports]
import functools

import torch
import triton
import triton.language as tl

# --8<-- [end:imports]


# fmt: off
# --8<-- [start:kernel]
@triton.jit
def int4_matmul_kernel(
    x, words, scales, parts, tickets, y, m, n, k,
    BM: tl.constexpr, BN: tl.constexpr, HALF: tl.constexpr, SPLIT: tl.constexpr
):
    """Make a tile of (x @ weights.T).T, so that the weights are the left operand of the product.

    Byte b of a group holds weight b in its low half and weight b + HALF in its high half. Each of
    SPLIT programs adds up its stretch of the groups; the last to end adds up their ``parts``, and
    leaves the tile's ticket as it was: 0.
    """
    rows = tl.program_id(1) * BM + tl.arange(0, BM)  # of x: tokens
    columns = tl.program_id(0) * BN + tl.arange(0, BN)  # of y: rows of the weights
    stretch = tl.program_id(2)
    byte = tl.arange(0, HALF)
    in_x, in_y = rows[None, :] < m, (rows[None, :] < m) & (columns[:, None] < n)
    x_at = x + rows[None, :].to(tl.int64) * k + byte[:, None]
    there = tl.minimum(columns, n - 1)  # in place of a mask, which would cost each load
    words_at = words + there[:, None].to(tl.int64) * (k // 2) + byte[None, :]
    groups = k // (2 * HALF)
    scales_at = scales + there * groups
    sums = tl.zeros((BN, BM), tl.float32)
    for group in range(stretch * groups // SPLIT, (stretch + 1) * groups // SPLIT):
        pairs = tl.load(words_at + group * HALF, eviction_policy="evict_first")
        scale = tl.load(scales_at + group).to(tl.float32)
        low = tl.load(x_at + group * 2 * HALF, mask=in_x, other=0)
        high = tl.load(x_at + group * 2 * HALF + HALF, mask=in_x, other=0)
        part = tl.dot(((pairs & 15).to(tl.int8) - 8).to(tl.bfloat16), low)
        part = tl.dot(((pairs >> 4).to(tl.int8) - 8).to(tl.bfloat16), high, part)
        sums += part * scale[:, None]
    at = rows[None, :].to(tl.int64) * n + columns[:, None]
    if SPLIT == 1:
        tl.store(y + at, sums.to(tl.bfloat16), mask=in_y)
    else:
        tl.store(parts + stretch.to(tl.int64) * m * n + at, sums, mask=in_y)
        tl.debug_barrier()  # all threads of this program have stored
        ticket = tickets + tl.program_id(1) * tl.num_programs(0) + tl.program_id(0)
        if tl.atomic_add(ticket, 1, sem="acq_rel") == SPLIT - 1:
            sums = tl.zeros((BN, BM), tl.float32)
            for other in range(SPLIT):  # in order: each run gives the same sum
                its = parts + other * m * n + at
                sums += tl.load(its, mask=in_y, other=0, cache_modifier=".cg")
            tl.store(y + at, sums.to(tl.bfloat16), mask=in_y)
            tl.store(ticket, 0)


# --8<-- [end:kernel]
# fmt: on


# --8<-- [start:unpack]
@triton.jit
def int4_unpack_kernel(words, scales, weights, k, HALF: tl.constexpr, GROUPS: tl.constexpr):
    """Write some groups of a row of weights as bfloat16."""
    row, group = tl.program_id(0), tl.program_id(1) * GROUPS + tl.arange(0, GROUPS)
    byte = tl.arange(0, HALF)
    inside = group[:, None] < k // (2 * HALF)
    at = row.to(tl.int64) * (k // 2) + group[:, None] * HALF + byte[None, :]
    pairs = tl.load(words + at, mask=inside, other=0)
    scale = tl.load(scales + row * (k // (2 * HALF)) + group, mask=group < k // (2 * HALF), other=0)
    scale = scale.to(tl.float32)[:, None]
    out = weights + row.to(tl.int64) * k + group[:, None] * (2 * HALF) + byte[None, :]
    low, high = (pairs & 15).to(tl.float32) - 8, (pairs >> 4).to(tl.float32) - 8
    tl.store(out, (low * scale).to(tl.bfloat16), mask=inside)
    tl.store(out + HALF, (high * scale).to(tl.bfloat16), mask=inside)


# --8<-- [end:unpack]


# --8<-- [start:host]
HALF = 64  # bytes of a group of 128 weights
TILES = {  # by tokens: BM, BN, SPLIT, warps, stages
    16: (16, 64, 4, 4, 3),
    64: (64, 64, 4, 4, 3),
    128: (128, 64, 1, 4, 4),
}


@functools.cache
def room(stream, parts, tickets):
    """Return room for sums, and tickets of 0. Launches that may overlap must not share them."""
    options = {"device": stream.device}
    return torch.empty(parts, **options), torch.zeros(tickets, dtype=torch.int32, **options)


def int4_linear(x, words, scales, out=None):
    """Return x @ weights.T in bfloat16: words uint8 (n, k / 2), scales bfloat16 (n, k / 128).

    --8<-- [start:example]
    >>> _ = torch.manual_seed(7)
    >>> words = torch.randint(0, 256, (70, 128), dtype=torch.uint8, device="cuda")
    >>> scales = torch.rand(70, 2, device="cuda").bfloat16()
    >>> x = torch.randn(5, 256, device="cuda").bfloat16()
    >>> exact = x.double() @ int4_weights(words, scales).double().T
    >>> bool((int4_linear(x, words, scales) - exact).norm() < 4e-3 * exact.norm())
    True

    --8<-- [end:example]
    """
    (m, k), n = x.shape, len(words)
    y = torch.empty((m, n), dtype=torch.bfloat16, device=x.device) if out is None else out
    BM, BN, SPLIT, warps, stages = TILES[16 if m <= 16 else 64 if m <= 64 else 128]
    grid = triton.cdiv(n, BN), triton.cdiv(m, BM), SPLIT
    stream, sums = torch.cuda.current_stream(x.device), (None, None)
    if SPLIT > 1:
        sums = room(stream, SPLIT * BM * grid[1] * n, grid[0] * grid[1])
    sizes = m, n, k, BM, BN, HALF, SPLIT
    int4_matmul_kernel[grid](x, words, scales, *sums, y, *sizes, num_warps=warps, num_stages=stages)
    return y


def int4_weights(words, scales, out=None):
    """Return the weights that words and scales stand for, in bfloat16."""
    n, k = len(words), 2 * words.shape[1]
    weights = torch.empty((n, k), dtype=torch.bfloat16, device=words.device) if out is None else out
    int4_unpack_kernel[n, triton.cdiv(k, 16 * 2 * HALF)](words, scales, weights, k, HALF, 16)
    return weights


# --8<-- [end:host]

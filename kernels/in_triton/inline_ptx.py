"""Inline PTX in Triton: a cache-hinted load, element by element, and what a warp's lanes share."""

# --8<-- [start:imports]
import torch
import triton
import triton.language as tl

# --8<-- [end:imports]


# --8<-- [start:kernel]
@triton.jit
def load_once(pointers):
    """Return what the pointers show, by DeepSeek's load. It takes no mask."""
    return tl.inline_asm_elementwise(
        "ld.global.nc.L1::no_allocate.L2::256B.b32 $0, [$1];", "=r,l", [pointers],
        dtype=tl.int32, is_pure=False, pack=1,
    )  # fmt: skip


@triton.jit
def lookup_kernel(codes, table, out, rounds, HINT: tl.constexpr, BLOCK: tl.constexpr):
    """Add up table[code] over ``rounds`` blocks of codes, a stride of the grid apart."""
    total = tl.zeros((BLOCK,), tl.float32)
    for turn in range(rounds):
        block = (turn * tl.num_programs(0) + tl.program_id(0)).to(tl.int64)
        place = codes + block * BLOCK + tl.arange(0, BLOCK)
        if HINT == "asm":
            code = load_once(place)
        elif HINT == "policy":
            code = tl.load(place, eviction_policy="evict_first")
        else:
            code = tl.load(place)
        total += tl.load(table + code)
    tl.store(out + tl.program_id(0), tl.sum(total))


# --8<-- [end:kernel]


# --8<-- [start:host]
def lookup_triton(codes, table, hint="asm", block=4096, programs=264):
    """Return the sum of table[code]; the number of codes is a multiple of block * programs.

    --8<-- [start:example]
    >>> codes = torch.randint(0, 1000, (3 * 264 * 4096,), device="cuda", dtype=torch.int32)
    >>> table = torch.arange(1000, device="cuda", dtype=torch.float32)
    >>> for hint in ("asm", "policy", "none"):
    ...     print(abs(lookup_triton(codes, table, hint) / codes.sum(dtype=torch.int64) - 1) < 1e-6)
    tensor(True, device='cuda:0')
    tensor(True, device='cuda:0')
    tensor(True, device='cuda:0')

    --8<-- [end:example]
    """
    rounds, left = divmod(codes.numel(), block * programs)
    if left:
        raise ValueError(f"{codes.numel()} codes: not a multiple of {block} * {programs}")
    out = torch.empty(programs, device="cuda")
    lookup_kernel[(programs,)](
        codes, table, out, rounds, HINT=hint, BLOCK=block, num_warps=32,
    )  # fmt: skip
    return out.sum(dtype=torch.float64)


# --8<-- [end:host]


# --8<-- [start:match]
@triton.jit
def peers_kernel(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    peers = tl.inline_asm_elementwise(
        "match.any.sync.b32 $0, $1, 0xffffffff;", "=r,r", [tl.load(x + i)],
        dtype=tl.int32, is_pure=False, pack=1,
    )  # fmt: skip
    tl.store(out + i, peers)


# --8<-- [end:match]


def _match():
    """
    --8<-- [start:match_example]
    >>> x = torch.arange(256, device="cuda", dtype=torch.int32) // 2  # 0 0 1 1 2 2 ...
    >>> out = torch.empty_like(x)
    >>> for warps in (1, 8):  # whom do the first four elements meet?
    ...     _ = peers_kernel[(1,)](x, out, BLOCK=256, num_warps=warps)
    ...     print([hex(peers) for peers in out[:4].tolist()])
    ['0x1', '0x1', '0x1', '0x1']
    ['0x3', '0x3', '0xc', '0xc']

    --8<-- [end:match_example]
    """

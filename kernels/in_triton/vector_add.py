"""Vector addition in Triton: a program adds a block of numbers."""

# --8<-- [start:imports]
import torch
import triton
import triton.language as tl

# --8<-- [end:imports]


# --8<-- [start:kernel]
@triton.jit
def add_kernel(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    total = tl.load(x + i, mask=inside) + tl.load(y + i, mask=inside)
    tl.store(out + i, total, mask=inside)


# --8<-- [end:kernel]


# --8<-- [start:host]
def add(x, y, block=1024):
    """Return ``x + y`` for CUDA tensors of one shape and type.

    --8<-- [start:example]
    >>> x = torch.arange(1_000_003, device="cuda", dtype=torch.float32)
    >>> add(x, x)[-3:].tolist()
    [2000000.0, 2000002.0, 2000004.0]

    --8<-- [end:example]
    """
    if x.shape != y.shape or x.dtype != y.dtype:
        raise ValueError(f"{x.shape} {x.dtype} and {y.shape} {y.dtype} differ")
    x, y = x.contiguous(), y.contiguous()
    out = torch.empty_like(x)
    add_kernel[(triton.cdiv(x.numel(), block),)](x, y, out, x.numel(), BLOCK=block)
    return out


# --8<-- [end:host]

"""Wrong: the load has no mask, so the lanes past a row's end see the beginning of the next."""

import torch
import triton
import triton.language as tl


# --8<-- [start:kernel]
@triton.jit
def no_mask_kernel(x, out, columns, BLOCK: tl.constexpr):
    row, column = tl.program_id(0).to(tl.int64), tl.arange(0, BLOCK)
    score = tl.load(x + row * columns + column)  # no mask
    power = tl.exp(score - tl.max(score, axis=0))
    inside = column < columns
    tl.store(out + row * columns + column, power / tl.sum(power, axis=0), mask=inside)


# --8<-- [end:kernel]


def _example():
    """
    --8<-- [start:example]
    >>> x = torch.randn(9, 1000, device="cuda")
    >>> out = torch.empty(8, 1000, device="cuda")
    >>> _ = no_mask_kernel[(8,)](x, out, 1000, BLOCK=1024)  # the ninth row is only read
    >>> out.sum(dim=1).max().item() < 0.999  # what should be 1 for each row
    True

    --8<-- [end:example]
    """
    return torch

"""The exercise of FlashAttention in Triton: the mask of sliding-window attention."""

import torch


# --8<-- [start:mask]
def window_mask(length, window):
    """Return (length, length) of bool: row i sees keys i - window + 1 to i."""
    causal = torch.ones(length, length, dtype=torch.bool).tril()
    return causal & ~causal.tril(-window)


# --8<-- [end:mask]


def _example():
    """
    --8<-- [start:example]
    >>> window_mask(5, 2).int()
    tensor([[1, 0, 0, 0, 0],
            [1, 1, 0, 0, 0],
            [0, 1, 1, 0, 0],
            [0, 0, 1, 1, 0],
            [0, 0, 0, 1, 1]], dtype=torch.int32)

    --8<-- [end:example]
    """

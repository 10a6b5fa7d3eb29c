"""2:4 sparsity in PyTorch, which hands the product to cuSPARSELt."""

# --8<-- [start:torch]
import torch
from torch.sparse import to_sparse_semi_structured  # noqa: F401


def prune_torch(w):
    """Return a matrix with the two smallest of each four neighbors of a row set to zero."""
    fours = w.reshape(-1, 4)
    kept = fours.abs().topk(2, dim=1).indices
    return torch.zeros_like(fours).scatter_(1, kept, fours.gather(1, kept)).reshape(w.shape)


# --8<-- [end:torch]


def _example():
    """
    --8<-- [start:example]
    >>> w = torch.randn(256, 512, device="cuda", dtype=torch.float16)
    >>> x = torch.randn(512, 128, device="cuda", dtype=torch.float16)
    >>> pruned = prune_torch(w)
    >>> sparse = to_sparse_semi_structured(pruned)
    >>> bool(torch.allclose(sparse @ x, pruned @ x, rtol=1e-2, atol=1e-1))
    True

    --8<-- [end:example]
    """

import math

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.functional import gelu, scaled_dot_product_attention


class Enter(torch.autograd.Function):
    """Into a part that ranks share: nothing forward, an all-reduce of the gradient backward."""

    @staticmethod
    def forward(context, x):
        return x.view_as(x)

    @staticmethod
    def backward(context, gradient):
        gradient = gradient.contiguous()
        dist.all_reduce(gradient)
        return gradient


class Leave(torch.autograd.Function):
    """Out of it: an all-reduce of the partial sums forward, nothing backward."""

    @staticmethod
    def forward(context, x):
        x = x.contiguous()
        dist.all_reduce(x)
        return x

    @staticmethod
    def backward(context, gradient):
        return gradient


class Layer(nn.Module):
    """A layer of a transformer, of which each of ``ranks`` holds a part. Biases are left out."""

    def __init__(self, width, heads, ranks=1, rank=0, device="cpu"):
        super().__init__()
        self.heads, self.ranks, self.rank = heads // ranks, ranks, rank
        self.norm_1, self.norm_2 = nn.LayerNorm(width), nn.LayerNorm(width)

        def part(rows, columns, axis):
            whole = torch.randn(rows, columns, device=device) / math.sqrt(
                columns
            )  # the same on all ranks
            return nn.Parameter(whole.chunk(ranks, axis)[rank].clone())

        self.q, self.k, self.v = (part(width, width, 0) for _ in range(3))
        self.out = part(width, width, 1)
        self.up, self.down = part(4 * width, width, 0), part(width, 4 * width, 1)

    def forward(self, x):
        enter, leave = (Enter.apply, Leave.apply) if self.ranks > 1 else (nn.Identity(),) * 2
        h = enter(self.norm_1(x))
        shape = *x.shape[:2], self.heads, -1
        q, k, v = ((h @ w.T).view(shape).transpose(1, 2) for w in (self.q, self.k, self.v))
        mixed = scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + leave(mixed.transpose(1, 2).flatten(2) @ self.out.T)
        return x + leave(gelu(enter(self.norm_2(x)) @ self.up.T) @ self.down.T)

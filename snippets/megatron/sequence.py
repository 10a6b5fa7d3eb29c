import os
from datetime import timedelta

import torch
import torch.distributed as dist
from layers import Layer
from torch.nn.functional import gelu, scaled_dot_product_attention

os.environ["NCCL_NVLS_ENABLE"] = "0"  # rings and trees only
rank, ranks = int(os.environ["LOCAL_RANK"]), int(os.environ["WORLD_SIZE"])
device = "cuda" if torch.cuda.device_count() >= ranks else "cpu"
if device == "cuda":
    torch.cuda.set_device(rank)
dist.init_process_group("nccl" if device == "cuda" else "gloo", timeout=timedelta(seconds=60))
BATCH, LENGTH, WIDTH, HEADS = (2, 4096, 2048, 16) if device == "cuda" else (2, 12, 64, 4)


def gather(mine):
    """All tokens, from each rank's own: they are the first axis."""
    whole = mine.new_empty(ranks * len(mine), *mine.shape[1:])
    dist.all_gather_into_tensor(whole, mine.contiguous())
    return whole


def reduce_scatter(partial):
    """The sum over all ranks, of this rank's own tokens."""
    mine = partial.new_empty(len(partial) // ranks, *partial.shape[1:])
    dist.reduce_scatter_tensor(mine, partial.contiguous())
    return mine


class Products(torch.autograd.Function):
    """All tokens times some weights. What is kept for the backward pass is our own tokens."""

    @staticmethod
    def forward(context, mine, *weights):
        context.save_for_backward(mine, *weights)
        whole = gather(mine)
        return tuple(whole @ w.T for w in weights)

    @staticmethod
    def backward(context, *gradients):
        mine, *weights = context.saved_tensors
        whole = gather(mine).flatten(0, 1)  # once more, and not kept in between
        into_tokens = sum(g @ w for g, w in zip(gradients, weights, strict=True))
        return reduce_scatter(into_tokens), *(g.flatten(0, 1).T @ whole for g in gradients)


class Leave(torch.autograd.Function):
    """The sum of all ranks' partial products, of which each rank gets its own tokens."""

    @staticmethod
    def forward(context, partial):
        return reduce_scatter(partial)

    @staticmethod
    def backward(context, gradient):
        return gather(gradient)


class SequenceLayer(Layer):
    """The tensor parallel layer, on this rank's own tokens wherever it treats them alone."""

    def forward(self, x):  # tokens, sequences, width
        products = Products.apply(self.norm_1(x), self.q, self.k, self.v)
        q, k, v = (p.unflatten(2, (self.heads, -1)).permute(1, 2, 0, 3) for p in products)
        mixed = scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + Leave.apply(mixed.permute(2, 0, 1, 3).flatten(2) @ self.out.T)
        (up,) = Products.apply(self.norm_2(x), self.up)
        return x + Leave.apply(gelu(up) @ self.down.T)


def made(kind, *part):
    torch.manual_seed(0)
    return kind(WIDTH, HEADS, *part, device=device).to(device)


def off(ours, right):
    ours, right = ours.detach().double(), right.detach().double()
    return float((ours - right).norm() / right.norm())


def say(*words):
    if rank == 0:
        print(*words, flush=True)


whole, tensor = made(Layer), made(Layer, ranks, rank)
sequence = made(SequenceLayer, ranks, rank)
torch.manual_seed(1)
x = torch.randn(BATCH, LENGTH, WIDTH, device=device)
share = x.transpose(0, 1).chunk(ranks)[rank].contiguous()  # this rank's tokens
x.requires_grad_()
share.requires_grad_()
right, mine = whole(x), sequence(share)
for y in (right, mine):
    (y * y).sum().backward()
expected = x.grad.transpose(0, 1).chunk(ranks)[rank]
errors = [off(mine, right.transpose(0, 1).chunk(ranks)[rank]), off(share.grad, expected)]
for (name, p), (_, q) in zip(whole.named_parameters(), sequence.named_parameters(), strict=True):
    axis = 1 if name in ("out", "down") else 0
    if p.shape == q.shape:
        dist.all_reduce(q.grad)  # a norm has seen our own tokens only
        errors.append(off(q.grad, p.grad))
    else:
        errors.append(off(q.grad, p.grad.chunk(ranks, axis)[rank]))
worst = torch.tensor(max(errors), device=device)
dist.all_reduce(worst, op=dist.ReduceOp.MAX)
assert worst < 1e-4, worst
say(f"sequence parallel, {ranks} ranks: off by at most {worst.item():.0e}")


def measure(layer, x, rounds=10):
    """What a forward pass keeps beside x, in sizes of a sequence, and the median step in ms."""
    times = []
    for _ in range(3 + rounds):
        dist.barrier()
        torch.cuda.synchronize()
        before = torch.cuda.memory_allocated()
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        y = layer(x)
        kept = torch.cuda.memory_allocated() - before - y.nbytes
        y.backward(torch.ones_like(y))
        end.record()
        end.synchronize()
        times.append(start.elapsed_time(end))
        del y
    slower = torch.tensor(times[3:], device=device)
    dist.all_reduce(slower, op=dist.ReduceOp.MAX)
    return kept / (4 * LENGTH * WIDTH), slower.median().item()


if device == "cuda":
    torch.set_float32_matmul_precision("high")
    for name, layer, tokens, count in (
        ("tensor", tensor, x[:1], 3 + 12 / ranks),
        ("sequence", sequence, share[:, :1], 15 / ranks),
    ):
        kept, ms = measure(layer, tokens.detach().requires_grad_())
        say(f"{name:8}: keeps {kept:.2f} sequences, by count {count:g}; a step takes {ms:.2f} ms")
dist.destroy_process_group()

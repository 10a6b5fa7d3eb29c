import math
import os
from collections import deque
from datetime import timedelta

import torch
import torch.distributed as dist
from layers import Layer
from torch import nn
from torch.nn.functional import scaled_dot_product_attention

os.environ["NCCL_NVLS_ENABLE"] = "0"  # rings and trees only
rank, ranks = int(os.environ["LOCAL_RANK"]), int(os.environ["WORLD_SIZE"])
device = "cuda" if torch.cuda.device_count() >= ranks else "cpu"
if device == "cuda":
    torch.cuda.set_device(rank)
limit = timedelta(seconds=60)
dist.init_process_group("nccl" if device == "cuda" else "gloo", timeout=limit)
ahead, back = dist.new_group(timeout=limit), dist.new_group(timeout=limit)
BIG = device == "cuda"


def off(ours, right):
    ours, right = ours.detach().double(), right.detach().double()
    return float((ours - right).norm() / right.norm())


def say(what, worst):
    """Print the error of the rank that is furthest off, and stop where that is too far."""
    worst = torch.tensor(worst, device=device)
    dist.all_reduce(worst, op=dist.ReduceOp.MAX)
    assert worst < 1e-4, (what, worst)
    if rank == 0:
        print(f"{what}, {ranks} ranks: off by at most {worst.item():.0e}", flush=True)


def pass_on(*arrays):
    """Send arrays to the next rank, and return those that came from the one before."""
    sent = torch.stack(arrays)
    came = torch.empty_like(sent)
    pair = [
        dist.P2POp(dist.isend, sent, (rank + 1) % ranks),
        dist.P2POp(dist.irecv, came, (rank - 1) % ranks),
    ]
    for work in dist.batch_isend_irecv(pair):
        work.wait()
    return came.unbind()


class RingAttention(torch.autograd.Function):
    """Causal attention over a sequence of which each rank has a stretch: [batch, head, place, d]"""

    @staticmethod
    def scores(q, k, owner):
        scores = q @ k.mT / math.sqrt(q.shape[-1])
        if owner == rank:  # earlier stretches are seen whole, later ones not at all
            scores += torch.full_like(scores, -math.inf).triu(1)
        return scores

    @staticmethod
    def forward(context, q, k, v):
        my_k, my_v = k, v
        shape = *q.shape[:-1], 1
        acc, total, top = torch.zeros_like(q), q.new_zeros(shape), q.new_full(shape, -math.inf)
        for step in range(ranks):
            owner = (rank - step) % ranks  # whose keys are here
            if owner <= rank:
                scores = RingAttention.scores(q, k, owner)
                higher = torch.maximum(top, scores.amax(-1, keepdim=True))
                alpha, powers = (top - higher).exp(), (scores - higher).exp()
                total = total * alpha + powers.sum(-1, keepdim=True)
                acc, top = acc * alpha + powers @ v, higher
            if step < ranks - 1:
                k, v = pass_on(k, v)
        out = acc / total
        context.save_for_backward(q, my_k, my_v, out, top + total.log())
        return out

    @staticmethod
    def backward(context, d_out):
        q, k, v, out, log_sum = context.saved_tensors
        d_q, d_k, d_v = (torch.zeros_like(x) for x in (q, k, v))
        own = (d_out * out).sum(-1, keepdim=True)
        for step in range(ranks):
            owner = (rank - step) % ranks
            if owner <= rank:
                weights = (RingAttention.scores(q, k, owner) - log_sum).exp()
                d_scores = weights * (d_out @ v.mT - own) / math.sqrt(q.shape[-1])
                d_q += d_scores @ k
                d_k, d_v = d_k + d_scores.mT @ q, d_v + weights.mT @ d_out
            k, v, d_k, d_v = pass_on(k, v, d_k, d_v)
        return d_q, d_k, d_v  # after a whole round each gradient is at home again


def context_parallel():
    torch.manual_seed(2)
    shape = (2, 8, 512 * ranks, 64) if BIG else (1, 2, 8 * ranks, 4)
    whole = [torch.randn(shape).to(device).requires_grad_() for _ in range(3)]
    d_out = torch.randn(shape).to(device)
    mine = [x.detach().chunk(ranks, 2)[rank].clone().requires_grad_() for x in whole]
    right = scaled_dot_product_attention(*whole, is_causal=True)
    right.backward(d_out)
    out = RingAttention.apply(*mine)
    out.backward(d_out.chunk(ranks, 2)[rank])
    pairs = [(out, right), *((a.grad, b.grad) for a, b in zip(mine, whole, strict=True))]
    say("ring attention", max(off(ours, r.chunk(ranks, 2)[rank]) for ours, r in pairs))


class Exchange(torch.autograd.Function):
    """All-to-all of rows: ``out`` to each rank, ``into`` from each; gradients go the other way."""

    @staticmethod
    def forward(context, x, out, into):
        context.cuts = out, into
        came = x.new_empty(sum(into), x.shape[1])
        dist.all_to_all_single(came, x.contiguous(), into, out)
        return came

    @staticmethod
    def backward(context, gradient):
        out, into = context.cuts
        return Exchange.apply(gradient, into, out), None, None


class Experts(nn.Module):
    """A mixture of experts, of which each of ``ranks`` has some; a token goes to one of them."""

    def __init__(self, width, count, ranks=1, rank=0):
        super().__init__()
        torch.manual_seed(3)
        self.router = nn.Parameter(torch.randn(width, count, device=device) / width**0.5)
        ups = torch.randn(count, width, 4 * width, device=device) / width**0.5
        downs = torch.randn(count, 4 * width, width, device=device) / (4 * width) ** 0.5
        self.up, self.down = (nn.Parameter(w.chunk(ranks)[rank].clone()) for w in (ups, downs))
        self.ranks, self.first = ranks, rank * (count // ranks)

    def forward(self, x):
        scores = x @ self.router
        best, choice = scores.max(1)
        order = choice.argsort(stable=True)  # tokens of one rank's experts, side by side
        tokens, names = x[order], choice[order]
        if self.ranks > 1:
            here = len(self.up)
            out = torch.bincount(names // here, minlength=self.ranks)
            into = torch.empty_like(out)
            dist.all_to_all_single(into, out)
            out, into = out.tolist(), into.tolist()
            tokens = Exchange.apply(tokens, out, into)
            names = Exchange.apply(names[:, None].double(), out, into)[:, 0].long()
        result = torch.zeros_like(tokens)
        for number, (up, down) in enumerate(zip(self.up, self.down, strict=True)):
            chosen = (names == self.first + number).nonzero()[:, 0]
            result = result.index_add(0, chosen, (tokens[chosen] @ up).relu() @ down)
        self.got = len(tokens)
        if self.ranks > 1:
            result = Exchange.apply(result, into, out)
        return torch.zeros_like(x).index_copy(0, order, result) * best.sigmoid()[:, None]


def expert_parallel():
    width, count, tokens = (512, 2 * ranks, 1024) if BIG else (8, 2 * ranks, 10)
    whole, mine = Experts(width, count), Experts(width, count, ranks, rank)
    x = torch.randn(tokens * ranks, width).to(device)
    x_whole, x_mine = x.clone().requires_grad_(), x.chunk(ranks)[rank].clone().requires_grad_()
    y_whole, y_mine = whole(x_whole), mine(x_mine)
    for y in (y_whole, y_mine):
        (y * y).sum().backward()
    dist.all_reduce(mine.router.grad)  # each rank has the router whole, and a part of the tokens
    pairs = [(y_mine, y_whole.chunk(ranks)[rank]), (x_mine.grad, x_whole.grad.chunk(ranks)[rank])]
    pairs += [
        (w.grad, r.grad.chunk(ranks)[rank])
        for w, r in ((mine.up, whole.up), (mine.down, whole.down))
    ]
    say("experts", max(off(*pair) for pair in [*pairs, (mine.router.grad, whole.router.grad)]))
    got = torch.tensor([mine.got], device=device)
    shares = [torch.empty_like(got) for _ in range(ranks)]
    dist.all_gather(shares, got)
    if rank == 0:
        print(f"tokens for the experts of each rank: {[int(share) for share in shares]}")


def interleaved(micro, chunks):
    """This rank's work: ("F" or "B", micro-batch, chunk), for a multiple of ranks micro-batches."""

    def order(kind):
        for group in range(0, micro, ranks):
            for chunk in range(chunks) if kind == "F" else reversed(range(chunks)):
                yield from ((kind, group + m, chunk) for m in range(ranks))

    forward, backward = deque(order("F")), deque(order("B"))
    first = min(2 * (ranks - rank - 1) + (chunks - 1) * ranks, len(forward))
    work = [forward.popleft() for _ in range(first)]
    while forward:
        work += [forward.popleft(), backward.popleft()]
    return work + list(backward)


def pipeline(chunks, x, targets):
    """One step. ``chunks``: this rank's pieces of the model; piece c is place c * ranks + rank."""
    last, held, works = len(chunks) * ranks - 1, {}, []
    onward, before = (rank + 1) % ranks, (rank - 1) % ranks
    for kind, m, chunk in interleaved(len(x), len(chunks)):
        place = chunk * ranks + rank
        if kind == "F":
            inputs = x[m]
            if place > 0:
                inputs = torch.empty_like(x[m])
                dist.irecv(inputs, before, group=ahead).wait()
                inputs.requires_grad_()
            output = chunks[chunk](inputs)
            if place < last:
                sent = output.detach().contiguous()
                works.append((dist.isend(sent, onward, group=ahead), sent))
            else:
                output = (output - targets[m]).square().mean() / len(x)
            held[m, chunk] = inputs, output
        else:
            inputs, output = held.pop((m, chunk))
            gradient = None
            if place < last:
                gradient = torch.empty_like(output)
                dist.irecv(gradient, onward, group=back).wait()
            output.backward(gradient)
            if place > 0:
                works.append((dist.isend(inputs.grad, before, group=back), inputs.grad))
    for work, _ in works:
        work.wait()


def build(count, width, heads):
    torch.manual_seed(0)
    return nn.Sequential(*(Layer(width, heads, device=device) for _ in range(count))).to(device)


def milliseconds(work, repeats=5):
    """Return the median time of some calls, on the slowest rank."""
    times = []
    for _ in range(2 + repeats):
        dist.barrier()
        torch.cuda.synchronize()
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        work()
        end.record()
        end.synchronize()
        times.append(start.elapsed_time(end))
    slowest = torch.tensor(sorted(times[2:])[repeats // 2], device=device)
    dist.all_reduce(slowest, op=dist.ReduceOp.MAX)
    return slowest.item()


def pieces():
    """Several pieces of the model on each rank: gradients, and the share of time that idles."""
    layers, width, heads, length = (4 * ranks, 2048, 16, 1024) if BIG else (2 * ranks, 16, 2, 6)
    torch.manual_seed(1)
    x, targets = torch.randn(2, 2 * ranks, length, width).to(device)
    whole = build(layers, width, heads)
    mine = [whole[i : i + layers // (2 * ranks)] for i in range(0, layers, layers // (2 * ranks))]
    whole_loss = sum(
        (whole(a) - b).square().mean() for a, b in zip(x.split(1), targets.split(1), strict=True)
    )
    (whole_loss / len(x)).backward()
    right = [[p.grad.clone() for p in part.parameters()] for part in mine[rank::ranks]]
    whole.zero_grad()
    pipeline(mine[rank::ranks], x.split(1), targets.split(1))
    worst = max(
        off(p.grad, r)
        for part, grads in zip(mine[rank::ranks], right, strict=True)
        for p, r in zip(part.parameters(), grads, strict=True)
    )
    say("interleaved, 2 pieces a rank", worst)
    if not BIG:
        return
    torch.set_float32_matmul_precision("high")
    one = x[:1]

    def alone():  # a rank's share of the layers, forward and backward, without waiting
        output = whole[: layers // ranks](one.detach().requires_grad_())
        output.backward(output.detach())

    busy = milliseconds(lambda: [alone() for _ in range(8)]) / 8
    if rank == 0:
        print(f"a micro-batch on one rank: {busy:.2f} ms")
    for micro in (ranks, 2 * ranks, 4 * ranks):
        line = []
        for count in (1, 2, 4):
            size = layers // (count * ranks)
            parts = [whole[i : i + size] for i in range(0, layers, size)][rank::ranks]
            ms = milliseconds(lambda p=parts, m=micro: pipeline(p, [one] * m, [one] * m))
            formula = (ranks - 1) / (count * micro + ranks - 1)
            line.append(f"{count}: {1 - micro * busy / ms:5.1%} ({formula:5.1%})")
        if rank == 0:
            print(
                f"{micro:>2} micro-batches, idle (by formula), pieces {'   '.join(line)}",
                flush=True,
            )


context_parallel()
expert_parallel()
pieces()
dist.destroy_process_group()

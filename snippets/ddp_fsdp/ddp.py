from functools import partial

import torch
import torch.distributed as dist

MIB = 2**20


class Bucket:
    """Parameters whose gradients travel together. Each gradient is a view of one flat array."""

    def __init__(self, parameters):
        self.parameters, self.work = parameters, None
        first = parameters[0]
        size = sum(p.numel() for p in parameters)
        self.flat = torch.zeros(size, dtype=first.dtype, device=first.device)
        self.views, start = [], 0
        for p in parameters:
            self.views.append(self.flat[start : start + p.numel()].view_as(p))
            start += p.numel()
        self.clear()

    def clear(self):
        self.flat.zero_()
        self.missing = set(self.parameters)
        for p, view in zip(self.parameters, self.views, strict=True):
            p.grad = view  # autograd adds into it, so nothing is copied afterward

    def start(self):
        """Queue the mean over all ranks. It runs on NCCL's own stream, beside the backward pass."""
        self.flat.div_(dist.get_world_size())
        self.work = dist.all_reduce(self.flat, async_op=True)


def in_buckets(parameters, first, others):
    """Yield lists of parameters, last layer first: in the order in which gradients come.

    ``first`` and ``others``: the bytes that close the first bucket and each of the others.
    """
    bucket, size, limit = [], 0, first
    for p in reversed(parameters):
        bucket.append(p)
        size += p.numel() * p.element_size()
        if size >= limit:
            yield bucket
            bucket, size, limit = [], 0, others
    if bucket:
        yield bucket


class DDP(torch.nn.Module):
    """A module whose gradients are, after ``backward``, the mean over all ranks."""

    def __init__(self, module, first=MIB, others=25 * MIB, overlap=True):
        super().__init__()
        self.module, self.overlap, self.next, self.running = module, overlap, 0, False
        for tensor in [*module.parameters(), *module.buffers()]:
            dist.broadcast(tensor.detach(), src=0)  # all ranks begin alike
        learned = [p for p in module.parameters() if p.requires_grad]
        self.buckets = [Bucket(some) for some in in_buckets(learned, first, others)]
        self.hooks = [
            p.register_post_accumulate_grad_hook(partial(self.ready, bucket))
            for bucket in self.buckets
            for p in bucket.parameters
        ]

    def forward(self, *inputs):
        return self.module(*inputs)

    def zero_grad(self):
        for bucket in self.buckets:
            bucket.clear()

    def ready(self, bucket, parameter):
        """Called by autograd when the gradient of one parameter is complete."""
        if parameter not in bucket.missing:
            raise RuntimeError("a second backward pass: call zero_grad of the DDP before it")
        if not self.running:
            self.running = True  # and have finish() called at the end of this backward pass
            torch.autograd.Variable._execution_engine.queue_callback(self.finish)
        bucket.missing.remove(parameter)
        if self.overlap:
            self.start_full_buckets()

    def start_full_buckets(self):
        """In order, whichever is full first: all ranks must make the same calls in one order."""
        while self.next < len(self.buckets) and not self.buckets[self.next].missing:
            self.buckets[self.next].start()
            self.next += 1

    def finish(self):
        self.start_full_buckets()
        done, self.next, self.running = self.next, 0, False
        if done < len(self.buckets):
            names = {p: name for name, p in self.module.named_parameters()}
            lacking = [names[p] for bucket in self.buckets for p in bucket.missing]
            raise RuntimeError(f"no gradient came for {', '.join(sorted(lacking))}")
        for bucket in self.buckets:
            bucket.work.wait()  # the stream of the optimizer waits; the host goes on

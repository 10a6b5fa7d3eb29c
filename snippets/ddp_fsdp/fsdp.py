from functools import partial

import torch
import torch.distributed as dist
from torch import nn


class Unit:
    """The parameters of one layer, of which each rank keeps a part: ``shard``.

    ``full`` is the whole, as one flat array. Its memory exists only while the layer is at work:
    the layer's own parameters are views of it, and stay views while its storage comes and goes.
    """

    def __init__(self, parameters):
        self.parameters, ranks = parameters, dist.get_world_size()
        first, size = parameters[0], sum(p.numel() for p in parameters)
        padded = -(-size // ranks) * ranks  # equal parts, as the collectives want them
        self.full = torch.zeros(padded, dtype=first.dtype, device=first.device)
        self.bytes, self.work, start = self.full.nbytes, None, 0
        for p in parameters:
            view = self.full[start : start + p.numel()].view_as(p)
            view.copy_(p.detach())
            p.data = view
            start += p.numel()
        dist.broadcast(self.full, src=0)  # all ranks begin alike
        self.shard = nn.Parameter(self.full.chunk(ranks)[dist.get_rank()].clone())
        self.present = True
        self.free()
        self.arrived = 0

    def fetch(self):
        """Queue the all-gather of the whole, if it is neither here nor on its way."""
        if not self.present and self.work is None:
            self.full.untyped_storage().resize_(self.bytes)
            # .data: autograd must not take this for a change of what it saved. It is the same.
            self.work = dist.all_gather_into_tensor(
                self.full.data, self.shard.detach(), async_op=True
            )

    def need(self):
        """Let the stream wait until the whole is here."""
        self.fetch()
        if self.work is not None:
            self.work.wait()
            self.work, self.present = None, True

    def free(self):
        if self.present:
            self.full.untyped_storage().resize_(0)
            self.present = False

    def reduce(self):
        """Queue the reduce-scatter: this rank receives the mean of its part of the gradient."""
        ranks = dist.get_world_size()
        flat = torch.cat([p.grad.reshape(-1) for p in self.parameters])
        flat = nn.functional.pad(flat, (0, self.full.numel() - flat.numel())).div_(ranks)
        for p in self.parameters:
            p.grad = None
        mine = torch.empty_like(self.shard)
        work = dist.reduce_scatter_tensor(mine, flat, async_op=True)
        return work, self.shard, mine, flat  # flat must live until the work is done


class FSDP(nn.Module):
    """A module whose layers are sharded: parameters, gradients and so the optimizer's state.

    ``layers`` are submodules that run one after another. What belongs to none of them is a unit
    of its own, which stays whole from the forward to the end of the backward pass. Give
    ``parameters()`` to the optimizer. ``reshard`` off keeps the layers whole as long: ZeRO 2.
    """

    def __init__(self, module, layers, reshard=True):
        super().__init__()
        self.layers, self.reshard, self.pending = list(layers), reshard, None
        inside = {p for layer in self.layers for p in layer.parameters()}
        rest = [p for p in module.parameters() if p not in inside]
        self.units = [Unit(list(layer.parameters())) for layer in self.layers]
        self.root = Unit(rest)
        self.shards = nn.ParameterList([unit.shard for unit in [self.root, *self.units]])
        self.__dict__["module"] = module  # not registered: its parameters are not the optimizer's
        self.hooks = []
        for i, layer in enumerate(self.layers):
            self.hooks.append(layer.register_forward_pre_hook(partial(self.before_forward, i)))
            self.hooks.append(layer.register_forward_hook(partial(self.after_forward, i)))
        for unit in [self.root, *self.units]:
            for p in unit.parameters:
                hook = partial(self.ready, unit)
                self.hooks.append(p.register_post_accumulate_grad_hook(hook))

    def forward(self, *inputs):
        for unit in [self.root, *self.units]:
            unit.free()  # whatever a forward pass without a backward one has left whole
        self.root.need()
        if torch.is_grad_enabled():
            return self.module(*inputs)
        outputs = self.module(*inputs)
        self.root.free()
        return outputs

    def take(self, i, ahead):
        """Need layer i, and fetch the one that comes after it while i is at work."""
        self.units[i].need()
        if 0 <= i + ahead < len(self.units):
            self.units[i + ahead].fetch()

    def before_forward(self, i, layer, inputs):
        self.take(i, ahead=1)

    def after_forward(self, i, layer, inputs, output):
        if self.reshard or not output.requires_grad:
            self.units[i].free()
        if output.requires_grad:
            output.register_hook(partial(self.before_backward, i))

    def before_backward(self, i, gradient):
        self.take(i, ahead=-1)

    def ready(self, unit, parameter):
        """Called by autograd when the gradient of one parameter is complete."""
        if self.pending is None:
            self.pending = []
            torch.autograd.Variable._execution_engine.queue_callback(self.finish)
        unit.arrived += 1
        if unit.arrived == len(unit.parameters):
            unit.arrived = 0
            if self.pending:
                self.settle(self.pending.pop())  # one at a time, or the gradients pile up
            self.pending.append(unit.reduce())
            unit.free()

    def settle(self, reduction):
        work, shard, mine, _ = reduction
        work.wait()
        shard.grad = mine if shard.grad is None else shard.grad.add_(mine)

    def finish(self):
        """At the end of the backward pass."""
        for reduction in self.pending:
            self.settle(reduction)
        self.pending = None
        if lacking := [unit for unit in [self.root, *self.units] if unit.arrived]:
            raise RuntimeError(f"{len(lacking)} layers have parameters that got no gradient")

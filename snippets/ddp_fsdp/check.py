import os
from datetime import timedelta

import torch
import torch.distributed as dist
from ddp import DDP
from fsdp import FSDP
from model import Model
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.nn.parallel import DistributedDataParallel

os.environ["NCCL_NVLS_ENABLE"] = "0"  # rings and trees only
rank, ranks = int(os.environ["LOCAL_RANK"]), int(os.environ["WORLD_SIZE"])
device = "cuda" if torch.cuda.device_count() >= ranks else "cpu"
if device == "cuda":
    torch.cuda.set_device(rank)
backend = {"cuda": "nccl", "cpu": "gloo"}[device]
dist.init_process_group(backend, timeout=timedelta(seconds=60))


def build():
    torch.manual_seed(0)
    return Model(layers=3, width=96, heads=4, words=101, length=33).to(device)


torch.manual_seed(1)
tokens, targets = torch.randint(101, (2, 4 * ranks, 33)).to(device)  # 4 sequences for each rank
mine = slice(4 * rank, 4 * rank + 4)

# What must come out: the gradient of the whole batch, on one GPU.
whole = build()
whole(tokens, targets).backward()
expected = {name: p.grad for name, p in whole.named_parameters()}


def show(name, gradients):
    """Print how far all gradients together are from the expected ones, relative to these."""
    off = sum(float((gradients[n] - g).double().square().sum()) for n, g in expected.items())
    error = (off / sum(float(g.double().square().sum()) for g in expected.values())) ** 0.5
    assert error < 1e-5, f"{name}: gradients are off by {error:.1e}"
    if rank == 0:
        print(f"{name:20} differs from one GPU by {error:.0e}")


def named(module):
    return {name: p.grad for name, p in module.named_parameters()}


theirs = DistributedDataParallel(build(), device_ids=[rank] if device == "cuda" else None)
theirs(tokens[mine], targets[mine]).backward()
show("torch's DDP", named(theirs.module))

ours = DDP(build(), first=10_000, others=100_000)  # several buckets
ours(tokens[mine], targets[mine]).backward()
show(f"ours, {len(ours.buckets)} buckets", named(ours.module))

theirs = build()
mesh = init_device_mesh(device, (ranks,))
for layer in [*theirs.blocks, theirs]:
    fully_shard(layer, mesh=mesh)
theirs(tokens[mine], targets[mine]).backward()
show("torch's FSDP2", {name: g.full_tensor() for name, g in named(theirs).items()})


def gathered(model):
    """Return whole gradients, by name, from the shards of our FSDP."""
    names = {p: name for name, p in model.module.named_parameters()}
    gradients = {}
    for unit in [model.root, *model.units]:
        flat = torch.empty(unit.full.numel(), device=device)
        dist.all_gather_into_tensor(flat, unit.shard.grad)
        for p in unit.parameters:
            gradients[names[p]], flat = flat[: p.numel()].view_as(p), flat[p.numel() :]
    return gradients


for reshard in (True, False):
    module = build()
    ours = FSDP(module, module.blocks, reshard)
    ours(tokens[mine], targets[mine]).backward()
    show(f"ours, {'ZeRO 3' if reshard else 'ZeRO 2'}", gathered(ours))

# Twenty steps of AdamW later: the sharded weights are those of one GPU.
module = build()
ours = FSDP(module, module.blocks)
ours_step = torch.optim.AdamW(ours.parameters(), lr=1e-3)
whole_step = torch.optim.AdamW(whole.parameters(), lr=1e-3)
for _ in range(20):
    whole_step.zero_grad()
    loss = whole(tokens, targets)
    loss.backward()
    whole_step.step()
    ours_step.zero_grad()
    my_loss = ours(tokens[mine], targets[mine])
    my_loss.backward()
    ours_step.step()
average = my_loss.detach() / ranks
dist.all_reduce(average)
assert abs(average.item() / loss.item() - 1) < 1e-3, (average.item(), loss.item())
if rank == 0:
    print(f"20 steps later, loss {loss.item():.3f} on one GPU, {average.item():.3f} sharded")
dist.destroy_process_group()

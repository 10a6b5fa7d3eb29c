import gc
import json
import os
import sys
from datetime import timedelta

import torch
import torch.distributed as dist
from ddp import DDP, MIB
from fsdp import FSDP
from model import Model
from torch.distributed.fsdp import fully_shard
from torch.nn.parallel import DistributedDataParallel

os.environ["NCCL_NVLS_ENABLE"] = "0"  # rings and trees only
rank = int(os.environ["LOCAL_RANK"])
torch.cuda.set_device(rank)
dist.init_process_group("nccl", timeout=timedelta(seconds=60))
torch.set_float32_matmul_precision("high")  # TF32 on tensor cores, for all of them
SIZE = dict(layers=24, width=1024, heads=16, words=8192, length=512)
STEPS, WARMUP, BATCH = int(sys.argv[1]) if len(sys.argv) > 1 else 20, 5, 8
tokens, targets = torch.randint(SIZE["words"], (2, BATCH, SIZE["length"])).cuda()


def sharded(model):
    for layer in [*model.blocks, model]:
        fully_shard(layer)
    return model


WAYS = {
    "one-gpu": lambda model: model,
    "ddp-torch": lambda model: DistributedDataParallel(
        model, device_ids=[rank], gradient_as_bucket_view=True
    ),
    "ddp": DDP,
    "ddp-wait": lambda model: DDP(model, overlap=False),
    "ddp-small": lambda model: DDP(model, first=MIB // 4, others=MIB // 4),
    "fsdp-torch": sharded,
    "fsdp": lambda model: FSDP(model, model.blocks),
    "fsdp-keep": lambda model: FSDP(model, model.blocks, reshard=False),
}


def measure(wrap):
    """Return milliseconds of each step, on the slower rank, and the peak of memory in bytes."""
    with torch.device("cuda"):
        model = wrap(Model(**SIZE))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)
    clear = model.zero_grad if isinstance(model, DDP) else optimizer.zero_grad
    times = []
    for step in range(WARMUP + STEPS):
        if step == WARMUP:
            torch.cuda.reset_peak_memory_stats()
        dist.barrier()
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        clear()
        model(tokens, targets).backward()
        optimizer.step()
        end.record()
        end.synchronize()
        times.append(start.elapsed_time(end))
    for hook in getattr(model, "hooks", ()):
        hook.remove()  # they hold the model, and would keep its memory for the next one
    slower = torch.tensor(times[WARMUP:], device="cuda")
    dist.all_reduce(slower, op=dist.ReduceOp.MAX)
    return slower.tolist(), torch.cuda.max_memory_allocated()


found = {}
for name, wrap in WAYS.items():
    times, memory = measure(wrap)
    found[name] = {"ms": times, "bytes": memory}
    gc.collect()
    torch.cuda.empty_cache()
    if rank == 0:
        middle = sorted(times)[len(times) // 2]
        print(f"{name:12} {middle:7.2f} ms a step   {memory / 1e9:6.2f} GB at the peak", flush=True)
if rank == 0 and len(sys.argv) > 2:
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        json.dump(found, file)
dist.destroy_process_group()

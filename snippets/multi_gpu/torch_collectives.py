import json
import os
import sys

os.environ["NCCL_NVLS_ENABLE"] = "0"  # rings and trees only, like every figure on this page

import torch
import torch.distributed as dist

rank, ranks = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
torch.cuda.set_device(rank)
dist.init_process_group("nccl", device_id=torch.device("cuda", rank))


def seconds_each(call, rounds, repeats=10):
    """Return the time of one call in each round, the slowest rank's."""
    times = []
    for _ in range(2 + rounds):  # the first two warm up
        dist.barrier()
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        for _ in range(repeats):
            call()
        end.record()
        end.synchronize()
        times.append(start.elapsed_time(end) / 1e3 / repeats)
    slowest = torch.tensor(times[2:], device="cuda")
    dist.all_reduce(slowest, op=dist.ReduceOp.MAX)
    return slowest.tolist()


x = torch.full((ranks,), 10.0**rank, device="cuda")
dist.all_reduce(x)
assert x.tolist() == [sum(10.0**r for r in range(ranks))] * ranks


def collectives(whole):
    """Return a call for each collective on an array, and its factor of the bus bandwidth."""
    share = (ranks - 1) / ranks
    part, other = torch.empty(len(whole) // ranks, device="cuda"), torch.empty_like(whole)
    return {
        "all_reduce": (lambda: dist.all_reduce(whole), 2 * share),
        "broadcast": (lambda: dist.broadcast(whole, 0), 1),
        "reduce": (lambda: dist.reduce(whole, 0), 1),
        "reduce_scatter": (lambda: dist.reduce_scatter_tensor(part, whole), share),
        "all_gather": (lambda: dist.all_gather_into_tensor(whole, part), share),
        "all_to_all": (lambda: dist.all_to_all_single(other, whole), share),
    }


as_json = "json" in sys.argv
for mib in (1, 64, 1024):
    whole = torch.ones(mib * 2**18, device="cuda")
    for name, (call, factor) in collectives(whole).items():
        seconds = seconds_each(call, rounds=int(sys.argv[2]) if as_json else 5)
        row = {
            "name": name,
            "mib": mib,
            "bytes": whole.nbytes,
            "factor": factor,
            "seconds": seconds,
        }
        bus = whole.nbytes * factor / sorted(seconds)[len(seconds) // 2] / 1e9
        if rank == 0:
            print(json.dumps(row) if as_json else f"{mib:>5} MiB   {name:15} {bus:6.1f} GB/s")

dist.destroy_process_group()

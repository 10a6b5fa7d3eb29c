import time
from datetime import timedelta

import torch
import torch.distributed as dist

dist.init_process_group("gloo", timeout=timedelta(seconds=3))  # on the CPU; NCCL takes one, too
began = time.perf_counter()
if dist.get_rank() == 0:
    try:
        dist.all_reduce(torch.ones(4))
    except RuntimeError as error:
        said = "timed out" if "imed out" in str(error) else str(error).splitlines()[0]
        print(f"rank 0, after {time.perf_counter() - began:.0f} s: {said}")
else:
    time.sleep(6)  # rank 1 is busy elsewhere, and never calls it

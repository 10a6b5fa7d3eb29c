import os
import signal
import sys
import time
from datetime import timedelta

import torch
import torch.distributed as dist

rank, way = int(os.environ["RANK"]), sys.argv[1]
os.environ["NCCL_NVLS_ENABLE"] = "0"
os.environ["TORCH_NCCL_WAIT_TIMEOUT_DUMP_MILSEC"] = "500"  # four of them until the end

device = torch.device("cuda", rank)
torch.cuda.set_device(device)
dist.init_process_group("nccl", timeout=timedelta(seconds=5), device_id=device)
x = torch.ones(4, device=device)
dist.all_reduce(x)
assert x.tolist() == [2.0] * 4

if rank == 1:
    if way == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(60)  # alive, and never calls it
dist.all_reduce(x)
torch.cuda.synchronize()  # here the host of a training step waits for its GPU

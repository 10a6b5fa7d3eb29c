import os
import signal
import sys
import time
from datetime import timedelta

import torch
import torch.distributed as dist

rank, way = int(os.environ["RANK"]), sys.argv[1]
os.environ["NCCL_NVLS_ENABLE"] = "0"  # these are read when the group is made
if way == "blocking":
    os.environ["TORCH_NCCL_BLOCKING_WAIT"] = "1"  # wait() looks at the clock; no watchdog
else:
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
began = time.monotonic()
try:
    dist.all_reduce(x)
    torch.cuda.synchronize()  # here the host of a training step waits for its GPU
except dist.DistBackendError as error:
    after = f"after {time.monotonic() - began:.0f} s"
    raise TimeoutError(f"rank 0 {after}: {type(error).__name__}") from error

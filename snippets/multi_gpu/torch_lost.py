import os
import time
from datetime import timedelta

os.environ["NCCL_NVLS_ENABLE"] = "0"
os.environ["TORCH_NCCL_BLOCKING_WAIT"] = "1"  # wait() raises, rather than a watchdog ending us

import torch
import torch.distributed as dist

rank = int(os.environ["RANK"])
torch.cuda.set_device(rank)
dist.init_process_group("nccl", device_id=torch.device("cuda", rank), timeout=timedelta(seconds=3))
x = torch.ones(4, device="cuda")
dist.all_reduce(x)  # everyone is here

if rank == 1:
    time.sleep(6)  # and now rank 1 is busy with something else
else:
    began = time.monotonic()
    try:
        dist.all_reduce(x, async_op=True).wait()
    except dist.DistBackendError as error:
        print(f"rank 0 gives up after {time.monotonic() - began:.0f} s: {type(error).__name__}")
        print(str(error).partition("\n")[0][:100])
    else:
        raise AssertionError("the all-reduce went through without rank 1")

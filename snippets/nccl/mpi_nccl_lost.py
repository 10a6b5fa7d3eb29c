import os

os.environ["NCCL_NVLS_ENABLE"] = "0"

import time

import cupy as cp
from cupy.cuda import nccl
from mpi4py import MPI

world = MPI.COMM_WORLD
rank, size = world.Get_rank(), world.Get_size()
cp.cuda.Device(rank).use()
name = world.bcast(nccl.get_unique_id() if rank == 0 else None)
comm = nccl.NcclCommunicator(size, name, rank)
stream = cp.cuda.Stream(non_blocking=True)
x = cp.ones(4, dtype=cp.float32)
cp.cuda.Device().synchronize()


def all_reduce(seconds):
    """Add up x over all ranks. Raises TimeoutError where one has not come after some seconds."""
    comm.allReduce(x.data.ptr, x.data.ptr, x.size, nccl.NCCL_FLOAT32, nccl.NCCL_SUM, stream.ptr)
    until = time.monotonic() + seconds
    while not stream.done:
        if time.monotonic() > until:
            raise TimeoutError(f"rank {rank} waited {seconds:g} s for the others")
        time.sleep(1e-4)


all_reduce(30)  # the first one connects the ranks
assert x.tolist() == [size] * 4
if rank == 1:
    time.sleep(60)  # alive, and never calls it
try:
    all_reduce(3)
except TimeoutError as error:
    print(f"TimeoutError: {error}", flush=True)
    world.Abort(1)  # now: at its end Python would wait for the GPU

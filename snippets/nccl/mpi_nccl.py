import os

os.environ["NCCL_NVLS_ENABLE"] = "0"  # rings and trees only, like every figure on this page

import cupy as cp
from cupy.cuda import nccl
from mpi4py import MPI

world = MPI.COMM_WORLD
rank, size = world.Get_rank(), world.Get_size()

cp.cuda.Device(rank).use()  # one process, one GPU
name = world.bcast(nccl.get_unique_id() if rank == 0 else None)  # 128 bytes, by MPI
comm = nccl.NcclCommunicator(size, name, rank)  # returns once all ranks are here

x = cp.full(4, 10.0**rank, dtype=cp.float32)
stream = cp.cuda.get_current_stream()
comm.allReduce(x.data.ptr, x.data.ptr, x.size, nccl.NCCL_FLOAT32, nccl.NCCL_SUM, stream.ptr)
assert x.tolist() == [sum(10.0**r for r in range(size))] * 4

everyone = world.gather(x.tolist())
if rank == 0:
    print(everyone)
comm.destroy()  # every rank calls it

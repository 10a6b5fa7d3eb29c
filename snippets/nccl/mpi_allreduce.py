import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, size = comm.Get_rank(), comm.Get_size()

send = np.arange(4, dtype=np.float32) + 10 * rank
recv = np.empty_like(send)
comm.Allreduce(send, recv, op=MPI.SUM)
assert recv.sum() == (6 + 4 * 10 * np.arange(size)).sum()

piece = np.empty(3, dtype=np.float32)
whole = np.arange(3 * size, dtype=np.float32) if rank == 0 else None
comm.Scatter(whole, piece, root=0)
assert piece[0] == 3 * rank

if rank == 0:
    print(f"{size} processes, all-reduce: {recv.tolist()}")

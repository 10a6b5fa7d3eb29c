import os
import signal
import sys
import time

import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, way = comm.Get_rank(), sys.argv[1]


def finish(requests, seconds, what):
    """Wait for all requests, as Waitall does. Raises TimeoutError after some seconds."""
    until = time.monotonic() + seconds
    while not MPI.Request.Testall(requests):
        if time.monotonic() > until:
            raise TimeoutError(f"rank {rank} waited {seconds:g} s for {what}")
        time.sleep(1e-4)


halo, row, total = np.empty(8), np.ones(8), np.empty(8)
finish([comm.Irecv(halo, 1 - rank), comm.Isend(row, 1 - rank)], 20, "the first halo")
finish([comm.Iallreduce(row, total)], 20, "the first sum")
assert (halo == 1).all() and (total == 2).all()

if rank == 1:
    if way == "raises":
        raise ValueError("row 7 holds a NaN")
    if way == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(30)  # alive, and busy elsewhere
if way == "halo":
    finish([comm.Irecv(halo, 1)], 1, "a halo from rank 1")
if way == "sum":
    finish([comm.Iallreduce(row, total)], 1, "a sum of all ranks")
comm.Recv(halo, 1)  # MPI's own wait has no end

import ctypes
import json
import sys
import time

import cupy as cp
import numpy as np
from cupyx import empty_pinned
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, ranks = comm.Get_rank(), comm.Get_size()
above = rank - 1 if rank > 0 else MPI.PROC_NULL
below = rank + 1 if rank < ranks - 1 else MPI.PROC_NULL
cp.cuda.Device(rank % cp.cuda.runtime.getDeviceCount()).use()
stream = cp.cuda.Stream(non_blocking=True)  # the default stream would wait for MPI's copies
stream.use()

kernel = cp.RawKernel(
    r"""
extern "C" __global__ void heat(const float* u, float* v, int first, int last, int columns) {
    int c = blockIdx.x * blockDim.x + threadIdx.x + 1, r = first + blockIdx.y;
    if (c >= columns - 1 || r > last) return;
    const float* at = u + (size_t)r * columns + c;
    float around = ((at[-columns] + at[columns]) + at[-1]) + at[1];
    v[(size_t)r * columns + c] = at[0] + 0.2f * (around - 4.0f * at[0]);
}
""",
    "heat",
)


def step(u, v, first, last):
    """One step on rows first to last, on the current stream."""
    columns = u.shape[1]
    grid = -(-(columns - 2) // 256), last - first + 1
    kernel(grid, (256,), (u, v, np.int32(first), np.int32(last), np.int32(columns)))


class Staged:
    """Halos by way of pinned host memory: any MPI can do it."""

    def __init__(self, columns):
        self.out, self.into = (empty_pinned((2, columns), np.float32) for _ in range(2))

    def swap(self, u):
        stream = cp.cuda.get_current_stream()
        u[1].get(out=self.out[0], blocking=False)
        u[-2].get(out=self.out[1], blocking=False)
        stream.synchronize()  # the rows are in host memory
        comm.Sendrecv(self.out[0], above, 0, self.into[1], below, 0)
        comm.Sendrecv(self.out[1], below, 1, self.into[0], above, 1)
        if above != MPI.PROC_NULL:
            u[0].set(self.into[0])
        if below != MPI.PROC_NULL:
            u[-1].set(self.into[1])


class Direct:
    """Halos from GPU memory to GPU memory: only with a CUDA-aware MPI."""

    def __init__(self, columns):
        if not cuda_aware():
            raise RuntimeError("this MPI is not CUDA-aware: use Staged")

    def swap(self, u):
        cp.cuda.get_current_stream().synchronize()  # MPI knows nothing of streams
        comm.Sendrecv(u[1], above, 0, u[-1], below, 0)
        comm.Sendrecv(u[-2], below, 1, u[0], above, 1)


def cuda_aware():
    """Ask Open MPI or MPICH, before it crashes, whether it takes GPU memory."""
    library = ctypes.CDLL(MPI.__file__)
    if hasattr(library, "MPIX_Query_cuda_support"):  # Open MPI
        return bool(library.MPIX_Query_cuda_support())
    if hasattr(library, "MPIX_GPU_query_support"):  # MPICH
        answer = ctypes.c_int()
        library.MPIX_GPU_query_support(0, ctypes.byref(answer))  # 0: CUDA
        return bool(answer.value)
    return False


def run(u, v, steps, halos, overlap):
    """Take some steps. Returns the two plates, the newer first."""
    main, side = cp.cuda.get_current_stream(), cp.cuda.Stream(non_blocking=True)
    for _ in range(steps):
        if overlap:
            ready = main.record()
            step(u, v, 2, len(u) - 3)  # these rows need no halo
            side.wait_event(ready)
            with side:
                halos.swap(u)
                step(u, v, 1, 1)
                step(u, v, len(u) - 2, len(u) - 2)
                done = side.record()
            main.wait_event(done)
        else:
            halos.swap(u)
            step(u, v, 1, len(u) - 2)
        u, v = v, u
    main.synchronize()
    return u, v


def check(halos_of, overlap):
    """Compare some steps of all ranks with the same steps of rank 0 alone."""
    whole = np.random.default_rng(1).random((203, 1001), dtype=np.float32)
    inner = len(whole) - 2
    first, last = rank * inner // ranks, (rank + 1) * inner // ranks
    u = cp.asarray(whole[first : last + 2])
    u, _ = run(u, u.copy(), 20, halos_of(u.shape[1]), overlap)
    parts = comm.gather(u[1:-1].get())
    if rank == 0:
        u = cp.asarray(whole)
        v = u.copy()
        for _ in range(20):
            step(u, v, 1, inner)
            u, v = v, u
        assert np.array_equal(np.concatenate(parts), u[1:-1].get()), "the ranks disagree"


def seconds_a_step(rows, columns, halos_of, overlap, rounds, steps=20):
    """Return the time of a step in each round, the slowest rank's."""
    u = cp.random.default_rng(rank).random((rows + 2, columns), dtype=cp.float32)
    v, halos, times = u.copy(), halos_of(columns), []
    for _ in range(2 + rounds):  # the first two warm up
        comm.Barrier()
        began = time.perf_counter()
        u, v = run(u, v, steps, halos, overlap)
        times.append(comm.allreduce(time.perf_counter() - began, MPI.MAX) / steps)
    return times[2:]


way = {"staged": Staged, "direct": Direct}[sys.argv[1]]
overlap = "overlap" in sys.argv
check(way, overlap)
as_json = "json" in sys.argv
rounds = int(sys.argv[-1]) if as_json else 5
found = {}
for n in (1024, 2048, 4096, 8192, 16384):
    found[f"strong {n}"] = seconds_a_step(n // ranks, n, way, overlap, rounds)
    found[f"weak {n}"] = seconds_a_step(n, n, way, overlap, rounds)
if rank == 0 and as_json:
    print(json.dumps(found))
elif rank == 0:
    for name, times in found.items():
        print(f"{ranks} ranks, {sys.argv[1]}, {name:>12}: {1e6 * min(times):8.1f} µs a step")

"""Every collective of NCCL between the GPUs of one process, and the bytes that a link carries."""

# --8<-- [start:start]
import os
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from cupy.cuda import nccl

os.environ["NCCL_NVLS_ENABLE"] = "0"  # before NCCL starts: rings and trees only
F32, SUM = nccl.NCCL_FLOAT32, nccl.NCCL_SUM


@contextmanager
def group():
    """What is called inside starts as one operation, when the block ends."""
    nccl.groupStart()
    yield
    nccl.groupEnd()


# --8<-- [end:start]


# --8<-- [start:collectives]
def collectives(comms, send, recv, streams):
    """Return a function for each collective, and the factor of its bus bandwidth.

    ``send`` and ``recv`` hold one array of one size for each rank.
    """
    n, whole = len(comms), send[0].size
    part = whole // n
    share = (n - 1) / n

    def each(call):
        def run():
            with group():
                for r in range(n):
                    call(comms[r], r, send[r].data.ptr, recv[r].data.ptr, streams[r].ptr)

        return run

    def all_to_all(comm, r, a, b, s):
        for peer in range(n):
            comm.send(a + 4 * part * peer, part, F32, peer, s)
            comm.recv(b + 4 * part * peer, part, F32, peer, s)

    calls = {
        "all-reduce": (lambda c, r, a, b, s: c.allReduce(a, b, whole, F32, SUM, s), 2 * share),
        "broadcast": (lambda c, r, a, b, s: c.broadcast(a, b, whole, F32, 0, s), 1),
        "reduce": (lambda c, r, a, b, s: c.reduce(a, b, whole, F32, SUM, 0, s), 1),
        "reduce-scatter": (lambda c, r, a, b, s: c.reduceScatter(a, b, part, F32, SUM, s), share),
        "all-gather": (lambda c, r, a, b, s: c.allGather(a, b, part, F32, s), share),
        "all-to-all": (all_to_all, share),
    }
    return {name: (each(call), factor) for name, (call, factor) in calls.items()}


# --8<-- [end:collectives]


# --8<-- [start:give-up]
def wait_or_abort(comms, streams, seconds):
    """Wait for the streams. Raises TimeoutError after ``seconds``, and ends the communicators."""
    until = time.monotonic() + seconds
    while not all(stream.done for stream in streams):
        if time.monotonic() > until:
            late = [rank for rank, stream in enumerate(streams) if not stream.done]
            with ThreadPoolExecutor(len(comms)) as all_at_once:
                list(all_at_once.map(nccl.NcclCommunicator.abort, comms))
            raise TimeoutError(f"no answer in time; ranks that wait: {late}")
        time.sleep(0.001)


# --8<-- [end:give-up]

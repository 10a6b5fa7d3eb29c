"""NCCL from one Python process that owns two GPUs, through cupy.cuda.nccl.

Source: https://docs.cupy.dev/en/stable/reference/generated/cupy.cuda.nccl.NcclCommunicator.html
"""

# --8<-- [start:imports]
import os
from contextlib import contextmanager

import cupy as cp
from cupy.cuda import nccl

os.environ["NCCL_NVLS_ENABLE"] = "0"  # before NCCL starts: rings and trees only

# --8<-- [end:imports]

# --8<-- [start:peers]
for a, b in [(0, 1), (1, 0)]:
    reach = bool(cp.cuda.runtime.deviceCanAccessPeer(a, b))
    print(f"GPU {a} can reach the memory of GPU {b}: {reach}")
# --8<-- [end:peers]

# --8<-- [start:start]
devices = [0, 1]
ranks = range(len(devices))  # rank r drives GPU devices[r]
comms = nccl.NcclCommunicator.initAll(devices)

streams = []
for device in devices:
    with cp.cuda.Device(device):
        streams.append(cp.cuda.Stream())


def on_each(make):
    """Return a list with one array for each rank: make(rank), made on that rank's GPU."""
    arrays = []
    for rank, device in enumerate(devices):
        with cp.cuda.Device(device):
            arrays.append(make(rank))
    return arrays


# --8<-- [end:start]

# --8<-- [start:all-reduce]
send = on_each(lambda rank: cp.arange(4, dtype=cp.float32) + 10 * rank)
recv = on_each(lambda rank: cp.empty(4, dtype=cp.float32))

nccl.groupStart()
for r in ranks:
    comms[r].allReduce(
        send[r].data.ptr,
        recv[r].data.ptr,
        send[r].size,
        nccl.NCCL_FLOAT32,
        nccl.NCCL_SUM,
        streams[r].ptr,
    )
nccl.groupEnd()

for stream in streams:
    stream.synchronize()
# --8<-- [end:all-reduce]


def shown():
    """What each collective leaves where.

    --8<-- [start:all-reduce-result]
    >>> [r.tolist() for r in recv]
    [[10.0, 12.0, 14.0, 16.0], [10.0, 12.0, 14.0, 16.0]]

    --8<-- [end:all-reduce-result]
    """


# --8<-- [start:group]
F32, SUM = nccl.NCCL_FLOAT32, nccl.NCCL_SUM


@contextmanager
def group():
    """What is called inside starts as one operation, when the block ends."""
    nccl.groupStart()
    try:
        yield
    finally:
        nccl.groupEnd()  # after an error, too: else no later call would start


def wait():
    for stream in streams:
        stream.synchronize()


# --8<-- [end:group]

# --8<-- [start:broadcast]
x = on_each(lambda rank: cp.full(3, 7 + rank, dtype=cp.float32))
with group():
    for r in ranks:
        comms[r].broadcast(x[r].data.ptr, x[r].data.ptr, x[r].size, F32, 0, streams[r].ptr)
wait()
assert x[1].tolist() == [7.0, 7.0, 7.0]  # rank 0's
# --8<-- [end:broadcast]

# --8<-- [start:halves]
half = on_each(lambda rank: cp.empty(2, dtype=cp.float32))
full = on_each(lambda rank: cp.empty(4, dtype=cp.float32))
with group():
    for r in ranks:
        comms[r].reduceScatter(
            send[r].data.ptr, half[r].data.ptr, half[r].size, F32, SUM, streams[r].ptr
        )
with group():
    for r in ranks:
        comms[r].allGather(half[r].data.ptr, full[r].data.ptr, half[r].size, F32, streams[r].ptr)
wait()
assert half[0].tolist() == [10.0, 12.0] and half[1].tolist() == [14.0, 16.0]
assert full[0].tolist() == full[1].tolist() == recv[0].tolist()
# --8<-- [end:halves]

# --8<-- [start:scatter]
with cp.cuda.Device(devices[0]):
    whole = cp.arange(6, dtype=cp.float32)  # on rank 0 only
    back = cp.zeros(6, dtype=cp.float32)
piece = on_each(lambda rank: cp.empty(3, dtype=cp.float32))

with group():  # scatter: rank 0 sends a piece to every rank, itself included
    for r in ranks:
        comms[0].send(whole[3 * r :].data.ptr, 3, F32, r, streams[0].ptr)
        comms[r].recv(piece[r].data.ptr, 3, F32, 0, streams[r].ptr)
with group():  # gather: the other way round
    for r in ranks:
        comms[r].send(piece[r].data.ptr, 3, F32, 0, streams[r].ptr)
        comms[0].recv(back[3 * r :].data.ptr, 3, F32, r, streams[0].ptr)
wait()
assert piece[1].tolist() == [3.0, 4.0, 5.0]
assert (back == whole).all()
# --8<-- [end:scatter]


from kernels.nccl.bandwidth import bus_bandwidth  # noqa: E402


# --8<-- [start:timing]
def all_reduce(send, recv):
    with group():
        for r in ranks:
            comms[r].allReduce(
                send[r].data.ptr, recv[r].data.ptr, send[r].size, F32, SUM, streams[r].ptr
            )


def seconds_each(size, repeats=20):
    """Return the median time of one all-reduce of ``size`` bytes, over 5 rounds."""
    send = on_each(lambda rank: cp.ones(size // 4, dtype=cp.float32))
    recv = on_each(lambda rank: cp.empty(size // 4, dtype=cp.float32))
    times = []
    for _ in range(2 + 5):  # the first two rounds warm up
        start, end = cp.cuda.Event(), cp.cuda.Event()
        start.record(streams[0])
        for _ in range(repeats):
            all_reduce(send, recv)
        end.record(streams[0])
        end.synchronize()
        times.append(cp.cuda.get_elapsed_time(start, end) / 1e3 / repeats)
    wait()
    return sorted(times[2:])[2]


for size in (2**12, 2**16, 2**20, 2**24, 2**30):
    seconds = seconds_each(size)
    bus = bus_bandwidth(size, seconds, len(devices)) / 1e9
    print(f"{size:>13,} bytes   {1e6 * seconds:9.1f} µs   {bus:6.1f} GB/s")
# --8<-- [end:timing]

# --8<-- [start:mean]
grads = on_each(lambda rank: cp.full(3, 10.0 ** (rank + 1), dtype=cp.float32))
with group():
    for r in ranks:
        g = grads[r].data.ptr  # in place: send and receive are one buffer
        comms[r].allReduce(g, g, grads[r].size, F32, nccl.NCCL_AVG, streams[r].ptr)
wait()
assert [g.tolist() for g in grads] == [[55.0, 55.0, 55.0]] * 2  # the mean of 10 and 100

for comm in comms:  # done: every rank gives its communicator back
    comm.destroy()
# --8<-- [end:mean]

"""What the page of several GPUs runs: on two of them, in this order, from the page's folder."""

import cupy as cp
import numpy as np
from numba import cuda

from kernels.multi_gpu.all_reduce import Ranks
from kernels.multi_gpu.collectives import collectives, nccl
from kernels.multi_gpu.peer_loads import add_kernel
from kernels.multi_gpu.peers import copy_by_engine, copy_by_kernel, devices, on_each, reach

# --8<-- [start:copies]
reach(devices)
with open("copy.cu") as source:
    copy_kernel = cp.RawModule(code=source.read()).get_function("copy")

x = on_each(lambda rank: cp.arange(1004, dtype=cp.float32) + 1000 * rank)
for way in ("engine", "pull", "push"):
    y = on_each(lambda rank: cp.zeros(1004, dtype=cp.float32))
    if way == "engine":
        copy_by_engine(x[0], y[1])
    else:
        copy_by_kernel(copy_kernel, x[0], y[1], on=1 if way == "pull" else 0)
    assert (y[1].get() == x[0].get()).all(), way
# --8<-- [end:copies]

# --8<-- [start:numba]
x = on_each(lambda rank: cp.arange(1003, dtype=cp.float32) * (rank + 1))
total = on_each(lambda rank: cp.zeros(1003, dtype=cp.float32))
for device in devices:
    with cuda.gpus[device]:
        add_kernel[8, 128](x[1 - device], x[device], total[device])
        cuda.synchronize()
assert all((array.get() == 3 * np.arange(1003)).all() for array in total)
# --8<-- [end:numba]

# --8<-- [start:communicators]
comms = nccl.NcclCommunicator.initAll(devices)
streams = on_each(lambda rank: cp.cuda.Stream())
# --8<-- [end:communicators]

# --8<-- [start:right]
x = on_each(lambda rank: cp.arange(6, dtype=cp.float32) + 10 * rank)
print(f"{'sent':15} {x[0].tolist()}   {x[1].tolist()}")
for kind in collectives(comms, x, x, streams):
    y = on_each(lambda rank: cp.full(6, cp.nan, dtype=cp.float32))
    call, _ = collectives(comms, x, y, streams)[kind]
    call()
    for stream in streams:
        stream.synchronize()
    print(f"{kind:15} {y[0].tolist()}   {y[1].tolist()}")
# --8<-- [end:right]


# --8<-- [start:speeds]
def seconds_each(call, streams, repeats):
    """Return the median time of one call over 5 rounds, the slowest GPU's."""
    events = on_each(lambda rank: (cp.cuda.Event(), cp.cuda.Event()))
    times = []
    for _ in range(2 + 5):  # the first two rounds warm up
        for which, work in ((0, repeats), (1, 0)):
            for rank, device in enumerate(devices):
                with cp.cuda.Device(device):
                    events[rank][which].record(streams[rank])
            for _ in range(work):
                call()
        for stream in streams:
            stream.synchronize()
        times.append(max(cp.cuda.get_elapsed_time(*pair) for pair in events) / 1e3 / repeats)
    return sorted(times[2:])[2]


for mib in (1, 64, 1024):
    size = mib * 2**18
    x = on_each(lambda rank, size=size: cp.random.default_rng(rank).random(size, dtype=cp.float32))
    y = on_each(lambda rank, size=size: cp.full(size, cp.nan, dtype=cp.float32))
    for kind, (call, factor) in collectives(comms, x, y, streams).items():
        seconds = seconds_each(call, streams, repeats=max(1, 64 // mib))
        print(f"{mib:>5} MiB   {kind:15} {4 * size * factor / seconds / 1e9:6.1f} GB/s")
# --8<-- [end:speeds]

# --8<-- [start:own]
group_of_two = Ranks(devices, most=2**20)
for size in (4, 1000, 65_536, 2**20):
    x = on_each(lambda rank, size=size: cp.random.default_rng(rank).random(size, dtype=cp.float32))
    for name in ("one_shot", "read_all", "two_shot", "ring"):
        if name == "one_shot" and size > Ranks.SMALL:
            continue
        y = on_each(lambda rank, size=size: cp.full(size, cp.nan, dtype=cp.float32))
        group_of_two.prepare(name, x, y)()
        group_of_two.wait()
        for array in y:
            assert (array.get() == x[0].get() + x[1].get()).all(), (name, size)
# --8<-- [end:own]

# --8<-- [start:four]
four = [0, 1, 0, 1]  # two ranks on each GPU: every block must fit
group_of_four = Ranks(four, most=1000, blocks=60)
x = on_each(lambda rank: cp.arange(1000, dtype=cp.float32) + rank, four)
for name in ("one_shot", "read_all", "two_shot", "ring"):
    y = on_each(lambda rank: cp.full(1000, cp.nan, dtype=cp.float32), four)
    group_of_four.prepare(name, x, y)()
    group_of_four.wait()
    assert all((array.get() == 4 * np.arange(1000) + 6).all() for array in y), name
# --8<-- [end:four]


def lost():
    """A rank that never comes.

    --8<-- [start:lost]
    >>> few = on_each(lambda rank: cp.ones(8, dtype=cp.float32))
    >>> impatient = Ranks(devices, most=8, patience=0.5)
    >>> impatient.prepare("two_shot", few, few)(only=[0])  # rank 1 launches nothing
    >>> impatient.wait()
    Traceback (most recent call last):
      ...
    TimeoutError: rank 0 waited 0.5 s for rank 1; make a new group

    --8<-- [end:lost]

    --8<-- [start:aborted]
    >>> with group():
    ...     comms[0].allReduce(few[0].data.ptr, few[0].data.ptr, 8, F32, SUM, streams[0].ptr)
    >>> wait_or_abort(comms, streams, seconds=2)
    Traceback (most recent call last):
      ...
    TimeoutError: no answer in time; ranks that wait: [0]

    --8<-- [end:aborted]
    """

"""What the page of four GPUs runs besides the blocks of two: from the page's folder, in order."""

import cupy as cp
import numpy as np

from kernels.multi_gpu.all_reduce import Ranks
from kernels.multi_gpu.collectives import collectives, nccl
from kernels.multi_gpu.peers import devices, on_each, reach

# --8<-- [start:four]
devices.extend([2, 3])  # the list that on_each goes over: from here on it means all four
reach(devices)
# --8<-- [end:four]

# Shown by the page of two, from on_two_gpus.py
comms = nccl.NcclCommunicator.initAll(devices)
streams = on_each(lambda rank: cp.cuda.Stream())

# --8<-- [start:right]
x = on_each(lambda rank: cp.arange(8, dtype=cp.float32) + 10 * rank)
print("sent           " + "  ".join(str(array.get().astype(int).tolist()) for array in x))
for kind in ("all-reduce", "reduce-scatter", "all-to-all"):
    y = on_each(lambda rank: cp.full(8, -1, dtype=cp.float32))
    call, _ = collectives(comms, x, y, streams)[kind]
    call()
    for stream in streams:
        stream.synchronize()
    parts = (array.get().astype(int) for array in y)
    print(f"{kind:15}" + "  ".join(str(part[part >= 0].tolist()) for part in parts))
# --8<-- [end:right]

# --8<-- [start:own]
group_of_four = Ranks(devices, most=2**20)
for size in (4, 1000, 65_536, 2**20):
    x = on_each(lambda rank, size=size: cp.random.default_rng(rank).random(size, dtype=cp.float32))
    right = sum(array.get().astype(np.float64) for array in x)
    for name in ("one_shot", "read_all", "two_shot", "ring"):
        if name == "one_shot" and size > Ranks.SMALL:
            continue
        y = on_each(lambda rank, size=size: cp.full(size, cp.nan, dtype=cp.float32))
        group_of_four.prepare(name, x, y)()
        group_of_four.wait()
        first = y[0].get()
        assert np.allclose(first, right, rtol=1e-6), (name, size)
        assert all((array.get() == first).all() for array in y), (name, size)  # to the last bit
# --8<-- [end:own]


def lost():
    """A rank of four that never comes.

    --8<-- [start:lost]
    >>> few = on_each(lambda rank: cp.ones(8, dtype=cp.float32))
    >>> impatient = Ranks(devices, most=8, patience=0.5)
    >>> impatient.prepare("two_shot", few, few)(only=[0, 1, 2])  # rank 3 launches nothing
    >>> impatient.wait()
    Traceback (most recent call last):
      ...
    TimeoutError: rank 0 waited 0.5 s for rank 3; make a new group

    --8<-- [end:lost]

    --8<-- [start:aborted]
    >>> with group():
    ...     for rank in (0, 1, 2):
    ...         p = few[rank].data.ptr
    ...         comms[rank].allReduce(p, p, 8, F32, SUM, streams[rank].ptr)
    >>> wait_or_abort(comms, streams, seconds=2)
    Traceback (most recent call last):
      ...
    TimeoutError: no answer in time; ranks that wait: [0, 1, 2]

    --8<-- [end:aborted]
    """

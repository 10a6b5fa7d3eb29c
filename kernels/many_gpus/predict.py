"""What the simulator says of two GPUs, and of 8, 64 and 1,024."""

import numpy as np

# The examples in the docstring use names that nothing else here does.
from kernels.many_gpus.collectives import by_node, one_shot, ring, tree, two_shot
from kernels.many_gpus.schedules import (  # noqa: F401
    gpipe,
    in_flight,
    one_f_one_b,
    pipeline,
    training_step,
)
from kernels.many_gpus.world import Lost, Recv, Send, Work, World, nodes, switch  # noqa: F401

# --8<-- [start:right]
for ranks in (1, 2, 3, 4, 8, 12):
    x = [np.arange(13.0) * (rank + 1) for rank in range(ranks)]
    for program in (ring, one_shot, two_shot, tree, *([by_node(4)] if ranks % 4 == 0 else [])):
        sums = World(ranks, switch(1e-6, 400e9)).run(program, x)
        assert all(np.array_equal(got, sum(x)) for got in sums), (ranks, program)
# --8<-- [end:right]


# --8<-- [start:predict]
LAUNCH, LATENCY, BANDWIDTH = 2e-6, 1e-6, 360e9  # a kernel, one way over NVLink, bytes a second
NVLINK = switch(LATENCY, BANDWIDTH)
WORDS = {one_shot: 2}  # its words carry a value and the number of the call: twice the bytes


def predict(program, size, ranks=2, link=NVLINK, start=LAUNCH):
    """Return the seconds of an all-reduce of ``size`` bytes, a launch included."""
    sent = size * WORDS.get(program, 1)
    world = World(ranks, link, element=sent / ranks)  # one element for each rank's part
    world.run(program, [np.ones(ranks, np.float32)] * ranks)
    return start + world.seconds


# --8<-- [end:predict]


def examples():
    """Two GPUs.

    --8<-- [start:two]
    >>> def all_reduces(ranks):
    ...     for kib in (4, 16, 64, 256):
    ...         us = 1e6 * predict(one_shot, kib * 2**10, ranks)
    ...         print(f"{kib:>4} KiB, one shot {us:8.2f} µs")
    ...     for mib in (16, 256, 1024):
    ...         shots, along = (1e6 * predict(p, mib * 2**20, ranks) for p in (two_shot, ring))
    ...         print(f"{mib:>4} MiB, two shots {shots:7.1f} µs, ring {along:7.1f} µs")
    >>> all_reduces(ranks=2)
       4 KiB, one shot     3.02 µs
      16 KiB, one shot     3.09 µs
      64 KiB, one shot     3.36 µs
     256 KiB, one shot     4.46 µs
      16 MiB, two shots    50.6 µs, ring    50.6 µs
     256 MiB, two shots   749.7 µs, ring   749.7 µs
    1024 MiB, two shots  2986.6 µs, ring  2986.6 µs

    --8<-- [end:two]

    --8<-- [start:four]
    >>> all_reduces(ranks=4)  # printed before anybody measured them
       4 KiB, one shot     3.07 µs
      16 KiB, one shot     3.27 µs
      64 KiB, one shot     4.09 µs
     256 KiB, one shot     7.37 µs
      16 MiB, two shots    73.9 µs, ring    77.9 µs
     256 MiB, two shots  1122.5 µs, ring  1126.5 µs
    1024 MiB, two shots  4477.9 µs, ring  4481.9 µs

    --8<-- [end:four]

    --8<-- [start:order]
    >>> def loads(first):  # 0 to 3 load a part from each other GPU; 4 to 7 are what answers on each
    ...     def turns(rank):
    ...         return [(first(rank) + k) % 4 for k in range(4) if (first(rank) + k) % 4 != rank]
    ...     def program(me, ranks, part):
    ...         for gpu in turns(me) if me < 4 else []:
    ...             yield Send(4 + gpu, part[:0])  # the request: no bytes
    ...             yield Recv(4 + gpu)
    ...         whose = [rank for rank in range(4) if 4 + rank != me] if me >= 4 else []
    ...         for rank in sorted(whose, key=lambda rank: turns(rank).index(me - 4)):
    ...             yield Recv(rank)
    ...             yield Send(rank, part)
    ...     return program
    >>> for mib in (16, 256, 1024):
    ...     part = mib * 2**20 / 4
    ...     rest = LAUNCH + LATENCY + 3 * part / BANDWIDTH  # second shot: three stores
    ...     us = {}
    ...     for name, first in {"GPU 0": lambda rank: 0, "its own": lambda rank: rank}.items():
    ...         world = World(8, NVLINK, element=part)
    ...         _ = world.run(loads(first), [np.ones(1, np.float32)] * 8)
    ...         us[name] = 1e6 * (world.seconds + rest)
    ...     print(f"{mib:>4} MiB, first", *(f"{name} {t:7.1f} µs" for name, t in us.items()))
      16 MiB, first GPU 0   102.2 µs its own    78.9 µs
     256 MiB, first GPU 0  1500.3 µs its own  1127.5 µs
    1024 MiB, first GPU 0  5974.2 µs its own  4482.9 µs

    --8<-- [end:order]

    --8<-- [start:one-node]
    >>> for kib in (8, 128, 2048, 32768):
    ...     times = [predict(p, kib * 2**10, ranks=8) for p in (one_shot, two_shot, ring, tree)]
    ...     print(f"{kib:>6} KiB", *(f"{1e6 * t:8.1f}" for t in times))
         8 KiB      3.3      4.0     16.0      8.1
       128 KiB      8.1      4.6     16.6     10.2
      2048 KiB     84.6     14.2     26.2     43.0
     32768 KiB   1307.9    167.1    179.1    567.2

    --8<-- [end:one-node]

    --8<-- [start:many]
    >>> cluster = nodes(8, inside=(LATENCY, BANDWIDTH), between=(5e-6, 50e9))
    >>> for ranks in (8, 64):
    ...     for name, program in {"ring": ring, "tree": tree, "by node": by_node(8)}.items():
    ...         seconds = predict(program, 2**30, ranks, cluster)
    ...         print(f"{ranks:>5,} GPUs, {name:8} {1e3 * seconds:7.2f} ms")
        8 GPUs, ring        5.24 ms
        8 GPUs, tree       17.90 ms
        8 GPUs, by node     5.24 ms
       64 GPUs, ring       42.29 ms
       64 GPUs, tree      146.78 ms
       64 GPUs, by node    10.00 ms
    >>> print(f"1,024 GPUs, tree     {1e3 * predict(tree, 2**30, 1024, cluster):7.2f} ms")
    1,024 GPUs, tree      318.62 ms
    >>> network = switch(5e-6, 50e9)
    >>> def from_parts(machines, size):  # a ring inside, and one between: eight rings alike
    ...     return predict(ring, size, 8) + predict(ring, size / 8, machines, network, start=0)
    >>> bool(np.isclose(from_parts(8, 2**30), predict(by_node(8), 2**30, 64, cluster)))
    True
    >>> print(f"1,024 GPUs, by node  {1e3 * from_parts(128, 2**30):7.2f} ms")
    1,024 GPUs, by node    11.83 ms

    --8<-- [end:many]

    --8<-- [start:formula]
    >>> for ranks in (2, 8, 64):
    ...     step = LATENCY + 2**30 / ranks / BANDWIDTH
    ...     assert np.isclose(predict(ring, 2**30, ranks, start=0), 2 * (ranks - 1) * step)
    >>> worst = 2 * 1023 * (5e-6 + 2**30 / 1024 / 50e9)  # every step waits for the slowest link
    >>> f"1,024 GPUs in one ring: {1e3 * worst:.1f} ms, {1e3 * 2 * 1023 * 5e-6:.1f} of it latency"
    '1,024 GPUs in one ring: 53.1 ms, 10.2 of it latency'

    --8<-- [end:formula]

    --8<-- [start:deaths]
    >>> def dies(rank, ranks, x):
    ...     if rank == 1:
    ...         raise MemoryError("no room for the next batch")
    ...     return (yield from ring(rank, ranks, x))
    >>> try:
    ...     World(4, switch(2e-6, 400e9)).run(dies, [np.ones(8)] * 4)
    ... except Lost as why:
    ...     for line in str(why).split("; "):
    ...         print(line)
    rank 1 died at 0.0 µs of MemoryError: no room for the next batch
    rank 0 waits for rank 3
    rank 3 waits for rank 2
    rank 2 waits for rank 1

    --8<-- [end:deaths]

    --8<-- [start:bubble]
    >>> stages, micro = 4, 8
    >>> for schedule in (gpipe, one_f_one_b):
    ...     world = World(stages, NVLINK)
    ...     _ = world.run(pipeline(schedule, micro, 10e-3, 20e-3, np.zeros(1024)))
    ...     idle = 1 - micro * 30e-3 / world.seconds
    ...     held = [in_flight(schedule, stage, stages, micro) for stage in range(stages)]
    ...     print(f"{schedule.__name__:11} {1e3 * world.seconds:.1f} ms, {idle:.0%} idle, {held}")
    gpipe       330.0 ms, 27% idle, [8, 8, 8, 8]
    one_f_one_b 330.0 ms, 27% idle, [4, 3, 2, 1]
    >>> round((stages - 1) / (micro + stages - 1), 2)  # the formula for both
    0.27

    --8<-- [end:bubble]

    --8<-- [start:two-stages]
    >>> def steps(stages, busy):  # busy: seconds of a micro-batch on one stage
    ...     message = np.zeros(2**21, np.float32)  # 1,024 x 2,048 numbers
    ...     for micro in (2, 4, 8, 16):
    ...         line = []
    ...         for schedule in (gpipe, one_f_one_b):
    ...             world = World(stages, NVLINK)
    ...             _ = world.run(pipeline(schedule, micro, busy / 3, 2 * busy / 3, message))
    ...             line.append(f"{schedule.__name__} {1e3 * world.seconds:.1f} ms")
    ...         print(f"{micro:>2} micro-batches:", *line)
    >>> steps(2, 8.64e-3)
     2 micro-batches: gpipe 26.0 ms one_f_one_b 26.0 ms
     4 micro-batches: gpipe 43.2 ms one_f_one_b 43.3 ms
     8 micro-batches: gpipe 77.8 ms one_f_one_b 78.0 ms
    16 micro-batches: gpipe 146.9 ms one_f_one_b 147.3 ms

    --8<-- [end:two-stages]

    --8<-- [start:four-stages]
    >>> steps(4, 4.60e-3)
     2 micro-batches: gpipe 23.1 ms one_f_one_b 23.1 ms
     4 micro-batches: gpipe 32.3 ms one_f_one_b 32.4 ms
     8 micro-batches: gpipe 50.7 ms one_f_one_b 51.0 ms
    16 micro-batches: gpipe 87.5 ms one_f_one_b 88.1 ms

    --8<-- [end:four-stages]

    --8<-- [start:buckets]
    >>> tensors, seconds = 480, 0.2e-3
    >>> for bucket in (1, 4, 16, 60, 480):  # a tensor has 20 MB of gradients
    ...     world = World(64, cluster, element=20e6 / 64)
    ...     step = training_step(world, by_node(8), tensors, seconds, bucket, np.ones(64))
    ...     print(f"{bucket:>3} tensors in a bucket: {1e3 * step:6.1f} ms")
      1 tensors in a bucket:  129.2 ms
      4 tensors in a bucket:   99.5 ms
     16 tensors in a bucket:   99.0 ms
     60 tensors in a bucket:  107.2 ms
    480 tensors in a bucket:  184.8 ms

    --8<-- [end:buckets]

    --8<-- [start:steps]
    >>> def step(gpus, bucket):
    ...     each, free = from_parts(gpus // 8, bucket * 20e6), 0.0
    ...     for done in range(bucket, tensors + 1, bucket):
    ...         free = max(free, done * seconds) + each
    ...     return free
    >>> for gpus in (8, 64, 1024):
    ...     line = (f"{1e3 * step(gpus, bucket):6.1f} ms" for bucket in (4, 16, 60))
    ...     print(f"{gpus:>5,} GPUs", *line)
        8 GPUs   96.4 ms   97.6 ms  101.8 ms
       64 GPUs   99.8 ms   99.0 ms  107.2 ms
    1,024 GPUs  249.4 ms  136.1 ms  116.6 ms

    --8<-- [end:steps]

    --8<-- [start:steps-of-four]
    >>> gradients_of_gpt = 43.1e6  # bytes
    >>> for gpus in (2, 4):
    ...     added = predict(two_shot, gradients_of_gpt, gpus)
    ...     print(f"{gpus} GPUs: {1e3 * added:.3f} ms on top of one GPU's step")
    2 GPUs: 0.124 ms on top of one GPU's step
    4 GPUs: 0.184 ms on top of one GPU's step

    --8<-- [end:steps-of-four]

    --8<-- [start:doubling]
    >>> ranks, x = 8, [np.arange(5.0) + rank for rank in range(8)]
    >>> sums = World(ranks, NVLINK).run(doubling, x)
    >>> all(np.array_equal(got, sum(x)) for got in sums)
    True
    >>> for kib in (8, 32768):
    ...     print(f"{kib:>6} KiB {1e6 * predict(doubling, kib * 2**10, ranks):8.1f} µs")
         8 KiB      5.1 µs
     32768 KiB    284.6 µs

    --8<-- [end:doubling]
    """


# --8<-- [start:exercise]
def doubling(rank, ranks, x):
    """All-reduce among 2, 4, 8, ... ranks: in each round, swap sums with a rank twice as far."""
    reach = 1
    while reach < ranks:
        yield Send(rank ^ reach, x)
        x = x + (yield Recv(rank ^ reach))
        reach *= 2
    return x


# --8<-- [end:exercise]

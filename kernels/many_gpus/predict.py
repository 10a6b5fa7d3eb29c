"""What the simulator says of 8, 64 and 1,024 GPUs, of pipelines, and of gradients on the way."""

import numpy as np

# The examples in the docstring use names that nothing else here does.
from kernels.many_gpus.collectives import (  # noqa: F401
    all_gather,
    all_to_all,
    broadcast,
    by_node,
    chain,
    one_shot,
    reduce_scatter,
    ring,
    tree,
    two_shot,
)
from kernels.many_gpus.peers import OWN, PUSH, TRIP, begins, predict_kernel  # noqa: F401
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
LATENCY = 2 * TRIP + TRIP + OWN  # until what I stored is there, a flag's way, and a look
NVLINK = switch(LATENCY, PUSH)


def predict(program, size, ranks=2, link=NVLINK, begin=None):
    """Return the seconds of an all-reduce of ``size`` bytes by messages, a launch included."""
    world = World(ranks, link, element=size / ranks)  # one element for each rank's part
    world.run(program, [np.ones(ranks, np.float32)] * ranks)
    return (begins(ranks) if begin is None else begin) + world.seconds


# --8<-- [end:predict]


def examples():
    """Eight GPUs and more.

    --8<-- [start:one-node]
    >>> for kib in (8, 128, 2048, 32768):
    ...     size, ours = kib * 2**10, ("one shot", "own first", "ring")
    ...     times = [*(predict_kernel(name, size, 8) for name in ours), predict(tree, size, 8)]
    ...     print(f"{kib:>6} KiB", *(f"{1e6 * t:8.1f}" for t in times))
         8 KiB      4.6     11.8     28.8     11.3
       128 KiB     11.7     12.4     29.4     13.3
      2048 KiB    147.0     22.3     38.9     46.0
     32768 KiB   2312.5    181.5    191.4    568.8

    --8<-- [end:one-node]

    --8<-- [start:nccl]
    >>> def gather(rank, ranks, x):  # rank r begins with a part, and ends with the array
    ...     return (yield from all_gather(rank, ranks, np.split(x, ranks)))
    >>> programs = {"all-reduce": ring, "reduce-scatter": reduce_scatter, "all-gather": gather,
    ...     "all-to-all": all_to_all, "tree": broadcast, "chain": chain}
    >>> def collective(name, ranks, parts=256):
    ...     world = World(ranks, NVLINK, element=2**30 / parts)
    ...     world.run(programs[name], [np.ones(parts)] * ranks)
    ...     return 1e6 * (begins(ranks) + world.seconds)
    >>> for name in programs:
    ...     print(f"{name:14}", *(f"{collective(name, ranks):8.1f} µs" for ranks in (2, 4)))
    all-reduce       2979.1 µs   4472.4 µs
    reduce-scatter   1490.5 µs   2237.3 µs
    all-gather       1490.5 µs   2237.3 µs
    all-to-all       1490.5 µs   2234.4 µs
    tree             2977.6 µs   5953.8 µs
    chain            2977.6 µs   3073.8 µs

    --8<-- [end:nccl]

    --8<-- [start:many]
    >>> cluster = nodes(8, inside=(LATENCY, PUSH), between=(5e-6, 50e9))
    >>> for ranks in (8, 64):
    ...     for name, program in {"ring": ring, "tree": tree, "by node": by_node(8)}.items():
    ...         seconds = predict(program, 2**30, ranks, cluster)
    ...         print(f"{ranks:>5,} GPUs, {name:8} {1e3 * seconds:7.2f} ms")
        8 GPUs, ring        5.23 ms
        8 GPUs, tree       17.86 ms
        8 GPUs, by node     5.23 ms
       64 GPUs, ring       42.29 ms
       64 GPUs, tree      146.74 ms
       64 GPUs, by node    10.00 ms
    >>> print(f"1,024 GPUs, tree     {1e3 * predict(tree, 2**30, 1024, cluster):7.2f} ms")
    1,024 GPUs, tree      318.58 ms
    >>> network = switch(5e-6, 50e9)
    >>> def from_parts(machines, size):  # a ring inside, and one between: eight rings alike
    ...     inside = predict(ring, size, 8, begin=begins(8 * machines))
    ...     return inside + predict(ring, size / 8, machines, network, begin=0)
    >>> bool(np.isclose(from_parts(8, 2**30), predict(by_node(8), 2**30, 64, cluster)))
    True
    >>> print(f"1,024 GPUs, by node  {1e3 * from_parts(128, 2**30):7.2f} ms")
    1,024 GPUs, by node    11.83 ms

    --8<-- [end:many]

    --8<-- [start:formula]
    >>> for ranks in (2, 8, 64):
    ...     step = LATENCY + 2**30 / ranks / PUSH
    ...     assert np.isclose(predict(ring, 2**30, ranks, begin=0), 2 * (ranks - 1) * step)
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
    >>> beside = {gpipe: 0.88e-3, one_f_one_b: 0.60e-3}  # seconds that a micro-batch costs more
    >>> def steps(stages, busy):  # busy: seconds of a micro-batch on one stage
    ...     message = np.zeros(2**21, np.float32)  # 1,024 x 2,048 numbers
    ...     for micro in (2, 4, 8, 16):
    ...         line = []
    ...         for schedule in (gpipe, one_f_one_b):
    ...             world, each = World(stages, NVLINK), (busy + beside[schedule]) / 3
    ...             _ = world.run(pipeline(schedule, micro, each, 2 * each, message))
    ...             line.append(f"{schedule.__name__} {1e3 * world.seconds:.1f} ms")
    ...         print(f"{micro:>2} micro-batches:", *line)
    >>> steps(2, 8.65e-3)
     2 micro-batches: gpipe 28.6 ms one_f_one_b 27.8 ms
     4 micro-batches: gpipe 47.7 ms one_f_one_b 46.3 ms
     8 micro-batches: gpipe 85.8 ms one_f_one_b 83.4 ms
    16 micro-batches: gpipe 162.1 ms one_f_one_b 157.6 ms

    --8<-- [end:two-stages]

    --8<-- [start:four-stages]
    >>> steps(4, 4.60e-3)
     2 micro-batches: gpipe 27.5 ms one_f_one_b 26.1 ms
     4 micro-batches: gpipe 38.5 ms one_f_one_b 36.6 ms
     8 micro-batches: gpipe 60.4 ms one_f_one_b 57.6 ms
    16 micro-batches: gpipe 104.3 ms one_f_one_b 99.5 ms

    --8<-- [end:four-stages]

    --8<-- [start:buckets]
    >>> tensors, seconds = 480, 0.2e-3
    >>> for bucket in (1, 4, 16, 60, 480):  # a tensor has 20 MB of gradients
    ...     world = World(64, cluster, element=20e6 / 64)
    ...     step = training_step(world, by_node(8), tensors, seconds, bucket, np.ones(64))
    ...     print(f"{bucket:>3} tensors in a bucket: {1e3 * step:6.1f} ms")
      1 tensors in a bucket:  132.0 ms
      4 tensors in a bucket:  100.1 ms
     16 tensors in a bucket:   99.0 ms
     60 tensors in a bucket:  107.2 ms
    480 tensors in a bucket:  184.6 ms

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
       64 GPUs  100.5 ms   99.0 ms  107.2 ms
    1,024 GPUs  250.2 ms  136.2 ms  116.5 ms

    --8<-- [end:steps]

    --8<-- [start:steps-of-four]
    >>> bucket, whole = 35_700_000, 43_100_000  # bytes: DDP's last bucket, and all of GPT's
    >>> for gpus in (2, 4):
    ...     some, all_ = predict(ring, bucket, gpus), predict_kernel("two shots", whole, gpus)
    ...     print(f"{gpus} GPUs: DDP {1e3 * some:.3f} ms more than one, GPT {1e3 * all_:.3f} ms")
    2 GPUs: DDP 0.104 ms more than one, GPT 0.132 ms
    4 GPUs: DDP 0.159 ms more than one, GPT 0.275 ms

    --8<-- [end:steps-of-four]

    --8<-- [start:doubling]
    >>> ranks, x = 8, [np.arange(5.0) + rank for rank in range(8)]
    >>> sums = World(ranks, NVLINK).run(doubling, x)
    >>> all(np.array_equal(got, sum(x)) for got in sums)
    True
    >>> for kib in (8, 32768):
    ...     print(f"{kib:>6} KiB {1e6 * predict(doubling, kib * 2**10, ranks):8.1f} µs")
         8 KiB      6.9 µs
     32768 KiB    285.7 µs

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

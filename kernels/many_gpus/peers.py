"""The all-reduces of one_shot.cu and peers.cu as ranks with times: what the kernels do, in order.

Every figure at the top is a measurement on two H200s of something other than an all-reduce of the
sizes that are predicted from it, but for FIRST, LAST and EVERY.
"""

# --8<-- [start:imports]
from statistics import NormalDist

# --8<-- [end:imports]
import numpy as np

from kernels.many_gpus.world import Flush, Load, Recv, Send, Work, World, switch

# --8<-- [start:figures]
PUSH, PULL = 361e9, 332e9  # bytes a second, both ways at once: kernels store, kernels load
WORDS = 264e9  # the same in stores that fill a quarter of each line: assumed of one shot
TRIP = 0.858e-6 / 2  # one way: half of a load from the other GPU
OWN, HBM = 0.148e-6, 0.338e-6  # a load from its own L2, and from its own memory
FIRST, LAST, EVERY = 2.008e-6, 1.088e-6, 2.944e-6  # kernels of a pair: how long, and how often


def begins(ranks, bell=True):
    """Return the seconds from the end of a kernel to the beginning of the next on the last rank.

    On two ranks EVERY - LAST. Their beginnings are FIRST - LAST apart, and the more ranks, the
    later the last of them: by as much as in a bell curve. Without ``bell``, no later than of two.
    """

    def last(n):  # the largest of n, in standard deviations
        return NormalDist().inv_cdf((n - 0.375) / (n + 0.25))

    deviation = (FIRST - LAST) / (2 * last(2))
    return EVERY - LAST + bell * deviation * (last(ranks) - last(2))


# --8<-- [end:figures]


# --8<-- [start:one-shot]
def one_shot_kernel(rank, ranks, chunks):
    """One chunk for each element that a thread has; a thread looks for word after word."""
    yield Work(OWN, "read")
    for chunk in chunks:
        for other in range(1, ranks):
            yield Send((rank + other) % ranks, chunk)
    yield Flush()  # a look waits behind the stores
    sums = []
    for chunk in chunks:
        sums.append(0)
        for source in range(ranks):
            came = chunk
            if source != rank:
                came = yield Recv(source)
                yield Work(OWN, "look")
            sums[-1] = sums[-1] + came
    return np.concatenate(sums)


# --8<-- [end:one-shot]


# --8<-- [start:two-shot]
FLAG = np.zeros(0)


def arrived():
    """What a release waits for: the stores are out, and the other side has said so."""
    yield Flush()
    yield Work(2 * TRIP, "fence")


def meet(rank, ranks):
    """A barrier: tell each rank, and look for its flag. Return what each stored here before."""
    yield from arrived()
    for other in range(1, ranks):
        yield Send((rank + other) % ranks, FLAG)
    stored = {(rank - other) % ranks: [] for other in range(1, ranks)}
    for source, before in stored.items():
        while (came := (yield Recv(source))) is not FLAG:
            before.append(came)
    yield Work(OWN, "look")
    return stored


def two_shot_kernel(first):
    """Rank r adds up part r of all arrays, from ``first(r)`` on, and stores the sums everywhere."""

    def program(rank, ranks, arrays):  # all arrays: peer pointers
        yield from meet(rank, ranks)
        order = [(first(rank) + k) % ranks for k in range(ranks)]
        rounds, sums = len(arrays[rank]) // ranks, []
        for i in range(rank * rounds, (rank + 1) * rounds):
            total = 0
            for source in order:
                if source == rank:
                    yield Work(HBM, "load")
                    total = total + arrays[rank][i]
                else:
                    total = total + (yield Load(source, arrays[source][i]))
            for other in range(1, ranks):
                yield Send((rank + other) % ranks, total)
            sums.append(total)
        found = {rank: sums, **(yield from meet(rank, ranks))}
        return np.concatenate([part for source in range(ranks) for part in found[source]])

    return program


# --8<-- [end:two-shot]


# --8<-- [start:read-all]
def read_all_kernel(first):
    """Each rank loads all arrays whole, from ``first(r)`` on."""

    def program(rank, ranks, arrays):
        yield from meet(rank, ranks)
        order, sums = [(first(rank) + k) % ranks for k in range(ranks)], []
        for i in range(len(arrays[rank])):
            sums.append(0)
            for source in order:
                came = arrays[source][i]
                yield Work(HBM, "load") if source == rank else Load(source, came)
                sums[-1] = sums[-1] + came
        yield from meet(rank, ranks)
        return np.concatenate(sums)

    return program


# --8<-- [end:read-all]


# --8<-- [start:ring]
def ring_kernel(rank, ranks, parts):
    """Part after part to the right: load it, store it, wait until it is there, raise a flag."""
    right, left, parts = (rank + 1) % ranks, (rank - 1) % ranks, list(parts)
    yield from meet(rank, ranks)
    for step in range(2 * (ranks - 1)):
        yield Work(HBM, "load")
        yield Send(right, parts[(rank - step) % ranks])
        yield from arrived()
        yield Send(right, FLAG)
        place = (rank - step - 1) % ranks
        came = yield Recv(left)
        parts[place] = parts[place] + came if step < ranks - 1 else came
        yield Recv(left)
        yield Work(OWN, "look")
    return np.concatenate(parts)


# --8<-- [end:ring]


# --8<-- [start:kernels]
THREADS = 32 * 512, 264 * 512  # of one shot, and of the others
ROUND = THREADS[1] * 4 * 16  # bytes of a round: four times 16 bytes for each thread
KERNELS = {
    "one shot": one_shot_kernel,
    "two shots": two_shot_kernel(lambda rank: 0),  # as in the kernel: everybody at GPU 0 first
    "own first": two_shot_kernel(lambda rank: rank),
    "ring": ring_kernel,
    "read all": read_all_kernel(lambda rank: 0),  # as in the kernel
    "read, own first": read_all_kernel(lambda rank: rank),
}
LOADING = "two shots", "own first", "read all", "read, own first"  # from all arrays


def chunks_of(name, size, ranks):
    """Return into how many chunks a kernel cuts an array of ``size`` bytes."""
    if name == "one shot":
        return max(1, -(-size // (4 * THREADS[0])))
    if name.startswith("read"):
        return max(1, -(-size // ROUND))
    return ranks if name == "ring" else ranks * max(1, -(-size // (ranks * ROUND)))


def predict_kernel(name, size, ranks, words=WORDS, bell=True):
    """Return the seconds of an all-reduce of ``size`` bytes by one of KERNELS, its launch too.

    ``words`` and ``bell`` are the two assumptions: what one shot's stores get, and late starts.
    """
    count = chunks_of(name, size, ranks)
    one = name == "one shot"  # value and number of the call: twice the bytes
    link = switch(TRIP, words if one else PUSH)
    world = World(ranks, link, element=size * (2 if one else 1) / count, loads=switch(TRIP, PULL))
    arrays = [list(np.ones((count, 1)))] * ranks
    world.run(KERNELS[name], [arrays] * ranks if name in LOADING else arrays)
    return begins(ranks, bell) + world.seconds


# --8<-- [end:kernels]


def examples():
    """Two GPUs and four.

    --8<-- [start:two]
    >>> rows = [("one shot", kib * 2**10) for kib in (4, 16, 64, 256)]
    >>> for name in ("two shots", "ring"):
    ...     rows += [(name, mib * 2**20) for mib in (16, 256, 1024)]
    >>> def table(ranks):
    ...     for name, size in rows:
    ...         kib, us = size // 2**10, 1e6 * predict_kernel(name, size, ranks)
    ...         print(f"{kib:>9,} KiB, {name:9} {us:9.2f} µs")
    >>> table(ranks=2)
            4 KiB, one shot       2.61 µs
           16 KiB, one shot       2.71 µs
           64 KiB, one shot       3.08 µs
          256 KiB, one shot       4.58 µs
       16,384 KiB, two shots     54.43 µs
      262,144 KiB, two shots    791.13 µs
    1,048,576 KiB, two shots   3147.26 µs
       16,384 KiB, ring          53.31 µs
      262,144 KiB, ring         750.43 µs
    1,048,576 KiB, ring        2981.19 µs

    --8<-- [end:two]

    --8<-- [start:four]
    >>> table(ranks=4)
            4 KiB, one shot       3.33 µs
           16 KiB, one shot       3.61 µs
           64 KiB, one shot       4.73 µs
          256 KiB, one shot      10.10 µs
       16,384 KiB, two shots    106.02 µs
      262,144 KiB, two shots   1507.67 µs
    1,048,576 KiB, two shots   5934.22 µs
       16,384 KiB, ring          84.00 µs
      262,144 KiB, ring        1129.67 µs
    1,048,576 KiB, ring        4475.82 µs
    >>> seconds = predict_kernel("two shots", 2**18, ranks=4)
    >>> f"256 KiB, two shots: {1e6 * seconds:.2f} µs"
    '256 KiB, two shots: 9.86 µs'

    --8<-- [end:four]

    --8<-- [start:order]
    >>> for mib in (16, 256, 1024):
    ...     us = [1e6 * predict_kernel(name, mib * 2**20, 4) for name in ("two shots", "own first")]
    ...     print(f"{mib:>5} MiB, first GPU 0 {us[0]:7.1f} µs, its own {us[1]:7.1f} µs")
       16 MiB, first GPU 0   106.0 µs, its own    80.8 µs
      256 MiB, first GPU 0  1507.7 µs, its own  1187.1 µs
     1024 MiB, first GPU 0  5934.2 µs, its own  4730.9 µs

    --8<-- [end:order]

    --8<-- [start:assumed]
    >>> without = {"as above": {}, "full lines": {"words": PUSH}, "no bell curve": {"bell": False}}
    >>> without["neither"] = {"words": PUSH, "bell": False}
    >>> def assumed(name, kib, ranks):
    ...     us = [1e6 * predict_kernel(name, kib * 2**10, ranks, **w) for w in without.values()]
    ...     print(f"{ranks} GPUs, {kib:>3} KiB, {name:9}", *(f"{t:7.3f}" for t in us))
    >>> for kib in (4, 16, 64, 256):
    ...     assumed("one shot", kib, 2)
    2 GPUs,   4 KiB, one shot    2.612   2.604   2.612   2.604
    2 GPUs,  16 KiB, one shot    2.705   2.672   2.705   2.672
    2 GPUs,  64 KiB, one shot    3.077   2.944   3.077   2.944
    2 GPUs, 256 KiB, one shot    4.582   4.048   4.582   4.048
    >>> for kib in (4, 16, 64, 256):
    ...     assumed("one shot", kib, 4)
    4 GPUs,   4 KiB, one shot    3.329   3.304   2.970   2.945
    4 GPUs,  16 KiB, one shot    3.608   3.508   3.249   3.149
    4 GPUs,  64 KiB, one shot    4.725   4.325   4.366   3.966
    4 GPUs, 256 KiB, one shot   10.097   8.496   9.738   8.137
    >>> assumed("two shots", 256, 4)
    4 GPUs, 256 KiB, two shots   9.860   9.860   9.501   9.501

    --8<-- [end:assumed]

    --8<-- [start:read]
    >>> for ranks, name in ((2, "read all"), (4, "read all"), (4, "read, own first")):
    ...     us = [1e6 * predict_kernel(name, mib * 2**20, ranks) for mib in (16, 256, 1024)]
    ...     print(f"{ranks} GPUs, {name:15}", *(f"{t:9.2f} µs" for t in us))
    2 GPUs, read all            57.65 µs    851.54 µs   3388.39 µs
    4 GPUs, read all           261.52 µs   2817.53 µs  13183.30 µs
    4 GPUs, read, own first    162.51 µs   2523.89 µs  10071.57 µs

    --8<-- [end:read]
    """

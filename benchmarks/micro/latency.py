"""Latency: how long one load takes, from each place where data can lie."""

import cupy as cp
import numpy as np

from benchmarks.harness import GIB, MIB
from benchmarks.micro.common import IN_KERNEL, SNIPPETS, Cycles, clock_mhz, functions, in_ns

SOURCE = SNIPPETS + "latency.cu"
KIB = 1024
LINE = 128  # bytes from one node of a chain to the next, at random
SETS = {
    "16kib": 16 * KIB,
    "64kib": 64 * KIB,
    "128kib": 128 * KIB,
    "192kib": 192 * KIB,
    "512kib": 512 * KIB,
    "2mib": 2 * MIB,
    "8mib": 8 * MIB,
    "16mib": 16 * MIB,
    "24mib": 24 * MIB,
    "32mib": 32 * MIB,
    "48mib": 48 * MIB,
    "64mib": 64 * MIB,
    "128mib": 128 * MIB,
    "512mib": 512 * MIB,
    "4gib": 4 * GIB,
}
STEPS = 1024


def run(bench):
    with bench.part("the clock"):
        clock = clock_mhz(bench)
        bench.micro(
            "clock-sm",
            "Clock of the multiprocessors while all of them do multiply-adds",
            clock,
            unit="MHz",
            kernel=SNIPPETS + "arithmetic.cu",
            method="cycles counted by a multiprocessor over nanoseconds of the global timer, 5 ms",
            terms=["streaming-multiprocessor", "peak-rate", "throttling"],
        )
    with bench.part("working sets"):
        sets(bench, clock)
    with bench.part("one place each"):
        places(bench, clock)


def chain(size):
    """Return a buffer with a chain of pointers through all its lines, at random, and its start."""
    n = size // LINE
    words = cp.zeros((n, LINE // 8), cp.uint64)
    order = cp.random.permutation(n).astype(cp.uint64)
    words[order, 0] = words.data.ptr + LINE * cp.roll(order, -1)
    return words, cp.full(1, words.data.ptr, cp.uint64)


def follow(kernel, size, cycles, keep):
    """Return a call that follows a chain; what L2 can hold of it is there beforehand."""
    words, at = chain(size)
    keep.append(words)
    nodes = size // LINE
    warm = nodes if size <= 192 * KIB else 0  # a whole turn, for L1

    def call():
        if size < 512 * MIB:
            words.sum()
        kernel((1,), (1,), (at, np.int32(warm), np.int32(STEPS), cycles))

    return call


def sets(bench, clock):
    (kernel,) = functions(SOURCE, "chase_global")
    timer, keep = Cycles(), []
    some = dict(list(SETS.items())[:6]) if bench.quick else SETS
    calls = {
        f"chase-{name}": follow(kernel, size, timer.cycles, keep) for name, size in some.items()
    }
    for (id, summary), size in zip(bench.samples(calls, timer).items(), some.values(), strict=True):
        bench.micro(
            id,
            f"One load after another through {size // KIB} KiB, in random order",
            summary,
            unit="cycles",
            amount=STEPS,
            kernel=SOURCE,
            method=f"{IN_KERNEL} {STEPS} loads of a pointer chain, one thread, divided",
            terms=["memory-hierarchy"],
            extra={"bytes": size} | in_ns(summary, clock, STEPS),
        )


def places(bench, clock):
    names = "chase_global chase_l2 chase_shared chase_cluster chase_texture".split()
    by_global, by_l2, by_shared, by_cluster, by_texture = functions(SOURCE, *names)
    timer, keep, sink = Cycles(), [], cp.zeros(32, cp.uint32)
    steps = np.int32(STEPS)
    texture = keep_texture(keep, 4096)
    calls = {
        "latency-shared": lambda: by_shared((1,), (1,), (steps, timer.cycles, sink)),
        "latency-cluster": lambda: by_cluster((2,), (1,), (steps, timer.cycles, sink)),
        "latency-l1": follow(by_global, 32 * KIB, timer.cycles, keep),
        "latency-texture": lambda: by_texture((1,), (1,), (texture, steps, timer.cycles, sink)),
        "latency-l2": follow(by_l2, 4 * MIB, timer.cycles, keep),
        "latency-hbm": follow(
            by_global, (64 * MIB if bench.quick else 2 * GIB), timer.cycles, keep
        ),
    }
    about = {
        "latency-shared": ("shared memory", ["shared-memory-hardware", "shared-memory"]),
        "latency-cluster": (
            "the shared memory of another block of the cluster",
            ["distributed-shared-memory", "thread-block-cluster"],
        ),
        "latency-l1": ("L1", ["l1-data-cache", "load-store-unit"]),
        "latency-texture": ("a texture that L1 holds", ["texture-memory"]),
        "latency-l2": ("L2", ["l2-cache"]),
        "latency-hbm": ("device memory", ["hbm", "global-memory", "latency-hiding", "stall"]),
    }
    for id, summary in bench.samples(calls, timer).items():
        place, terms = about[id]
        bench.micro(
            id,
            f"Latency of a load from {place}",
            summary,
            unit="cycles",
            amount=STEPS,
            kernel=SOURCE,
            method=f"{IN_KERNEL} {STEPS} loads of a chain, one thread, divided",
            terms=terms,
            extra=in_ns(summary, clock, STEPS),
        )
    constant(bench, clock)


def keep_texture(keep, words):
    """Return a texture object of whole numbers, each the place of the next."""
    at = cp.arange(words, dtype=cp.uint32)
    chain = (at + 37) % words
    form = cp.cuda.texture.ChannelFormatDescriptor(32, 0, 0, 0, 1)  # 1: unsigned
    resource = cp.cuda.texture.ResourceDescriptor(
        2,
        arr=chain,
        chDesc=form,
        sizeInBytes=chain.nbytes,  # 2: linear memory
    )
    texture = cp.cuda.texture.TextureObject(resource, cp.cuda.texture.TextureDescriptor())
    keep += [chain, resource, texture]
    return texture


def constant(bench, clock):
    source = (bench.root / SOURCE).read_text(encoding="utf-8")
    module = cp.RawModule(code=source, options=("-std=c++17",))
    kernel = module.get_function("chase_constant")
    words = np.arange(2048, dtype=np.int32)  # each leads back to itself
    place = module.get_global("constants")
    place.copy_from_host(words.ctypes.data, words.nbytes)
    timer, sink = Cycles(), cp.zeros(32, cp.int32)

    def reads(spread):
        return lambda: kernel((1,), (32,), (np.int32(spread), np.int32(STEPS), timer.cycles, sink))

    calls = {"constant-broadcast": reads(0), "constant-divergent": reads(1)}
    titles = ("all lanes of a warp read one word", "each lane of a warp reads a word of its own")
    times = bench.samples(calls, timer)
    for (id, summary), title in zip(times.items(), titles, strict=True):
        bench.micro(
            id,
            f"A read of constant memory in which {title}",
            summary,
            unit="cycles",
            amount=STEPS,
            kernel=SOURCE,
            method=f"{IN_KERNEL} {STEPS} reads, each needing the last, one warp, divided",
            terms=["constant-memory"],
            extra=in_ns(summary, clock, STEPS)
            | {"times_broadcast": summary.median / times["constant-broadcast"].median},
        )

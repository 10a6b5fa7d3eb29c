"""Bandwidth: what each memory delivers when the whole GPU asks, and what narrow words cost."""

import cupy as cp
import numpy as np

from benchmarks.harness import GIB, MIB
from benchmarks.micro.common import COLD, SNIPPETS, WARM, Events, functions, relative

SOURCE = SNIPPETS + "bandwidth.cu"
THREADS = 256
KIB = 1024


def run(bench):
    size = 64 * MIB if bench.quick else 2 * GIB
    with bench.part("device memory"):
        device_memory(bench, size)
    with bench.part("caches and shared memory"):
        on_chip(bench)
    with bench.part("the width of a word"):
        width(bench, size // 2)
    with bench.part("the bus, both ways at once"):
        bus(bench, 16 * MIB if bench.quick else 256 * MIB)


def add(bench, id, title, summary, amount, terms, method, extra=None):
    bench.micro(
        id,
        title,
        summary,
        unit="GB/s",
        amount=amount,
        kernel=SOURCE,
        method=method,
        terms=terms,
        extra=extra,
    )


def device_memory(bench, size):
    read, write = functions(SOURCE, "read_global", "write_global")
    a = bench.random(size // 4)
    words = np.int64(size // 16)
    blocks = 8 * bench.device.multiprocessors
    # Whole trips: what is left over at the end of the array is not read.
    trip = 4 * blocks * THREADS
    words -= words % trip
    out = cp.zeros(blocks * THREADS, cp.float32)
    calls = {
        "bandwidth-hbm-read": lambda: read((blocks,), (THREADS,), (a, words, out)),
        "bandwidth-hbm-write": lambda: write((blocks,), (THREADS,), (a, words, np.float32(1))),
    }
    titles = ("Device memory, reads alone", "Device memory, writes alone")
    for (id, summary), title in zip(bench.samples(calls).items(), titles, strict=True):
        terms = ["hbm", "memory-bandwidth", "vectorized-access"]
        method = f"{COLD}; 2 GiB, 16 bytes a thread a turn, 2048 threads a multiprocessor"
        add(bench, id, title, summary, 16 * int(words), terms, method)


def on_chip(bench):
    by_l2, by_l1, by_shared = functions(SOURCE, "read_l2", "read_l1", "read_shared")
    count = bench.device.multiprocessors
    blocks = 8 * count
    out = cp.zeros(blocks * THREADS, cp.float32)
    step = blocks * THREADS
    l2 = 4 * step  # words of 16 bytes: 17 MiB with 132 multiprocessors
    a, rounds = bench.random(4 * l2), 32
    l1 = 32 * KIB // 16  # for each of four blocks
    b, turns = bench.random(4 * l1 * 4 * count), 128
    shared_rounds = 1024
    calls = {
        "bandwidth-l2": lambda: by_l2(
            (blocks,), (THREADS,), (a, np.int32(l2), np.int32(rounds), out)
        ),
        "bandwidth-l1": lambda: by_l1(
            (4 * count,), (THREADS,), (b, np.int32(l1), np.int32(turns), out)
        ),
        "bandwidth-shared": lambda: by_shared(
            (6 * count,), (THREADS,), (np.int32(shared_rounds), out)
        ),
    }
    times = bench.samples(calls, Events())
    method = f"{WARM}; 16 bytes a thread a read, the same data again and again"
    rows = {
        "bandwidth-l2": ("L2, 17 MiB read past L1", 16 * l2 * rounds, ["l2-cache"]),
        "bandwidth-l1": (
            "L1 of all multiprocessors, each reading its own 128 KiB",
            16 * l1 * 4 * count * turns,
            ["l1-data-cache"],
        ),
        "bandwidth-shared": (
            "Shared memory of all multiprocessors, read without conflicts",
            16 * 8 * shared_rounds * 6 * count * THREADS,
            ["shared-memory-hardware", "shared-memory"],
        ),
    }
    for id, (title, amount, terms) in rows.items():
        add(bench, id, title, times[id], amount, [*terms, "memory-bandwidth"], method)


def width(bench, size):
    kernels = functions(SOURCE, "copy_4", "copy_8", "copy_16")
    a, b = bench.random(size // 4 + 64), cp.zeros(size // 4, cp.float32)
    calls = {}
    for kernel, word in zip(kernels, (4, 8, 16), strict=True):
        n = size // word
        for off in (0, 1):
            id = f"copy-{word}-bytes" + ("-off-1" if off else "")
            calls[id] = lambda kernel=kernel, n=n, off=off: kernel(
                (-(-n // THREADS),), (THREADS,), (a, b, np.int64(n), np.int32(off))
            )
    times = bench.samples(calls)
    for id, summary in times.items():
        word = int(id.split("-")[1])
        off = f", reads begin {word} bytes late" if "off" in id else ""
        title = f"Copy with one word of {word} bytes a thread{off}"
        extra = {"times_aligned": relative(summary, times[f"copy-{word}-bytes"])}
        terms = ["vectorized-access", "memory-coalescing"]
        add(bench, id, title, summary, 2 * size, terms, f"{COLD}; 1 GiB copied", extra)


def bus(bench, size):
    """Copies to and from the device at once, on two streams, from pinned memory."""
    there, back = cp.zeros(size, cp.uint8), cp.ones(size, cp.uint8)
    to, fro = (cp.cuda.alloc_pinned_memory(size) for _ in range(2))
    one, two = (cp.cuda.Stream(non_blocking=True) for _ in range(2))
    done = [cp.cuda.Event(disable_timing=True) for _ in range(2)]
    ready = cp.cuda.Event(disable_timing=True)

    def both():
        ready.record()
        for stream in (one, two):
            stream.wait_event(ready)
        there.data.copy_from_host_async(to.ptr, size, one)
        back.data.copy_to_host_async(fro.ptr, size, two)
        for stream, event in zip((one, two), done, strict=True):
            event.record(stream)
            cp.cuda.Stream.null.wait_event(event)

    bench.micro(
        "bandwidth-host-both-ways",
        "Copies to the device and from it at once, pinned host memory, 256 MiB each",
        bench.samples({"both": both}, Events())["both"],
        unit="GB/s",
        amount=2 * size,
        method=f"{WARM} around two copies on two streams; bytes of both",
        terms=["pcie", "copy-engine", "pinned-memory", "stream"],
    )

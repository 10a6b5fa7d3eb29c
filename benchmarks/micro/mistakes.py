"""Mistakes of timing: a small kernel by the wall clock, data in the cache, one sample."""

import statistics

from benchmarks.harness import MIB, QUICK_REPEATS, Summary, WallTimer
from benchmarks.micro.common import COLD, WARM, Events
from kernels.vector_add.add import add_kernel

KERNEL = "kernels/vector_add/add.py"
TERMS = ["warm-up-and-synchronized-timing"]
SMALL = 2**20  # the kernel takes some microseconds


def run(bench):
    with bench.part("a small kernel, by five clocks"):
        small(bench)
    with bench.part("one sample"):
        one_sample(bench)
    with bench.part("data in the cache"):
        cached(bench)
    with bench.part("the clock itself"):
        clock(bench)


def adding(bench, n):
    a, b, out = (bench.random(n) for _ in range(3))
    bound = add_kernel[-(-n // 256), 256]
    views = [bench.device.numba(array) for array in (a, b, out)]
    return lambda: bound(*views)


def small(bench):
    call = adding(bench, SMALL)
    wait = bench.device.synchronize
    timers = {
        "small-wall-no-wait": (
            "wall clock around one call, not waited for",
            WallTimer(wait, 1, wait=False),
        ),
        "small-wall-one": ("wall clock around one call and the wait", WallTimer(wait, 1)),
        "small-wall-100": ("wall clock around 100 calls and one wait", WallTimer(wait, 100)),
        "small-events-idle": ("events around one call, the GPU idle before", Idle(wait)),
        "small-events-busy": ("events around one call, queued while the GPU is busy", None),
    }
    for id, (how, timer) in timers.items():
        summary = bench.samples({id: call}, timer)[id]
        bench.micro(
            id,
            f"Numba's vector add of 2^20 floats, timed by {how}",
            summary,
            unit="us",
            kernel=KERNEL,
            method=f"{how}; median of 20",
            terms=[*TERMS, "overhead-bound", "event"],
        )


class Idle(Events):
    """Events around a call that finds the GPU idle, so that it waits for the host in between."""

    def __init__(self, wait):
        super().__init__(busy=0)
        self.wait = wait

    def __call__(self, call):
        self.wait()
        return super().__call__(call)


def one_sample(bench):
    """Many samples of one thing: how far the luckiest is from the unluckiest."""
    call = adding(bench, SMALL)
    count = QUICK_REPEATS if bench.quick else 500
    timer = WallTimer(bench.device.synchronize, 1)
    for _ in range(10):
        timer(call)
    times = sorted(1e6 * timer(call) for _ in range(count))
    bench.micro(
        "one-sample",
        "Numba's vector add of 2^20 floats, wall clock around one call and the wait, 500 times",
        Summary(statistics.median(times) / 1e6, (times[-1] - times[0]) / times[count // 2], count),
        unit="us",
        kernel=KERNEL,
        method="wall clock; median of 500; the spread is that of all 500, smallest to largest",
        terms=TERMS,
        extra={
            "least_us": round(times[0], 3),
            "most_us": round(times[-1], 3),
            "most_times_least": round(times[-1] / times[0], 3),
        },
    )


def cached(bench):
    size = 8 * MIB  # of each of three arrays: L2 holds all three
    call = adding(bench, size // 4)
    rows = {
        "cache-cold": (COLD, None),
        "cache-warm": (f"{WARM}, L2 as the last call left it", Events()),
    }
    times = {id: bench.samples({id: call}, timer)[id] for id, (_, timer) in rows.items()}
    for id, (method, _) in rows.items():
        bench.micro(
            id,
            "Numba's vector add, three arrays of 8 MiB: "
            + ("L2 emptied before" if id == "cache-cold" else "again and again"),
            times[id],
            unit="GB/s",
            amount=3 * size,
            kernel=KERNEL,
            method=method,
            terms=[*TERMS, "l2-cache"],
        )


def clock(bench):
    bench.micro(
        "events-nothing",
        "Two events with nothing in between",
        bench.samples({"events-nothing": lambda: None})["events-nothing"],
        unit="us",
        method="CUDA events recorded one after the other while the GPU is busy",
        terms=["event"],
    )

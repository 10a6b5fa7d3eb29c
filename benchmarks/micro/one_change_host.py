"""More experiments of one change each, on the host's clock and on the GPU's, around one call."""

import time

import numpy as np
from numba import cuda

from benchmarks.harness import REPEATS, BenchmarkError, rounded, summarize
from kernels.execution_model.square import square_kernel
from kernels.numpy_baseline.develop import develop_kernel

SQUARE, DEVELOP = "kernels/execution_model/square.py", "kernels/numpy_baseline/develop.py"
BOTH = "the host's clock from the launch to the end of the wait, and events on either side of the"
BOTH += " launch; the GPU idle before"


def run(bench):
    with bench.part("the first launch over a large array, and the second"):
        first_launch(bench, 2**24)
    with bench.part("three parts of a launch on an array of the host"):
        three_parts(bench, 2**24)
    with bench.part("a photo by both clocks"):
        photo(bench, 64 * 64 * 3, 4000 * 3000 * 3)


def both_clocks(call):
    """Return the seconds of a launch and its wait, by the host and by events."""
    began, ended = cuda.event(), cuda.event()
    cuda.synchronize()
    start = time.perf_counter()
    began.record()
    call()
    ended.record()
    cuda.synchronize()
    seconds = time.perf_counter() - start
    return seconds, cuda.event_elapsed_time(began, ended) / 1e3


def by_host(call):
    """Return the seconds of a launch and its wait without events."""
    cuda.synchronize()
    start = time.perf_counter()
    call()
    cuda.synchronize()
    return time.perf_counter() - start


def add(bench, id, title, samples, kernel, method, unit="us", **extra):
    if not bench.quick and len(samples) < REPEATS:
        raise BenchmarkError(f"{id}: {len(samples)} samples")
    bench.micro(id, title, summarize(samples), unit=unit, kernel=kernel, method=method, extra=extra)


def first_launch(bench, n):
    """The execution model's line: a launch on 256 elements and a wait, then all of the array."""
    found = {"first": [], "second": []}
    plain = {"first": [], "second": []}
    ones = np.ones(n, np.float32)
    for turn in range(2 * bench.repeats):
        array = cuda.to_device(ones)  # another one each time
        square_kernel[1, 256](array[:256])
        for which in ("first", "second"):
            call = lambda array=array: square_kernel[n // 256, 256](array)  # noqa: E731
            if turn % 2:
                plain[which].append(by_host(call))
            else:
                found[which].append(both_clocks(call))
    for which in ("first", "second"):
        title = f"x * x of 2^24 float32 in one launch alone, the {which} over an array"
        host, gpu = zip(*found[which], strict=True)
        add(bench, f"one-change-square-{which}", f"{title}: the host's clock", plain[which], SQUARE,
            "the host's clock from the launch to the end of the wait, no events")  # fmt: skip
        add(bench, f"one-change-square-{which}-host", f"{title}: the host's clock, with events",
            list(host), SQUARE, BOTH, first_of_all_us=rounded(1e6 * host[0]))  # fmt: skip
        add(bench, f"one-change-square-{which}-events", f"{title}: events", list(gpu), SQUARE,
            BOTH, first_of_all_us=rounded(1e6 * gpu[0]))  # fmt: skip
    tiny = cuda.to_device(ones[:256])
    call = lambda: square_kernel[1, 256](tiny)  # noqa: E731
    host, gpu = zip(*(both_clocks(call) for _ in range(bench.repeats)), strict=True)
    title = "x * x of 256 float32 in one launch alone"
    add(bench, "one-change-square-tiny-host", f"{title}: the host's clock, with events",
        list(host), SQUARE, BOTH)  # fmt: skip
    add(bench, "one-change-square-tiny-events", f"{title}: events", list(gpu), SQUARE, BOTH)


def three_parts(bench, n):
    """What ``square_kernel[n // 256, 256](on_host)`` does, one after another."""
    parts = {"in": [], "kernel": [], "out": [], "whole": []}
    on_host = np.ones(n, np.float32)
    for _ in range(bench.repeats):
        cuda.synchronize()
        times = [time.perf_counter()]
        array = cuda.to_device(on_host)
        cuda.synchronize()
        times.append(time.perf_counter())
        square_kernel[n // 256, 256](array)
        cuda.synchronize()
        times.append(time.perf_counter())
        array.copy_to_host(on_host)
        times.append(time.perf_counter())
        for name, seconds in zip(parts, np.diff(times), strict=False):
            parts[name].append(float(seconds))
        parts["whole"].append(by_host(lambda: square_kernel[n // 256, 256](on_host)))
        del array
    if not (on_host == 1).all():
        raise BenchmarkError("one squared is not one")
    titles = {"in": "the copy there", "kernel": "the launch and the wait", "out": "the copy back",
              "whole": "all in one launch on the host's array"}  # fmt: skip
    for name, samples in parts.items():
        add(bench, f"one-change-host-array-{name}", f"2^24 float32 of the host: {titles[name]}",
            samples, SQUARE, "the host's clock; pageable memory", unit="ms")  # fmt: skip


def photo(bench, small, large):
    """Whether the host's clock says more than the GPU's by as much for a photo as a thumbnail."""
    for name, n in (("thumbnail", small), ("photo", large)):
        x = cuda.to_device(np.random.default_rng().random(n, dtype=np.float32) * 4)
        out, gain = cuda.device_array(n, np.float32), np.float32(1.5)
        launch = develop_kernel[-(-n // 256), 256]
        call = lambda: launch(x, gain, out)  # noqa: E731, B023
        for _ in range(3):
            both_clocks(call)
        pairs = [both_clocks(call) for _ in range(2 * bench.repeats)]
        host, gpu = (list(each) for each in zip(*pairs, strict=True))
        apart = [a - b for a, b in pairs]
        title = f"Develop {n} color values, resident"
        add(bench, f"one-change-develop-{name}-host", f"{title}: the host's clock, with events",
            host, DEVELOP, BOTH)  # fmt: skip
        add(bench, f"one-change-develop-{name}-events", f"{title}: events", gpu, DEVELOP, BOTH)
        add(bench, f"one-change-develop-{name}-apart", f"{title}: the host's clock less the"
            " events'", apart, DEVELOP, BOTH)  # fmt: skip

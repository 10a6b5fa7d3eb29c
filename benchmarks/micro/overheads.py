"""What the host pays: events, waits, allocations, graphs, small copies, views of arrays."""

import ctypes

import cupy as cp
import numpy as np
from numba import cuda

from benchmarks.harness import MIB, BenchmarkError, WallTimer
from benchmarks.micro.common import Events

CALLS = 100
MANY = 64  # allocations
WALL = f"wall clock for one of {CALLS} calls in a row"


def run(bench):
    with bench.part("events and waits"):
        waits(bench)
    with bench.part("allocations"):
        allocations(bench)
    with bench.part("a graph"):
        graph(bench)
    with bench.part("small copies"):
        small_copies(bench)
    with bench.part("views"):
        views(bench)
    with bench.part("managed memory"):
        managed(bench)


def rows(bench, about, timer, method):
    """Time ``about``: id to (title, call, terms), and add a row in us for each."""
    times = bench.samples({id: call for id, (_, call, _) in about.items()}, timer)
    for id, (title, _, terms) in about.items():
        bench.micro(id, title, times[id], unit="us", method=method, terms=terms)


def waits(bench):
    stream, event = cp.cuda.Stream(non_blocking=True), cp.cuda.Event()
    empty = cp.RawKernel('extern "C" __global__ void empty() {}', "empty")

    def launch_and_wait():
        empty((1,), (32,), ())
        cp.cuda.Stream.null.synchronize()

    about = {
        "event-create": ("Making an event", cp.cuda.Event, ["event"]),
        "event-record": ("Recording an event", lambda: event.record(stream), ["event"]),
        "event-query": ("Asking whether an event is done", lambda: event.done, ["event"]),
        "stream-create": (
            "Making a stream and dropping it",
            lambda: cp.cuda.Stream(non_blocking=True),
            ["stream"],
        ),
        "stream-synchronize": (
            "Waiting for a stream that has nothing to do",
            stream.synchronize,
            ["stream"],
        ),
        "device-synchronize": (
            "Waiting for a device that has nothing to do",
            bench.device.synchronize,
            ["cuda-runtime-api"],
        ),
        "launch-and-wait": (
            "Launching an empty kernel and waiting for it",
            launch_and_wait,
            ["launch-latency", "overhead-bound"],
        ),
    }
    rows(bench, about, WallTimer(bench.device.synchronize, CALLS, wait=False), WALL)


def allocations(bench):
    runtime, pool = cp.cuda.runtime, cp.get_default_memory_pool()

    def raw(size):
        def call():
            runtime.free(runtime.malloc(size))

        return call

    def from_pool(size):
        def call():
            cp.empty(size, cp.uint8)  # dropped at once: back to the pool

        return call

    def asynchronous(size):
        def call():
            runtime.freeAsync(runtime.mallocAsync(size, 0), 0)

        return call

    def numba_array():
        cuda.device_array(MIB, np.uint8)

    from_pool(MIB)()
    about = {
        "malloc-raw-1gib": (
            "cudaMalloc and cudaFree of 1 GiB",
            raw(1024 * MIB),
            ["cuda-runtime-api"],
        ),
        "malloc-pool-1mib": ("cp.empty of 1 MiB, from CuPy's pool", from_pool(MIB), ["cupy"]),
        "malloc-async-1mib": (
            "cudaMallocAsync and cudaFreeAsync of 1 MiB",
            asynchronous(MIB),
            ["stream"],
        ),
        "malloc-numba-1mib": ("cuda.device_array of 1 MiB", numba_array, ["numba-cuda"]),
    }
    timer = WallTimer(bench.device.synchronize, 50)
    rows(bench, about, timer, "wall clock for one of 50 in a row, freed each time")
    cuda.synchronize()
    pool.free_all_blocks()

    # One at a time, the driver sometimes gives a page back and takes it again, and sometimes not:
    # from 5 us to 1 ms, by chance. So take many, as a program does.
    def many():
        for pointer in [runtime.malloc(MIB) for _ in range(MANY)]:
            runtime.free(pointer)

    took = bench.samples({"malloc": many}, WallTimer(bench.device.synchronize, 1))["malloc"]
    bench.micro(
        "malloc-raw-1mib", "cudaMalloc and cudaFree of 1 MiB", took, unit="us", amount=MANY,
        method=f"wall clock for one of {MANY}, the first freed when all are there",
        terms=["cuda-runtime-api"],
    )  # fmt: skip
    size = 64 * MIB

    def pinned():
        runtime.freeHost(runtime.hostAlloc(size, 0))

    about = {
        "malloc-pinned-64mib": (
            "Pinned host memory of 64 MiB, allocated and freed",
            pinned,
            ["pinned-memory"],
        ),
        "malloc-pageable-64mib": (
            "Pageable host memory of 64 MiB, allocated, zeroed and freed",
            lambda: np.full(size, 1, np.uint8),
            ["pinned-memory"],
        ),
    }
    rows(bench, about, WallTimer(bench.device.synchronize, 1), "wall clock for one")


def graph(bench):
    """Twenty empty kernels: launched one by one, and replayed as a graph."""
    count = 20
    empty = cp.RawKernel('extern "C" __global__ void empty() {}', "empty")
    stream = cp.cuda.Stream(non_blocking=True)
    empty((1,), (32,), ())
    with stream:
        stream.begin_capture()
        for _ in range(count):
            empty((1,), (32,), ())
        replay = stream.end_capture()

    def one_by_one():
        with stream:
            for _ in range(count):
                empty((1,), (32,), ())

    timer = WallTimer(stream.synchronize, 20)
    times = bench.samples(
        {"graph-launch": lambda: replay.launch(stream), "graph-not": one_by_one}, timer
    )
    titles = {
        "graph-launch": "One of 20 empty kernels of a CUDA graph that is replayed",
        "graph-not": "One of 20 empty kernels launched one by one",
    }
    for id, summary in times.items():
        bench.micro(
            id,
            titles[id],
            summary,
            unit="us",
            amount=count,
            method="wall clock for 20 rounds in a row, waited for, over all kernels",
            terms=["cuda-graph", "launch-latency"],
        )


def small_copies(bench):
    value = cp.ones(1, cp.float32)
    host = np.ones(1, np.float32)
    about = {
        "copy-4-bytes-to-host": ("float(x[0]) of a CuPy array", value.item, ["overhead-bound"]),
        "copy-4-bytes-to-device": ("x.set(host) of one float", lambda: value.set(host), ["pcie"]),
    }
    method = "wall clock for one of 20 in a row"
    rows(bench, about, WallTimer(bench.device.synchronize, 20), method)


def views(bench):
    array = bench.random(1024)
    numba_array = cuda.as_cuda_array(array, sync=False)
    about = {
        "view-numba-of-cupy": (
            "cuda.as_cuda_array of a CuPy array",
            lambda: cuda.as_cuda_array(array, sync=False),
            ["cuda-array-interface"],
        ),
        "view-cupy-of-numba": (
            "cp.asarray of a Numba array",
            lambda: cp.asarray(numba_array),
            ["cuda-array-interface"],
        ),
        "view-dlpack-cupy": (
            "cp.from_dlpack of a CuPy array",
            lambda: cp.from_dlpack(array),
            ["dlpack"],
        ),
    }
    try:
        import torch
    except ImportError:
        bench.say(f"[{bench.name}]   PyTorch is not here: its two rows are left out")
    else:
        tensor = torch.ones(1024, device="cuda")
        about["view-dlpack-torch-of-cupy"] = (
            "torch.from_dlpack of a CuPy array",
            lambda: torch.from_dlpack(array),
            ["dlpack"],
        )
        about["view-dlpack-cupy-of-torch"] = (
            "cp.from_dlpack of a PyTorch tensor",
            lambda: cp.from_dlpack(tensor),
            ["dlpack"],
        )
    rows(bench, about, WallTimer(bench.device.synchronize, CALLS), WALL)


def managed(bench):
    """64 MiB of managed memory: the GPU reads what the CPU wrote last, and again."""
    size = 64 * MIB
    memory = cp.cuda.malloc_managed(size)
    array = cp.ndarray(size // 4, cp.float32, memory)
    host = np.frombuffer((ctypes.c_char * size).from_address(memory.ptr), np.float32)
    out = cp.zeros((), cp.float32)

    def touch_by_host():
        bench.device.synchronize()
        host[:] = 1

    def read():
        cp.sum(array, out=out)

    timer = Events(busy=0)

    def first(call):
        touch_by_host()
        return timer(call)

    titles = {
        "managed-first-touch": ("first", first),
        "managed-later": ("once it is there", timer),
    }
    for id, (when, clock) in titles.items():
        summary = bench.samples({id: read}, clock)[id]
        if float(out) != size // 4:
            raise BenchmarkError(f"{id}: the sum is {float(out)}")
        bench.micro(
            id,
            f"The GPU reads 64 MiB of managed memory that the CPU wrote: {when}",
            summary,
            unit="GB/s",
            amount=size,
            method="CUDA events around cp.sum; for the first, the CPU wrote all of it before",
            terms=["managed-memory", "unified-memory"],
        )

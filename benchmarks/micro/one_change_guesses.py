"""Guesses that pages name, each put to the test: an allocation, a first copy, rows in one bank."""

import os
import time
from functools import partial
from pathlib import Path

import cupy as cp
import numpy as np
from numba import cuda

from benchmarks.harness import ROOT, BenchmarkError, rounded
from benchmarks.matvec import expected
from benchmarks.micro.common import COLD
from benchmarks.micro.one_change_host import SQUARE, add, by_host
from kernels.execution_model.square import square_kernel
from kernels.matvec.wide import matvec_launch, plan
from kernels.naive_matmul.matmul import matmul_swapped_kernel

FOLDER, SET = ROOT / "snippets/pmpp_15_20", "snippets/pmpp_15_20/mandelbrot.cu"


def run(bench):
    with bench.part("what a copy to the device allocates"):
        allocation(bench, 2**20 if bench.quick else 2**24)
    with bench.part("the first copy of a stream"):
        first_copy(bench, 100_003 if bench.quick else 4000 * 3000)
    with bench.part("a product whose rows begin in one bank"):
        one_bank(bench, 512 if bench.quick else 4096)
    with bench.part("twice as many rows of a layer"):
        more_rows(bench, 512 if bench.quick else 4096, 14336)
    here = Path.cwd()
    os.chdir(FOLDER)  # the module reads its CUDA C++ from the page's folder
    try:
        with bench.part("the Mandelbrot set by other squares"):
            mandelbrot(bench, 1024 if bench.quick else 4096, 16384)
    finally:
        os.chdir(here)


def allocation(bench, n):
    """The parts of ``cuda.to_device``, and a launch behind one on a slice, as on the page."""
    on_host = np.ones(n, np.float32)
    kept = cuda.to_device(on_host)
    found: dict = {"allocate": [], "copy": [], "both": [], "after-a-slice": []}
    for _ in range(bench.repeats):
        cuda.synchronize()
        began = time.perf_counter()
        array = cuda.device_array(n, np.float32)
        cuda.synchronize()
        found["allocate"].append(time.perf_counter() - began)
        del array
        found["copy"].append(by_host(partial(kept.copy_to_device, on_host)))
        made: list = []
        found["both"].append(by_host(lambda made=made: made.append(cuda.to_device(on_host))))
        (array,) = made
        square_kernel[1, 256](array[:256])
        found["after-a-slice"].append(by_host(lambda a=array: square_kernel[n // 256, 256](a)))
        del array, made
    titles = {
        "allocate": "cuda.device_array alone",
        "copy": "a copy into an array that is there",
        "both": "cuda.to_device, an array and a copy",
        "after-a-slice": "a launch on a new array, behind one on 256 of its elements",
    }
    for name, samples in found.items():
        add(bench, f"one-change-new-array-{name}", f"{n} float32 of the host: {titles[name]}",
            samples, SQUARE, "the host's clock; pageable memory")  # fmt: skip


def first_copy(bench, pixels):
    """A copy from pinned memory between two marks: the stream idle before it, or busy."""
    image = cuda.pinned_array(pixels, dtype=np.float32)
    image[:] = 1
    before, array = (cuda.device_array(pixels, np.float32) for _ in range(2))
    stream, found = cuda.stream(), {"idle": [], "queued": []}
    for turn in range(2 * bench.repeats + 2):
        began, ended = (cuda.event(timing=True) for _ in range(2))
        cuda.synchronize()
        if turn % 2:
            before.copy_to_device(image, stream=stream)
        began.record(stream)
        array.copy_to_device(image, stream=stream)
        ended.record(stream)
        cuda.synchronize()
        if turn > 1:
            name = "queued" if turn % 2 else "idle"
            found[name].append(cuda.event_elapsed_time(began, ended) / 1e3)
    titles = {"idle": "nothing before the first mark", "queued": "another copy before it"}
    for name, samples in found.items():
        add(bench, f"one-change-first-copy-{name}", f"A copy in of {pixels} float32, pinned, from"
            f" mark to mark: {titles[name]}", samples, "kernels/streams/timeline.py",
            "events in the copy's stream", unit="ms")  # fmt: skip


def one_bank(bench, n):
    """The swapped product on rows of n, and on slices of rows of n + 1 and of n + 32."""
    b, output, calls = bench.random((n, n)), bench.output((n, n)), {}
    a, d_b, d_c = bench.random((n, n)), bench.device.numba(b), bench.device.numba(output.array)
    grid = -(-n // 32), -(-n // 8)  # n x n: x covers the rows
    for more in (0, 1, 32):
        rows = cp.zeros((n, n + more), cp.float32)[:, :n]
        rows[...] = a
        calls[f"one-change-swapped-{n + more}"] = partial(
            matmul_swapped_kernel[grid, (32, 8)], bench.device.numba(rows), d_b, d_c)  # fmt: skip
    wanted = a.astype(cp.float64) @ b.astype(cp.float64)
    for id, call in calls.items():
        bench.check(id, call, output, wanted, 1e-5)
    for id, summary in bench.samples(calls).items():
        bench.micro(id, f"Naive matrix product {n} x {n} x {n}, x over rows, rows of"
                    f" {id.rpartition('-')[2]} for a", summary, unit="TFLOP/s", amount=2 * n**3,
                    kernel="kernels/naive_matmul/matmul.py", method=COLD,
                    terms=["bank-conflict"])  # fmt: skip


def more_rows(bench, m, n):
    """What a sample costs that does not grow with the rows."""
    calls, sizes = {}, {}
    for rows in (m, 2 * m, 4 * m):
        a, x, output = bench.random((rows, n)), bench.random(n), bench.output(rows)
        flat, d_x, y = map(bench.device.numba, (a.reshape(-1), x, output.array))
        count = plan(rows, n)[2]
        empty = cp.empty((count, rows), cp.float32)
        parts = bench.device.numba(empty) if count > 1 else y.reshape(1, rows)
        id = f"one-change-matvec-{rows}"
        calls[id], sizes[id] = partial(matvec_launch, flat, d_x, rows, n, parts, y), rows
        bench.check(id, calls[id], output, expected(a, x), 1e-4)
    for id, summary in bench.samples(calls).items():
        moved = 4 * (sizes[id] * n + sizes[id] + n)
        bench.micro(id, f"Matrix times vector, {sizes[id]} x {n} float32", summary, unit="us",
                    kernel="kernels/matvec/wide.py", method=COLD,
                    extra={"gbps": rounded(moved / summary.median / 1e9)})  # fmt: skip


def mandelbrot(bench, side, most):
    """The squares as they are, from 64 pixels on, in blocks of 1,024 threads, and both."""
    from kernels.pmpp_15_20 import cupy_launches as launches

    images = [cp.empty((side, side), np.int32) for _ in range(5)]
    pixels, _ = launches.mandelbrot("all_pixels", images[0], most)
    as_is, _ = launches.mandelbrot("squares", images[1], most)
    smaller, counts = launches.mandelbrot("squares", images[2], most, start=64)
    kernel, pixel = launches.SET.get_function("squares"), np.float32(2.5 / side)
    where = np.int32(side), np.float32(-2), np.float32(1.25), pixel, np.int32(most)
    calls = {"pixels": pixels, "squares": as_is, "start-64": smaller}
    counted = [None, None, counts]
    for id, start in (("1024-threads", 256), ("start-64-1024-threads", 64)):
        counted.append(cp.zeros(2, np.int32))
        grid, square = (side // start, side // start), np.int32([0, 0, start])
        to = images[len(calls)]
        calls[id] = partial(kernel, grid, (1024,), (to, *where, *square, counted[-1]))
    titles = {
        "pixels": "every pixel",
        "squares": "squares from 256 pixels on, blocks of 128 threads",
        "start-64": "squares from 64 pixels on, blocks of 128 threads",
        "1024-threads": "squares from 256 pixels on, blocks of 1,024 threads",
        "start-64-1024-threads": "squares from 64 pixels on, blocks of 1,024 threads",
    }
    launched = {}
    for id, image, count in zip(calls, images, counted, strict=True):
        image.fill(-1)
        calls[id]()
        # What is true of a border may pass between two of its pixels: a few inside are lost.
        differ = int((image != images[0]).sum())
        if differ > 1e-5 * image.size:
            raise BenchmarkError(f"{id}: {differ} pixels differ")
        launched[id] = {"differ": differ}
        if count is not None:
            made, not_made = count.get()
            launched[id] |= {"launches": int(made), "refused": int(not_made)}
    for id, summary in bench.samples(calls).items():
        bench.micro(
            f"one-change-mandelbrot-{id}",
            f"The Mandelbrot set, {side} x {side}, at most {most} steps: {titles[id]}",
            summary, unit="ms", kernel=SET, extra=launched[id], terms=["dynamic-parallelism"],
            method="CuPy RawModule, CUDA events; equal first, but for the pixels in `differ`",
        )  # fmt: skip
        bench.say(f"[{bench.name}]   {id}: {rounded(1e3 * summary.median)} ms")

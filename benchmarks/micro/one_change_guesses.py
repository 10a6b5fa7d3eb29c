"""Guesses that pages name, each put to the test: what an array costs, and smaller squares."""

import os
import time
from functools import partial
from pathlib import Path

import cupy as cp
import numpy as np
from numba import cuda

from benchmarks.device_launches import FOLDER, SET
from benchmarks.harness import BenchmarkError, rounded
from benchmarks.micro.one_change_host import SQUARE, add, by_host
from kernels.execution_model.square import square_kernel


def run(bench):
    with bench.part("what a copy to the device allocates"):
        allocation(bench, 2**20 if bench.quick else 2**24)
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


def mandelbrot(bench, side, most):
    """The squares as they are, from 64 pixels on, and in blocks of 1,024 threads."""
    from kernels.pmpp_15_20 import cupy_launches as launches

    images = [cp.empty((side, side), np.int32) for _ in range(4)]
    pixels, _ = launches.mandelbrot("all_pixels", images[0], most)
    as_is, _ = launches.mandelbrot("squares", images[1], most)
    smaller, counts = launches.mandelbrot("squares", images[2], most, start=64)
    kernel, many = launches.SET.get_function("squares"), side // 256
    refused, pixel = cp.zeros(2, np.int32), np.float32(2.5 / side)
    where = np.int32(side), np.float32(-2), np.float32(1.25), pixel, np.int32(most)
    wide = partial(kernel, (many, many), (1024,), (images[3], *where, *np.int32([0, 0, 256]),
                   refused))  # fmt: skip
    calls = {"pixels": pixels, "squares": as_is, "start-64": smaller, "1024-threads": wide}
    titles = {
        "pixels": "every pixel",
        "squares": "squares from 256 pixels on, blocks of 128 threads",
        "start-64": "squares from 64 pixels on, blocks of 128 threads",
        "1024-threads": "squares from 256 pixels on, blocks of 1,024 threads",
    }
    launched = {}
    for id, image, count in zip(calls, images, (None, None, counts, refused), strict=True):
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

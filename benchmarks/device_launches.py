"""Kernels that launch kernels, beside the same work launched by the host: what a launch costs."""

import os
from functools import partial
from pathlib import Path

import cupy as cp
import numpy as np
from numba import cuda

from benchmarks import pmpp
from benchmarks.harness import ROOT, BenchmarkError, rounded

FOLDER = ROOT / "snippets/pmpp_15_20"
SET, LEVELS = (f"snippets/pmpp_15_20/{name}.cu" for name in ("mandelbrot", "levels"))
NUMBA = "kernels/pmpp_15_20/numba_launches.py"
WAYS = ("all_pixels", "squares", "listed_squares")
SET_IDS = {  # most steps -> ids in the order of WAYS
    64: ("mandelbrot-64-pixels", "mandelbrot-64-launched", "mandelbrot-64-listed"),
    1024: ("mandelbrot-1024-pixels", "mandelbrot-1024-launched", "mandelbrot-1024-listed"),
    16384: ("mandelbrot-16384-pixels", "mandelbrot-16384-launched", "mandelbrot-16384-listed"),
}
GRID_IDS = {"host": "launch-grid-host", "gpu": "launch-grid-gpu"}
WEB_IDS = {  # who launches the levels, and from how many neighbors on a vertex launches a grid
    "launch-web-host": ("host", 2**31 - 1),
    "launch-web-host-rows": ("host", 512),
    "launch-web-gpu-rows": ("gpu", 512),
}
COSTS = """
extern "C" __global__ void nothing() {}
extern "C" __global__ void children(int n) {
    for (int i = 0; i < n; ++i) nothing<<<1, 1, 0, cudaStreamFireAndForget>>>();
}
extern "C" __global__ void tails(int n) {
    if (n > 1) tails<<<1, 1, 0, cudaStreamTailLaunch>>>(n - 1);
}
"""


def run(bench):
    here = Path.cwd()
    os.chdir(FOLDER)  # the modules read their CUDA C++ from the page's folder
    try:
        from kernels.pmpp_15_20 import cupy_launches as launches
        from kernels.pmpp_15_20 import numba_launches as from_numba

        with bench.part("what a launch costs"):
            costs(bench, launches)
        with bench.part("the Mandelbrot set"):
            for most, ids in SET_IDS.items():
                mandelbrot(bench, launches, most, ids)
        with bench.part("levels of a grid"):
            levels(bench, launches, "grid", {i: (who, 2**31 - 1) for who, i in GRID_IDS.items()})
        with bench.part("levels of a graph like the web"):
            graph = levels(bench, launches, "web", WEB_IDS)
            numba(bench, from_numba, *graph)
    finally:
        os.chdir(here)


def costs(bench, launches):
    module = cp.RawModule(code=COSTS, options=launches.LAUNCHES)
    count = 1000  # half of those that may wait by default
    hows = {
        "device-launch-child": ("children", "a kernel launches an empty one and goes on"),
        "device-launch-tail": ("tails", "an empty kernel launches itself as a tail"),
    }
    calls = {
        id: partial(module.get_function(name), (1,), (1,), (np.int32(count),))
        for id, (name, _) in hows.items()
    }
    for id, summary in bench.samples(calls).items():
        bench.micro(
            id, f"A launch by the GPU: {hows[id][1]}", summary, unit="us", amount=count,
            method=f"CuPy RawModule, CUDA events, {count} launches one after the other",
            terms=["dynamic-parallelism", "launch-latency"],
        )  # fmt: skip


def mandelbrot(bench, launches, most, ids):
    side = 1024 if bench.quick else 4096
    images = [cp.empty((side, side), np.int32) for _ in WAYS]
    ready = [launches.mandelbrot(way, image, most) for way, image in zip(WAYS, images, strict=True)]
    for image, (draw, _) in zip(images, ready, strict=True):
        image.fill(-1)
        draw()
    # What is true of a border may pass between two of its pixels: a few inside are lost.
    pixels, launched, listed = images
    differ, counts = int((launched != pixels).sum()), ready[1][1].get()
    if not bool((launched == listed).all()) or differ > 1e-5 * pixels.size:
        raise BenchmarkError(f"{differ} pixels differ, {int((launched != listed).sum())} by a list")
    times = bench.samples({id: draw for id, (draw, _) in zip(ids, ready, strict=True)})
    for id, way in zip(ids, WAYS, strict=True):
        extra = {"inside_share": rounded(float((images[0] == most).mean()))}
        if way == "squares":
            extra |= {"launches": int(counts[0]), "refused": int(counts[1]), "differ": differ}
        bench.micro(
            id, f"The Mandelbrot set, {side} x {side}, at most {most} steps: {way}", times[id],
            unit="ms", kernel=SET, extra=extra, terms=["dynamic-parallelism"],
            method="CuPy RawModule, CUDA events; equal first, but for the pixels in `differ`",
        )  # fmt: skip


def levels(bench, launches, name, ids):
    """Search a graph from host and GPU. Returns its rows, its targets and the right levels."""
    sources, targets, n = pmpp.graph(bench, name)
    order = cp.asnumpy(cp.argsort(cp.asarray(sources)))
    heads = sources[order].astype(np.int32)
    starts = cp.asarray(np.searchsorted(heads, np.arange(n + 1)).astype(np.int32))
    tails, first, right = cp.asarray(targets[order].astype(np.int32)), int(heads[0]), None
    rows = cp.diff(starts)
    calls = {}
    for id, (who, most) in ids.items():
        calls[id], found = launches.search_by(who, starts, tails, first, most)
        calls[id]()
        if int(found[n + 2]):
            raise BenchmarkError(f"{id}: a level was refused")
        right = found[:n].copy() if right is None else right
        if not bool((found[:n] == right).all()):
            raise BenchmarkError(f"{id}: other distances than by the host")
    ends = right[cp.asarray(heads)], right[tails]
    if int(abs(ends[0] - ends[1]).max()) > 1 or int(right[first]) != 0:
        raise BenchmarkError("an edge joins vertices that are more than one level apart")
    for id, summary in bench.samples(calls).items():
        who, most = ids[id]
        extra = {"levels": int(right.max()), "reached": int((right >= 0).sum())}
        extra |= {"long_rows": int((rows > most).sum()), "longest": int(rows.max())}
        bench.micro(
            id, f"BFS of {n} vertices like a {name}, levels by the {who}"
            + (f", a grid for rows above {most}" if most < 2**31 - 1 else ""),
            summary, unit="ms", kernel=LEVELS, extra=extra, terms=["dynamic-parallelism"],
            method="CuPy RawModule, CUDA events, the whole search; equal levels first",
        )  # fmt: skip
    return starts, tails, first, right


def numba(bench, from_numba, starts, targets, first, right):
    id, arrays = "launch-web-numba-rows", (cuda.as_cuda_array(x) for x in (starts, targets))
    search = partial(from_numba.search_from_numba, *arrays, first)
    if not bool((search() == right.get()).all()):
        raise BenchmarkError(f"{id}: other distances than by the host")
    bench.micro(
        id, "BFS of a graph like the web, a kernel in Numba launches grids for rows above 512",
        bench.samples({id: search})[id], unit="ms", kernel=NUMBA, terms=["dynamic-parallelism"],
        method="Numba, CUDA events, the whole search with its copies; equal levels first",
    )  # fmt: skip

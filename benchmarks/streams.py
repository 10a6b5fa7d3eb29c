"""Copies behind kernels: a stack of images in one stream and in three, and what a graph saves."""

import cupy as cp
import numpy as np
from numba import cuda

from benchmarks.harness import BenchmarkError, WallTimer, rounded, summarize
from kernels.streams.gamma import process
from kernels.streams.graph import record, step
from kernels.streams.timeline import timeline

GAMMA = "kernels/streams/gamma.py"
GRAPH = "kernels/streams/graph.py"
COUNT, PIXELS = 24, 4000 * 3000  # a burst of a camera of 12 megapixels
LIGHT, EVEN, HEAVY = 8, 125, 400  # steps of Newton: far less than a copy, about one, about three
LAUNCHES = 100
METHOD = f"wall clock for {COUNT} images of {PIXELS / 1e6:g} megapixels, from and to pinned memory"


def run(bench):
    count, pixels = (4, 100_003) if bench.quick else (COUNT, PIXELS)
    images, out = (cuda.pinned_array((count, pixels), dtype=np.float32) for _ in range(2))
    images[:] = np.random.default_rng(3).random(images.shape, dtype=np.float32) + np.float32(0.01)
    with bench.part("one stream and three"):
        pipelines(bench, images, out)
    with bench.part("the same in time"):
        spans(bench, images[:6], out[:6])
    with bench.part("a graph of launches"):
        graph(bench)


def pipelines(bench, images, out):
    right = np.sqrt(images.astype(np.float64))
    timer = WallTimer(bench.device.synchronize, calls=1)
    for name, steps in (("light", LIGHT), ("even", EVEN), ("heavy", HEAVY)):
        calls = {}
        for streams in (1, 2, 3, 4):
            out[:] = np.nan
            process(images, out, steps, streams)
            error = np.linalg.norm(out - right) / np.linalg.norm(right)
            if not error < 1e-5:
                raise BenchmarkError(f"{name}, {streams} streams: error {error:.1e}")

            def call(steps=steps, streams=streams):
                process(images, out, steps, streams)

            calls[f"{name}, {streams} streams"] = call
        times = bench.samples(calls, timer)
        one = next(iter(times.values())).median
        for streams, time in enumerate(times.values(), start=1):
            title = f"{len(images)} images, {steps} steps a pixel, in {streams} streams"
            bench.micro(
                f"streams-{name}-{streams}", title, time, unit="ms", method=METHOD, kernel=GAMMA,
                terms=["stream", "copy-engine", "pinned-memory"],
                extra={"gain": rounded(one / time.median), "steps": steps},
            )  # fmt: skip


def spans(bench, images, out):
    """Keep when each step of each image began and ended, for the picture."""
    for streams in (1, 3):
        timeline(images, out, EVEN, streams)
        totals = []
        for _ in range(bench.repeats):
            steps = timeline(images, out, EVEN, streams)
            totals.append((max(end for *_, end in steps) - min(s for *_, s, _ in steps)) / 1e3)
        first = min(start for *_, start, _ in steps)
        row = bench.micro(
            f"streams-timeline-{streams}", f"Six images in {streams} streams, by events",
            summarize(totals), unit="ms", kernel="kernels/streams/timeline.py",
            method="CUDA events before and after each copy and kernel, in its stream",
            terms=["stream", "event"],
        )  # fmt: skip
        row["spans"] = [
            [image, what, rounded(start - first), rounded(end - first)]
            for image, what, start, end in steps
        ]


def graph(bench):
    x, scratch = cp.zeros(32, cp.float32), cp.empty(32, cp.float32)
    made, stream = record(x, scratch, LAUNCHES)

    def launched():
        for _ in range(LAUNCHES // 2):
            step(x, scratch)
            step(scratch, x)

    timer = WallTimer(bench.device.synchronize, calls=1)
    times = bench.samples({"graph": lambda: made.launch(stream), "launches": launched}, timer)
    for name, title in (("graph", "as one graph"), ("launches", "launched one by one")):
        bench.micro(
            f"streams-{name}-node",
            f"A kernel of 32 elements, one of {LAUNCHES} that depend on each other, {title}",
            times[name], unit="us", amount=LAUNCHES, kernel=GRAPH,
            method="wall clock until the GPU is done, divided by the number of kernels",
            terms=["cuda-graph", "launch-latency"],
        )  # fmt: skip

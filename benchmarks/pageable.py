"""The pipeline of three streams from pinned and from pageable memory, and where its time goes."""

import numpy as np
from numba import cuda

from benchmarks.harness import BenchmarkError, rounded, summarize
from benchmarks.streams import EVEN, PIXELS
from kernels.streams.timeline import timeline

IMAGES, STREAMS = 6, 3
MEMORY = {"pinned": "pinned", "pageable": "ordinary, pageable"}


def run(bench):
    shape = IMAGES, 100_003 if bench.quick else PIXELS
    with bench.part("from pinned and from pageable memory"):
        compare(bench, shape)


def compare(bench, shape):
    pinned = [cuda.pinned_array(shape, dtype=np.float32) for _ in range(2)]
    pageable = [np.empty(shape, np.float32) for _ in range(2)]
    pinned[0][:] = np.random.default_rng(3).random(shape, dtype=np.float32) + np.float32(0.01)
    pageable[0][:] = pinned[0]
    right = np.sqrt(pinned[0].astype(np.float64))
    buffers = {"pinned": pinned, "pageable": pageable}
    steps, totals = {}, {name: [] for name in buffers}
    for name, (images, out) in buffers.items():
        out[:] = np.nan  # which also maps its pages
        timeline(images, out, EVEN, STREAMS)
        error = np.linalg.norm(out - right) / np.linalg.norm(right)
        if not error < 1e-5:
            raise BenchmarkError(f"{name}: error {error:.1e}")
    for _ in range(bench.repeats):
        for name, (images, out) in buffers.items():
            steps[name] = timeline(images, out, EVEN, STREAMS)
            starts, ends = zip(*((start, end) for _, _, start, end in steps[name]), strict=True)
            totals[name].append((max(ends) - min(starts)) / 1e3)
    for name, what in MEMORY.items():
        first = min(start for *_, start, _ in steps[name])
        copies = [end - start for _, lane, start, end in steps[name] if lane == "copy in"]
        row = bench.micro(
            f"streams-{name}", f"Six images in three streams, from {what} memory, by events",
            summarize(totals[name]), unit="ms", kernel="kernels/streams/timeline.py",
            method="CUDA events before and after each copy and kernel, in its stream",
            terms=["stream", "event", "pinned-memory"],
            extra={"slower": rounded(np.median(totals[name]) / np.median(totals["pinned"]))},
        )  # fmt: skip
        row["copy_in_ms"] = rounded(float(np.median(copies)))
        row["spans"] = [
            [image, lane, rounded(start - first), rounded(end - first)]
            for image, lane, start, end in steps[name]
        ]

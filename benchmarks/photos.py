"""A burst of photos on the GPU, as first written and with its gaps closed: time, and timeline."""

import tempfile

import numpy as np

from benchmarks.harness import BenchmarkError, WallTimer, rounded
from kernels.profiling import photos

PATH = "kernels/profiling/photos.py"
SHAPE = (6, 3000, 4000)  # 12 megapixels each


def run(bench):
    with bench.part("a burst of photos"):
        on_host, on_gpu = photos.burst(*((3, 300, 400) if bench.quick else SHAPE))
        work = {
            "photos-first": (photos.decoded_on_cpu, on_host, "decoded on the CPU"),
            "photos-second": (photos.decoded_on_gpu, on_gpu, "decoded on the GPU, one wait"),
        }
        right = [
            np.lib.stride_tricks.sliding_window_view(on_host[1][photo], (9, 9)).mean(dtype=float)
            for photo in (p[:200, :200] for p in on_host[0])
        ]
        for id, (function, (images, table), _) in work.items():
            got = function([photo[:200, :200] for photo in images], table)
            if not np.allclose(got, right, rtol=1e-4):
                raise BenchmarkError(f"{id}: {got}, and not {right}")
        timer = WallTimer(bench.device.synchronize, calls=1)
        calls = {id: lambda f=f, a=a: f(*a) for id, (f, a, _) in work.items()}
        times = bench.samples(calls, timer)
        for id, (function, arguments, words) in work.items():
            with tempfile.TemporaryDirectory() as folder:
                events = photos.trace(f"{folder}/trace.json", function, *arguments)
            spans = photos.lanes(events)
            row = bench.micro(
                id, f"Six photos of 12 megapixels, {words}", times[id], unit="ms", kernel=PATH,
                method="wall clock of the host; the timeline in another run, by CUPTI through"
                " torch.profiler",
                terms=["nsight-systems", "cupti"],
                extra={"busy_share": rounded(photos.busy(spans))},
            )  # fmt: skip
            row["spans"] = [
                [label(lane, name), lane, rounded(start), rounded(end)]
                for lane, name, start, end in spans
            ]


def label(lane, name):
    """Return what a bar of the picture is called."""
    if lane == "copies":
        return name.split(" ")[1]  # Memcpy HtoD (Pinned -> Device)
    return name if lane == "host" else name.partition("<")[0].split("::")[-1][:40]

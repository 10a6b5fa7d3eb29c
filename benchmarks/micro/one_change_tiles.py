"""More experiments of one change each: tiles of a product that the formula doesn't choose."""

from functools import partial

import cupy as cp
import torch

from benchmarks.harness import rounded
from benchmarks.micro.common import COLD
from benchmarks.tensor_cores import Bfloat16, narrow, widen
from kernels.tensor_cores import shapes

FILE = "kernels/tensor_cores/shapes.py"
WAYS = {  # rows, columns, k -> tiles and parts of k, beside the one that is chosen
    (16, 8192, 8192): [(128, 256, 1), (64, 128, 1)],
    (16, 4096, 14336): [(128, 256, 1)],
    (128, 4096, 14336): [(128, 256, 1)],
}


def run(bench):
    with bench.part("cuDNN's kernels for few channels"):
        channels(bench, 64 if bench.quick else 512)
    for shape, ways in WAYS.items():
        with bench.part(f"{shape}"):
            product(bench, *shape, ways)


def channels(bench, side):
    """Whether one kernel, whose tile is wide, serves 8 and 32 channels. Its name is the method."""
    was = torch.backends.cudnn.benchmark, torch.backends.cudnn.conv.fp32_precision
    torch.backends.cudnn.benchmark, torch.backends.cudnn.conv.fp32_precision = True, "ieee"
    calls, names = {}, {}
    for count in (4, 8, 16, 32, 64):
        x, w = (torch.randn(shape, device="cuda")
                for shape in ((8, count, side, side), (count, count, 3, 3)))  # fmt: skip
        id = f"one-change-cudnn-{count}"
        calls[id] = call = partial(torch.nn.functional.conv2d, x, w, padding=1)
        call()  # the search
        torch.cuda.synchronize()
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as seen:
            call()
            torch.cuda.synchronize()
        names[id] = [e.name for e in seen.events() if e.device_type.name == "CUDA"]
        bench.say(f"[{bench.name}]   {count} channels: {names[id]}")
    for id, summary in bench.samples(calls).items():
        count = id.split("-")[-1]
        bench.micro(
            id, f"cuDNN, 3 x 3, 8 images {side} x {side}, {count} channels, float32", summary,
            unit="us", method=f"{COLD}; kernels: {', '.join(names[id])}"[:400],
        )  # fmt: skip
    torch.backends.cudnn.benchmark, torch.backends.cudnn.conv.fp32_precision = was
    torch.cuda.empty_cache()


def product(bench, m, n, k, ways):
    a, b = (narrow(bench.random(shape)) for shape in ((m, k), (k, n)))
    output = Bfloat16(bench.xp, (m, n))
    wanted = widen(a).astype(cp.float64) @ widen(b).astype(cp.float64)
    processors = bench.device.multiprocessors
    best = shapes.choose(m, n, k, processors)
    calls = {}
    for way in (best, *ways):
        name = "best" if way == best else "x".join(map(str, way))
        id = f"one-change-tile-{m}-{n}-{k}-{name}"
        calls[id] = way, shapes.product(*map(bench.device.numba, (a, b, output.array)), way=way)
        bench.check(id, calls[id][1], output, wanted, 3e-3)
    for id, summary in bench.samples({id: call for id, (_, call) in calls.items()}).items():
        rows, columns, splits = way = calls[id][0]
        bench.micro(
            id, f"{m} x {n} x {k}, bfloat16, tile of {rows} x {columns}, k in {splits}", summary,
            unit="us", method=COLD, kernel=FILE, extra={
                "tflops": rounded(2 * m * n * k / summary.median / 1e12),
                "predicted_us": rounded(shapes.predicted(m, n, k, *way, processors)),
            },
        )  # fmt: skip

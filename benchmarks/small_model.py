"""A small transformer in PyTorch: launched kernel by kernel, as a graph, and compiled."""

import torch

from benchmarks.harness import BenchmarkError, WallTimer, rounded
from kernels.profiling.small_model import graphed, launches, make_model

PATH = "kernels/profiling/small_model.py"
BATCHES = (1, 64)
METHOD = "wall clock of one forward pass until the GPU is done; kernels counted through CUPTI"


def run(bench):
    model = make_model()
    for batch in BATCHES:
        with bench.part(f"batch {batch}"):
            ways(bench, model, torch.randn(batch, 64, 256, device="cuda"), batch)


def ways(bench, model, x, batch):
    def no_grad(function):
        def call():
            with torch.no_grad():
                return function(x)

        return call

    by_graph = graphed(model, x)
    torch._dynamo.reset()
    calls = {
        "eager": (no_grad(model), "eager"),
        "graph": (lambda: by_graph(x), "one CUDA graph"),
        "compiled": (no_grad(torch.compile(model)), "torch.compile"),
        "reduced": (
            no_grad(torch.compile(model, mode="reduce-overhead")),
            'torch.compile, mode="reduce-overhead"',
        ),
    }
    right = calls["eager"][0]().double()
    for name, (call, _) in calls.items():
        error = ((call().double() - right).norm() / right.norm()).item()
        if not error < 1e-4:
            raise BenchmarkError(f"{name}, batch {batch}: error {error:.1e}")
    timer = WallTimer(bench.device.synchronize, calls=1)
    times = bench.samples({name: call for name, (call, _) in calls.items()}, timer, repeats=50)
    eager = times["eager"].median
    for name, (call, words) in calls.items():
        kernels, calls_to_cuda, busy = launches(call)
        bench.micro(
            f"small-model-{name}-{batch}",
            f"12 layers of width 256, {batch} x 64 tokens, forward, {words}",
            times[name], unit="us", method=METHOD, kernel=PATH,
            terms=["cuda-graph", "overhead-bound", "torch-compile"],
            extra={
                "gain": rounded(eager / times[name].median),
                "kernels": kernels,
                "launch_calls": calls_to_cuda,
                "gpu_us": rounded(busy),
                "busy_share": rounded(busy / 1e6 / times[name].median),
            },
        )  # fmt: skip

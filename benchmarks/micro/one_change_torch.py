"""The small model's training step: what counts twice, what the profiler's notes cost, and TF32."""

import tempfile
from pathlib import Path

import numpy as np
import torch
from torch.profiler import ProfilerActivity, profile, schedule

from benchmarks.harness import BenchmarkError, WallTimer, rounded, summarize
from kernels.profiling.small_model import make_model, recipe, train_step

PATH = "kernels/profiling/small_model.py"
ROUNDS, LARGE_ROUNDS = 10, 5
TERMS = ["overhead-bound"]


def run(bench):
    with bench.part("what the host's column adds up"):
        host(bench, torch.randn(1, 64, 256, device="cuda"), 3 if bench.quick else ROUNDS)
    with bench.part("the large layers in float32 and in TF32"):
        precision(bench, 64 if bench.quick else 8192)


def bare(model, x, _):
    """``recipe`` without the profiler's notes of sizes and allocations."""
    optimizer = torch.optim.AdamW(model.parameters(), foreach=False, fused=False)
    with profile(
        activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA],
        schedule=schedule(wait=1, warmup=1, active=3, repeat=1),
    ) as profiler:
        for _ in range(5):
            train_step(model, optimizer, x)
            torch.cuda.synchronize()
            profiler.step()
    return profiler.key_averages()


def unprofiled(bench, model, x, rounds):
    """Return the seconds of three steps, as the recipe makes them, without a profiler."""
    optimizer = torch.optim.AdamW(model.parameters(), foreach=False, fused=False)

    def step():
        train_step(model, optimizer, x)
        torch.cuda.synchronize()

    step(), step()
    timer = WallTimer(bench.device.synchronize, calls=3)
    return summarize([3 * timer(step) for _ in range(rounds)])


def host(bench, x, rounds):
    model, cuda = make_model(), torch.autograd.DeviceType.CUDA
    summary = unprofiled(bench, model, x, rounds)
    bench.micro("one-change-steps-unprofiled", "Three training steps of the small model, alone",
                summary, unit="ms", method="wall clock, a wait after each step", kernel=PATH,
                terms=TERMS)  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        file = str(Path(folder) / "trace.json")
        for name, way in (("notes", recipe), ("no-notes", bare)):
            columns, twice, gpu = [], [], []
            for _ in range(rounds):
                averages = way(model, x, file)
                operators = [e for e in averages if e.device_type != cuda]
                columns.append(sum(e.self_cpu_time_total for e in operators) / 1e6)
                (range_,) = [e for e in operators if e.key == "backward"]
                twice.append(range_.self_cpu_time_total / 1e6)
                kernels = [e for e in averages if e.device_type == cuda]
                gpu.append(
                    sum(e.self_device_time_total for e in kernels if not e.is_user_annotation)
                )
            if not min(twice) > 0:
                raise BenchmarkError(f"{name}: the range backward took {min(twice)} s")
            what = "with" if name == "notes" else "without"
            for id, samples, title in (
                (name, columns, "the host's column, summed"),
                (f"{name}-backward", twice, "the range backward, its self time"),
            ):
                bench.micro(f"one-change-steps-{id}", f"Three training steps of the small model,"
                            f" profiled {what} shapes and memory: {title}", summarize(samples),
                            unit="ms", method=f"torch.profiler, {rounds} rounds", kernel=PATH,
                            terms=TERMS,
                            extra={"gpu_ms": rounded(np.median(gpu) / 1e3)})  # fmt: skip


def precision(bench, tokens):
    """Three steps of the large layers, each precision on its own model; the products' GPU time."""
    x = torch.randn(8, tokens // 8, 2048, device="cuda")
    before = torch.get_float32_matmul_precision()
    cuda, losses = torch.autograd.DeviceType.CUDA, {}
    try:
        for name in ("highest", "high"):
            torch.set_float32_matmul_precision(name)
            model = make_model(layers=6, width=2048, heads=16)
            with torch.no_grad():
                losses[name] = model(x).square().mean().item()
            products, whole = [], []
            for _ in range(1 if bench.quick else LARGE_ROUNDS):
                averages = bare(model, x, None)
                kernels = [e for e in averages if e.device_type == cuda]
                whole.append(
                    sum(e.self_device_time_total for e in kernels if not e.is_user_annotation) / 1e6
                )
                products.append(
                    sum(e.self_device_time_total for e in averages
                        if e.key in ("aten::mm", "aten::addmm") and e.device_type != cuda) / 1e6
                )  # fmt: skip
            for id, samples, title in ((name, whole, "all kernels"),
                                       (f"{name}-products", products, "mm and addmm")):  # fmt: skip
                bench.micro(f"one-change-large-{id}", "Three training steps of the layers of width"
                            f" 2,048, {tokens} tokens, precision {name}: {title}",
                            summarize(samples), unit="ms", method="torch.profiler, GPU time",
                            kernel=PATH, terms=["tf32"])  # fmt: skip
            del model
            torch.cuda.empty_cache()
        if not abs(losses["high"] / losses["highest"] - 1) < 1e-2:
            raise BenchmarkError(f"the losses differ: {losses}")
    finally:
        torch.set_float32_matmul_precision(before)

"""Arithmetic: latency and throughput of instructions, and of the tensor cores by mma.sync."""

import cupy as cp
import numpy as np

from benchmarks.harness import Summary
from benchmarks.micro.common import (
    IN_KERNEL,
    SNIPPETS,
    WARM,
    Cycles,
    Events,
    clock_mhz,
    functions,
    in_ns,
)

SOURCE = SNIPPETS + "arithmetic.cu"
FP32, SFU = ["cuda-core"], ["special-function-unit"]
INT = ["cuda-core", "instruction-level-parallelism"]
# name: what, element type, operations that one thread does in a step, unit, glossary ids
OPERATIONS = {
    "fma32": ("a multiply-add of float32", "float32", 2, "TFLOP/s", FP32),
    "add32": ("an addition of float32", "float32", 1, "TFLOP/s", FP32),
    "fma64": ("a multiply-add of float64", "float64", 2, "TFLOP/s", FP32),
    "fma16": ("a multiply-add of two float16", "uint32", 4, "TFLOP/s", FP32),
    "fmabf16": ("a multiply-add of two bfloat16", "uint32", 4, "TFLOP/s", ["bfloat16"]),
    "imad": ("a multiply-add of int32", "int32", 2, "Gop/s", INT),
    "mad64": ("a multiply-add of int64", "int64", 2, "Gop/s", INT),
    "lop3": ("a logical operation of three int32", "int32", 1, "Gop/s", INT),
    "shift": ("a funnel shift of int32", "int32", 1, "Gop/s", INT),
    "popc": ("a count of ones in int32", "int32", 1, "Gop/s", SFU),
    "exp2": ("exp2 of float32, approximate", "float32", 1, "Gop/s", SFU),
    "rsqrt": ("1/sqrt of float32, approximate", "float32", 1, "Gop/s", SFU),
    "sin": ("a sine of float32, approximate", "float32", 1, "Gop/s", SFU),
    "tanh": ("a tanh of float32, approximate", "float32", 1, "Gop/s", SFU),
    "div32": ("a division of float32, rounded right", "float32", 1, "Gop/s", SFU),
    "sqrt32": ("a square root of float32, rounded right", "float32", 1, "Gop/s", SFU),
    "sinf": ("sinf of float32, accurate", "float32", 1, "Gop/s", SFU),
    "idiv": ("a division of int32, and a logical operation", "int32", 1, "Gop/s", INT),
    "div64": ("a division of float64, rounded right", "float64", 1, "Gop/s", FP32),
    "shuffle": ("a warp shuffle", "int32", 1, "Gop/s", ["warp-shuffle", "lane"]),
    "redux": ("a sum over a warp (redux.sync)", "int32", 1, "Gop/s", ["warp-shuffle", "reduction"]),
    "ballot": ("a ballot, and an addition", "int32", 1, "Gop/s", ["warp-vote-and-ballot"]),
    "match": ("a match_any, and an addition", "int32", 1, "Gop/s", ["warp-vote-and-ballot"]),
}
STEPS = 16  # in a trip of the loop
THREADS = 1024
# name: what, element type of the sums, operations of one mma, mma a trip
TENSOR = {
    "bf16": (
        "bfloat16",
        "float32",
        2 * 16 * 8 * 16,
        ["tensor-core", "mma-wgmma-tcgen05", "bfloat16"],
    ),
    "f16": ("float16", "float32", 2 * 16 * 8 * 16, ["tensor-core", "mma-wgmma-tcgen05"]),
    "tf32": ("TF32", "float32", 2 * 16 * 8 * 8, ["tensor-core", "tf32"]),
    "f64": ("float64", "float64", 2 * 16 * 8 * 16, ["tensor-core"]),
}


def run(bench):
    with bench.part("the clock"):
        clock = clock_mhz(bench)
    with bench.part("latency of instructions"):
        latency(bench, clock)
    with bench.part("throughput of instructions"):
        throughput(bench, clock)
    with bench.part("tensor cores through mma.sync"):
        tensor(bench)


def latency(bench, clock):
    kernels = functions(SOURCE, *(f"latency_{name}" for name in OPERATIONS))
    timer, rounds = Cycles(), 64
    calls = {}
    for kernel, (name, (_, dtype, *_)) in zip(kernels, OPERATIONS.items(), strict=True):
        out = cp.zeros(32, dtype)
        calls[f"latency-{name}"] = lambda kernel=kernel, out=out: kernel(
            (1,), (32,), (np.int32(rounds), timer.cycles, out)
        )
    times = bench.samples(calls, timer)
    for (id, summary), (what, *_, terms) in zip(times.items(), OPERATIONS.values(), strict=True):
        bench.micro(
            id,
            f"Latency of {what}",
            summary,
            unit="cycles",
            amount=rounds * STEPS,
            kernel=SOURCE,
            method=f"{IN_KERNEL} {rounds * STEPS} in one warp, each needing the last, divided",
            terms=terms,
            extra=in_ns(summary, clock, rounds * STEPS),
        )


def throughput(bench, clock):
    """One block of 32 warps on each multiprocessor, four chains a thread."""
    blocks = bench.device.multiprocessors
    kernels = functions(SOURCE, *(f"throughput_{name}" for name in OPERATIONS))
    calls, rounds, timer = {}, 1024, Cycles(blocks)
    for kernel, (name, (_, dtype, *_)) in zip(kernels, OPERATIONS.items(), strict=True):
        out = cp.zeros(blocks * THREADS, dtype)
        calls[f"throughput-{name}"] = lambda kernel=kernel, out=out: kernel(
            (blocks,), (THREADS,), (np.int32(rounds), timer.cycles, out)
        )
    cycles = bench.samples(calls, timer)
    for (id, summary), about in zip(cycles.items(), OPERATIONS.values(), strict=True):
        what, _, each, unit, terms = about
        steps = rounds * STEPS * THREADS  # of one multiprocessor
        seconds = summary.median / (clock.median * 1e6)
        bench.micro(
            id,
            f"Throughput of {what}, the whole GPU",
            Summary(seconds, summary.spread, summary.repeats),
            unit=unit,
            amount=steps * each * blocks,
            kernel=SOURCE,
            method="32 warps on each multiprocessor, four chains a thread; "
            f"{IN_KERNEL} {STEPS * 1024} steps, over the measured clock",
            terms=[*terms, "peak-rate"],
            extra={"per_clock": float(f"{steps / summary.median:.4g}")},
        )


def tensor(bench):
    blocks = bench.device.multiprocessors
    kernels = functions(SOURCE, *(f"tensor_{name}" for name in TENSOR))
    calls, rounds = {}, 2048
    ticks = cp.zeros(2 * blocks, cp.int64)
    for kernel, (name, (_, dtype, *_)) in zip(kernels, TENSOR.items(), strict=True):
        out = cp.zeros(2 * blocks * 512, dtype)
        calls[f"throughput-mma-{name}"] = lambda kernel=kernel, out=out: kernel(
            (2 * blocks,), (512,), (np.int32(rounds), ticks, out)
        )
    times = bench.samples(calls, Events())
    for (id, summary), (what, _, each, terms) in zip(times.items(), TENSOR.values(), strict=True):
        bench.micro(
            id,
            f"Tensor cores through mma.sync, {what}, registers alone",
            summary,
            unit="TFLOP/s",
            amount=2 * blocks * 16 * rounds * 8 * each,
            kernel=SOURCE,
            method=f"{WARM}; 32 warps on each multiprocessor, four accumulators a warp, "
            "nothing loaded",
            terms=terms,
        )

"""4-bit weights at decode and prefill shapes, and FP8, against cuBLAS in bfloat16."""

import cupy as cp
import numpy as np
import torch

from benchmarks.fp8 import exact, operands
from benchmarks.fp8 import ours as fp8_ours
from benchmarks.harness import BenchmarkError, Case, Reference, interleave, rounded
from benchmarks.tensor_cores import Bfloat16, as_torch, widen
from kernels.in_triton.int4_matmul import int4_linear, int4_weights
from kernels.quantization import subnormal
from kernels.quantization.matvec import MAGIC, make_matvec, pack_int4
from kernels.quantization.read_alone import read_alone
from kernels.tensor_cores import fp8

MATVEC, TRITON = "kernels/quantization/matvec.py", "kernels/in_triton/int4_matmul.py"
SUBNORMAL, READ = "kernels/quantization/subnormal.py", "kernels/quantization/read_alone.py"
ROWS, WARPS = 4, 8  # results of a warp, and warps of a block
IDS = {16: "int4-matmul-16", 64: "int4-matmul-64", 2048: "int4-matmul-2048"}


def run(bench):
    n = 1024 if bench.quick else 8192
    with bench.part("weights"):
        weights = bench.random((n, n))
        words, scales = pack_int4(weights.get())
        words, scales = cp.asarray(words), cp.asarray(scales)
        packed = torch.as_tensor(words.view(cp.uint8), device="cuda")
        steps = as_torch(scales)
        full = int4_weights(packed, steps)
        with bench.part("one token"):
            one(bench, n, words, scales, full)
        for tokens, id in IDS.items():
            with bench.part(f"{tokens} tokens"):
                many(bench, n, tokens, id, packed, steps, full)
    with bench.part("FP8"):
        eight(bench, n)


def wide(tensor):
    return cp.asarray(tensor.to(torch.float32)).astype(cp.float64)


def one(bench, n, words, scales, full):
    bits = as_bits(bench.random(n))
    kernel = make_matvec(n, ROWS)[-(-n // (ROWS * WARPS)), (32, WARPS)]
    rows, warps = subnormal.ROWS, subnormal.WARPS
    best = subnormal.make_matvec(n, rows, warps)[-(-n // (rows * warps)), (32, warps)]
    magic, output, rounded = bench.output(n), bench.output(n), Bfloat16(bench.xp, n)
    arrays = [bench.device.numba(a.reshape(-1)) for a in (words, scales)]
    d_x, d_y = bench.device.numba(bits.view(cp.uint32)), bench.device.numba(output.array)
    d_magic = bench.device.numba(magic.array)
    x, y = as_torch(bits), as_torch(rounded.array)
    bench.compare(
        [
            Case(
                "int4-matvec",
                f"Matrix times vector, {n} x {n}, 4-bit weights in groups of 128, Numba",
                SUBNORMAL,
                lambda: best(*arrays, d_x, d_y),
                output,
            ),
            Case(
                "int4-matvec-magic",
                f"Matrix times vector, {n} x {n}, 4-bit weights, by the bits of 2^23, Numba",
                MATVEC,
                lambda: kernel(*arrays, d_x, MAGIC, d_magic),
                magic,
            ),
        ],
        Reference(
            "cuBLAS, the same weights in bfloat16", lambda: torch.mv(full, x, out=y), rounded
        ),
        exact_weights(words, scales) @ widen(bits).astype(cp.float64),
        size=n,
        dtype="int4",
        unit="us",
        tolerance=6e-3,  # the reference has rounded weights and rounded results
        bytes=n * n // 2 + n * n // 64 + 2 * n + 4 * n,
        flops=2 * n * n,
    )
    alone(bench, n, words)


def alone(bench, n, words):
    """What the loads of these weights take, when nothing is computed."""
    flat = words.reshape(-1)
    xors = cp.asarray(np.bitwise_xor.reduce(flat.get().reshape(-1, 1024), axis=1))
    d_words, y = bench.device.numba(flat), bench.output(len(xors), "uint32")
    d_y = bench.device.numba(y.array)
    launch = read_alone[-(-len(xors) // 8), (32, 8)]
    bench.check("int4-read", lambda: launch(d_words, d_y), y, xors, 0)
    times = bench.samples({"read": lambda: launch(d_words, d_y)})
    bench.micro(
        "int4-read",
        f"Reading the 4-bit weights of {n} x {n} and nothing else, Numba",
        times["read"],
        unit="us",
        method="cold caches, events; the exclusive or of all words is checked",
        kernel=READ,
        terms=["memory-bound"],
    )


def as_bits(x):
    """Return float32 numbers as bfloat16 bits."""
    bits = x.view(cp.uint32)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(cp.uint16)


def exact_weights(words, scales):
    """Return the weights that words and scales stand for, in float64."""
    rows = len(words)
    pairs = words.view(cp.uint8).reshape(rows, -1, 64)
    q = cp.concatenate([pairs & 15, pairs >> 4], axis=2).astype(cp.float64) - 8
    return (q * widen(scales)[:, :, None]).reshape(rows, -1)


def many(bench, n, tokens, id, packed, steps, full):
    bits = as_bits(bench.random((tokens, n)))
    output = Bfloat16(bench.xp, (tokens, n))
    x, y = as_torch(bits), as_torch(output.array)
    cases = [
        Case(
            id,
            f"{tokens} tokens times {n} x {n} weights of 4 bits, unpacked in the kernel, Triton",
            TRITON,
            lambda: int4_linear(x, packed, steps, y),
            output,
        )
    ]
    if tokens > 1000:
        room = torch.empty_like(full)

        def unpack_first():
            torch.matmul(x, int4_weights(packed, steps, room).T, out=y)

        cases.append(
            Case(
                f"int4-unpack-{tokens}",
                f"{tokens} tokens times {n} x {n} weights of 4 bits, unpacked first, then cuBLAS",
                TRITON,
                unpack_first,
                output,
            )
        )
    bench.compare(
        cases,
        Reference(
            "cuBLAS, the same weights in bfloat16", lambda: torch.matmul(x, full.T, out=y), output
        ),
        widen(bits).astype(cp.float64) @ wide(full).T,
        size=tokens,
        dtype="int4",
        unit="us",
        tolerance=6e-3,
        bytes=n * n // 2 + n * n // 64 + 4 * tokens * n,
        flops=2 * n * n * tokens,
    )


def eight(bench, n):
    """FP8 with promoted sums, against the product of the same numbers in bfloat16."""
    a, bt = operands(bench, n, n, n)
    output = Bfloat16(bench.xp, (n, n))
    out = as_torch(output.array)
    same_a, same_bt = a.to(torch.bfloat16), bt.to(torch.bfloat16)
    one = torch.ones((), device="cuda")
    if not bool((same_a.float() == a.float()).all()):
        raise BenchmarkError("a number of e4m3 is not one of bfloat16")
    by_torch = lambda: torch._scaled_mm(  # noqa: E731
        a, bt.T, one, one, out_dtype=torch.bfloat16, use_fast_accum=True, out=out
    )
    by_cublas = lambda: torch.matmul(same_a, same_bt.T, out=out)  # noqa: E731
    cases = [
        Case(
            "fp8-gemm",
            f"FP8 e4m3 product, Numba, {n} x {n} x {n}, fast sums, against bfloat16",
            "kernels/tensor_cores/fp8.py",
            fp8_ours(bench, fp8.FAST, a, bt, output),
            output,
        ),
        Case(
            "fp8-gemm-promoted",
            f"FP8 e4m3 product, Numba, {n} x {n} x {n}, promoted sums, against bfloat16",
            "kernels/tensor_cores/fp8.py",
            fp8_ours(bench, fp8.PROMOTED, a, bt, output),
            output,
        ),
        Case(
            "fp8-gemm-cublaslt",
            f"FP8 e4m3 product, torch._scaled_mm, {n} x {n} x {n}, against bfloat16",
            "benchmarks/quantization.py",
            by_torch,
            output,
        ),
    ]
    rows = bench.compare(
        cases,
        Reference("cuBLAS bfloat16, the same numbers", by_cublas, output),
        exact(a, bt),
        size=n,
        dtype="float8_e4m3",
        unit="TFLOP/s",
        tolerance=5e-3,
        bytes=(1 + 1 + 2) * n * n,
        flops=2 * n**3,
    )
    # The clock follows the power, and a median of few runs the clock: the best of many, too.
    calls = {case.id: case.call for case in cases} | {"bf16": by_cublas}
    times = interleave(calls, bench.device.timer, 10 if bench.quick else 60, warmup=5)
    best = {name: min(samples) for name, samples in times.items()}
    for row in rows:
        row["best_tflops"] = rounded(row["flops"] / best[row["id"]] / 1e12)
        row["reference_best_tflops"] = rounded(row["flops"] / best["bf16"] / 1e12)
        row["best_ratio"] = rounded(best["bf16"] / best[row["id"]])

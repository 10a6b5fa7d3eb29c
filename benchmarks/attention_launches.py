"""Attention in Numba, launched in several ways: a block a tile or one a multiprocessor, and FP8's
two launches as one graph."""

from functools import partial

import cupy as cp
from numba import cuda

from benchmarks.attention import Returned, by_torch, flat, in_float64, operands
from benchmarks.attention_fp8 import quantized
from benchmarks.harness import Case
from benchmarks.tensor_cores import Bfloat16
from kernels.attention import fp8, overlap
from kernels.attention.transposed_values import (
    KEYS,
    ROWS,
    WORDS,
    transpose_values_kernel,
    transposed_values,
)
from kernels.tensor_cores.wgmma import launch

OVERLAP, FP8 = "kernels/attention/overlap.py", "kernels/attention/fp8.py"
# A block a tile, one a multiprocessor -> sequences, length, causal; 16 heads of 128, bfloat16.
GRIDS = {
    ("attention-rung-overlap", "attention-rung-persistent"): (1, 16384, False),
    ("attention-tiles-4096", "attention-persistent-4096"): (4, 4096, False),
    ("attention-tiles-1024", "attention-persistent-1024"): (16, 1024, False),
    ("attention-tiles-512", "attention-persistent-512"): (32, 512, False),
    ("attention-tiles-causal", "attention-persistent-causal"): (1, 16384, True),
    ("attention-tiles-causal-4096", "attention-persistent-causal-4096"): (4, 4096, True),
    ("attention-tiles-causal-2048", "attention-persistent-causal-2048"): (8, 2048, True),
}
# FP8 with a causal mask: id -> whether there is a block for each multiprocessor and not for each
# tile, heads in a band, and how the values are transposed.
WAYS = {
    "attention-fp8-persistent": (True, 4, "launches"),
    "attention-fp8-persistent-graph": (True, 4, "graph"),
    "attention-fp8-persistent-alone": (True, 4, "before"),
    "attention-fp8-tiles": (False, 4, "launches"),
    "attention-fp8-tiles-graph": (False, 4, "graph"),
    "attention-fp8-wide-band": (True, 64, "launches"),
}


def run(bench):
    for ids, (batch, length, causal) in GRIDS.items():
        with bench.part(f"{ids[1]} {batch} x 16 x {length}"):
            grids(bench, ids, batch, 1000 if bench.quick else length, causal)
    with bench.part("FP8, causal, 4 x 16 x 4096"):
        ways(bench, 4, 1000 if bench.quick else 4096)


def grids(bench, ids, batch, length, causal):
    heads, depth = 16, 128
    bits, tensors, wide = operands(bench, batch, heads, heads, length, depth)
    expected = in_float64(*wide, causal)
    output = Bfloat16(bench.xp, bits[0].shape)
    arrays = [flat(bench, x) for x in (*bits, output.array)]
    tiles, cases = -(-length // 128) * batch * heads, []
    for id, blocks in zip(ids, (tiles, min(tiles, bench.device.multiprocessors)), strict=True):
        kernel, blocks, threads, memory, arguments = overlap.flash_arguments(
            *arrays, causal, blocks
        )
        launch(kernel, blocks, threads, memory, *arguments)
        call = partial(kernel[blocks, threads, 0, memory], *arguments)
        how = "a block a tile" if blocks == tiles else "a block a multiprocessor"
        mask = "causal" if causal else "full"
        title = f"Attention forward, Numba, {how}, {mask}, {batch} x {heads} heads x {length}"
        cases.append(Case(id, title, OVERLAP, call, output, {"blocks": blocks}))
    bench.compare(
        cases,
        by_torch("CUDNN_ATTENTION", *tensors, causal, Returned(bench.xp, bits[0].shape)),
        expected,
        size=length,
        dtype="bfloat16",
        unit="TFLOP/s",
        tolerance=6e-3,
        bytes=2 * 4 * bits[0].size,
        flops=4 * batch * heads * length * length * depth // (2 if causal else 1),
    )


def in_turn(calls):
    for call in calls:
        call()


def in_one_graph(stream, calls):
    """Return a CUDA graph of calls that launch on the stream; what they launch is compiled."""
    in_turn(calls)
    stream.synchronize()
    stream.begin_capture()
    in_turn(calls)
    return stream.end_capture()


def ways(bench, batch, length):
    """Attention of bytes needs two launches: does the GPU wait for the host between them?"""
    heads, depth, causal = 16, 128, True
    bits, tensors, wide = operands(bench, batch, heads, heads, length, depth)
    expected = in_float64(*wide, causal)
    (d_q, d_k, d_v), scales = zip(*(quantized(bench, x) for x in wide), strict=True)
    output = Bfloat16(bench.xp, bits[0].shape)
    d_out = flat(bench, output.array)
    d_vt, transpose = transposed_values(d_v)
    transpose()
    stream = cp.cuda.Stream(non_blocking=True)
    recorded = cuda.external_stream(stream.ptr)
    grid = (-(-length // KEYS), batch * heads), (WORDS, ROWS)
    tiles, cases = -(-length // 128) * batch * heads, []
    for id, (persistent, band, how) in WAYS.items():
        blocks = min(tiles, bench.device.multiprocessors) if persistent else tiles
        kernel, blocks, threads, memory, arguments = fp8.fp8_flash_arguments(
            d_q, d_k, d_vt, d_out, length, scales, causal, blocks, band
        )
        launch(kernel, blocks, threads, memory, *arguments)
        queue = recorded if how == "graph" else 0
        calls = [
            partial(transpose_values_kernel[(*grid, queue)], d_v, d_vt),
            partial(kernel[blocks, threads, queue, memory], *arguments),
        ]
        if how == "graph":
            calls = [partial(in_one_graph(stream, calls).launch, cp.cuda.Stream.null)]
        elif how == "before":
            del calls[0]
        who = "a block a multiprocessor" if persistent else "a block a tile"
        values = {
            "launches": "two launches",
            "graph": "both launches as one graph",
            "before": "without the transposition",
        }[how]
        title = f"Attention forward, Numba, e4m3, causal, {batch} x {heads} heads x {length}"
        title += f": {who}, bands of {band} heads, {values}"
        call = partial(in_turn, calls)
        cases.append(Case(id, title, FP8, call, output, {"blocks": blocks}))
    bench.compare(
        cases,
        by_torch("CUDNN_ATTENTION", *tensors, causal, Returned(bench.xp, bits[0].shape)),
        expected,
        size=length,
        dtype="float8_e4m3",
        unit="TFLOP/s",
        tolerance=0.08,
        bytes=batch * heads * length * depth * (1 + 1 + 3 + 2),
        flops=4 * batch * heads * length * length * depth // 2,
    )

"""Experiments of one change each: random places, and blocks that share a multiprocessor."""

from functools import partial

import cupy as cp
import numpy as np
import torch
from numba import cuda, uint64

from benchmarks.harness import BenchmarkError
from benchmarks.micro.common import COLD
from benchmarks.micro.one_change_gemm import edited
from kernels.convolution.tiled import FILTERS, HIGH, ROWS, WIDE, make_conv_tiled
from kernels.gather.gather import gather_kernel, scatter_kernel
from kernels.gather.rows import gather_rows_kernel
from kernels.histogram.counts import BINS, histogram_global_kernel
from kernels.patterns.wide import load4, store4

TILED, COUNTS = "kernels/convolution/tiled.py", "kernels/histogram/counts.py"
# Each counter in a line of its own: 32 words apart.
APART = (("(counts, x[i],", "(counts, 32 * x[i],"),)


def run(bench):
    small = bench.quick
    with bench.part("random places in larger arrays"):
        arrays(bench, 2**20 if small else 2**27)
    with bench.part("scatter of neighbors"):
        scatters(bench, 2**20 if small else 2**27)
    with bench.part("rows"):
        rows(bench, 2**20 if small else 2**27, 1024)
    with bench.part("counters apart"):
        counters(bench, 2**20 if small else 2**28)
    with bench.part("two blocks of a convolution"):
        convolutions(bench, 64, 2 if small else 8, 64 if small else 512)


def arrays(bench, n):
    """2^27 random places in arrays of 2^27 to 2^31 numbers, half a gigabyte to eight."""
    calls, output = {}, bench.output(n)
    d_out = bench.device.numba(output.array)
    largest = 2**22 if bench.quick else 2**31
    x = cp.empty(largest, cp.float32)
    for start in range(0, largest, n):
        x[start : start + n] = bench.random(n)
    for times in (1, 2, 4, 8, 16):
        if n * times > largest:
            break
        indices = cp.random.default_rng().integers(0, n * times, n, dtype=cp.int32)
        part = x[: n * times]
        id = f"one-change-places-{times}"
        d_x, d_indices = bench.device.numba(part), bench.device.numba(indices)
        calls[id] = partial(gather_kernel[-(-n // 256), 256], d_x, d_indices, d_out)
        bench.check(id, calls[id], output, part[indices], 0)
    for id, summary in bench.samples(calls).items():
        size = int(id.split("-")[-1]) / 2
        bench.micro(id, f"Gather from 2^27 random places of an array of {size:g} GiB", summary,
                    unit="us", method=COLD, terms=["global-memory"])  # fmt: skip


def scatters(bench, n):
    x, output = bench.random(n), bench.output(n)
    d_x, d_out, calls = bench.device.numba(x), bench.device.numba(output.array), {}
    for piece in (1, 2, 4, 8, 16, 32):
        starts = cp.random.permutation(n // piece).astype(cp.int32) * piece
        indices = (starts[:, None] + cp.arange(piece, dtype=cp.int32)).ravel()
        expected = cp.empty_like(x)
        expected[indices] = x
        id = f"one-change-scatter-{piece}"
        d_indices = bench.device.numba(indices)
        calls[id] = partial(scatter_kernel[-(-n // 256), 256], d_x, d_indices, d_out)
        bench.check(id, calls[id], output, expected, 0)
    for id, summary in bench.samples(calls).items():
        piece = id.split("-")[-1]
        what = f"{piece} neighbors at a time" if piece != "1" else "each at random"
        bench.micro(id, f"Scatter of 2^27 float32, {what}", summary, unit="us", method=COLD,
                    terms=["memory-coalescing"])  # fmt: skip


@cuda.jit
def rows_four_kernel(table, indices, width, out):
    """A warp a row, as in ``gather_rows_kernel``, for flat arrays: 16 bytes a lane at a time."""
    thread = cuda.grid(1)
    i, lane = thread // 32, thread % 32
    if i < indices.size:
        first, to = uint64(indices[i]) * uint64(width), uint64(i) * uint64(width)
        for column in range(4 * lane, width, 128):
            store4(out, to + uint64(column), load4(table, first + uint64(column)))


def rows(bench, n, width):
    table, output = bench.random(n), bench.output(n)
    count = n // width
    order = cp.random.permutation(count).astype(cp.int32)
    numba, out = bench.device.numba, output.array
    grid = -(-32 * count // 256), 256
    d_order = numba(order)
    flat, flat_out = numba(table), numba(out)
    calls = {
        "one-change-rows-4-bytes": partial(
            gather_rows_kernel[grid], numba(table.reshape(count, width)), d_order,
            numba(out.reshape(count, width)),
        ),
        "one-change-rows-16-bytes": partial(
            rows_four_kernel[grid], flat, d_order, np.uint32(width), flat_out
        ),
    }  # fmt: skip
    expected = table.reshape(count, width)[order].ravel()
    for id, call in calls.items():
        bench.check(id, call, output, expected, 0)
    for id, summary in bench.samples(calls).items():
        bytes_read = id.split("-")[-2]
        bench.micro(id, f"Gather of rows of {width} float32 at random, {bytes_read} bytes a lane",
                    summary, unit="GB/s", amount=8 * n + 4 * count, method=COLD,
                    terms=["memory-coalescing"])  # fmt: skip


def counters(bench, n):
    x = cp.random.default_rng().integers(0, BINS, n, dtype=cp.int32)
    d_x, calls = bench.device.numba(x), {}
    expected = cp.bincount(x, minlength=BINS).astype(cp.uint32)
    blocks = 8 * bench.device.multiprocessors
    kinds = {
        "together": (histogram_global_kernel, 1),
        "apart": (edited(COUNTS, *APART).histogram_global_kernel, 32),
    }
    for name, (kernel, step) in kinds.items():
        counts = cp.zeros(BINS * step, cp.uint32)
        d_counts = bench.device.numba(counts)

        def launch(kernel=kernel, counts=counts, d_counts=d_counts):
            counts.fill(0)
            kernel[blocks, 256](d_x, d_counts)

        launch()
        if not bool((counts[::step] == expected).all()):
            raise BenchmarkError(f"counters {name}: wrong")
        calls[f"one-change-counters-{name}"] = launch
    for id, summary in bench.samples(calls).items():
        how = "side by side" if id.endswith("together") else "a line apart"
        bench.micro(id, f"Histogram of 2^28 uniform int32, 256 counters in global memory, {how}",
                    summary, unit="us", method=COLD, terms=["atomic-operation"])  # fmt: skip


def convolutions(bench, channels, images, side):
    x = bench.random((images, channels, side, side))
    w = bench.random((channels, channels, 3, 3))
    output = bench.output(x.shape)
    arrays = bench.device.numba(x), bench.device.numba(w), 1, bench.device.numba(output.array)
    grid = -(-side // WIDE), -(-side // HIGH), images * -(-channels // FILTERS)
    plain = make_conv_tiled(3, 3)
    kernels = {
        "one-change-conv-plain": plain,
        "one-change-conv-two-blocks": cuda.jit(launch_bounds=(256, 2))(plain.py_func),
        "one-change-conv-three-blocks": cuda.jit(launch_bounds=(256, 3))(plain.py_func),
    }
    calls = {id: partial(k[grid, (WIDE, ROWS)], *arrays) for id, k in kernels.items()}
    wide = [torch.as_tensor(a, device="cuda").double() for a in (x, w)]
    expected = cp.asarray(torch.nn.functional.conv2d(*wide, padding=1))
    for id, call in calls.items():
        bench.check(id, call, output, expected, 1e-5)
    del wide, expected
    torch.cuda.empty_cache()
    for id, summary in bench.samples(calls).items():
        how = id.removeprefix("one-change-conv-").replace("-", " ")
        how = "as it is" if how == "plain" else f"registers for {how} a multiprocessor"
        bench.micro(id, f"3 x 3 convolution, {channels} channels in and out, a tile: {how}",
                    summary, unit="TFLOP/s", kernel=TILED, method=COLD,
                    amount=2 * 9 * channels * x.size, terms=["occupancy"])  # fmt: skip

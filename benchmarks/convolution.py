"""Filters on an image and on a signal, against CuPy's and cuDNN's."""

from functools import partial

import cupy as cp
import numpy as np
import torch
from cupyx.scipy import ndimage
from torch.nn.functional import conv2d

from benchmarks.harness import Case, Reference
from kernels.convolution.filter import filter_plain_kernel, make_filter_constant, make_filter_tile
from kernels.convolution.registers import filter_launch, make_registers

FILTER, REGISTERS = "kernels/convolution/filter.py", "kernels/convolution/registers.py"
DOWN = {3: 4, 5: 8, 7: 8, 13: 4}  # rows of a thread, by the filter's side
LADDER = ("convolution-plain", "convolution-constant", "convolution-tile")
IDS = {
    3: "convolution-3",
    5: "convolution-5",
    7: "convolution-7",
    13: "convolution-13",
}
LIBRARY = {3: "convolution-3-vs-cudnn", 7: "convolution-7-vs-cudnn"}


def run(bench):
    torch.backends.cudnn.benchmark = True
    torch.backends.cudnn.conv.fp32_precision = "ieee"
    side = 512 if bench.quick else 8192
    for size in IDS:
        with bench.part(f"{size} x {size}"):
            image(bench, size, side)
        bench.xp.get_default_memory_pool().free_all_blocks()
        torch.cuda.empty_cache()
    with bench.part("two passes"):
        separable(bench, 13, side)
    with bench.part("a signal"):
        signal(bench, 31, 2**20 if bench.quick else 2**27)


def weights(*shape):
    return np.random.default_rng(7).standard_normal(shape).astype(np.float32)


def image(bench, size, side):
    x, output, w = bench.random((side, side)), bench.output((side, side)), weights(size, size)
    numba = bench.device.numba
    d_x, d_out = numba(x), numba(output.array)
    flat, flat_out = numba(x.reshape(-1)), numba(output.array.reshape(-1))
    down, d_w = DOWN[size], cp.asarray(w)
    kernel = make_registers(w, down)
    ours = partial(filter_launch, kernel, flat, side, side, flat_out, down)
    title = f"{size} x {size} filter on an image of {side} x {side} float32"
    cases = [Case(IDS[size], f"{title}: registers, Numba", REGISTERS, ours, output)]
    if size == 7:
        blocks = -(-side // 32), -(-side // 8)
        launches = (
            partial(filter_plain_kernel[blocks, (32, 8)], d_x, numba(d_w), d_out),
            partial(make_filter_constant(w)[blocks, (32, 8)], d_x, d_out),
            partial(make_filter_tile(w)[blocks, (32, 8)], d_x, d_out),
        )
        words = ("a thread a pixel", "constant weights", "a tile in shared memory")
        for id, launch, word in zip(LADDER, launches, words, strict=True):
            cases.append(Case(id, f"{title}: {word}, Numba", FILTER, launch, output))
    common = {
        "size": side,
        "dtype": "float32",
        "unit": "us",
        "tolerance": 1e-5,
        "bytes": 8 * side * side,
        "flops": 2 * size * size * side * side,
    }
    right = ndimage.correlate(x.astype(cp.float64), d_w.astype(cp.float64), mode="constant")

    def library():
        ndimage.correlate(x, d_w, output=output.array, mode="constant")

    bench.compare(cases, Reference("CuPy, ndimage.correlate", library, output), right, **common)
    if size not in LIBRARY:
        return
    t_x, t_w = (torch.as_tensor(a, device="cuda")[None, None] for a in (x, d_w))
    held = {}

    def cudnn():
        held["y"] = conv2d(t_x, t_w, padding=size // 2)

    bench.compare(
        [Case(LIBRARY[size], f"{title}: registers, Numba", REGISTERS, ours, output)],
        Reference("cuDNN, torch conv2d", cudnn, Held(output, held)),
        right,
        **common,
    )


class Held:
    """The result that torch returned, as an output to be checked."""

    def __init__(self, output, held):
        self.output, self.held = output, held

    def poison(self):
        self.held.clear()
        self.output.poison()

    def error(self, expected):
        self.output.array[...] = cp.asarray(self.held["y"][0, 0])
        return self.output.error(expected)


def separable(bench, size, side):
    x, output = bench.random((side, side)), bench.output((side, side))
    between = cp.empty((side, side), cp.float32)
    down, across = weights(size, 1), weights(1, size)
    first, second = make_registers(across, 8), make_registers(down, 8)
    numba = bench.device.numba
    flat, flat_between = numba(x.reshape(-1)), numba(between.reshape(-1))
    flat_out, w = numba(output.array.reshape(-1)), cp.asarray(down @ across)

    def ours():
        filter_launch(first, flat, side, side, flat_between)
        filter_launch(second, flat_between, side, side, flat_out)

    def library():
        ndimage.correlate1d(x, cp.asarray(across[0]), axis=1, output=between, mode="constant")
        ndimage.correlate1d(
            between, cp.asarray(down[:, 0]), axis=0, output=output.array, mode="constant"
        )

    title = f"{size} x {size} filter in two passes, image of {side} x {side} float32, Numba"
    bench.compare(
        [Case("convolution-two-passes", title, REGISTERS, ours, output)],
        Reference("CuPy, two of ndimage.correlate1d", library, output),
        ndimage.correlate(x.astype(cp.float64), w.astype(cp.float64), mode="constant"),
        size=side,
        dtype="float32",
        unit="us",
        tolerance=1e-5,
        bytes=16 * side * side,
        flops=4 * size * side * side,
    )


def signal(bench, size, n):
    x, output, w = bench.random(n), bench.output(n), weights(1, size)
    numba = bench.device.numba
    kernel = make_registers(w, 1)
    blocks = -(-n // 512)
    flat, flat_out = numba(x), numba(output.array)

    def ours():
        kernel[blocks, 128](flat, np.uint32(1), np.uint32(n), flat_out)

    d_w = cp.asarray(w[0])
    bench.compare(
        [
            Case(
                "convolution-line",
                f"Filter of {size} on a signal of {n} float32, Numba",
                REGISTERS,
                ours,
                output,
            )
        ],
        Reference(
            "CuPy, ndimage.correlate1d",
            lambda: ndimage.correlate1d(x, d_w, output=output.array, mode="constant"),
            output,
        ),
        ndimage.correlate1d(x.astype(cp.float64), d_w.astype(cp.float64), mode="constant"),
        size=n,
        dtype="float32",
        unit="GB/s",
        tolerance=1e-5,
        bytes=8 * n,
        flops=2 * size * n,
    )

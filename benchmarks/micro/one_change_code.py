"""More experiments of one change each, in the instructions: a shift, constants, a sign."""

from functools import partial

import cupy as cp
import torch
import triton
from numba import cuda, int32, int64, uint32

from benchmarks.beyond_triton import steps_of
from benchmarks.harness import rounded
from benchmarks.micro.common import COLD
from benchmarks.pmpp import CONVOLUTION
from kernels.beyond_triton.collatz import collatz_kernel
from kernels.compilers.fuse import build, optimize, trace
from kernels.compilers.normalize import normalize, normalize_known
from kernels.compilers.several import generate_several
from kernels.in_triton.lanes import collatz_map_kernel
from kernels.pmpp_15_20 import convolution

HERE = "benchmarks/micro/one_change_code.py"


def run(bench):
    small = bench.quick
    with bench.part("Collatz by shifts"):
        collatz(bench, 2**16 if small else 2**24)
    with bench.part("the width of an index, and its sign"):
        indices(bench, 1024 if small else 65536)
    with bench.part("an implicit product with constants"):
        implicit(bench, 2 if small else 32)


@cuda.jit
def shift_kernel(first, steps):
    """``collatz_kernel`` with a shift in place of // 2."""
    i = cuda.grid(1)
    if i < steps.size:
        n, count = int64(first + i), int32(0)
        while n > 1:
            n = n >> 1 if n % 2 == 0 else 3 * n + 1
            count += 1
        steps[i] = count


@cuda.jit
def bits_kernel(first, steps):
    """The same with the last bit in place of % 2, too."""
    i = cuda.grid(1)
    if i < steps.size:
        n, count = int64(first + i), int32(0)
        while n > 1:
            n = n >> 1 if n & 1 == 0 else 3 * n + 1
            count += 1
        steps[i] = count


def collatz(bench, count):
    output = bench.output(count, "int32")
    to, t_out = bench.device.numba(output.array), torch.as_tensor(output.array, device="cuda")
    blocks = -(-count // 128)
    calls = {
        "one-change-collatz": partial(collatz_kernel[blocks, 128], 1, to),
        "one-change-collatz-shift": partial(shift_kernel[blocks, 128], 1, to),
        "one-change-collatz-bits": partial(bits_kernel[blocks, 128], 1, to),
        "one-change-collatz-map": lambda: collatz_map_kernel[(triton.cdiv(count, 128),)](
            1, t_out, count, BLOCK=128, num_warps=4
        ),
    }
    titles = "Numba, // 2 and % 2", "Numba, >> 1", "Numba, >> 1 and & 1", "tl.map_elementwise"
    wanted = steps_of(1, count)
    for id, call in calls.items():
        bench.check(id, call, output, wanted, 0)
    for (id, summary), title in zip(bench.samples(calls).items(), titles, strict=True):
        bench.micro(id, f"Collatz steps of {count} numbers, {title}", summary, unit="ms",
                    method=COLD, kernel=HERE)  # fmt: skip


def indices(bench, rows):
    """Our compiler's kernels with four elements a thread; with 4,000 columns % is a division."""
    for columns in (4096, 4000):
        x, output = bench.random((rows, columns)), bench.output((rows, columns))
        mean, third, scale, shift = (bench.random(columns) for _ in range(4))
        inputs, calls = (x, mean, third**2 + 0.5, scale, shift), {}
        for function in (normalize, normalize_known):
            ops = optimize(trace(function, *inputs))
            used = [int(op.value[1:]) for op in ops if op.name == "load"]
            flat = [bench.device.numba(inputs[k].reshape(-1)) for k in used]
            wanted = function(*(a.astype(cp.float64) for a in inputs))
            for kind in ("int64", "int32", "uint32"):
                launch = build(generate_several(ops, 4, kind))[-(-x.size // 1024), 256]
                name = "normalize" if function is normalize else "known"
                id = f"one-change-{name}-{columns}-{kind}"
                calls[id] = partial(launch, *flat, bench.device.numba(output.array.reshape(-1)))
                bench.check(id, calls[id], output, wanted, 1e-6)
        copied = bench.device.copy(4 * x.size)[0]
        times = bench.samples(calls | {"copy": copied})
        base = times.pop("copy").median
        for id, summary in times.items():
            _, _, name, _, kind = id.split("-")
            bench.micro(id, f"{name}, {rows} x {columns} float32, four a thread, indices {kind}",
                        summary, unit="us", method=COLD, kernel="kernels/compilers/several.py",
                        extra={"copy_share": rounded(base / summary.median)})  # fmt: skip


def with_constants(size, high, wide, narrow):
    """Return ``read_image`` for one layer, whose sizes the compiler knows; ``narrow``: 32 bits."""
    size, high, wide, plane = (uint32(n) if narrow else n for n in (size, high, wide, high * wide))

    @cuda.jit(device=True)
    def read(x, _, row, pixel):
        c, p, q = row // (size * size), row // size % size, row % size
        return x[pixel // plane, c, pixel // wide % high + p, pixel % wide + q]

    @cuda.jit(device=True)
    def read_32(x, _, row, pixel):
        row, pixel = uint32(row), uint32(pixel)
        c, p, q = row // (size * size), row // size % size, row % size
        return x[pixel // plane, c, pixel // wide % high + p, pixel % wide + q]

    return read_32 if narrow else read


def implicit(bench, images):
    channels = maps = 64
    side, size = 56, 3
    high = side - size + 1
    x, weights = bench.random((images, channels, side, side)), bench.random((maps, channels, 3, 3))
    output, pixels = bench.output((images, maps, high, high)), images * high * high
    d_x, out = bench.device.numba(x), bench.device.numba(output.array)
    flat = bench.device.numba(weights.reshape(maps, -1))
    unrolled = bench.device.numba(cp.empty((channels * size * size, pixels), cp.float32))
    tile = convolution.TILE
    launch = (-(-pixels // tile), -(-maps // tile)), (tile, tile)
    unroll = convolution.unroll_kernel[-(-channels * pixels // 128), 128]
    product = convolution.product_kernel[launch]
    known, narrow = (
        convolution.make_product(with_constants(size, high, high, narrow))[launch]
        for narrow in (False, True)
    )

    def by_matrix():
        unroll(d_x, size, unrolled)
        product(flat, unrolled, size, out)

    implicit_kernel = convolution.implicit_kernel[launch]
    calls = {
        "one-change-conv-unrolled": by_matrix,
        "one-change-conv-implicit": partial(implicit_kernel, flat, d_x, size, out),
        "one-change-conv-constants": partial(known, flat, d_x, size, out),
        "one-change-conv-constants-32": partial(narrow, flat, d_x, size, out),
    }
    titles = (
        "unrolled, then a product", "implicit", "implicit, sizes as constants",
        "implicit, sizes as constants of 32 bits",
    )  # fmt: skip
    wanted = cp.asarray(torch.nn.functional.conv2d(
        *(torch.as_tensor(a, device="cuda").double() for a in (x, weights))))  # fmt: skip
    for id, call in calls.items():
        bench.check(id, call, output, wanted, 1e-5)
    flops = 2 * output.array.size * channels * size * size
    for (id, summary), title in zip(bench.samples(calls).items(), titles, strict=True):
        bench.micro(id, f"Layer of {maps} maps, {images} x {channels} x {side} x {side}: {title}",
                    summary, unit="TFLOP/s", amount=flops, method=COLD, kernel=CONVOLUTION,
                    extra={"us": rounded(summary.median * 1e6)})  # fmt: skip

"""Profiles of the patterns: what Nsight Compute says where a lesson predicted and was off.

``run`` starts this module under the profiler, ``python -m benchmarks.micro.pattern_profiles``,
which launches each kernel at the size of its benchmark.
"""

import csv
import io
import math
import os
import shutil
import subprocess
import sys

import numpy as np

from benchmarks.harness import ROOT, BenchmarkError, Summary, rounded
from benchmarks.micro.profiles import METRICS, STALL, STALLS, number

# field of a record: metric of Nsight Compute, beside those of the profiles of the matmul rungs
MORE = {
    "l1_hit_share": "l1tex__t_sector_hit_rate.pct",
    "dram_write_bytes": "dram__bytes_write.sum",
    "l2_write_sectors": "lts__t_sectors_op_write.sum",
    "fp64_share": "sm__inst_executed_pipe_fp64.avg.pct_of_peak_sustained_active",
    "alu_share": "sm__inst_executed_pipe_alu.avg.pct_of_peak_sustained_active",
    "xu_share": "sm__inst_executed_pipe_xu.avg.pct_of_peak_sustained_active",
    "registers": "launch__registers_per_thread",
}
FIELDS = METRICS | MORE | {f"stall_{reason}": STALL.format(reason) for reason in STALLS}
NEEDED = ("issue_share", "instructions", "dram_bytes", "occupancy_share", "registers")


def kernels(small=False):
    """Yield (id, title, path, names, make) in order; ``make()`` allocates and returns a launch.

    ``names`` are the kernels that a launch starts, of which the last one is kept.
    """
    import torch
    from numba import cuda

    from kernels.batched.products import WARPS, make_products
    from kernels.batched.solve import WARPS as SOLVE_WARPS
    from kernels.batched.solve import make_solve
    from kernels.convolution.filter import make_filter_tile
    from kernels.convolution.registers import filter_launch, make_registers
    from kernels.convolution.tiled import conv_tiled_launch
    from kernels.fft.stockham import fft_rows, roots
    from kernels.in_triton.int4_matmul import HALF, TILES, int4_matmul_kernel
    from kernels.nbody.plain import pull_plain_kernel, pull_tile_kernel
    from kernels.nbody.registers import cut, make_pull
    from kernels.norms.row import norm_rows
    from kernels.radix_sort.one_sweep import (
        BINS,
        PASSES,
        digit_counts_kernel,
        digit_starts_kernel,
        make_sweep,
    )
    from kernels.random_numbers.philox import option_kernel
    from kernels.softmax.passes import online_kernel, three_pass_kernel
    from kernels.transpose.tile import transpose_direct_kernel
    from kernels.transpose.wide import make_transpose

    random = np.random.default_rng(1)
    many = cuda.get_current_device().MULTIPROCESSOR_COUNT

    def normal(*shape):
        """Random numbers on the device: a block of them, again and again."""
        size = math.prod(shape)
        block = random.standard_normal(min(size, 2**22), dtype=np.float32)
        return cuda.to_device(np.resize(block, size).reshape(shape))

    def empty(*shape, dtype=np.float32):
        return cuda.device_array(shape, dtype)

    side, cells = (512, 2**20) if small else (16384, 2**28)

    def direct():
        a, out = normal(side, side), empty(side, side)
        grid = -(-side // 32), -(-side // 8)
        return lambda: transpose_direct_kernel[grid, (32, 8)](a, out)

    def transposed(rows, columns):
        def make():
            a, out = normal(rows * columns), empty(rows * columns)
            kernel = make_transpose(64, 64, 256, 6)
            grid = -(-rows // 64), -(-columns // 64)
            return lambda: kernel[grid, 256](a, out, rows, columns)

        return make

    path = "kernels/transpose/tile.py"
    what = "Transpose, an element a thread"
    yield "profile-transpose-naive", what, path, ["transpose_direct_kernel"], direct
    for id, shape in {"": (side, side), "-oblong": (side // 2 + 4, 3 * side // 4 + 8)}.items():
        what = f"Transpose of {shape[0]} x {shape[1]}, 16 bytes on both sides"
        path, names = "kernels/transpose/wide.py", ["transpose_kernel"]
        yield f"profile-transpose{id}", what, path, names, transposed(*shape)

    columns = 8192
    rows = cells // columns
    for id, kernel in {"three-pass": three_pass_kernel, "online": online_kernel}.items():

        def softmax(kernel=kernel):
            x, out = normal(rows, columns), empty(rows, columns)
            return lambda: kernel[rows, 256](x, out)

        what, path = f"Softmax of rows of {columns}, {id}", "kernels/softmax/passes.py"
        yield f"profile-softmax-{id}", what, path, [kernel.py_func.__name__], softmax

    def four_blocks():  # 48 KB of shared memory that nobody uses: four fit a multiprocessor
        x, out = normal(rows, columns), empty(rows, columns)
        return lambda: online_kernel[rows, 256, 0, 48_000](x, out)

    what, path = f"Softmax of rows of {columns}, online, four blocks", "kernels/softmax/passes.py"
    yield "profile-softmax-online-four", what, path, ["online_kernel"], four_blocks

    for name in ("rmsnorm", "layernorm"):

        def norm(name=name, columns=32768):
            rows = cells // columns
            x, weight, out = normal(cells), normal(columns), empty(cells)
            bias = normal(columns) if name == "layernorm" else None
            return lambda: norm_rows(x, weight, bias, rows, columns, out)

        what, path = f"{name} of rows of 32,768", "kernels/norms/row.py"
        yield f"profile-{name}-32768", what, path, ["norm_kernel"], norm

    points = 2**20 if small else 2**27
    for radix in (2, 8):

        def transform(radix=radix, n=1024):
            x, out = normal(2 * points), empty(2 * points)
            table = cuda.to_device(roots(n, radix))
            return lambda: fft_rows(x, table, points // n, n, out, (radix, radix, 1, 1))

        what, path = f"FFT of 1,024 points, radix {radix}", "kernels/fft/stockham.py"
        yield f"profile-fft-radix-{radix}", what, path, ["fft_kernel"], transform

    for n in (16, 32):

        def products(n=n, size=2**16 if small else 2**25):
            a, b, out = normal(size), normal(size), empty(size)
            kernel, each = make_products(n)
            count = size // (n * n)
            grid, block = -(-count // each), (32, WARPS)
            return lambda: kernel[grid, block](a, b, np.uint64(count), out)

        what, path = f"Products of {n} x {n}, a lane a column", "kernels/batched/products.py"
        yield f"profile-batched-product-{n}", what, path, ["products_kernel"], products

    for n in (4, 8, 16, 32):

        def systems(n=n, size=2**16 if small else 2**24):
            count = size // (n * n)
            beside = np.roll(4 * np.sqrt(n) * np.eye(n), 1, axis=0).astype(np.float32)
            a = random.standard_normal((count, n, n), dtype=np.float32) + beside
            a, b, x = cuda.to_device(a.reshape(-1)), normal(count * n), empty(count * n)
            kernel, each = make_solve(n)
            grid, block = -(-count // each), (32, SOLVE_WARPS)
            return lambda: kernel[grid, block](a, b, np.uint64(count), x)

        what, path = f"Systems of {n} equations", "kernels/batched/solve.py"
        yield f"profile-batched-solve-{n}", what, path, ["solve_kernel"], systems

    def sweep(n=2**20 if small else 2**26, threads=512, items=16):
        keys = cuda.to_device(random.integers(1, 2**32, n, dtype=np.uint32))
        spare = empty(n, dtype=np.uint32)
        counts = cuda.to_device(np.zeros((PASSES, BINS), np.int32))
        tiles = -(-n // (threads * items))
        state = cuda.to_device(np.zeros(1 + BINS * tiles, np.uint32))
        kernel = make_sweep(threads, items, 2)

        def launch():
            digit_counts_kernel[4 * many, 512](keys, counts)
            digit_starts_kernel[PASSES, BINS](counts)
            kernel[tiles, threads](keys, spare, counts[0], state, 0)

        return launch

    what, path = "One pass of the radix sort of 2^26 keys", "kernels/radix_sort/one_sweep.py"
    names = ["digit_counts_kernel", "digit_starts_kernel", "sweep_kernel"]
    yield "profile-sort-sweep", what, path, names, sweep

    stars = 2048 if small else 65_536
    for id, kernel in {"plain": pull_plain_kernel, "tile": pull_tile_kernel}.items():

        def pulls(kernel=kernel):
            star, out = normal(stars, 4), empty(stars, 4)
            return lambda: kernel[-(-stars // 128), 128](star, np.float32(0.01), out)

        what, path = f"{stars} stars pull on each other, {id}", "kernels/nbody/plain.py"
        yield f"profile-nbody-{id}", what, path, [kernel.py_func.__name__], pulls

    def registers_pull():
        star = normal(4 * stars)
        count, share = cut(stars)
        grid, parts = (-(-stars // (4 * 128)), count), empty(count * 4 * stars)
        kernel, soft = make_pull(4, 128), np.float32(0.01)
        return lambda: kernel[grid, 128](star, stars, share, soft, parts)

    what, path = f"{stars} stars pull on each other, four a thread", "kernels/nbody/registers.py"
    yield "profile-nbody-registers", what, path, ["pull_kernel"], registers_pull

    image = 512 if small else 8192

    def tile(size=7):
        x, out = normal(image, image), empty(image, image)
        kernel = make_filter_tile(random.standard_normal((size, size)).astype(np.float32))
        return lambda: kernel[(image // 32, image // 8), (32, 8)](x, out)

    def registers(size, down):
        def make():
            x, out = normal(image * image), empty(image * image)
            kernel = make_registers(random.standard_normal((size, size)).astype(np.float32), down)
            return lambda: filter_launch(kernel, x, image, image, out, down)

        return make

    path = "kernels/convolution/filter.py"
    what, names = "7 x 7 filter, a tile in shared memory", ["filter_tile_kernel"]
    yield "profile-convolution-tile", what, path, names, tile

    def channels(count=8 if small else 64, side=64 if small else 512):
        x, w, out = (
            normal(8, count, side, side),
            normal(count, count, 3, 3),
            empty(8, count, side, side),
        )
        return lambda: conv_tiled_launch(x, w, 1, out)

    path = "kernels/convolution/tiled.py"
    what, names = "3 x 3 convolution, 64 channels, a tile", ["conv_tiled_kernel"]
    yield "profile-convolution-64", what, path, names, channels
    path = "kernels/convolution/registers.py"
    for size in (5, 7):
        what = f"{size} x {size} filter, registers"
        yield f"profile-convolution-{size}", what, path, ["registers_kernel"], registers(size, 8)

    def price(paths=2**20 if small else 2**30):
        total = cuda.to_device(np.zeros(1))
        given = [np.float32(x) for x in (100, 110, 0.01, 0.2)]
        return lambda: option_kernel[8 * many, 256](*given, paths, 3, total)

    what, path = "Price of a call, 2^30 paths", "kernels/random_numbers/philox.py"
    yield "profile-monte-carlo", what, path, ["option_kernel"], price

    for id, tile in {"": TILES[16], "-whole": (16, 64, 1, 4, 3)}.items():

        def int4(tile=tile, m=16, n=1024 if small else 8192):
            BM, BN, SPLIT, warps, stages = tile

            def tensor(size, dtype):  # PyTorch would start a kernel to fill it
                host = random.integers(0, 9, size, dtype)
                return torch.as_tensor(cuda.to_device(host), device="cuda")

            words, scales = tensor((n, n // 2), np.uint8), tensor((n, n // 128), np.int16)
            x, y = tensor((m, n), np.int16).view(torch.bfloat16), tensor((m, n), np.int16)
            parts = tensor((SPLIT, m, n), np.int32)
            tickets = torch.as_tensor(cuda.to_device(np.zeros(n, np.int32)), device="cuda")
            sizes, options = (m, n, n, BM, BN, HALF, SPLIT), {"num_stages": stages}
            ins = x, words, scales.view(torch.bfloat16), parts.view(torch.float32), tickets
            return lambda: int4_matmul_kernel[n // BN, 1, SPLIT](
                *ins, y.view(torch.bfloat16), *sizes, num_warps=warps, **options
            )

        what = f"16 tokens times weights of 4 bits, {tile[2]} programs for a tile"
        path, names = "kernels/in_triton/int4_matmul.py", ["int4_matmul_kernel"]
        yield f"profile-int4-matmul-16{id}", what, path, names, int4


def once(small):
    """Launch every kernel once, in order."""
    from numba import cuda

    for *_, make in kernels(small):
        launch = make()
        launch()
        cuda.synchronize()
        del launch


def profile(small):
    """Return (kernel's name, {field: number}) for every launch that the profiler saw."""
    ncu = shutil.which("ncu") or shutil.which("ncu", path="/usr/local/cuda/bin")
    if not ncu:
        raise BenchmarkError("ncu is not on the PATH: Nsight Compute comes with the CUDA toolkit")
    options = "--clock-control none --csv --page raw --print-units base --metrics".split()
    done = subprocess.run(
        [ncu, *options, ",".join(FIELDS.values()),
         sys.executable, "-m", "benchmarks.micro.pattern_profiles", *(["small"] if small else [])],
        cwd=ROOT, env=os.environ | {"LOCKSTEP_TARGET": "numba-cuda"},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    lines = [line for line in done.stdout.splitlines() if line.startswith('"')]
    rows = [row for row in csv.DictReader(io.StringIO("\n".join(lines))) if row.get("ID")]
    if done.returncode or not rows:
        raise BenchmarkError(f"ncu ended with {done.returncode}: {done.stdout[-2000:]}")
    found = []
    for row in rows:
        values = {field: number(row.get(metric)) for field, metric in FIELDS.items()}
        values = {
            field: rounded(value / (100 if field.endswith("_share") else 1))
            for field, value in values.items()
            if value is not None
        }
        if "profiled_us" in values:  # base units: ns
            values["profiled_us"] = rounded(values["profiled_us"] / 1e3)
        found.append((row["Kernel Name"], values))
    return found


def run(bench):
    with bench.part("Nsight Compute"):
        seen = iter(profile(bench.quick))
        for id, title, path, names, _ in kernels(bench.quick):
            for name in names:
                got, extra = next(seen, ("nothing", {}))
                if name not in got:
                    raise BenchmarkError(f"{id}: the profiler saw {got} and not {name}")
            lacking = [f for f in NEEDED if f not in extra]
            if lacking:
                raise BenchmarkError(f"{id}: Nsight Compute gave no {', '.join(lacking)}")
            bench.say(f"[{bench.name}]   {id}: {extra}")
            bench.micro(
                id,
                f"Issue slots in use, {title}",
                Summary(extra["issue_share"], 0.0, 1),
                unit="%",
                kernel=path,
                method="Nsight Compute, one launch, the clock left alone; stalls are warps that"
                " wait for a reason, for each instruction that is issued",
                terms=["nsight-compute", "stall"],
                extra=extra,
            )


if __name__ == "__main__":
    once("small" in sys.argv[1:])

"""Tensor cores: bfloat16 and TF32 products against cuBLAS, what they lose, and the ceilings."""

import os
import tempfile

import cupy as cp
import numpy as np
import torch
from cuda.core import Program, ProgramOptions

from benchmarks import harness
from benchmarks.harness import ROOT, Case, Output, Reference, summarize
from kernels.tensor_cores import mma_sync, mma_tf32, wgmma
from kernels.tensor_cores.ceiling import ceiling_kernel
from kernels.tensor_cores.tma import tensor_map
from kernels.tensor_cores.wgmma_ceiling import wgmma_ceiling_kernel

KERNELS, CUDA = "kernels/tensor_cores/", "snippets/tensor_cores/"
STAGE = 48 * 1024  # a tile of a and one of b, in the CUDA C++ kernels
MMA_STAGES, MMA_WIDTH = 3, 256  # of snippets/tensor_cores/mma_sync.cu
DEPTHS = (256, 4096, 65536)  # k of the products whose errors are measured
DRAWS = 5


def run(bench):
    for n in (512,) if bench.quick else (4096, 8192):
        with bench.part(f"bfloat16, {n} x {n} x {n}"):
            bfloat16(bench, n)
    with bench.part("TF32"):
        tf32(bench, 512 if bench.quick else 8192)
    with bench.part("ceilings"):
        ceilings(bench, 100 if bench.quick else 20_000)
    with bench.part("precision"):
        precision(bench, DEPTHS[:1] if bench.quick else DEPTHS)


# ---------------------------------------------------------------- bfloat16 in CuPy


def narrow(x):
    """Return float32 numbers rounded to bfloat16, as uint16."""
    bits = x.view(cp.uint32)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(cp.uint16)


def widen(bits):
    """Return bfloat16 numbers, given as uint16, as float32."""
    return (bits.astype(cp.uint32) << 16).view(cp.float32)


class Bfloat16(Output):
    """An output of bfloat16, whose elements are uint16; the poison is NaN."""

    def __init__(self, xp, shape):
        super().__init__(xp, shape, "uint16")
        self.value = 0x7FC0
        self.poison()

    def error(self, expected):
        wide = Output(self.xp, self.array.shape, "float32")
        wide.flat[:] = widen(self.flat)
        return wide.error(expected)


def as_torch(array):
    """Return PyTorch's view of the bfloat16 numbers in an array of uint16."""
    return torch.as_tensor(array.view(cp.int16), device="cuda").view(torch.bfloat16)


# ---------------------------------------------------------------- the products


def text(file):
    return (ROOT / CUDA / file).read_text(encoding="utf-8")


def by_wmma(name):
    toolkit = os.environ.get("CUDA_HOME", "/usr/local/cuda")
    options = ("-std=c++17", f"-I{toolkit}/include")
    return cp.RawModule(code=text(f"{name}.cu"), options=options).get_function(name)


def hopper(code, kernel):
    """Compile CUDA C++ for Hopper's own instructions, which CuPy's RawKernel does not ask for."""
    program = Program(code, "c++", ProgramOptions(arch="sm_90a", std="c++17"))
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(program.compile("cubin").code)
        file.flush()
        return cp.RawModule(path=file.name).get_function(kernel)


def bfloat16(bench, n):
    a, b = bench.random((n, n)), bench.random((n, n))
    bits_a, bits_b = narrow(a), narrow(b)
    expected = widen(bits_a).astype(cp.float64) @ widen(bits_b).astype(cp.float64)
    half, full = Bfloat16(bench.xp, (n, n)), bench.output((n, n))
    sizes, blocks = (np.int32(n),) * 3, bench.device.multiprocessors

    wmma, wmma_ring = by_wmma("wmma"), by_wmma("wmma_ring")
    wmma_ring.max_dynamic_shared_size_bytes = wmma_shared = 4 * 2 * (128 * 40 + 32 * 264)
    mma = cp.RawModule(code=text("mma_sync.cu")).get_function("mma_sync")
    mma.max_dynamic_shared_size_bytes = mma_shared = MMA_STAGES * STAGE
    mma_grid = (-(-n // 128) * -(-n // MMA_WIDTH),)
    ring = hopper(text("wgmma.cu"), "wgmma")
    ring.max_dynamic_shared_size_bytes = ring_shared = 4 * STAGE + 32 * 1024 + 64
    by_value = [
        tensor_map(x, rows).view("V128")
        for x, rows in ((bits_a, 128), (bits_b, 64), (half.array, 64))
    ]

    d_a, d_b, d_c = map(bench.device.numba, (bits_a, bits_b, half.array))
    maps = [tensor_map(x, rows) for x, rows in ((d_a, 128), (d_b, 64), (d_c, 64))]
    maps = bench.device.numba(cp.asarray(np.concatenate(maps)))
    tiles = -(-n // mma_sync.BM) * -(-n // mma_sync.BN)
    mma_launch = (tiles, 256, 0, mma_sync.STAGES * mma_sync.STAGE)
    ring_launch = (blocks, 384, 0, wgmma.SHARED)
    # The first launches raise the limits of shared memory; the timed ones are plain.
    mma_sync.launch(mma_sync.mma_sync_kernel, *mma_launch[:2], mma_launch[3], d_a, d_b, d_c)
    wgmma.launch(wgmma.wgmma_kernel, *ring_launch[:2], ring_launch[3], maps, *sizes)
    by_mma = mma_sync.mma_sync_kernel[mma_launch]
    by_ring = wgmma.wgmma_kernel[ring_launch]

    t_a, t_b, t_c = map(as_torch, (bits_a, bits_b, half.array))
    end = "" if n == 8192 else f"-{n}"  # the bars are set at 8192
    what = f"bfloat16, {n} x {n} x {n}"
    rows = bench.compare(
        [
            Case(
                f"bf16-gemm-wmma{end}",
                f"WMMA, CUDA C++, {what}, float32 results",
                CUDA + "wmma.cu",
                lambda: wmma((-(-n // 128),) * 2, (256,), (bits_a, bits_b, full.array, *sizes)),
                full,
            ),
            Case(
                f"bf16-gemm-wmma-ring{end}",
                f"WMMA with a ring of copies, CUDA C++, {what}, float32 results",
                CUDA + "wmma_ring.cu",
                lambda: wmma_ring(
                    (-(-n // 256), -(-n // 128)),
                    (256,),
                    (bits_a, bits_b, full.array, *sizes),
                    shared_mem=wmma_shared,
                ),
                full,
            ),
            Case(
                f"bf16-gemm-mma-sync{end}",
                f"mma.sync, CUDA C++, {what}",
                CUDA + "mma_sync.cu",
                lambda: mma(
                    mma_grid,
                    (MMA_WIDTH,),
                    (bits_a, bits_b, half.array, *sizes),
                    shared_mem=mma_shared,
                ),
                half,
            ),
            Case(
                f"bf16-gemm-mma-sync-numba{end}",
                f"mma.sync, Numba, {what}",
                KERNELS + "mma_sync.py",
                lambda: by_mma(d_a, d_b, d_c),
                half,
            ),
            Case(
                f"bf16-gemm-rawmodule{end}",
                f"wgmma and TMA, CUDA C++, {what}",
                CUDA + "wgmma.cu",
                lambda: ring((blocks,), (384,), (*by_value, *sizes), shared_mem=ring_shared),
                half,
            ),
            Case(
                f"bf16-gemm-numba{end}",
                f"wgmma and TMA, Numba, {what}",
                KERNELS + "wgmma.py",
                lambda: by_ring(maps, *sizes),
                half,
            ),
        ],
        Reference("cuBLAS bfloat16, torch.matmul", lambda: torch.matmul(t_a, t_b, out=t_c), half),
        expected,
        size=n,
        dtype="bfloat16",
        unit="TFLOP/s",
        tolerance=3e-3,  # the rounding of a result to 8 bits
        bytes=3 * 2 * n * n,
        flops=2 * n**3,
    )
    for row in rows[:2]:  # the results of WMMA are float32
        row["bytes"] = (2 + 2 + 4) * n * n
        row["gbps"] = harness.rounded(row["bytes"] / row["us"] / 1e3)
        row["copy_share"] = harness.rounded(row["gbps"] / row["copy_gbps"])


def to_tf32(x):
    """Return float32 numbers rounded to TF32: the tensor cores cut the last 13 bits off."""
    return (x.view(cp.uint32) + 0x1000 & 0xFFFFE000).view(cp.float32)


def tf32(bench, n):
    """Both sides are compared with the float64 product of the same numbers, before any rounding.

    Our kernels get operands that are rounded beforehand; cuBLAS gets them as they are and rounds
    them itself. What our rounding takes is a row of its own.
    """
    exact_a, exact_b = bench.random((n, n)), bench.random((n, n))
    a, b = to_tf32(exact_a), to_tf32(exact_b)
    output = bench.output((n, n))
    d_a, d_b, d_c = map(bench.device.numba, (a, b, output.array))
    rounding = cp.ElementwiseKernel(
        "uint32 x", "uint32 y", "y = (x + 0x1000) & 0xFFFFE000", "round_to_tf32"
    )
    bits, rounded = exact_a.view(cp.uint32), cp.empty((n, n), cp.uint32)
    rounding(bits, rounded)
    if not bool((rounded.view(cp.float32) == a).all()):
        raise harness.BenchmarkError("rounding: the kernel and the array function differ")
    bench.micro(
        "tf32-rounding",
        f"Round a matrix of {n} x {n} float32 to TF32 in a kernel of its own",
        bench.samples({"rounding": lambda: rounding(bits, rounded)})["rounding"],
        unit="us",
        method="CUDA events, cold L2",
        terms=["tf32"],
    )
    tiles = -(-n // mma_tf32.BM_TF32) * -(-n // mma_tf32.BN_TF32)
    shared = mma_tf32.STAGES_TF32 * mma_tf32.STAGE_TF32
    mma_tf32.launch(mma_tf32.mma_tf32_kernel, tiles, 128, shared, d_a, d_b, d_c)
    kernel = mma_tf32.mma_tf32_kernel[tiles, 128, 0, shared]
    t_a, t_b, t_c = (torch.as_tensor(x, device="cuda") for x in (exact_a, exact_b, output.array))

    def cublas():
        torch.backends.cuda.matmul.allow_tf32 = True
        torch.matmul(t_a, t_b, out=t_c)

    expected = exact_a.astype(cp.float64) @ exact_b.astype(cp.float64)
    bench.compare(
        [
            Case(
                "tf32-gemm-mma-sync-numba",
                f"mma.sync, Numba, TF32, {n} x {n} x {n}",
                KERNELS + "mma_tf32.py",
                lambda: kernel(d_a, d_b, d_c),
                output,
            )
        ],
        Reference("cuBLAS TF32, torch.matmul", cublas, output),
        expected,
        size=n,
        dtype="float32",
        unit="TFLOP/s",
        tolerance=1e-3,
        bytes=3 * 4 * n * n,
        flops=2 * n**3,
    )

    transposed, sizes = cp.ascontiguousarray(b.T), (np.int32(n),) * 3
    exact_transposed = cp.ascontiguousarray(exact_b.T)
    t_transposed = torch.as_tensor(exact_transposed, device="cuda").T
    ring = hopper(text("wgmma_tf32.cu"), "wgmma_tf32")
    ring.max_dynamic_shared_size_bytes = ring_shared = 4 * STAGE + 64
    maps = [
        tensor_map(x.view(cp.uint16), rows).view("V128")
        for x, rows in ((a, 128), (transposed, 256))
    ]
    blocks = (bench.device.multiprocessors,)

    def cublas_transposed():
        torch.backends.cuda.matmul.allow_tf32 = True
        torch.matmul(t_a, t_transposed, out=t_c)

    bench.compare(
        [
            Case(
                "tf32-gemm-rawmodule",
                f"wgmma and TMA, CUDA C++, TF32, {n} x {n} x {n}, b transposed before",
                CUDA + "wgmma_tf32.cu",
                lambda: ring(blocks, (384,), (*maps, output.array, *sizes), shared_mem=ring_shared),
                output,
            )
        ],
        Reference("cuBLAS TF32, torch.matmul, b transposed before", cublas_transposed, output),
        expected,
        size=n,
        dtype="float32",
        unit="TFLOP/s",
        tolerance=1e-3,
        bytes=3 * 4 * n * n,
        flops=2 * n**3,
    )


# ---------------------------------------------------------------- the ceilings


def ceilings(bench, steps):
    numbers = bench.device.numba(narrow(bench.random(3 * 8192)))
    multiprocessors = bench.device.multiprocessors
    out = bench.device.numba(cp.empty(2 * multiprocessors * 256, cp.float32))
    for id, title, kernel, blocks, operations in (
        # 8 warps of 2 * 64 * 64 * 16 operations; two warpgroups of 2 * 64 * 256 * 64
        ("mma-sync-ceiling", "mma.sync", ceiling_kernel, 2 * multiprocessors, 8 * 131_072),
        ("wgmma-ceiling", "wgmma", wgmma_ceiling_kernel, multiprocessors, 4_194_304),
    ):
        # A step of wgmma_ceiling_kernel takes about four times as long.
        turns = steps if kernel is ceiling_kernel else steps // 4
        launch = kernel[blocks, 256]
        bench.micro(
            id,
            f"{title}, bfloat16 in and float32 sums, from operands that are there already",
            bench.samples({id: lambda: launch(numbers, out, turns)})[id],  # noqa: B023
            unit="TFLOP/s",
            amount=operations * blocks * turns,
            kernel=KERNELS + ("ceiling.py" if kernel is ceiling_kernel else "wgmma_ceiling.py"),
            method="CUDA events; random operands on all multiprocessors; the loop loads nothing",
        )


# ---------------------------------------------------------------- what is lost


def precision(bench, depths):
    """Errors against float64 of the same float32 data, 256 x k times k x 256."""
    n = 256
    wmma = by_wmma("wmma")
    tiles = (n // mma_tf32.BM_TF32) * (n // mma_tf32.BN_TF32)
    shared = mma_tf32.STAGES_TF32 * mma_tf32.STAGE_TF32
    numba = bench.device.numba
    c = cp.empty((n, n), cp.float32)

    def tf32(a, b):
        mma_tf32.launch(mma_tf32.mma_tf32_kernel, tiles, 128, shared, numba(a), numba(b), numba(c))
        return c

    def bf16(a, b):
        sizes = (np.int32(n), np.int32(n), np.int32(a.shape[1]))
        wmma((2, 2), (256,), (narrow(a), narrow(b), c, *sizes))
        return c

    ways = {
        "float32": ("float32, cuBLAS SGEMM", lambda a, b: cp.matmul(a, b, out=c), None),
        "tf32": ("TF32, operands rounded", lambda *ab: tf32(*map(to_tf32, ab)), "mma_tf32.py"),
        "tf32-cut": ("TF32, operands cut off", tf32, "mma_tf32.py"),
        "bf16": ("bfloat16 operands, float32 results", bf16, "wmma.cu"),
        "bf16-sums": ("bfloat16 operands, against the exact sums of these", bf16, "wmma.cu"),
        "bf16-bf16": (
            "bfloat16 operands and results", lambda a, b: widen(narrow(bf16(a, b))), "wmma.cu"
        ),
    }  # fmt: skip
    errors = {(way, k): [] for way in ways for k in depths}
    for k in depths:
        for _ in range(DRAWS):
            a, b = bench.random((n, k)), bench.random((k, n))
            exact = a.astype(cp.float64) @ b.astype(cp.float64)
            of_rounded = widen(narrow(a)).astype(cp.float64) @ widen(narrow(b)).astype(cp.float64)
            for way, (_, product, _) in ways.items():
                right = of_rounded if way == "bf16-sums" else exact
                off = product(a, b).astype(cp.float64) - right
                errors[way, k].append(float(cp.linalg.norm(off) / cp.linalg.norm(right)))
    for (way, k), found in errors.items():
        title, _, file = ways[way]
        folder = CUDA if file and file.endswith(".cu") else KERNELS
        bench.micro(
            f"matmul-error-{way}-{k}",
            f"Error of a matrix product, {title}, k = {k}",
            summarize(found),
            unit="",
            method=f"||c - c64|| / ||c64||, normal random float32 data, 256 x {k} by {k} x 256;"
            f" median of {DRAWS} draws",
            kernel=folder + file if file else None,
        )

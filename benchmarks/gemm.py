"""The matmul ladder: each rung in Numba and in CUDA C++, against cuBLAS in float32."""

import functools
import re
import tempfile
from types import SimpleNamespace

import cupy as cp

from benchmarks import sass
from benchmarks.harness import ROOT, Case, Reference
from kernels.gemm.coarsened import make_sums
from kernels.gemm.pipeline import make_pipeline
from kernels.gemm.registers import make_column, make_rectangle
from kernels.gemm.tiled import make_tiled
from kernels.gemm.tuned import make_tuned
from kernels.gemm.vectors import make_vectors
from kernels.gemm.warps import make_warps
from kernels.naive_matmul.matmul import matmul_kernel, matmul_swapped_kernel
from lockstep import languages

RUNGS, TOP = 4096, 8192  # sizes: of the ladder, and of the comparison at its top
CUDA = "snippets/gemm/sgemm.cu"
BIG = (128, 128)

# id, name of the bar, kernel, rows and columns of a block, its threads
LADDER = [
    ("naive-swapped", "naive", matmul_swapped_kernel, (32, 8), (32, 8)),
    ("naive", "coalesced", matmul_kernel, (8, 32), (32, 8)),
    ("tiled", "shared tile", make_tiled(16), (16, 16), (16, 16)),
    ("column", "a column a thread", make_column(64, 64, 16, 16), (64, 64), (64, 4)),
    ("rectangle", "8 x 8 a thread", make_rectangle(128, 128, 8, 8, 8), BIG, (16, 16)),
    ("vectors", "16-byte loads", make_vectors(128, 128, 8, 8, 8), BIG, (16, 16)),
    ("padded", "no bank conflicts", make_vectors(128, 128, 8, 8, 8, 4), BIG, (16, 16)),
    ("pipeline", "cp.async", make_pipeline(128, 128, 8, 8, 8), BIG, (16, 16)),
    ("warps", "warp tiles", make_warps(128, 128, 8, 2, 4), BIG, (256,)),
]
# The kernel of tuned.py takes over what the rungs before it have, and changes one thing at a time:
# BM, BN, BK, warps down and across, stages, blocks on a multiprocessor, rows of a group.
BEST = (128, 256, 8, 2, 4, 3, 1, 8)
STEPS = [
    ("ahead", "a step ahead", (128, 128, 8, 2, 4, 2, 2, 1)),
    ("grouped", "order of the blocks", (128, 128, 8, 2, 4, 2, 2, 8)),
    ("stages", "a third stage", (128, 128, 8, 2, 4, 3, 2, 8)),
    ("tuned", "tuned", BEST),
]
# Tiles that the search of kernels/gemm/search.py found quick
TUNED = {
    "128x256x8-3": BEST,
    "64x256x8-2": (64, 256, 8, 1, 4, 2, 2, 8),
    "128x256x8-2": (128, 256, 8, 2, 4, 2, 1, 8),
    "128x128x8-3": (128, 128, 8, 2, 2, 3, 2, 8),
}
# The same rungs in CUDA C++: the file, the kernel in it. Their blocks are those of LADDER.
TWINS = {
    "naive": ("snippets/naive_matmul/matmul.cu", "matmul"),
    "tiled": ("snippets/gemm/tiled.cu", "tiled"),
    "column": ("snippets/gemm/registers.cu", "column"),
    "rectangle": ("snippets/gemm/registers.cu", "rectangle"),
    "vectors": ("snippets/gemm/vectors.cu", "vectors"),
    "padded": ("snippets/gemm/vectors.cu", "padded"),
    "pipeline": ("snippets/gemm/pipeline.cu", "pipeline"),
    "warps": ("snippets/gemm/pipeline.cu", "warps"),
}
OWN = (128, 256, 16, 2, 4, 3, 1, 8)  # the constants of sgemm.cu as it stands
TWIN_TILES = {
    "128x256x16-3": OWN,
    "128x256x16-4": (128, 256, 16, 2, 4, 4, 1, 8),
    "128x256x16-3-rows": (128, 256, 16, 2, 4, 3, 1, 1),
    "64x256x8-2": (64, 256, 8, 1, 4, 2, 2, 8),
    "128x256x8-3": BEST,
}
make_once = functools.cache(make_tuned)  # a kernel is compiled once


def run(bench):
    with bench.part("the ladder"):
        ladder(bench, 512 if bench.quick else RUNGS)
    with bench.part("the top"):
        top(bench, 1024 if bench.quick else TOP)
    with bench.part("shared-memory tiles"):
        tiles(bench, 512 if bench.quick else RUNGS)
    with bench.part("tuning"):
        tuning(bench, 512 if bench.quick else RUNGS)
    with bench.part("copies"):
        copies(bench, 1_000_003 if bench.quick else 2**28)
    with bench.part("sums down columns"):
        coarsened(bench, 1024 if bench.quick else 8192)


def facts(kernel, call):
    """Return what a compiled Numba kernel uses, and what its loop with most arithmetic holds."""
    call()
    [compiled] = kernel.overloads.values()
    code = sass.facts(sass.disassemble(bytes(compiled._codelibrary.get_cubin().code)))
    return {
        "registers": compiled.regs_per_thread,
        "local_bytes": compiled.local_mem_per_thread,
        "shared_bytes": compiled.shared_mem_per_block,
        "loop": code["loop"],
        "ffma": code["FFMA"],
        "lds": code["LDS"],
        "lds128": code["LDS.128"],
        "ffma_share": code["FFMA"] / code["loop"],
    }


def case(id, title, kernel, tile, threads, arrays, output, flat=False, **extra):
    """Return a case that launches a Numba kernel with enough blocks for the output."""
    rows, columns = output.array.shape
    blocks_x, blocks_y = -(-columns // tile[1]), -(-rows // tile[0])
    if kernel is matmul_swapped_kernel:
        blocks_x, blocks_y = blocks_y, blocks_x  # x runs over rows
    grid = blocks_x * blocks_y if flat else (blocks_x, blocks_y)

    def call():
        kernel[grid, threads](*arrays)

    path = kernel.py_func.__module__.replace(".", "/") + ".py"
    return Case(id, title, path, call, output, facts(kernel, call) | extra)


def square(bench, n):
    """Return matrices, Numba's views of them and of the output, the output, cuBLAS, the answer."""
    a, b = bench.random((n, n)), bench.random((n, n))
    output = bench.output((n, n))
    arrays = tuple(map(bench.device.numba, (a, b, output.array)))
    # CuPy multiplies float32 in float32 unless CUPY_TF32 is set; TF32's error, about 3e-4, would
    # not pass the tolerance.
    cublas = Reference(
        "cuBLAS SGEMM, cp.matmul, no TF32", lambda: cp.matmul(a, b, out=output.array), output
    )
    return a, b, arrays, output, cublas, a.astype(cp.float64) @ b.astype(cp.float64)


def compare(bench, cases, cublas, expected, n):
    return bench.compare(
        cases, cublas, expected, size=n, dtype="float32", unit="TFLOP/s", tolerance=1e-5,
        bytes=3 * 4 * n * n, flops=2 * n**3,
    )  # fmt: skip


def in_cuda(
    id, title, path, name, grid, threads, sizes, arrays, output, text=None, shared=0, **extra
):
    """Return a case that launches a kernel in CUDA C++, and what its machine code holds."""
    text = text or (ROOT / path).read_text(encoding="utf-8")
    cubin = languages.compile_cuda(SimpleNamespace(text=text, where=path), native())
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:  # what is counted is what is timed
        file.write(cubin)
        file.flush()
        kernel = cp.RawModule(path=file.name).get_function(name)
    if shared:
        kernel.max_dynamic_shared_size_bytes = shared
    code = sass.facts(sass.part(sass.disassemble(cubin), name))
    found = {
        "registers": kernel.num_regs,
        "local_bytes": kernel.local_size_bytes,
        "shared_bytes": shared or kernel.shared_size_bytes,
        "loop": code["loop"],
        "ffma": code["FFMA"],
        "lds128": code["LDS.128"],
        "ffma_share": code["FFMA"] / code["loop"],
    }
    arguments = (*arrays, output.array, *map(cp.int32, sizes))

    def call():
        kernel(grid, threads, arguments, shared_mem=shared)

    return Case(id, title, path, call, output, found | extra)


def native():
    return f"sm_{cp.cuda.Device().compute_capability}"


def twin(id, title, a, b, output, n, of=OWN, **extra):
    """Return a case for sgemm.cu with other constants: the kernel of tuned.py in CUDA C++."""
    BM, BN, BK, warps_y, warps_x, stages, blocks, group = of
    constants = {
        "BM": BM,
        "BN": BN,
        "BK": BK,
        "STAGES": stages,
        "GROUP": group,
        "WARPS_X": warps_x,
        "THREADS": 32 * warps_y * warps_x,
        "TM": BM // warps_y // 8,
        "TN": BN // warps_x // 4,
        "BLOCKS": blocks,
    }
    text = (ROOT / CUDA).read_text(encoding="utf-8")
    for name, value in constants.items():
        text, found = re.subn(rf"\b{name} = \d+", f"{name} = {value}", text)
        assert found == 1, name
    shared = 4 * stages * BK * (BM + 4 + BN)
    grid = (-(-n // BM) * -(-n // BN),)
    threads = (constants["THREADS"],)
    return in_cuda(
        id, title, CUDA, "sgemm", grid, threads, (n, n, n), (a, b), output, text, shared, **extra
    )


def tuned(id, title, of, arrays, output, **extra):
    BM, BN, BK, warps_y, warps_x, stages, blocks, group = of
    kernel = make_once(BM, BN, BK, warps_y, warps_x, stages, blocks, group=group)
    threads = (32 * warps_y * warps_x,)
    return case(id, title, kernel, (BM, BN), threads, arrays, output, flat=True, **extra)


def ladder(bench, n):
    a, b, arrays, output, cublas, expected = square(bench, n)
    what = f"SGEMM {n} x {n} x {n}"
    cases = []
    for rung, (id, name, kernel, tile, threads) in enumerate(LADDER, 1):
        title = f"{what} in Numba, {name}"
        cases.append(case(f"sgemm-{id}", title, kernel, tile, threads, arrays, output, rung=rung))
        if id in TWINS:
            grid, title = (-(-n // tile[1]), -(-n // tile[0])), f"{what} in CUDA C++, {name}"
            at = (*TWINS[id], grid, threads, (n, n, n), (a, b), output)
            cases.append(in_cuda(f"sgemm-cuda-{id}", title, *at))
    for rung, (id, name, of) in enumerate(STEPS, len(LADDER) + 1):
        title = f"{what} in Numba, {name}"
        cases.append(tuned(f"sgemm-{id}", title, of, arrays, output, rung=rung))
        title = f"{what} in CUDA C++, {name}"
        cases.append(twin(f"sgemm-cuda-{id}", title, a, b, output, n, of))
    title = f"{what} in CUDA C++, deeper tiles"
    cases.append(twin("sgemm-cuda", title, a, b, output, n, rung=rung + 1))
    rows = {row["id"]: row for row in compare(bench, cases, cublas, expected, n)}
    for id, row in rows.items():
        if other := rows.get(id.replace("sgemm-", "sgemm-cuda-")):
            row["cuda_tflops"] = other["ours"]  # the picture has both
            row["cuda_share"] = row["ours"] / other["ours"]


def top(bench, n):
    a, b, arrays, output, cublas, expected = square(bench, n)
    title = f"SGEMM {n} x {n} x {n} in Numba"
    cases = [tuned("sgemm-numba", title, BEST, arrays, output)]
    rows = f"{title}, blocks in rows"
    cases.append(tuned("sgemm-numba-rows", rows, (*BEST[:-1], 1), arrays, output))
    title = f"SGEMM {n} x {n} x {n} in CUDA C++ through CuPy's RawModule"
    cases.append(twin("sgemm-rawmodule", title, a, b, output, n))
    compare(bench, cases, cublas, expected, n)


def tiles(bench, n):
    """Shared-memory tiles of three sizes, against the naive kernel: how many times as fast."""
    _, _, arrays, output, _, expected = square(bench, n)
    grid = -(-n // 32), -(-n // 8)
    naive = Reference(
        "the naive kernel in Numba", lambda: matmul_kernel[grid, (32, 8)](*arrays), output
    )
    cases = [
        case(f"sgemm-tiled-{side}", f"SGEMM {n} x {n} x {n} in Numba, tiles of {side}",
             make_tiled(side), (side, side), (side, side), arrays, output)
        for side in (8, 16, 32)
    ]  # fmt: skip
    compare(bench, cases, naive, expected, n)


def tuning(bench, n):
    """The last kernel with other tiles, in both languages."""
    a, b, arrays, output, cublas, expected = square(bench, n)
    what = f"SGEMM {n} x {n} x {n} in"
    cases = [
        tuned(f"sgemm-tuned-{name}", f"{what} Numba, tuned, {name}", of, arrays, output)
        for name, of in TUNED.items()
    ]
    cases += [
        twin(f"sgemm-cuda-{name}", f"{what} CUDA C++, tuned, {name}", a, b, output, n, of)
        for name, of in TWIN_TILES.items()
    ]
    compare(bench, cases, cublas, expected, n)


def coarsened(bench, n):
    """Sums of 8 neighbors down columns, 1, 2, 4 and 8 results a thread, against a copy."""
    width = 8
    a = bench.random((n + width - 1, n))
    output, copied = bench.output((n, n)), bench.output((n, n))
    d_a, d_out = map(bench.device.numba, (a, output.array))
    exact = a.astype(cp.float64)
    expected = sum(exact[i : i + n] for i in range(width))
    cases = []
    for coarse_factor in (1, 2, 4, 8):
        kernel = make_sums(width, coarse_factor)
        grid = -(-n // 32), -(-n // (8 * coarse_factor))

        def call(kernel=kernel, grid=grid):
            kernel[grid, (32, 8)](d_a, d_out)

        call()
        [compiled] = kernel.overloads.values()
        title = f"Sums of {width} neighbors down columns, {n} x {n}, {coarse_factor} a thread"
        extra = {"registers": compiled.regs_per_thread}
        path = "kernels/gemm/coarsened.py"
        cases.append(Case(f"coarsened-{coarse_factor}", title, path, call, output, extra))

    def copy_all():
        copied.array[...] = expected.astype(cp.float32)

    copy_all()
    source = copied.array.copy()

    def copy():
        cp.copyto(copied.array, source)

    bench.compare(
        cases, Reference("cp.copyto of the result", copy, copied), expected, size=n,
        dtype="float32", unit="GB/s", tolerance=1e-5, bytes=4 * (a.size + n * n),
    )  # fmt: skip


def copies(bench, n):
    """Copies of 4 bytes and of 16 bytes a thread, in CUDA C++."""
    a, output = bench.random(n), bench.output(n)
    path = "snippets/gemm/copies.cu"
    module = cp.RawModule(code=(ROOT / path).read_text(encoding="utf-8"))
    cases = []
    for name, each in (("one", 1), ("four", 4)):
        kernel, blocks = module.get_function(f"copy_{name}"), -(-n // (256 * each))

        def call(kernel=kernel, blocks=blocks):
            kernel((blocks,), (256,), (a, output.array, cp.int64(n)))

        title = f"Copy of {n} float32 in CUDA C++, {4 * each} bytes a thread"
        cases.append(Case(f"copy-{name}", title, path, call, output))
    reference = Reference("cp.copyto", lambda: cp.copyto(output.array, a), output)
    bench.compare(
        cases, reference, a.astype(cp.float64), size=n, dtype="float32", unit="GB/s",
        tolerance=0.0, bytes=8 * n,
    )  # fmt: skip

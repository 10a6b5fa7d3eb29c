"""Every kernel that has a benchmark, as WGSL, with the launch that ``benchmarks/webgpu_kernels.py``
times beside the same kernel through CUDA.

The launches are those of the kernels' own benchmarks, with arrays that are just large enough not to
fit a cache. What has no rate stands in ``WITHOUT``, with the reason. The texts lie in
``benchmarks/wgsl/kernels/``, to which the records are bound by hash: after a change of the compiler
or of a kernel, ``python -m simulator.hardware.webgpu_rates`` writes those that differ.
"""

import ast
import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path

import numpy as np

from simulator.hardware import compare
from simulator.hardware.webgpu import Like, shader
from simulator.hardware.webgpu_shaders import OPTIONS
from simulator.loading import standing_in

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "benchmarks/wgsl/kernels"
LONG, SIDE, CUBE, MANY = 2**25, 4096, 256, 8 * 132  # MANY: blocks of a loop over a grid
MATRIX = 2048  # of products: an element a thread takes an H200 12 ms
HEAD = ast.FunctionDef


@dataclass
class Given:
    """An argument: an array, with what it holds.

    ``low`` and ``high``: the bounds of an integer array. ``make`` takes the arrays before it.
    """

    shape: tuple
    dtype: str = "float32"
    low: int = 0
    high: int = 0  # the largest, itself
    make: Callable | None = None


def F(*shape):
    """float32 from 0 to 1: a sum in another order differs little."""
    return Given(shape)


def I(*shape, high, dtype="int32"):  # noqa: E743  as NumPy and Numba say
    """Random integers from 0 to ``high``."""
    return Given(shape, dtype, 0, high)


def made(make, *shape, dtype="float32", low=0, high=0):
    return Given(shape, dtype, low, high, make)


@dataclass
class Rate:
    """A kernel and its launch: ``make`` finds it in the module."""

    file: str
    kernel: str
    make: Callable
    grid: tuple
    block: tuple
    given: tuple
    flops: float = 0
    tolerance: float = 1e-5
    pairs: bool = False  # whether its int64 take more than 32 bits


def near(a):
    """About zero, half above it."""
    return a - np.float32(0.5)


def signed(*shape):
    return made(lambda r, _: near(r(shape)), *shape)


def ordered(n):
    return made(lambda r, _: np.sort(r((n,))), n)


def permutation(n):
    return made(lambda r, _: np.random.default_rng(3).permutation(n).astype(np.int32), n,
                dtype="int32", high=n - 1)  # fmt: skip


ROWS, EACH = 2**20, 8  # of a sparse matrix: its rows, and elements of each


def starts(r, _):
    return np.arange(ROWS + 1, dtype=np.int32) * EACH


def columns(r, _):
    """Near the diagonal, and far from it, as on a grid in space."""
    far = np.array([0, 1, 2, 3, 100, 101, 10_000, 10_001])
    return ((np.arange(ROWS)[:, None] + far) % ROWS).astype(np.int32).reshape(-1)


MATRIX_GIVEN = (
    made(starts, ROWS + 1, dtype="int32", high=ROWS * EACH),
    made(columns, ROWS * EACH, dtype="int32", high=ROWS - 1),
    F(ROWS * EACH),
)
ITEMS = 128 * 6  # of a block that goes along the merge path
TILES = -(-(ROWS + ROWS * EACH) // ITEMS)


def first_rows(r, _):
    at = np.minimum(np.arange(TILES + 1) * ITEMS, ROWS * (EACH + 1))
    return (at // (EACH + 1)).astype(np.int32)


def gas(r, _):
    """Populations near rest, of a square of cells."""
    weights = np.array([4 / 9] + 4 * [1 / 9] + 4 * [1 / 36], np.float32)[:, None]
    return (weights * (1 + r((9, 2048 * 2048)) / 5)).astype(np.float32).reshape(-1)


def taps(*shape):
    return np.random.default_rng(7).standard_normal(shape).astype(np.float32)


def blocks(n, threads=256):
    return (-(-n // threads),)


def _rates():
    def one(id, file, kernel, grid, block, *given, make=None, **more):
        make = make or (lambda m: getattr(m, kernel))
        return id, Rate(f"kernels/{file}.py", kernel, make, grid, block, given, **more)

    square = 3 * (F(MATRIX, MATRIX),)
    flops = 2 * MATRIX**3
    line, plane, space = F(LONG), F(SIDE, SIDE), F(CUBE, CUBE, CUBE)
    step = np.float32(0.5), np.float32(0.25)
    yield one("vector-add", "vector_add/add", "add_kernel", blocks(LONG), (256,), line, line, line)
    yield one("vector-add-strided", "vector_add/grid_stride", "add_strided_kernel", (MANY,), (256,),
              line, line, line)  # fmt: skip
    for name, grid in (("matmul_kernel", (64, 256)), ("matmul_swapped_kernel", (64, 256))):
        yield one(name.replace("_", "-").removesuffix("-kernel"), "naive_matmul/matmul", name, grid,
                  (32, 8), *square, flops=flops)  # fmt: skip
    yield one("matmul-tiled", "gemm/tiled", "tiled_kernel", (128, 128), (16, 16), *square,
              make=lambda m: m.make_tiled(16), flops=flops)  # fmt: skip
    yield one("matmul-column", "gemm/registers", "column_kernel", (32, 32), (64, 4), *square,
              make=lambda m: m.make_column(64, 64, 16, 16), flops=flops)  # fmt: skip
    yield one("matmul-rectangle", "gemm/registers", "rectangle_kernel", (16, 16), (16, 16), *square,
              make=lambda m: m.make_rectangle(128, 128, 8, 8, 8), flops=flops)  # fmt: skip
    yield one("sums-coarsened", "gemm/coarsened", "sums_kernel", (SIDE // 32, SIDE // 32), (32, 8),
              F(SIDE + 7, SIDE), plane, make=lambda m: m.make_sums(8, 4))  # fmt: skip
    # Transposes.
    yield one("transpose-direct", "transpose/tile", "transpose_direct_kernel", (128, 512), (32, 8),
              plane, plane)  # fmt: skip
    yield one("transpose-tile", "transpose/tile", "transpose_tile_kernel", (128, 128), (32, 8),
              plane, plane)  # fmt: skip
    yield one("transpose-padded", "memory_access/transpose", "transpose_kernel", (128, 128),
              (32, 8), plane, plane, make=lambda m: m.make_transpose(8, 1))  # fmt: skip
    for name in ("direct", "tile"):
        yield one(f"transpose-{name}-16", f"memory_hierarchy/transpose_{name}",
                  f"transpose_{name}_kernel", (256, 256), (16, 16), plane, plane)  # fmt: skip
    window = 2**20
    for name in ("registers", "local"):
        yield one(f"window-{name}", "memory_hierarchy/local_memory", f"{name}_kernel",
                  blocks(window, 128), (128,), F(window), 3, 64, F(window),
                  flops=window * 64 * 16)  # fmt: skip
    # Sums.
    yield one("sum-tree", "reduction/tree", "sum_tree_kernel", blocks(LONG), (256,), line,
              F(LONG // 256))  # fmt: skip
    # Whole numbers: every order is exact. And few of them: WGSL adds floats by compare-and-swap,
    # and a million threads that all try at one address do not end within minutes.
    whole = made(lambda r, _: np.floor(r((2**14,)) * 4), 2**14)
    yield one("sum-atomics", "reduction/tree", "sum_atomics_kernel", blocks(2**14), (256,), whole,
              F(1))  # fmt: skip
    yield one("sum-warps", "reduction/warps", "sum_warps_kernel", (MANY,), (256,), line, F(MANY))
    yield one("scan-blocks", "scan/block", "scan_blocks_kernel", blocks(LONG), (256,),
              I(LONG, high=9), I(LONG, high=0), I(LONG // 256, high=0))  # fmt: skip
    yield one("scan-add-before", "scan/block", "add_before_kernel", blocks(LONG), (256,),
              I(LONG, high=9), I(LONG // 256, high=99))  # fmt: skip
    # Element by element.
    yield one("swiglu", "elementwise/plain", "swiglu_kernel", blocks(LONG), (256,), line, line,
              line)  # fmt: skip
    yield one("swiglu-strided", "elementwise/plain", "swiglu_strided_kernel", (MANY,), (256,), line,
              line, line)  # fmt: skip
    for name, numbers in (("scale", 1), ("shift", 1), ("relu", 0), ("fused", 2)):
        yield one(f"fusion-{name}", "microbenchmarks/fusion", f"{name}_kernel", blocks(LONG),
                  (256,), line, *step[:numbers], line)  # fmt: skip
    yield one("compact-mark", "compact/steps", "mark_kernel", blocks(LONG), (256,), signed(LONG),
              I(LONG, high=0))  # fmt: skip
    places = made(lambda r, b: np.cumsum(b[0] > 0, dtype=np.int32), LONG, dtype="int32", high=LONG)
    yield one("compact-scatter", "compact/steps", "scatter_kernel", blocks(LONG), (256,),
              signed(LONG), places, line)  # fmt: skip
    n = 2**23
    yield one("gather", "gather/gather", "gather_kernel", blocks(n), (256,), F(n), permutation(n),
              F(n))  # fmt: skip
    yield one("scatter", "gather/gather", "scatter_kernel", blocks(n), (256,), F(n), permutation(n),
              F(n))  # fmt: skip
    yield one("scatter-add", "gather/gather", "scatter_add_kernel", blocks(n), (256,), F(n),
              I(n, high=n - 1), F(n))  # fmt: skip
    yield one("gather-rows", "gather/rows", "gather_rows_kernel", blocks(16384, 8), (256,),
              F(32768, 1024), I(16384, high=32767), F(16384, 1024))  # fmt: skip
    counted, counts = I(LONG, high=255), I(256, high=0)
    yield one("histogram-global", "histogram/counts", "histogram_global_kernel", (MANY,), (256,),
              I(2**21, high=255), counts)  # fmt: skip
    yield one("histogram-shared", "histogram/counts", "histogram_shared_kernel", (264,), (1024,),
              counted, counts)  # fmt: skip
    yield one("histogram-warps", "histogram/counts", "histogram_warps_kernel", (MANY,), (256,),
              counted, counts, make=lambda m: m.make_histogram_warps(256))  # fmt: skip
    known = made(lambda r, _: np.array([0, 0, 9], np.int64), 3, dtype="int64", high=9)
    yield one("top-k-count", "top_k/select", "count_kernel", (264,), (512,),
              I(LONG, high=2**31 - 1, dtype="uint32"), known, 24, counts)  # fmt: skip
    # Matrix times vector.
    for name, each in (("thread", 256), ("warp", 8)):
        yield one(f"matvec-{name}-row", "matvec/rows", f"{name}_row_kernel", blocks(SIDE, each),
                  (256,), plane, F(SIDE), F(SIDE))  # fmt: skip
    yield one("gemv", "microbenchmarks/gemv", "gemv_kernel", blocks(SIDE, 8), (32, 8), plane,
              F(SIDE), F(SIDE))  # fmt: skip
    yield one("gemv-int8", "microbenchmarks/gemv", "gemv_int8_kernel", blocks(SIDE, 8), (32, 8),
              I(SIDE, SIDE, high=127, dtype="int8"), F(SIDE), F(SIDE), F(SIDE))  # fmt: skip
    y = F(ROWS)
    yield one("spmv-scalar", "spmv/rows", "scalar_kernel", blocks(ROWS, 128), (128,), *MATRIX_GIVEN,
              F(ROWS), y)  # fmt: skip
    yield one("spmv-vector", "spmv/rows", "vector_kernel", blocks(4 * ROWS, 128), (128,),
              *MATRIX_GIVEN, F(ROWS), y, make=lambda m: m.make_vector(4))  # fmt: skip
    rows = made(first_rows, TILES + 1, dtype="int32", high=ROWS)
    yield one("spmv-split", "spmv/merge", "split_kernel", blocks(TILES + 1, 128), (128,),
              MATRIX_GIVEN[0], ITEMS, I(TILES + 1, high=0))  # fmt: skip
    yield one("spmv-clear", "spmv/merge", "clear_kernel", blocks(TILES + 1, 128), (128,), rows, y)
    yield one("spmv-merge", "spmv/merge", "merge_kernel", (TILES,), (128,), *MATRIX_GIVEN, F(ROWS),
              rows, made(lambda r, _: np.zeros(ROWS, np.float32), ROWS),
              make=lambda m: m.make_merge(128, 6))  # fmt: skip
    # Rows at once.
    wide = F(SIDE, 8192)
    yield one("softmax-thread-a-row", "softmax/passes", "thread_a_row_kernel", blocks(SIDE, 64),
              (64,), wide, wide)  # fmt: skip
    for name in ("three_pass", "online"):
        short = name.replace("_", "-")
        yield one(f"softmax-{short}", "softmax/passes", f"{name}_kernel", (SIDE,), (256,), wide,
                  wide)  # fmt: skip
        yield one(f"softmax-{short}-fast", "microbenchmarks/softmax", f"{name}_kernel", (SIDE,),
                  (256,), wide, wide)  # fmt: skip
    eps = np.float32(1e-5)
    yield one("rmsnorm-passes", "norms/passes", "rmsnorm_passes_kernel", (SIDE,), (256,), wide,
              F(8192), eps, wide)  # fmt: skip
    yield one("layernorm-passes", "norms/passes", "layernorm_passes_kernel", (SIDE,), (256,), wide,
              F(8192), F(8192), eps, wide)  # fmt: skip
    tokens = F(2048, 64)
    yield one("attention-plain", "attention/plain", "online_kernel", (16,), (128,), tokens, tokens,
              tokens, tokens, np.float32(0.125), False, flops=256 * 2048**2)  # fmt: skip
    # Neighbors.
    for name in ("line", "line_halo"):
        yield one(f"stencil-{name.replace('_', '-')}", "stencil/plain", f"{name}_kernel",
                  blocks(LONG), (256,), line, *step, line)  # fmt: skip
    for name in ("plane", "plane_halo"):
        yield one(f"stencil-{name.replace('_', '-')}", "stencil/plain", f"{name}_kernel",
                  (128, 512), (32, 8), plane, *step, plane)  # fmt: skip
    yield one("stencil-space", "stencil/plain", "space_kernel", (8, 64, 128), (32, 4, 2), space,
              *step, space)  # fmt: skip
    yield one("plate-heat", "plate/plain", "heat_kernel", (128, 512), (32, 8), plane, step[1],
              plane)  # fmt: skip
    yield one("plate-wave", "plate/plain", "wave_kernel", (128, 512), (32, 8), plane, plane, plane)
    yield one("lattice-boltzmann", "wind_tunnel/lattice", "lattice_kernel", (64, 512), (32, 4),
              made(gas, 9 * 2048**2), made(lambda r, _: np.zeros(2048**2, np.uint8), 2048**2,
              dtype="uint8"), 2048, 2048, np.float32(1.5), np.float32(0.1),
              F(9 * 2048**2))  # fmt: skip
    w = taps(7, 7)
    filtered = 2 * 49 * SIDE**2
    yield one("filter-plain", "convolution/filter", "filter_plain_kernel", (128, 512), (32, 8),
              plane, F(7, 7), plane, flops=filtered)  # fmt: skip
    for name in ("constant", "tile"):
        yield one(f"filter-{name}", "convolution/filter", f"filter_{name}_kernel", (128, 512),
                  (32, 8), plane, plane, make=lambda m, n=name: getattr(m, f"make_filter_{n}")(w),
                  flops=filtered)  # fmt: skip
    photo = F(1, SIDE, SIDE)
    yield one("filter-registers", "convolution/image", "filter_kernel", (128, 128, 1), (32, 8),
              photo, F(5, 5), photo, make=lambda m: m.make_filter(5, 5),
              flops=2 * 25 * SIDE**2)  # fmt: skip
    images, layer = F(8, 4, 512, 512), 2 * 36 * 8 * 4 * 512**2
    tiled = lambda m: m.make_conv_tiled(3, 3)  # noqa: E731
    for name, grid, block in (("direct", (16, 128, 32), (32, 4)), ("tiled", (16, 16, 8), (32, 8))):
        yield one(f"convolution-{name}", f"convolution/{name}", f"conv_{name}_kernel", grid, block,
                  images, F(4, 4, 3, 3), 1, images, flops=layer,
                  make=tiled if name == "tiled" else None)  # fmt: skip
    x, out, pixels = F(32, 32, 64, 64), F(32, 64, 62, 62), 32 * 62 * 62
    layer = 2 * 288 * 64 * pixels
    yield one("layer-direct", "pmpp_15_20/convolution", "direct_kernel", blocks(64 * pixels, 128),
              (128,), x, F(64, 32, 3, 3), out, flops=layer)  # fmt: skip
    yield one("layer-unroll", "pmpp_15_20/convolution", "unroll_kernel", blocks(32 * pixels, 128),
              (128,), x, 3, F(288, pixels))  # fmt: skip
    for name, u in (("product", F(288, pixels)), ("implicit", x)):
        yield one(f"layer-{name}", "pmpp_15_20/convolution", "product_kernel",
                  (-(-pixels // 16), 4), (16, 16), F(64, 288), u, 3, out, flops=layer,
                  make=lambda m, n=name: getattr(m, f"{n}_kernel"))  # fmt: skip
    # Many small things, and all with all.
    count = 2**21
    fours = F(count, 4, 4)
    yield one("batched-thread-4", "batched/plain", "products_thread_kernel", blocks(count, 128),
              (128,), fours, fours, fours)  # fmt: skip
    systems = made(lambda r, _: (near(r((2**18, 8, 8))) + 8 * np.eye(8, dtype=np.float32))
                   .astype(np.float32).reshape(-1), 2**24)  # fmt: skip
    yield one("batched-solve-8", "batched/solve", "solve_kernel", blocks(2**18, 16), (32, 4),
              systems, F(2**21), np.uint64(2**18), F(2**21),
              make=lambda m: m.make_solve(8)[0])  # fmt: skip
    small = F(2**17, 16, 16)
    yield one("small-products-16", "cublas/small_products", "small_products_kernel", (2**17,),
              (16, 16), small, small, small, make=lambda m: m.make_small_products(16)[0],
              flops=2 * 16**3 * 2**17)  # fmt: skip
    yield one("narrow-layer-32", "cublas/narrow_layer", "narrow_layer_kernel", (2**17, 1), (32, 8),
              F(2**20, 32), F(32, 32), F(32), F(2**20, 32),
              make=lambda m: m.make_narrow_layer(32))  # fmt: skip
    n = 16384
    for name in ("plain", "tile"):
        yield one(f"nbody-{name}", "nbody/plain", f"pull_{name}_kernel", (128,), (128,), F(n, 4),
                  np.float32(0.01), F(n, 3), flops=20 * n * n)  # fmt: skip
    half = 2**22
    both = ordered(half), ordered(half)
    yield one("merge-ranks", "merge/merge_path", "merge_ranks_kernel", blocks(2 * half), (256,),
              *both, F(2 * half))  # fmt: skip
    parts = 2 * half // 2048 + 1
    yield one("merge-splits", "merge/merge_path", "splits_kernel", blocks(parts, 128), (128,),
              *both, I(parts, high=0, dtype="int64"),
              make=lambda m: m.make_merge(np.float32, 256, 8)[0])  # fmt: skip


RATES = dict(_rates())


def _beside():
    """Those in modules that the stepper does not import, for what lies beside them there."""

    def one(id, file, kernel, grid, block, *given, **more):
        return id, Rate(f"kernels/{file}.py", kernel, lambda m: getattr(m, kernel), grid, block,
                        given, **more)  # fmt: skip

    rows, columns, parts = 4096, 1024, 8
    yield one("gpt-add-parts", "gpt/matmul", "add_parts_kernel", blocks(rows * columns), (256,),
              F(parts * rows * columns), F(rows, columns), np.int32(parts), np.float32(0.5),
              True)  # fmt: skip
    yield one("matvec-add-parts", "matvec/wide", "add_parts_kernel", blocks(2**20, 128), (128,),
              F(32, 2**20), F(2**20))  # fmt: skip
    yield one("sort-digit-counts", "radix_sort/one_sweep", "digit_counts_kernel", (4 * 132,),
              (512,), I(LONG, high=2**32 - 1, dtype="uint32"), I(4, 256, high=0))  # fmt: skip
    yield one("sort-digit-starts", "radix_sort/one_sweep", "digit_starts_kernel", (4,), (256,),
              I(4, 256, high=9999))  # fmt: skip
    wanted = made(lambda r, _: np.array([0, 0, 1000], np.int64), 3, dtype="int64", high=1000)
    yield one("top-k-choose-block", "top_k/wide", "choose_block_kernel", (1,), (256,),
              I(256, high=99), 8, wanted, pairs=True)  # fmt: skip


# benchmarks/webgpu_beside.py times them: their records do not make those of RATES stale.
LATER = dict(_beside())

# Kernels of a file with a benchmark that have no rate as WGSL, and why.
PAIRS = "runs with its integers of 64 bits as pairs of 32, and is not yet timed so"
LOOK = "looks at single cells between the steps: no benchmark times it"
WITHOUT = {
    "kernels/beyond_triton/collatz.py:collatz_kernel": PAIRS,
    "kernels/beyond_triton/nearest_word.py:edit_distance_kernel": "waits at barriers in a loop of "
    "which the compiler cannot prove that all threads make the same turns",
    "kernels/random_numbers/philox.py:dropout_kernel": PAIRS,
    "kernels/random_numbers/philox.py:option_kernel": "sums in float64, which WGSL "
    "does not have; emulated it is not timed",
    "kernels/top_k/select.py:choose_kernel": PAIRS,
    "kernels/top_k/select.py:collect_kernel": PAIRS,
    "kernels/merge/merge_path.py:merge_kernel": "reads slices of a tile whose bounds it has from "
    "memory",
    "kernels/merge/in_flight.py:merge_in_flight_kernel": "reads between bounds from memory",
    "kernels/plate/plain.py:drive_kernel": LOOK,
    "kernels/plate/plain.py:probe_kernel": LOOK,
    "kernels/plate/plain.py:intensity_kernel": LOOK,
    "kernels/wind_tunnel/lattice.py:velocity_kernel": LOOK,
    "kernels/wind_tunnel/lattice.py:probe_kernel": LOOK,
}


NOT_YET = "not yet timed"


def kernels(path):
    """The names of the kernels in a file, those that its functions make among them."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, HEAD):
            said = [ast.unparse(d) for d in node.decorator_list]
            if any(d.startswith("cuda.jit") and "device=True" not in d for d in said):
                yield node.name


def benchmarked(rows):
    """The Numba kernels of benchmarks: {"file:kernel": why there is no WGSL of it, or None}."""
    found = {}
    for path in sorted({row["kernel"] for row in rows}):
        file = ROOT / path
        if path.startswith("kernels/") and path.endswith(".py") and file.is_file():
            top = set(compare.module_kernels(file))
            for name in kernels(file):
                why = compare.refused(ROOT, file)
                if why and name in top and not compare.uses(ROOT, file, name):
                    why = None  # it lies beside what drives a GPU, and does not itself
                found[f"{path}:{name}"] = why
    return found


def array(given):
    """A Like of an argument that is an array; a number as it is."""
    if not isinstance(given, Given):
        return given
    return Like(given.shape, given.dtype, (given.low, given.high))


@cache
def made_of(id):
    """The shader of a row."""
    rate = (RATES | LATER)[id]
    module = rate.file.removesuffix(".py").replace("/", ".")
    options = OPTIONS | ({"pairs": True} if rate.pairs else {})

    def make(_):
        with standing_in() if id in LATER else contextlib.nullcontext():
            return rate.make(import_module(module))

    return shader("kernels", make, rate.grid, rate.block, *map(array, rate.given), **options)


def texts(ids=tuple(RATES)):
    """Path -> text of each shader."""
    return {FOLDER / f"{id}.wgsl": made_of(id).wgsl for id in ids}


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for path, text in texts((*RATES, *LATER)).items():
        path.write_text(text, encoding="utf-8")

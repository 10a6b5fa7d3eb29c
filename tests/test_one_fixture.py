"""Which shown kernels run under the shared sizes, and under what the others run instead.

The sizes, poisoned outputs and guard zones are those of ``tests/patterns.py``. A kernel that no
test of those reaches is counted below, with where it is tested; the counts may only shrink.
"""

import re
from functools import cache

import numpy as np
import pytest

from lockstep.page import find_root
from lockstep_site.gpu import sanitizer
from tests.patterns import SIZES, in_stepper, poisoned, written

ROOT = find_root()
KERNEL = re.compile(r"^[ \t]*@cuda\.jit\b(?![^\n]*\bdevice=True)", re.MULTILINE)
INCLUDED = re.compile(r'--8<-- "((?:kernels|snippets)/[^":\n]+\.py)')
SHARED = re.compile(r"^from tests(?:\.patterns import|\.? import [^\n]*\bpatterns\b)", re.MULTILINE)
PAGE = "no kernel test: its page runs it and checks its result"
WRONG = "wrong or refused on purpose: a test finds what it does wrong"
# folder -> (kernels outside the shared sizes, where they are tested)
OTHERS = {
    "kernels/ampere": (3, "test_kernels_ampere; the sparse ceiling by its page alone"),
    "kernels/attention": (13, "test_kernels_attention, _backward and _fp8"),
    "kernels/batched": (3, "test_kernels_batched"),
    "kernels/benchmarking": (1, "test_kernels_benchmarking"),
    "kernels/beyond_triton": (3, "test_kernels_beyond_triton"),
    "kernels/compilers": (4, PAGE),
    "kernels/convolution": (7, "test_kernels_convolution, test_kernels_filters"),
    "kernels/cublas": (2, "test_kernels_cublas"),
    "kernels/execution_model": (3, "test_kernels_execution_model"),
    "kernels/fft": (2, "test_kernels_fft"),
    "kernels/gemm": (10, "test_kernels_gemm"),
    "kernels/gpt": (16, "test_kernels_gpt"),
    "kernels/hopper": (2, "test_kernels_hopper"),
    "kernels/inline_ptx": (8, "test_kernels_inline_ptx; the listing by its page alone"),
    "kernels/latency_hiding": (5, "test_kernels_latency_hiding"),
    "kernels/matvec": (5, "test_kernels_matvec"),
    "kernels/memory_access": (2, "test_kernels_latency_hiding"),
    "kernels/memory_hierarchy": (9, "test_kernels_memory; column sums by their page alone"),
    "kernels/metal_host": (13, "test_kernels_metal_host; the traps by their page alone"),
    "kernels/microbenchmarks": (8, "test_kernels_microbenchmarks"),
    "kernels/mlir_bridge": (8, "test_kernels_mlir_bridge"),
    "kernels/multi_gpu": (1, "test_kernels_multi_gpu"),
    "kernels/naive_matmul": (3, "test_kernels_memory; the transposed one by its page alone"),
    "kernels/nbody": (3, "test_kernels_nbody"),
    "kernels/norms": (3, "test_kernels_norms"),
    "kernels/numpy_baseline": (1, "test_kernels_latency_hiding"),
    "kernels/paging": (1, "test_kernels_paging"),
    "kernels/pairs": (14, "test_kernels_pairs"),
    "kernels/plate": (6, "test_kernels_plate"),
    "kernels/pmpp_15_20": (17, "test_kernels_pmpp_15_20"),
    "kernels/pmpp_1_4": (4, "test_kernels_pmpp"),
    "kernels/profiling": (3, "test_kernels_profiling"),
    "kernels/quantization": (3, "test_kernels_quantization"),
    "kernels/questions": (3, "test_kernels_questions"),
    "kernels/random_numbers": (3, "test_kernels_random_numbers"),
    "kernels/roofline": (2, "test_kernels_roofline"),
    "kernels/setup": (1, "test_kernels_setup"),
    "kernels/softmax": (4, "test_kernels_softmax"),
    "kernels/spmv": (5, "test_kernels_spmv"),
    "kernels/stencil": (9, "test_kernels_stencil"),
    "kernels/stepper": (1, PAGE),
    "kernels/streams": (1, "test_kernels_streams"),
    "kernels/tensor_cores": (12, "test_kernels_tensor_cores"),
    "kernels/terms": (8, PAGE),
    "kernels/thinking_in_parallel": (7, "test_kernels_thinking_in_parallel"),
    "kernels/threads_and_blocks": (7, "test_kernels_threads_and_blocks"),
    "kernels/torch_extension": (1, PAGE),
    "kernels/wind_tunnel": (5, "test_kernels_wind_tunnel"),
    "kernels/wrong": (17, WRONG),
    "snippets/errors": (52, f"{WRONG}; with its mended twin on the page of errors"),
    "snippets/labs": (1, PAGE),
    "snippets/many_gpus": (3, "test_many_gpus; on ranks of the stepper by their page"),
    "snippets/setup": (1, PAGE),
}


@cache
def shown():
    """Return how many kernels each shown file of Python has that has any."""
    found = {}
    for page in sorted((ROOT / "docs").rglob("*.md")):
        for path in INCLUDED.findall(page.read_text(encoding="utf-8")):
            file = ROOT / path
            if path not in found and file.is_file():
                found[path] = len(KERNEL.findall(file.read_text(encoding="utf-8")))
    return {path: count for path, count in found.items() if count}


def test_every_shown_kernel_runs_under_the_shared_sizes_or_is_counted():
    reached, others = {path for _, path, *_ in MAPS.values()}, {}
    for file in sanitizer.tests(ROOT):
        if SHARED.search((ROOT / file).read_text(encoding="utf-8")):
            reached |= sanitizer.sources(ROOT, file)
    for path, count in shown().items():
        if path not in reached:
            folder = "/".join(path.split("/")[:2])
            others[folder] = others.get(folder, 0) + count
    assert others == {folder: count for folder, (count, _) in OTHERS.items()}


@pytest.mark.parametrize("folder", OTHERS)
def test_a_kernel_is_tested_where_the_list_says(folder):
    _, where = OTHERS[folder]
    files = re.findall(r"test_(?:kernels|many)_\w+", where)
    assert files or PAGE in where or WRONG in where
    for file in files:
        sources = sanitizer.sources(ROOT, f"tests/{file}.py")
        assert any(path.startswith(f"{folder}/") for path in sources), f"{file} does not"


# ---------------------------------------------------------------- one thread an element

# name -> (kernel, its file, arguments before the output, whether the output is read, too, right)
MAPS = {
    "add": ("add_kernel", "kernels/vector_add/add.py", 2, False, lambda a, b: a + b),
    "add in strides": (
        "add_strided_kernel",
        "kernels/vector_add/grid_stride.py",
        2,
        False,
        lambda a, b: a + b,
    ),
    "saxpy": ("saxpy_kernel", "kernels/vector_add/saxpy.py", 1, True, lambda x, y: 1.5 * x + y),
}


def hold(cuda, kernel, ins, in_place, right, n, scalars=()):
    """Launch a kernel on n random elements, and hold what it wrote, and where, to float64."""
    random = np.random.default_rng(n)
    arrays = [random.standard_normal(n).astype(np.float32) for _ in range(ins + in_place)]
    out, whole = poisoned(cuda, n)
    if in_place and n:
        out.copy_to_device(arrays[-1])
    given = [cuda.to_device(array) for array in arrays[:ins]]
    kernel[max(1, -(-n // 64)), 64](*scalars, *given, out)
    expected = right(*(array.astype(np.float64) for array in arrays))
    np.testing.assert_allclose(written(whole, n), expected, rtol=3e-7, atol=1e-6)


@pytest.mark.parametrize("name", MAPS)
def test_a_map_at_every_size(name):
    function, path, ins, in_place, right = MAPS[name]
    with in_stepper() as (_, load):
        module = load(path.removesuffix(".py").replace("/", "."))
        scalars = (np.float32(1.5),) if name == "saxpy" else ()
        for n in SIZES:
            hold(module.cuda, getattr(module, function), ins, in_place, right, n, scalars)


CLAMP = """
from numba import cuda

@cuda.jit
def clamp(x, out):
    i = cuda.grid(1)
    if i < {size}:
        out[i] = {value}
"""


@pytest.mark.parametrize(
    ("size", "value", "right"),
    [
        ("out.size", "min(max(x[i], -0.5), 0.5)", True),
        ("out.size", "min(x[i], 0.5)", False),  # it ignores its lower bound
        ("out.size - 1", "min(max(x[i], -0.5), 0.5)", False),  # the last one stays poisoned
        ("out.size", "min(max(x[0], -0.5), 0.5)", False),  # the same for all
    ],
)
def test_a_clamp_that_is_wrong_is_caught(size, value, right):
    with in_stepper() as (stepper, load):
        cuda = load("kernels.vector_add.add").cuda
        space = {}
        stepper.execute(CLAMP.format(size=size, value=value), space, "clamp.py")
        run = (cuda, space["clamp"], 1, False, lambda x: np.clip(x, -0.5, 0.5), 129)
        if right:
            hold(*run)
        else:
            with pytest.raises(AssertionError):
                hold(*run)

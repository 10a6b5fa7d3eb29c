"""The kernels of the site run in the stepper: their examples pass, and the checks agree with them.

Every module under kernels/ is run in a copy of its own, with the stepper in Numba's place, and so
are its examples. What does not run is listed with the reason, and the reason is tested as well.
"""

import ast
import builtins
import doctest
import importlib
import sys
from pathlib import Path

import numpy as np
import pytest

from lockstep.languages import names_bound, names_read
from simulator.hardware import compare
from simulator.stepper import LimitReached, Stepper
from tests import concerns

ROOT = Path(__file__).resolve().parent.parent
FILES = sorted(
    p.relative_to(ROOT).as_posix()
    for p in (ROOT / "kernels").rglob("*.py")
    # What compiles for the CPU alone has no kernel.
    if (not concerns.asked or p.relative_to(ROOT).as_posix() in concerns.modules())
    and "cuda" in p.read_text(encoding="utf-8")
    and "numba" in compare.packages(ROOT, p)
)
# Modules that keep a GPU busy for a while on purpose.
BUSY = {"kernels/execution_model/asynchrony.py"}
# Known-wrong kernels whose own example shows what goes wrong: what the checks say to it.
CAUGHT = {
    "kernels/wrong/softmax_from_minus_infinity.py": set(),  # NaN is a value like any other
    "kernels/wrong/threads_and_blocks_thread_index_only.py": set(),  # all write the same values
    "kernels/wrong/execution_model_lost_result.py": set(),  # the host's mistake
    "kernels/wrong/benchmarking_half.py": set(),  # the launch's
    "kernels/wrong/reduction_odd_half.py": set(),  # a sum that lacks elements
    "kernels/wrong/latency_hiding_no_tail.py": set(),  # sums that lack elements
    "kernels/wrong/conv_no_halo.py": set(),  # pixels of the tile, and not the right ones
    "kernels/wrong/attention_no_rescale.py": set(),  # weights that no longer fit
}


BENCH = "its benchmark launches it, and checks what it writes"
TEST = "its kernel test launches it"
PAGE = "the examples that launch need what its page shows before"
# Modules whose examples launch nothing here, and what launches their kernels instead. Those of
# kernels/wrong that WRONG has are launched below.
LAUNCH_NOTHING = {
    "kernels/attention/plain.py": PAGE,
    "kernels/benchmarking/half.py": TEST,
    "kernels/compilers/fuse.py": "its kernel test launches what it makes",
    "kernels/compilers/several.py": "its kernel test launches what it makes",
    "kernels/execution_model/busy.py": "kernels/execution_model/asynchrony.py launches it",
    "kernels/gpt/backward.py": "kernels/gpt/model.py launches it",
    "kernels/gpt/forward.py": "kernels/gpt/model.py launches it",
    "kernels/memory_access/transpose.py": PAGE,
    "kernels/metal_host/float_float.py": "its examples are of the host's arithmetic",
    "kernels/merge/in_flight.py": TEST,
    "kernels/metal_host/traps.py": "its page launches it",
    "kernels/multi_gpu/peer_loads.py": TEST,
    "kernels/microbenchmarks/atomics.py": BENCH,
    "kernels/microbenchmarks/fusion.py": BENCH,
    "kernels/microbenchmarks/gemv.py": BENCH,
    "kernels/microbenchmarks/in_flight.py": BENCH,
    "kernels/microbenchmarks/softmax.py": BENCH,
    "kernels/microbenchmarks/spills.py": BENCH,
    "kernels/microbenchmarks/waves.py": BENCH,
    "kernels/plate/plain.py": TEST,
    # Examples in loops, whose variables Alone does not know.
    "kernels/pmpp_15_20/bfs.py": TEST,
    "kernels/pmpp_15_20/convolution.py": TEST,
    "kernels/pmpp_15_20/fhd.py": TEST,
    "kernels/pmpp_15_20/potential.py": TEST,
    "kernels/profiling/galaxy.py": TEST,
    "kernels/roofline/chains.py": BENCH,
    "kernels/spmv/choose.py": "its examples choose a kernel and launch none",
    "kernels/spmv/merge.py": TEST,
    "kernels/stencil/wave.py": TEST,
    "kernels/wind_tunnel/lattice.py": TEST,
    "kernels/wind_tunnel/wing.py": TEST,
    "kernels/wrong/attention_no_rescale.py": TEST,
    "kernels/wrong/benchmarking_half.py": TEST,
    "kernels/wrong/conv_no_halo.py": TEST,
    "kernels/wrong/latency_hiding_no_tail.py": TEST,
}


# Examples that keep a GPU busy for milliseconds, and the stepper for minutes: here they have fewer
# elements, no multiple of the block either.
SMALLER = {"kernels/streams/timeline.py": ("1_000_003", "3_001")}


def needs(file):
    """Why the stepper cannot run a module and its examples, or None."""
    text = (ROOT / file).read_text(encoding="utf-8")
    if "numba.cuda.libdevice" in text:
        return "libdevice is bitcode, which no simulator reads"
    if ">>> import cupy" in text:
        return compare.REFUSED["cupy"]
    return compare.refused(ROOT, ROOT / file)


RUN = [f for f in FILES if f not in BUSY and not needs(f)]


@pytest.fixture
def load():
    """``load(file)`` imports a fresh copy of a module, to be used where a stepper is installed."""
    before = {k: m for k, m in sys.modules.items() if k.split(".")[0] == "kernels"}
    for name in before:
        del sys.modules[name]

    def run(file):
        return importlib.import_module(file.removesuffix(".py").replace("/", "."))

    yield run
    for name in [k for k in sys.modules if k.split(".")[0] == "kernels"]:
        del sys.modules[name]
    sys.modules.update(before)


class Alone(doctest.DocTestRunner):
    """Leaves out the rest of an example that needs what its page shows before it.

    The page runs in the stepper as a whole: tests/test_stepper_pages.py.
    """

    def run(self, test, **options):
        names, kept = set(test.globs), []
        for example in test.examples:
            (statement,) = ast.parse(example.source).body
            if names_read(statement) - names - vars(builtins).keys():
                break
            names |= names_bound(statement)
            kept.append(example)
        test.examples = kept
        return super().run(test, **options)


def test_a_comprehension_reads_no_variable_of_its_own():
    """Under every Python: 3.12 puts those of a list's into the table around it, 3.11 does not."""
    for text, read in (
        ("arrays = [f(a) for a in (x, y)]", {"f", "x", "y"}),
        ("arrays = [[f(a) for a in row] for row in rows]", {"f", "rows"}),
        ("x = [x for x in x]", {"x"}),
        ("d = {k: v for k, v in e.items() if k}", {"e"}),
        ("s = {a for a in b}, (c for c in d)", {"b", "d"}),
    ):
        (statement,) = ast.parse(text).body
        assert names_read(statement) == read


def examples(module, size=None):
    """(failed, report) of a module's examples. ``size``: a number in them, and a smaller one."""
    report = []
    runner = Alone(verbose=False)
    failed = 0
    tests = doctest.DocTestFinder().find(module)
    if size:
        places = [e for test in tests for e in test.examples if size[0] in e.source]
        assert places, f"no example of {module.__name__} has {size[0]}: see SMALLER"
        for example in places:
            example.source = example.source.replace(*size)
    for test in tests:
        failed += runner.run(test, out=report.append).failed
    return failed, "".join(report)


@pytest.mark.parametrize("file", RUN)
@pytest.mark.parametrize("mode", ["run", "check"])
@pytest.mark.parametrize("seed", [None, 1])
def test_a_module_and_its_examples_run(file, mode, seed, load):
    stepper = Stepper(mode=mode, seed=seed, max_steps=20_000_000, raise_findings=False)
    with stepper.installed():
        failed, report = examples(load(file), SMALLER.get(file))
    assert not failed, report
    nothing = file in LAUNCH_NOTHING or Path(file).stem in WRONG
    what = "its examples launch no kernel: launch it there, or name in LAUNCH_NOTHING what does"
    if file.startswith("kernels/wrong/"):
        what = f"its examples launch no kernel: let one, or give {Path(file).stem} a row in WRONG"
    if nothing:
        what = "its examples launch a kernel: take it off the list of those that do not"
    assert bool(stepper.launches) != nothing, what
    kinds = {f.kind for f in stepper.findings}
    if file.startswith("kernels/wrong/"):
        assert kinds == CAUGHT.get(file, set()), [str(f) for f in stepper.findings]
    else:
        assert not kinds, [str(f) for f in stepper.findings]


@pytest.mark.parametrize("file", sorted(BUSY))
def test_what_is_busy_on_purpose_is_stopped(file, load):
    stepper = Stepper(max_steps=50_000)
    with stepper.installed(), pytest.raises(LimitReached):
        load(file)


def test_most_modules_run():
    gpu = [f for f in FILES if needs(f)]
    assert set(FILES) == set(RUN) | set(gpu) | BUSY
    assert len(RUN) > len(FILES) / 2, (len(RUN), gpu)


# ---------------------------------------------------------------- known-wrong kernels

F4 = np.float32


def float_grid(rows, columns):
    return np.arange(rows * columns, dtype=F4).reshape(rows, columns)


# Module of kernels/wrong -> (kernel, launch, arguments, what is found).
WRONG = {
    "vector_add_no_guard": (
        "add_no_guard_kernel",
        (3, 2),
        lambda: [np.arange(5, dtype=F4) for _ in range(3)],
        "out-of-bounds",
    ),
    "matmul_or_guard": (
        "matmul_or_guard_kernel",
        ((1, 2), (8, 2)),
        lambda: [float_grid(3, 5), float_grid(5, 4), np.zeros((3, 4), F4)],
        "out-of-bounds",
    ),
    "transpose_no_barrier": (
        "transpose_no_barrier_kernel",
        ((2, 3), (16, 16)),
        lambda: [float_grid(48, 32), np.zeros((32, 48), F4)],
        "shared-race",
    ),
    "coarsened_first_guard": (
        "coarsened_first_guard_kernel",
        ((1, 2), (8, 1)),
        lambda: [float_grid(8, 8), np.zeros((7, 8), F4)],
        "out-of-bounds",
    ),
    "tiled_one_barrier": (
        "tiled_one_barrier_kernel",
        ((1, 1), (16, 16)),
        lambda: [float_grid(16, 32), float_grid(32, 16), np.zeros((16, 16), F4)],
        "shared-race",
    ),
    "blur_no_edge": (
        "blur_no_edge_kernel",
        ((2, 3), (4, 2)),
        lambda: [np.zeros((5, 7), np.uint8), 1, np.zeros((5, 7), np.uint8)],
        "negative-index",
    ),
    "histogram_lost_updates": (
        "histogram_lost_kernel",
        (1, 40),
        lambda: [np.arange(40, dtype=np.int32) % 4 // 3, np.zeros(4, np.int32)],
        "global-race",  # all lost updates write the same number, and all but one are lost
    ),
    "gpt_loss_late": (
        "loss_late_kernel",
        (1, (32, 4)),
        lambda: [np.zeros((1, 40), F4), np.array([35], np.int32), 39, np.zeros(1, F4)],
        "missing-syncwarp",
    ),
}


@pytest.mark.parametrize("name", WRONG)
@pytest.mark.parametrize("seed", [None, 7])
def test_a_wrong_kernel_is_caught(name, seed, load):
    """What memcheck and racecheck find on a GPU, the checks find here, at a line of the kernel."""
    kernel, config, arguments, kind = WRONG[name]
    file = f"kernels/wrong/{name}.py"
    stepper = Stepper(mode="check", seed=seed, raise_findings=False)
    args = arguments()
    with stepper.installed():
        try:
            getattr(load(file), kernel)[config](*args)
        except IndexError:
            assert kind == "out-of-bounds"
    kinds = {f.kind for f in stepper.findings}
    assert kind in kinds and kinds <= {kind, "missing-syncwarp"}  # lanes of a warp race as well
    source = (ROOT / file).read_text(encoding="utf-8").splitlines()
    for finding in stepper.findings:
        assert finding.filename.endswith(file)
        assert finding.array in source[finding.line - 1]


@pytest.mark.parametrize("file", [f for f in FILES if f.startswith("kernels/wrong/")])
def test_a_wrong_kernel_of_numba_is_here(file):
    numba = "@cuda.jit" in (ROOT / file).read_text(encoding="utf-8") and not needs(file)
    known = Path(file).stem in WRONG or file in CAUGHT
    what = f"give {Path(file).stem} a row in WRONG, or a line in CAUGHT where no check sees it"
    assert known or not numba, what

"""Launches of the site's kernels, by the examples of their modules, compiled to WGSL."""

import importlib
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np

from simulator.hardware import compare
from simulator.hardware.cases import CASES
from simulator.loading import standing_in
from simulator.stepper import Stepper
from simulator.wgsl import captured, unlike
from tests import wgsl_generated
from tests.test_stepper_kernels import ROOT, RUN, examples

F4, I4 = np.float32, np.int32
EACH, TRIED = 1, 6  # launches of a kernel that are kept, of those that are compiled
BUSY = {"kernels/streams/timeline.py"}  # its example takes the stepper half a minute
THREADS = 256  # of a block, on the software adapter
SHARED = 32768


def _fresh(file):
    for name in [k for k in sys.modules if k.split(".")[0] == "kernels"]:
        del sys.modules[name]
    return importlib.import_module(file.removesuffix(".py").replace("/", "."))


def _cuda():
    return importlib.import_module("numba.cuda")


def gather(pick="", **options):
    """Kernel ("kernels/x.py:name") -> its launches, those that the adapter can take first.

    ``options`` are those of the compiler.
    """
    before = {k: m for k, m in sys.modules.items() if k.split(".")[0] == "kernels"}
    found = defaultdict(list)
    try:
        for file in RUN:
            if pick in file and file not in BUSY:
                keep(found, lambda file=file: examples(_fresh(file)), options)
        for case in CASES.values():
            if pick in case.file:
                keep(found, lambda case=case: case.launch(_cuda()), options)
        for file, kernel, config, arguments in BESIDE:
            if pick in file:

                def launch(file=file, kernel=kernel, config=config, arguments=arguments):
                    with standing_in():
                        return getattr(_fresh(file), kernel)[config](*arguments())

                keep(found, launch, options)
        for file, kernel, config, arguments in MORE:
            if pick in file:
                keep(found, lambda f=file, k=kernel, c=config, a=arguments: getattr(
                    _fresh(f), k)[c](*a()), options)  # fmt: skip
    finally:
        for name in [k for k in sys.modules if k.split(".")[0] == "kernels"]:
            del sys.modules[name]
        sys.modules.update(before)
    for rows in found.values():
        # Those without pairs first, which are those that a run without such options had.
        rows.sort(key=lambda r: (not runs(r), r.shader is None, bool(r.shader and r.shader.pairs)))
        del rows[EACH:]
    return dict(found)


def runs(record):
    """Whether a launch fits the software adapter."""
    s = record.shader
    return s is not None and s.block[0] * s.block[1] * s.block[2] <= THREADS and s.shared <= SHARED


def keep(found, launch, options=None):
    """Put the launches that ``launch()`` makes beside those of the same kernel."""
    rows = []
    with Stepper(mode="run", raise_findings=False, max_steps=20_000_000).installed():
        with captured(rows, each=TRIED, **(options or {})):
            launch()
    for r in rows:
        file = Path(r.filename)
        name = file.relative_to(ROOT).as_posix() if file.is_relative_to(ROOT) else r.filename
        found[f"{name}:{r.kernel}"].append(r)


def known():
    """Every module-level Numba kernel of kernels/ that uses no PTX, libdevice or other library.

    Others in its module may: what counts is what the kernel and its device functions name.
    """
    found = compare.kernels(ROOT).items()
    return [n for n, file in found if compare.uses(ROOT, file, n.split(":")[1]) is None]


def beside_others():
    """Those of them in modules that the stepper does not import, for what lies beside them."""
    return [n for n in known() if compare.refused(ROOT, ROOT / n.split(":")[0])]


def fractions(*shape):
    n = int(np.prod(shape))
    return (np.arange(n) * 37 % 101 / 101).astype(F4).reshape(shape)


def heads(*shape):
    """Queries, keys and values of attention, small enough that no exponential overflows."""
    return (fractions(*shape) - F4(0.5)).astype(F4)


def populations(rows, columns):
    """A gas near rest: nine populations a cell."""
    weights = np.array([4 / 9] + 4 * [1 / 9] + 4 * [1 / 36])[:, None]
    return (weights * (1 + fractions(9, rows * columns) / 5)).astype(F4).reshape(-1)


def rows_of_matrix():
    """A sparse matrix of six rows: starts, columns, values."""
    starts = np.array([0, 2, 2, 5, 6, 9, 12], I4)
    return starts, (np.arange(12) * 5 % 6).astype(I4), fractions(12)


def graph():
    """Seven vertices, eight edges: where the rows of each begin, the heads, the tails."""
    heads, tails = np.array([0, 0, 1, 2, 2, 3, 5, 6], I4), np.array([1, 2, 3, 3, 4, 5, 0, 4], I4)
    return np.array([0, 2, 3, 5, 6, 6, 7, 8], I4), heads, tails


def levels():
    """What a search knows of that graph after one step from vertex 0."""
    return np.array([0, 1, 1, -1, -1, -1, -1], I4)


def steps(kernel):
    """The arguments of a step of one of the searches."""
    starts, heads, tails = graph()
    if kernel.endswith("queue_kernel"):
        frontier = np.array([1, 2, 0, 0, 0, 0, 0], I4)
        return [starts, tails, levels(), 1, frontier, 2, np.zeros(7, I4), np.zeros(1, I4)]
    if kernel == "pull_kernel":  # by the sources of each vertex
        order = np.argsort(tails, kind="stable")
        starts = np.searchsorted(tails[order], np.arange(8)).astype(I4)
        return [starts, heads[order], levels(), 1, levels(), np.zeros(1, I4)]
    first = heads if kernel == "edge_kernel" else starts
    return [first, tails, levels(), 1, levels(), np.zeros(1, I4)]


def scan(samples=5, voxels=9):
    """phi, d and k of an MRI scan, and the places of its voxels."""
    return heads(samples, 2), fractions(samples, 2), heads(samples, 3), heads(voxels, 3)


def atoms():
    return np.array([[2, 1, 0.25, -0.8], [1.4, 1.6, 0.25, 0.4], [2.6, 1.6, 0.25, 0.4]], F4)


def decoder(rows=6, columns=40):
    """Two matrices of a layer's activations, and three rows of weights."""
    return heads(rows, columns), fractions(rows, columns), *(heads(3, columns) + F4(1))


N, K = "kernels/", "_kernel"
GPT, FHD = N + "gpt/", N + "pmpp_15_20/fhd.py"
WARPS = (3, (32, 2))  # blocks of two warps, for six rows
# Kernels that their modules' examples do not launch: (file, kernel, launch, arguments).
MORE = [
    (N + "attention/plain.py", "online_kernel", (1, 32), lambda: [
        heads(9, 8), heads(7, 8), heads(7, 8), np.zeros((9, 8), F4), F4(0.35), False]),
    (N + "attention/plain.py", "online_kernel", (1, 32), lambda: [
        heads(9, 8), heads(9, 8), heads(9, 8), np.zeros((9, 8), F4), F4(0.35), True]),
    (N + "wrong/attention_no_rescale.py", "no_rescale_kernel", (1, 32), lambda: [
        heads(9, 8), heads(7, 8), heads(7, 8), np.zeros((9, 8), F4), F4(0.35)]),
    (N + "benchmarking/half.py", "add_kernel", (2, 64), lambda: [
        fractions(100), fractions(100), np.zeros(100, F4)]),
    (N + "wrong/benchmarking_half.py", "half_add_kernel", (1, 64), lambda: [
        fractions(100), fractions(100), np.zeros(100, F4)]),
    (N + "gather/gather.py", "scatter_kernel", (2, 32), lambda: [
        fractions(50), (np.arange(50) * 7 % 50).astype(I4), np.zeros(50, F4)]),
    (N + "gather/gather.py", "scatter_add_kernel", (2, 32), lambda: [
        np.arange(50, dtype=F4), (np.arange(50) * 7 % 9).astype(I4), np.zeros(9, F4)]),
    (N + "latency_hiding/stations.py", "station_sums_kernel", (2, 32), lambda: [
        fractions(30, 50), np.zeros(50, F4)]),
    (N + "metal_host/float_float.py", "sum_kernel", (1, 32), lambda: [
        np.arange(500, dtype=F4), np.zeros(32, F4), np.zeros(32, F4)]),
    (N + "roofline/chains.py", "chains_kernel", (2, 32), lambda: [2, np.zeros(64, F4)]),
    (N + "spmv/merge.py", "clear_kernel", (1, 32), lambda: [
        np.array([0, 2, 4], I4), np.ones(6, F4)]),
    (N + "spmv/merge.py", "split_kernel", (1, 32), lambda: [
        rows_of_matrix()[0], 5, np.zeros(5, I4)]),
    (N + "stencil/wave.py", "wave_kernel", (2, 32), lambda: [
        fractions(60), fractions(60), F4(0.25), np.zeros(60, F4)]),
    (N + "wrong/latency_hiding_no_tail.py", "no_tail_kernel", (2, 32), lambda: [
        fractions(600), np.zeros(64, F4)]),
    (N + "wind_tunnel/lattice.py", "lattice_kernel", ((1, 2), (32, 2)), lambda: [
        populations(3, 8), np.array([0, 0, 1, 0, 0, 0, 0, 1] * 3, np.uint8), 3, 8, F4(1.3),
        F4(0.07), np.zeros(9 * 24, F4)]),
    (N + "wind_tunnel/lattice.py", "velocity_kernel", (1, 32), lambda: [
        populations(3, 8), 3, 8, np.zeros(24, F4), np.zeros(24, F4)]),
    (N + "wind_tunnel/lattice.py", "probe_kernel", (1, 1), lambda: [
        populations(3, 8), 24, 5, np.zeros(4, F4), 2]),
    (N + "metal_host/traps.py", "wait_kernel", (1, 32), lambda: [
        fractions(32), np.zeros(1, F4), np.zeros(1, I4)]),
    *((N + "pmpp_15_20/bfs.py", f"{name}_kernel", (2, 4), lambda name=name: steps(name + K))
      for name in ("push", "pull", "edge", "queue", "block_queue")),
    (N + "pmpp_15_20/convolution.py", "direct_kernel", (1, 64), lambda: [
        fractions(2, 3, 5, 6), heads(2, 3, 2, 2), np.zeros((2, 2, 4, 5), F4)]),
    (N + "pmpp_15_20/convolution.py", "unroll_kernel", (4, 32), lambda: [
        fractions(2, 3, 5, 6), 2, np.zeros((12, 40), F4)]),
    (FHD, "by_samples_kernel", (1, 32), lambda: [*scan(), np.zeros((9, 2), F4)]),
    (FHD, "mu_kernel", (1, 32), lambda: [*scan()[:2], np.zeros((5, 2), F4)]),
    (FHD, "by_voxels_kernel", (1, 32), lambda: [*scan()[1:], np.zeros((9, 2), F4)]),
    (N + "pmpp_15_20/potential.py", "scatter_kernel", (1, 32), lambda: [
        atoms(), F4(1), np.zeros((3, 5), F4)]),
    (N + "pmpp_15_20/potential.py", "gather_kernel", ((1, 1), (16, 4)), lambda: [
        atoms(), F4(1), np.zeros((3, 5), F4)]),
    (N + "pmpp_15_20/potential.py", "coarse_kernel", ((1, 1), (16, 4)), lambda: [
        atoms(), F4(1), np.zeros((3, 50), F4)]),
    (N + "profiling/galaxy.py", "drift_kernel", (2, 32), lambda: [
        fractions(50), heads(50), F4(0.5)]),
    (N + "profiling/galaxy.py", "pull_kernel", (2, 32), lambda: [
        *heads(3, 40), fractions(40), *(np.zeros(40, F4) for _ in range(3))]),
    (N + "profiling/galaxy.py", "energy_kernel", (1, 32), lambda: [
        heads(100), np.zeros(32, F4)]),
    (N + "multi_gpu/peer_loads.py", "add_kernel", (2, 32), lambda: [
        fractions(50), fractions(50), np.zeros(50, F4)]),
    (N + "wrong/conv_no_halo.py", "no_halo_kernel", ((2, 2), (8, 8)), lambda: [
        fractions(12, 12), heads(3, 3), np.zeros((10, 10), F4)]),
    (GPT + "forward.py", "embed_kernel", WARPS, lambda: [
        (np.arange(6) * 5 % 7).astype(I4), heads(7, 40), fractions(3, 40), np.zeros((6, 40), F4)]),
    (GPT + "forward.py", "norm_kernel", WARPS, lambda: [
        decoder()[0], *decoder()[2:4], np.zeros((6, 40), F4), *np.zeros((2, 6), F4)]),
    (GPT + "forward.py", "add_norm_kernel", WARPS, lambda: [
        *decoder(), *np.zeros((2, 6, 40), F4), *np.zeros((2, 6), F4)]),
    (GPT + "forward.py", "causal_softmax_kernel", WARPS, lambda: [heads(6, 6)]),
    (GPT + "forward.py", "gelu_kernel", WARPS, lambda: [
        decoder()[0], decoder()[2], np.zeros((6, 40), F4)]),
    (GPT + "forward.py", "bias_kernel", WARPS, lambda: [decoder()[0], decoder()[2]]),
    *((file, name, WARPS, lambda: [
        heads(6, 40), (np.arange(6) * 5).astype(I4), 37, np.zeros(6, F4)])
      for file, name in ((GPT + "forward.py", "loss_kernel"),
                         (N + "wrong/gpt_loss_late.py", "loss_late_kernel"))),
    (GPT + "backward.py", "norm_back_kernel", WARPS, lambda: [
        *decoder()[:3], heads(6), fractions(6) + F4(1), np.zeros((6, 40), F4)]),
    (GPT + "backward.py", "column_sums_kernel", ((2, 1), (32, 8)), lambda: [
        heads(12, 40), np.zeros(40, F4)]),
    (GPT + "backward.py", "norm_weights_kernel", ((2, 1), (32, 8)), lambda: [
        heads(12, 40), fractions(12, 40), heads(12), fractions(12), *np.zeros((2, 40), F4)]),
    (GPT + "backward.py", "gelu_back_kernel", WARPS, lambda: [*decoder()[1:3], decoder()[0]]),
    (GPT + "backward.py", "softmax_back_kernel", WARPS, lambda: [fractions(6, 6), heads(6, 6)]),
    (GPT + "backward.py", "embed_back_kernel", (4, 32), lambda: [
        (np.arange(6) * 5 % 7).astype(I4), heads(6, 40), np.zeros((7, 40), F4),
        np.zeros((3, 40), F4)]),
    (GPT + "backward.py", "adamw_kernel", (2, 32), lambda: [
        heads(50), fractions(50) - F4(0.3), heads(50), fractions(50), np.full(50, 0.01, F4),
        np.array([0.001, 10, 1000], F4), F4(0.9), F4(0.999)]),
    (N + "plate/plain.py", "heat_kernel", ((1, 1), (8, 8)), lambda: [
        fractions(5, 7), F4(0.2), np.zeros((5, 7), F4)]),
    (N + "plate/plain.py", "wave_kernel", ((1, 1), (8, 8)), lambda: [
        fractions(5, 7), fractions(5, 7) / 2, heads(5, 7)]),
    (N + "plate/plain.py", "drive_kernel", (1, 32), lambda: [np.zeros((5, 7), F4), 1, F4(0.5)]),
    (N + "plate/plain.py", "probe_kernel", (1, 1), lambda: [
        fractions(5, 7), 2, 3, np.zeros(4, F4), 1]),
    (N + "plate/plain.py", "intensity_kernel", (1, 32), lambda: [
        fractions(5, 7), 6, fractions(5)]),
    (N + "wind_tunnel/wing.py", "force_kernel", ((1, 2), (8, 2)), lambda: [
        populations(3, 8), np.array([0, 0, 1, 0, 0, 0, 1, 1] * 3, np.uint8), 3, 8,
        np.zeros(2, F4)]),
]  # fmt: skip


# The same, of modules that the stepper does not import for what lies beside them.
BESIDE = [
    (N + "gpt/matmul.py", "add_parts_kernel", (2, 32), lambda: [
        fractions(3 * 50).ravel(), np.zeros((5, 10), F4), np.int32(3), F4(0.5), True]),
    (N + "inline_ptx/match.py", "tally_kernel", (2, 32), lambda: [
        (np.arange(100) * 7 % 11).astype(np.uint32), np.zeros(11, np.uint32)]),
    (N + "matvec/wide.py", "add_parts_kernel", (2, 32), lambda: [
        fractions(3, 50), np.zeros(50, F4)]),
    (N + "microbenchmarks/barriers.py", "grid_barrier_kernel", (2, 32), lambda: [3]),
    (N + "radix_sort/one_sweep.py", "digit_counts_kernel", (2, 64), lambda: [
        (np.arange(300) * 2654435761 % 2**32).astype(np.uint32), np.zeros((4, 256), I4)]),
    (N + "radix_sort/one_sweep.py", "digit_starts_kernel", (4, 256), lambda: [
        (np.arange(1024) * 37 % 5).astype(I4).reshape(4, 256)]),
    (N + "top_k/wide.py", "choose_block_kernel", (1, 256), lambda: [
        (np.arange(256) * 37 % 5).astype(I4), 8, np.array([0, 0, 40])]),
    (N + "torch_extension/others.py", "swiglu_kernel", (2, 32), lambda: [
        heads(50), fractions(50), np.zeros(50, F4)]),
]  # fmt: skip


NEAR = 2e-5  # of the largest number of an array: sums and functions are rounded otherwise
SEEDS = range(240)
# Kernels that compile and are not compared: the reason.
NOT_COMPARED = {
    "kernels/microbenchmarks/waves.py:block_work_kernel": "48 KB of shared memory; 32 here",
    **{
        f"kernels/wrong/{name}_kernel": "wrong on purpose: what it leaves is not defined"
        for name in (
            "blur_no_edge.py:blur_no_edge",
            "coarsened_first_guard.py:coarsened_first_guard",
            "matmul_or_guard.py:matmul_or_guard",
            "tiled_one_barrier.py:tiled_one_barrier",
            "transpose_no_barrier.py:transpose_no_barrier",
            "vector_add_no_guard.py:add_no_guard",
            "gpt_loss_late.py:loss_late",
        )
    },
}
UNORDERED = {  # who comes first differs
    "kernels/threads_and_blocks/tickets.py:ticket_kernel",
    "kernels/pmpp_15_20/bfs.py:queue_kernel",
    "kernels/pmpp_15_20/bfs.py:block_queue_kernel",
}


def wrong(record, result, name=""):
    """What is wrong with a result, in words, or nothing."""
    if isinstance(result, str):
        return result
    if name in UNORDERED:
        for b in record.shader.bindings:
            if b.written:
                got = np.frombuffer(result[b.name], np.int32)
                np.testing.assert_array_equal(np.sort(got), np.sort(record.after[b.name]))
        return ""
    return str(unlike(record, result, NEAR)[:3] or "")


def program():
    """The text of the generated kernels."""
    return wgsl_generated.program(SEEDS)[0]


def generated(**options):
    """The launches of the generated kernels, those that need no integers of 64 bits: the kernels
    that tests/test_wgsl.py draws need them."""
    options.pop("fallback", None)
    source, launches = wgsl_generated.program(SEEDS)
    namespace, rows = {}, []
    Stepper(mode="run", raise_findings=False).execute(source, namespace, "generated.py")
    with captured(rows, **options):
        for name, (launch, arguments) in launches.items():
            namespace[name][launch](*arguments)
    return rows

"""Launches of the site's kernels, by the examples of their modules, compiled to WGSL."""

import importlib
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np

from simulator.hardware import compare
from simulator.hardware.cases import CASES
from simulator.stepper import Stepper
from simulator.wgsl import captured
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


def gather(pick=""):
    """Kernel ("kernels/x.py:name") -> its launches, those that the adapter can take first."""
    before = {k: m for k, m in sys.modules.items() if k.split(".")[0] == "kernels"}
    found = defaultdict(list)
    try:
        for file in RUN:
            if pick in file and file not in BUSY:
                keep(found, lambda file=file: examples(_fresh(file)))
        for case in CASES.values():
            if pick in case.file:
                keep(found, lambda case=case: case.launch(importlib.import_module("numba.cuda")))
        for file, kernel, config, arguments in MORE:
            if pick in file:
                keep(found, lambda f=file, k=kernel, c=config, a=arguments: getattr(
                    _fresh(f), k)[c](*a()))  # fmt: skip
    finally:
        for name in [k for k in sys.modules if k.split(".")[0] == "kernels"]:
            del sys.modules[name]
        sys.modules.update(before)
    for rows in found.values():
        rows.sort(key=lambda r: (not runs(r), r.shader is None))
        del rows[EACH:]
    return dict(found)


def runs(record):
    """Whether a launch fits the software adapter."""
    s = record.shader
    return s is not None and s.block[0] * s.block[1] * s.block[2] <= THREADS and s.shared <= SHARED


def keep(found, launch):
    """Put the launches that ``launch()`` makes beside those of the same kernel."""
    rows = []
    with Stepper(mode="run", raise_findings=False, max_steps=20_000_000).installed():
        with captured(rows, each=TRIED):
            launch()
    for r in rows:
        file = Path(r.filename)
        name = file.relative_to(ROOT).as_posix() if file.is_relative_to(ROOT) else r.filename
        found[f"{name}:{r.kernel}"].append(r)


def known():
    """Every module-level Numba kernel of kernels/ without PTX, libdevice or another library."""
    return [
        name for name, file in compare.kernels(ROOT).items() if compare.refused(ROOT, file) is None
    ]


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


N, K = "kernels/", "_kernel"
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
]  # fmt: skip

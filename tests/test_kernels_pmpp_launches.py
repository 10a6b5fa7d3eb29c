"""Kernels that launch kernels: their CUDA C++ on a CPU, and from Python on a GPU."""

import os
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from kernels.pmpp_15_20.bfs import by_rows
from kernels.pmpp_15_20.escape import escape_steps
from lockstep_site.gpu import languages
from simulator import cuda_cpp, hosts
from tests.test_kernels_pmpp_15_20 import GRAPHS, distances

# Read by `python -m lockstep gpu`; the page of these kernels says the same.
NOT_ON = {"numba-cuda-mlir": "it links no CUDA C++ that launches"}
ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "snippets/pmpp_15_20"
SIMULATOR = os.environ.get("NUMBA_ENABLE_CUDASIM") == "1"
LARGE = 256 if os.environ.get("LOCKSTEP_SMALL") == "1" else 1024
# How many launches may wait to begin: the default, and so few that most are refused.
PENDING = [None, 1, 3]


@pytest.mark.parametrize("name", ["mandelbrot", "levels"])
def test_nvrtc_compiles_it(name):
    text = (FOLDER / f"{name}.cu").read_text("utf-8")
    languages.compile_cuda(SimpleNamespace(text=text, where=name))


needs_cxx = pytest.mark.skipif(hosts.compiler() is None, reason=hosts.WHY_NOT)


def limited(pending):
    name = "cudaLimitDevRuntimePendingLaunchCount"
    return {} if pending is None else {"symbols": {name: np.uint32(pending)}}


@needs_cxx
@pytest.mark.parametrize("pending", PENDING)
@pytest.mark.parametrize("backwards", [False, True])
def test_squares_on_a_cpu(pending, backwards):
    unit, side, most = cuda_cpp.read(FOLDER / "mandelbrot.cu"), 128, 40
    view = [np.int32(side), *np.float32([-2, 1.25, 2.5 / side]), np.int32(most)]
    out, counts = np.full((side, side), -1, np.int32), np.zeros(2, np.int32)
    options = limited(pending) | {"backwards": backwards}
    arguments = [out, *view, *np.int32([0, 0, 64]), counts]
    cuda_cpp.launch(unit, "squares", (2, 2), 32, arguments, **options)
    np.testing.assert_array_equal(out, escape_steps(side, most))
    assert counts.sum() == 4
    assert counts[1] == (4 - pending if pending else 0)


@needs_cxx
def test_all_pixels_and_lists_on_a_cpu():
    unit, side, most = cuda_cpp.read(FOLDER / "mandelbrot.cu"), 128, 40
    view = [np.int32(side), *np.float32([-2, 1.25, 2.5 / side]), np.int32(most)]
    right = escape_steps(side, most)
    out = np.full((side, side), -1, np.int32)
    cuda_cpp.launch(unit, "all_pixels", (8, 8), (16, 16), [out, *view])
    np.testing.assert_array_equal(out, right)
    out[:] = -1
    here, size = np.array([[0, 0], [64, 0], [0, 64], [64, 64]], np.int32), 64
    while len(here):
        there, count = np.zeros((16, 2), np.int32), np.zeros(1, np.int32)
        arguments = [out, *view, np.int32(size), here, there, count]
        cuda_cpp.launch(unit, "listed_squares", len(here), 32, arguments)
        here, size = there[: count[0]], size // 2
    np.testing.assert_array_equal(out, right)


@needs_cxx
@pytest.mark.parametrize("most", [2**31 - 1, 2, 0])
@pytest.mark.parametrize("name", GRAPHS)
def test_search_on_a_cpu(name, most):
    sources, targets, n = GRAPHS[name]
    starts, _, tails = by_rows(np.asarray(sources), np.asarray(targets), n)
    unit = cuda_cpp.read(FOLDER / "levels.cu")
    for first, pending in ((0, None), (n - 1, 2)):
        level, (here, there) = np.full(n, -1, np.int32), np.zeros((2, n), np.int32)
        level[first], here[0] = 0, first
        counts = np.array([1, 0, 0], np.int32)
        arguments = [starts, tails, level, np.int32(0), here, there, counts, np.int32(most)]
        cuda_cpp.launch(unit, "search", 1, 1, arguments, **limited(pending))
        assert counts[2] == 0
        np.testing.assert_array_equal(level, distances(sources, targets, n, first))


if not SIMULATOR:
    import cupy as cp
    from numba import cuda

    def module(name):
        """Import a module that reads its CUDA C++ from the page's folder."""
        import importlib

        before = os.getcwd()
        os.chdir(FOLDER)
        try:
            return importlib.import_module(f"kernels.pmpp_15_20.{name}")
        finally:
            os.chdir(before)

    @pytest.mark.parametrize("way", ["all_pixels", "squares", "listed_squares"])
    @pytest.mark.parametrize(("side", "start"), [(32, 32), (128, 64), (LARGE, 256)])
    def test_mandelbrot(way, side, start):
        out = cp.full((side, side), -1, np.int32)
        draw, _ = module("cupy_launches").mandelbrot(way, out, 100, start=start)
        draw()
        np.testing.assert_array_equal(out.get(), escape_steps(side, 100))

    @pytest.mark.parametrize("most", [2**31 - 1, 2, 0])
    @pytest.mark.parametrize("who", ["host", "gpu"])
    @pytest.mark.parametrize("name", GRAPHS)
    def test_search(name, who, most):
        sources, targets, n = GRAPHS[name]
        starts, _, tails = by_rows(np.asarray(sources), np.asarray(targets), n)
        graph = cp.asarray(starts), cp.asarray(tails)
        for first in {0, n // 2, n - 1}:
            run, found = module("cupy_launches").search_by(who, *graph, first, most)
            run()
            assert int(found[n + 2]) == 0
            right = distances(sources, targets, n, first)
            np.testing.assert_array_equal(found[:n].get(), right)

    @pytest.mark.parametrize("n", [2, 513, 514, 3000])
    def test_search_from_numba(n):
        sources, targets = np.r_[np.zeros(n - 1, int), n - 1], np.r_[np.arange(1, n), 0]
        starts, _, tails = by_rows(sources, targets, n)
        found = module("numba_launches").search_from_numba
        for first in (0, n - 1):
            got = found(cuda.to_device(starts), cuda.to_device(tails), first)
            np.testing.assert_array_equal(got, distances(sources, targets, n, first))

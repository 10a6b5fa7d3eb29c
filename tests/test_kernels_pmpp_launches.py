"""Kernels that launch kernels, from Python on a GPU. On a CPU: test_cuda_cpp_launches.py."""

import os
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from kernels.pmpp_15_20.bfs import by_rows
from kernels.pmpp_15_20.escape import escape_steps
from lockstep_site.gpu import languages
from tests.test_kernels_pmpp_15_20 import GRAPHS, distances

# Read by `python -m lockstep gpu`; the page of these kernels says the same.
NOT_ON = {"numba-cuda-mlir": "it links no CUDA C++ that launches"}
ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "snippets/pmpp_15_20"
SIMULATOR = os.environ.get("NUMBA_ENABLE_CUDASIM") == "1"
LARGE = 256 if os.environ.get("LOCKSTEP_SMALL") == "1" else 1024


@pytest.mark.parametrize("name", ["mandelbrot", "levels"])
def test_nvrtc_compiles_it(name):
    text = (FOLDER / f"{name}.cu").read_text("utf-8")
    languages.compile_cuda(SimpleNamespace(text=text, where=name))


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
    def test_search_from_numba(n, monkeypatch):
        monkeypatch.chdir(FOLDER)  # where the kernel's CUDA C++ lies when it is compiled
        sources, targets = np.r_[np.zeros(n - 1, int), n - 1], np.r_[np.arange(1, n), 0]
        starts, _, tails = by_rows(sources, targets, n)
        found = module("numba_launches").search_from_numba
        for first in (0, n - 1):
            got = found(cuda.to_device(starts), cuda.to_device(tails), first)
            np.testing.assert_array_equal(got, distances(sources, targets, n, first))

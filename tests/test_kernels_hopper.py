"""Hopper's features: right at any size on a GPU, compiled for sm_90 without one."""

import os
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from lockstep_site.gpu import languages

# Read by `python -m lockstep gpu`; the page of these kernels says the same.
NOT_ON = {"numba-cuda-mlir": "the kernels need intrinsics, which it has in another form"}
ROOT = Path(__file__).resolve().parent.parent
SIMULATOR = os.environ.get("NUMBA_ENABLE_CUDASIM") == "1"
SOURCES = ["sums", "histogram", "softmax", "gemv"]
LARGE = 100_003 if os.environ.get("LOCKSTEP_SMALL") == "1" else 5_000_011


@pytest.mark.parametrize("name", SOURCES)
def test_nvrtc_compiles_it(name):
    text = (ROOT / f"snippets/hopper/{name}.cu").read_text("utf-8")
    languages.compile_cuda(SimpleNamespace(text=text, where=name))


if not SIMULATOR:
    import cupy as cp

    def module(name):
        """Import a module of CuPy's that reads its CUDA C++ from the page's folder."""
        import importlib

        before = os.getcwd()
        os.chdir(ROOT / "snippets/hopper")
        try:
            return importlib.import_module(f"kernels.hopper.{name}")
        finally:
            os.chdir(before)

    @pytest.mark.parametrize("n", [1, 3, 2047, 2048, 2049, 8 * 2048, LARGE])
    @pytest.mark.parametrize("threads", [32, 96, 256, 1024])
    def test_bulk_sum(n, threads):
        x = cp.arange(n, dtype=cp.float32) % 8
        assert module("cupy_sums").total(x, threads) == float(x.sum(dtype=cp.float64))

    @pytest.mark.parametrize("n", [1, 7, 8, 9, 1023, 65_537, LARGE])
    @pytest.mark.parametrize("way", ["histogram_global", "histogram_halves", "histogram_cluster"])
    def test_histogram(way, n):
        random = np.random.default_rng(n)
        for x in (random.integers(0, 65536, n), np.full(n, 65535), np.arange(n) % 65536):
            counts = module("cupy_clusters").histogram16(way, cp.asarray(x.astype(np.uint16)))
            np.testing.assert_array_equal(counts.get(), np.bincount(x, minlength=65536))

    @pytest.mark.parametrize("columns", [4, 28, 32, 36, 1000, 16_004, 128_256, 464_000])
    @pytest.mark.parametrize("way", ["softmax_twice", "softmax_cluster"])
    def test_softmax(way, columns):
        x = 20 * np.random.default_rng(columns).standard_normal((7, columns), dtype=np.float32)
        x[1, : columns // 2] = -np.inf
        got = module("cupy_clusters").softmax_long(way, cp.asarray(x)).get()
        right = np.exp(x.astype(float) - x.max(axis=1, keepdims=True))
        right /= right.sum(axis=1, keepdims=True)
        np.testing.assert_allclose(got, right, rtol=2e-5, atol=1e-9)

    @pytest.mark.parametrize("columns", [4, 60, 16_388, 128_256, 131_072])
    def test_softmax_by_clusters(columns):
        from kernels.hopper.numba_clusters import softmax_by_clusters

        x = 20 * np.random.default_rng(columns).standard_normal((7, columns), dtype=np.float32)
        x[1, : columns // 2] = -np.inf
        x[2], x[3, -1] = -np.inf, np.nan
        right = np.exp(x.astype(float) - x.max(axis=1, keepdims=True))
        right /= right.sum(axis=1, keepdims=True)
        np.testing.assert_allclose(softmax_by_clusters(x), right, rtol=2e-5, atol=1e-9)

    @pytest.mark.parametrize("columns", [5, 131_076])
    def test_softmax_by_clusters_says_what_it_takes(columns):
        from kernels.hopper.numba_clusters import softmax_by_clusters

        with pytest.raises(ValueError, match=f"{columns} columns: a multiple of 4 up to 131072"):
            softmax_by_clusters(np.zeros((1, columns), np.float32))

    def test_softmax_of_columns_that_the_engine_cannot_take():
        with pytest.raises(ValueError, match="5 columns"):
            module("cupy_clusters").softmax_long("softmax_cluster", cp.zeros((1, 5), cp.float32))

    @pytest.mark.parametrize(("rows", "columns"), [(1, 16), (31, 512), (33, 528), (100, 4096)])
    def test_gemv(rows, columns):
        from kernels.tensor_cores.e4m3 import from_e4m3, to_e4m3

        random = np.random.default_rng(rows)
        bits = to_e4m3(random.standard_normal((rows, columns)))
        wide = from_e4m3(bits).astype(np.float64)
        scale = random.uniform(0.5, 2, rows).astype(np.float32)
        x = random.standard_normal(columns).astype(np.float16)
        right = (wide * scale[:, None]) @ x.astype(np.float64)
        for weights in (bits, wide.astype(np.float16)):
            y = module("cupy_gemv").gemv(*map(cp.asarray, (weights, scale, x)))
            np.testing.assert_allclose(y.get(), right, rtol=1e-4, atol=1e-3)

    @pytest.mark.parametrize(
        "shape", [(1, 1, 1), (128, 256, 64), (129, 257, 65), (130, 8, 700), (1000, 520, 260)]
    )
    def test_multistage_product(shape):
        from kernels.hopper.multistage import matmul_multistage
        from kernels.tensor_cores.formats import from_bfloat16, to_bfloat16

        m, n, k = shape
        random = np.random.default_rng(m)
        a, b = random.integers(-4, 5, (m, k)), random.integers(-4, 5, (k, n))
        right = from_bfloat16(to_bfloat16((a @ b).astype(np.float32)))
        np.testing.assert_array_equal(matmul_multistage(a, b), right)

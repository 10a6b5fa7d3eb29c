"""Ampere's features: pruning anywhere, the rest on a GPU, compiled for sm_90 without one."""

import os
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from kernels.ampere.sparse import prune, restore
from lockstep_site.gpu import languages

# Read by `python -m lockstep gpu`; the page of these kernels says the same.
NOT_ON = {"numba-cuda-mlir": "the kernels need intrinsics, which it has in another form"}
ROOT = Path(__file__).resolve().parent.parent
SIMULATOR = os.environ.get("NUMBA_ENABLE_CUDASIM") == "1"


@pytest.mark.parametrize("shape", [(1, 4), (3, 124), (4, 128), (5, 132)])
def test_two_of_each_four_are_kept_and_they_are_the_largest(shape):
    w = np.random.default_rng(shape[1]).standard_normal(shape).astype(np.float32)
    full = restore(*prune(w)).reshape(-1, 4)
    size = abs(w).reshape(-1, 4)
    for got, four, sizes in zip(full, w.reshape(-1, 4), size, strict=True):
        kept = got != 0
        assert kept.sum() == 2 and sizes[kept].min() > sizes[~kept].max()
        np.testing.assert_array_equal(got[kept], four[kept])


def test_equal_numbers_keep_the_first_two_and_nothing_is_lost_of_a_pruned_matrix():
    kept, places = prune(np.full((2, 8), 3))
    assert (places == 0b0100).all() and (kept == 3).all()
    again = restore(kept, places)
    np.testing.assert_array_equal(restore(*prune(again)), again)


def test_columns_that_are_no_fours_are_refused():
    with pytest.raises(ValueError, match="6 columns"):
        prune(np.zeros((2, 6)))


def test_nvrtc_compiles_the_sums():
    text = (ROOT / "snippets/ampere/sums.cu").read_text("utf-8")
    languages.compile_cuda(SimpleNamespace(text=text, where="sums.cu"))


if not SIMULATOR:
    import cupy as cp
    import torch

    LARGE = 100_003 if os.environ.get("LOCKSTEP_SMALL") == "1" else 5_000_011

    @pytest.mark.parametrize("n", [1, 3, 4, 5, 127, 128 * 132 * 4 + 1, LARGE])
    @pytest.mark.parametrize("way", ["sum_loads", "sum_four_loads", "sum_cp_async"])
    def test_sum(way, n, monkeypatch):
        monkeypatch.chdir(ROOT / "snippets/ampere")
        from kernels.ampere.cupy_sums import total

        x = cp.arange(n, dtype=cp.float32) % 8
        for threads in (32, 96, 256, 1024):
            assert total(way, x, threads) == float(x.sum(dtype=cp.float64))

    @pytest.mark.parametrize("seed", range(8))
    def test_sparse_product(seed):
        from kernels.ampere.sparse_mma import sparse_product

        random = np.random.default_rng(seed)
        a, b = random.integers(-9, 10, (16, 32)), random.integers(-9, 10, (32, 8))
        right = restore(*prune(a)) @ b
        np.testing.assert_array_equal(sparse_product(a, b), right)

    def test_torch_prunes_as_our_kernel_does():
        from kernels.ampere.torch_sparse import prune_torch, to_sparse_semi_structured

        w = torch.randn(128, 256, device="cuda")
        np.testing.assert_array_equal(restore(*prune(w.cpu().numpy())), prune_torch(w).cpu())
        half = prune_torch(w).half()
        x = torch.randn(256, 64, device="cuda", dtype=torch.float16)
        off = (to_sparse_semi_structured(half) @ x).double() - half.double() @ x.double()
        assert off.norm() / (half.double() @ x.double()).norm() < 2e-3

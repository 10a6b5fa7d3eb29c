"""Instructions in PTX, from Numba, CUDA C++ and Triton: they need a GPU, so all of these do."""

import os

import pytest

# Read by `python -m lockstep gpu`; the page of these kernels says the same.
NOT_ON = {"numba-cuda-mlir": "the device functions in PTX are made with llvmlite"}
SIMULATOR = os.environ.get("NUMBA_ENABLE_CUDASIM") == "1"
LOOKUP = "snippets/inline_ptx/lookup.cu"

if not SIMULATOR:
    from pathlib import Path

    import cupy as cp
    import numpy as np
    import torch
    from numba import cuda

    from kernels.in_triton.inline_ptx import lookup_triton, peers_kernel
    from kernels.inline_ptx import hints, match

    LOADS = ["plain", "nc", "first", "once", "deepep", "64", "256"]

    def codes_and_table(n):
        random = np.random.default_rng(n)
        codes = random.integers(0, 1000, n, dtype=np.uint32)
        return codes, random.integers(0, 256, 1000).astype(np.float32)  # sums that are exact

    @pytest.mark.parametrize("name", LOADS)
    def test_lookup(name):
        n = 100_004
        codes, table = codes_and_table(n)
        load = getattr(hints, f"load_{name}")
        assert hints.lookup(codes, table, load) == table[codes].sum(dtype=np.float64)

    @pytest.mark.parametrize("n", [4, 1000])
    def test_few_codes(n):
        codes, table = codes_and_table(n)
        assert hints.lookup(codes, table, hints.load_deepep) == table[codes].sum(dtype=np.float64)

    def test_codes_that_do_not_fill_a_load_are_refused():
        with pytest.raises(ValueError, match="four at a time"):
            hints.lookup(*codes_and_table(5), hints.load_plain)

    @pytest.mark.parametrize("options", [(), ("-DPLAIN",)])
    def test_lookup_in_cuda(options):
        codes, table = codes_and_table(10_000)
        source = (Path(__file__).parent.parent / LOOKUP).read_text(encoding="utf-8")
        kernel = cp.RawModule(code=source, options=options).get_function("lookup")
        out = cp.empty(2 * 64, cp.float32)
        arguments = cp.asarray(codes), cp.asarray(table), out, np.int64(codes.size // 4)
        kernel((2,), (64,), arguments)
        assert float(out.sum(dtype=cp.float64)) == table[codes].sum(dtype=np.float64)

    @pytest.mark.parametrize("hint", ["asm", "policy", "none"])
    def test_lookup_in_triton(hint):
        codes, table = codes_and_table(2 * 4096 * 3)
        t_codes = torch.as_tensor(codes.view(np.int32), device="cuda")
        got = lookup_triton(t_codes, torch.as_tensor(table, device="cuda"), hint, programs=3)
        assert got.item() == table[codes].sum(dtype=np.float64)
        with pytest.raises(ValueError, match="multiple"):
            lookup_triton(t_codes[1:], torch.as_tensor(table, device="cuda"), hint)

    @pytest.mark.parametrize("name", ["plain", "deepep"])
    @pytest.mark.parametrize("n", [4, 1024, 10_000])
    def test_copy(name, n):
        x = np.random.default_rng(n).integers(0, 2**32, n, dtype=np.uint32)
        out = cuda.to_device(np.zeros(n + 8, np.uint32))
        kernel = hints.make_copy(getattr(hints, f"load_{name}"))
        kernel[-(-n // 1024), 256](cuda.to_device(x), out[:n])
        assert (out.copy_to_host() == np.append(x, np.zeros(8, np.uint32))).all()

    @pytest.mark.parametrize("name", ["plain", "64", "256"])
    def test_gather(name):
        random = np.random.default_rng(1)
        x = random.integers(0, 2**20, 8 * 300, dtype=np.uint32)
        rows = random.permutation(300)[:101].astype(np.uint32)
        out = cuda.to_device(np.zeros(2 * rows.size, np.uint32))
        kernel = hints.make_gather(getattr(hints, f"load_{name}"))
        kernel[4, 64](*map(cuda.to_device, (x, rows)), out)
        right = x.reshape(-1, 2, 4)[rows.repeat(2), np.tile([0, 1], 101)].sum(axis=1)
        assert (out.copy_to_host() == right).all()

    @pytest.mark.parametrize("n", [1, 31, 32, 33, 100_003])
    @pytest.mark.parametrize("way", ["atomics", "match", "ballots"])
    def test_tally(way, n):
        kernels = {
            "atomics": match.tally_kernel,
            "match": match.tally_match_kernel,
            "ballots": match.make_tally_ballots(10),
        }
        votes = np.random.default_rng(n).geometric(0.2, n).clip(0, 999).astype(np.uint32)
        right = np.bincount(votes, minlength=1000)
        assert (match.tally(votes, 1000, kernels[way]) == right).all()

    def test_sums_of_a_warp():
        lanes = np.arange(64, dtype=np.uint32)
        right = lanes
        for _ in range(3):
            right = right.reshape(2, 32).sum(axis=1, dtype=np.uint32).repeat(32) ^ lanes % 32
        for add in (match.warp_add, match.warp_add_by_shuffles):
            out = cuda.device_array(64, np.uint32)
            match.make_sums(add)[2, 32](out, 3)
            assert (out.copy_to_host() == right).all()

    def test_whom_an_element_meets_depends_on_the_layout():
        x = torch.arange(256, device="cuda", dtype=torch.int32) // 2
        out = torch.empty_like(x)
        for warps, met in ((1, [1, 1, 1, 1]), (8, [3, 3, 12, 12])):
            peers_kernel[(1,)](x, out, BLOCK=256, num_warps=warps)
            assert out[:4].tolist() == met

"""Long norms by clusters that stay: right at any number of rows on a GPU of Hopper, compiled for it
without one."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

# Read by `python -m lockstep gpu`; the page of these kernels says the same.
NOT_ON = {"numba-cuda-mlir": "the 16-byte instructions are made with llvmlite"}
SIMULATOR = os.environ.get("NUMBA_ENABLE_CUDASIM") == "1"
GUARD = 37

ROOT = Path(__file__).resolve().parent.parent
NORM = "void(float32[::1], float32[::1], float32[::1], uint32, float32, float32[::1])"
KERNELS = {  # signature, instructions in the PTX
    "norms.cluster:make_cluster_norm(4, 512, 16, 3, True, 2)": (NORM, {"st.async": 1}),
    "norms.cluster:make_cluster_norm(4, 512, 16, 3, False, 2)": (NORM, {"st.async": 1}),
}

if SIMULATOR:  # on a GPU the kernels run
    from tests.test_kernels_attention import COMPILE

    @pytest.fixture(scope="module")
    def compiled():
        """{kernel: (PTX, report of the assembler)}, linked as Numba's launch would link them."""
        signatures = {name: signature for name, (signature, _) in KERNELS.items()}
        done = subprocess.run(
            [sys.executable, "-c", COMPILE, json.dumps(signatures)],
            cwd=ROOT, env=os.environ | {"NUMBA_ENABLE_CUDASIM": "0"}, capture_output=True,
            text=True,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr[-3000:]
        return json.loads(done.stdout)

    @pytest.mark.parametrize("name", KERNELS)
    def test_numba_makes_the_instructions_and_no_spill(name, compiled):
        ptx, report = compiled[name]
        for instruction, count in KERNELS[name][1].items():
            assert len(re.findall(re.escape(instruction), ptx)) == count
        assert "0 bytes spill stores, 0 bytes spill loads" in report


if not SIMULATOR:
    from numba import cuda

    from kernels.norms import cluster

    def poisoned(size):
        return cuda.to_device(np.full(size + GUARD, np.nan, np.float32))

    def norms(x, weight, bias, *way):
        """Return the norm of each row, from a grid of as many clusters as there is room for."""
        whole = poisoned(x.size)
        arrays = [None if a is None else cuda.to_device(a.reshape(-1)) for a in (x, weight, bias)]
        cluster.cluster_norm_rows(*arrays, len(x), whole[: x.size], way=(*way, 1))
        host = whole.copy_to_host()
        assert np.isnan(host[x.size :]).all(), "written past the end"
        return host[: x.size].reshape(x.shape)

    def expected_norm(x, weight, bias):
        x = x.astype(np.float64)
        if bias is not None:
            x = x - x.mean(axis=1, keepdims=True)
        x = x / np.sqrt((x * x).mean(axis=1, keepdims=True) + 1e-5) * weight
        return x if bias is None else x + bias

    @pytest.mark.parametrize("centered", [False, True])
    @pytest.mark.parametrize("rows", [1, 3, 131, 700])
    @pytest.mark.parametrize("shape", [(8, 512, 8, 6), (4, 256, 4, 3), (2, 512, 4, 1)])
    def test_norms(shape, rows, centered):
        random = np.random.default_rng(rows)
        columns = int(np.prod(shape[:3]))
        x = random.standard_normal((rows, columns)) + 3 * random.standard_normal((rows, 1))
        x, weight, bias = (a.astype(np.float32) for a in (x, *random.standard_normal((2, columns))))
        bias = bias if centered else None
        got = norms(x, weight, bias, *shape)
        np.testing.assert_allclose(got, expected_norm(x, weight, bias), rtol=1e-4, atol=1e-5)

    @pytest.mark.parametrize("centered", [False, True])
    def test_nan_and_infinity_stay_in_their_row(centered):
        random = np.random.default_rng(0)
        x, weight = random.standard_normal((9, 4096)).astype(np.float32), np.ones(4096, np.float32)
        x[2, 5], x[4, 4000] = np.nan, np.inf
        bias = weight if centered else None
        with np.errstate(invalid="ignore"):
            right = expected_norm(x, weight, bias)
        got = norms(x, weight, bias, 4, 256, 4, 3)
        np.testing.assert_allclose(got, right, rtol=1e-4, atol=1e-5)

    def test_a_mean_that_is_large_beside_the_spread():
        random = np.random.default_rng(1)
        x = (4096 + random.standard_normal((5, 4096))).astype(np.float32)
        weight = np.ones(4096, np.float32)
        got = norms(x, weight, weight, 4, 256, 4, 3)
        np.testing.assert_allclose(got, expected_norm(x, weight, weight), rtol=2e-3, atol=2e-3)

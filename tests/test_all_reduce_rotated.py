"""Two shots from the own array on: compiled on a CPU, and against NumPy where there is a GPU.

No file of kernel tests: compute-sanitizer lets kernels of one GPU run one after another, where
these wait for one another.
"""

import os
import re
from pathlib import Path

import numpy as np
import pytest

from lockstep_site.gpu import languages

PEERS = Path("snippets/multi_gpu/peers.cu")
ROTATED = Path("kernels/multi_gpu/rotated.py")
SIMULATOR = os.environ.get("NUMBA_ENABLE_CUDASIM") == "1"


def kernel() -> str:
    return re.search(r'ROTATED = r"""\n(.*?)"""', ROTATED.read_text(), re.DOTALL)[1]


def test_it_compiles_behind_the_others():
    assert b"two_shot_rotated" in languages._cubin(PEERS.read_text() + kernel(), "sm_90")


def test_nothing_but_the_order_of_the_loads_is_another():
    """The page says so, and the benchmark compares the two kernels for the order alone."""
    text = PEERS.read_text()
    two_shot = text[text.index('extern "C" __global__ void two_shot') :].split("\n}\n")[0]
    rotated = kernel().replace("two_shot_rotated", "two_shot")
    assert rotated.count("p.x[(g.rank + r) % g.ranks]") == 1

    def words(code):
        return re.sub(r"//.*", "", code).split()

    same = rotated.replace("p.x[(g.rank + r) % g.ranks]", "p.x[r]")
    same = same[same.index('extern "C"') :].split("\n}\n")[0]
    assert words(same) == words(two_shot)


if not SIMULATOR:
    import cupy as cp

    from kernels.multi_gpu.peers import on_each
    from kernels.multi_gpu.rotated import RotatedRanks

    @pytest.mark.parametrize("devices", [[0, 0], [0, 0, 0], [0, 0, 0, 0]], ids=str)
    @pytest.mark.parametrize("size", [4, 8, 12, 1004, 65_540])
    def test_every_rank_gets_the_sum_and_nothing_beyond_is_written(size, devices):
        group = RotatedRanks(devices, 70_000, folder=PEERS.parent, blocks=7, patience=5.0)
        for name in ("two_shot", "rotated", "rotated"):
            host = [np.random.default_rng(r).random(size, np.float32) for r in range(len(devices))]
            x = on_each(lambda rank, host=host: cp.asarray(host[rank]), devices)
            room = on_each(lambda rank: cp.full(size + 64, cp.nan, cp.float32), devices)
            group.prepare(name, x, [array[:size] for array in room])()
            group.wait()
            for array in room:
                got = array.get()
                np.testing.assert_allclose(got[:size], sum(host), rtol=1e-6)
                np.testing.assert_array_equal(got[:size], room[0].get()[:size])
                assert np.isnan(got[size:]).all()

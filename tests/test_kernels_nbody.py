"""The pull of stars on each other by every rung, and what has to stay the same over time."""

import contextlib
import sys
import types

import numpy as np
import pytest

from simulator.stepper import remember
from tests.wide import SIMULATOR, loading

# Read by `python -m lockstep gpu`; the page of these kernels says the same.
NOT_ON = {"numba-cuda-mlir": "the 16-byte instructions are made with llvmlite"}
SOFT = 0.01
COUNTS = [1, 33, 128, 260] + ([] if SIMULATOR else [1000, 4099])
STAND_IN = """
import math
from numba import cuda, float32

@cuda.jit(device=True)
def rsqrtf(x):
    return float32(1) / math.sqrt(x)
"""


@contextlib.contextmanager
def loading_root():
    """As ``loading``; without a GPU the inverse root is computed in two steps."""
    with loading() as (load, cuda):
        if SIMULATOR:
            load("kernels.nbody")
            module = types.ModuleType("kernels.nbody.root")
            remember(__file__ + ":root", STAND_IN)
            exec(compile(STAND_IN, __file__ + ":root", "exec"), vars(module))
            sys.modules["kernels.nbody.root"] = module
        yield load, cuda


def cloud(n):
    random = np.random.default_rng(n)
    stars = random.standard_normal((n, 4)).astype(np.float32)
    stars[:, 3] = random.random(n)
    return stars


def expected(stars, soft=SOFT):
    wide = stars.astype(np.float64)
    d = wide[None, :, :3] - wide[:, None, :3]
    strength = wide[:, 3] / ((d * d).sum(axis=2) + soft) ** 1.5
    return (strength[..., None] * d).sum(axis=1)


def close(got, right):
    np.testing.assert_allclose(got, right, rtol=2e-3, atol=2e-3 * np.abs(right).max())


@pytest.mark.parametrize("name", ["pull_plain_kernel", "pull_tile_kernel"])
def test_plain(name):
    with loading() as (load, cuda):
        module = load("kernels.nbody.plain")
        for n in COUNTS:
            stars = cloud(n)
            close(module.pulls(getattr(module, name), stars, SOFT), expected(stars))


@pytest.mark.parametrize("per, threads", [(1, 32), (4, 64)])
def test_registers(per, threads, monkeypatch):
    with loading_root() as (load, cuda):
        module = load("kernels.nbody.registers")
        monkeypatch.setattr(module, "PER", per)
        monkeypatch.setattr(module, "THREADS", threads)
        for n in COUNTS:
            stars = cloud(n)
            close(module.pulls_registers(stars, SOFT), expected(stars))
        assert threads > 32 or module.cut(COUNTS[-1])[0] > 1, "nothing is cut"


def test_nothing_is_written_past_the_end():
    with loading_root() as (load, cuda):
        module, n = load("kernels.nbody.registers"), 5
        whole = cuda.to_device(np.full(4 * n + 40, np.nan, np.float32))
        stars = cuda.to_device(cloud(n).reshape(-1))
        module.make_pull(2, 32)[1, 32](stars, n, 32, np.float32(SOFT), whole[: 4 * n])
        host = whole.copy_to_host()
        assert np.isnan(host[4 * n :]).all() and not np.isnan(host[: 4 * n]).any()

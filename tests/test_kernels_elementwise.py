"""Element-wise kernels: every rung at awkward sizes, NaN and infinity, nothing past the end."""

import numpy as np
import pytest

from tests.patterns import SIZES, running

# Read by `python -m lockstep gpu`; the page of these kernels says the same.
NOT_ON = {"numba-cuda-mlir": "16-byte accesses are made with llvmlite and numba.cuda.extending"}


@pytest.fixture
def kernels():
    with running() as load:
        yield lambda name: load(f"kernels.elementwise.{name}")


def expected(gate, up):
    with np.errstate(over="ignore", invalid="ignore"):
        gate, up = gate.astype(np.float64), up.astype(np.float64)
        return gate / (1 + np.exp(-gate)) * up


def numbers(n):
    random = np.random.default_rng(n)
    gate, up = (random.standard_normal(n).astype(np.float32) for _ in range(2))
    gate[::7], gate[1::11], gate[2::13] = np.nan, np.inf, -200
    return gate, up


def test_swiglu(kernels):
    plain, wide = kernels("plain"), kernels("wide")
    for n in SIZES:
        gate, up = numbers(n)
        kernels_and_blocks = [
            (plain.swiglu_kernel, -(-n // 64)),
            (plain.swiglu_strided_kernel, 2),
            (wide.make_map4(plain.swiglu), -(-n // 256)),
        ]
        for kernel, blocks in kernels_and_blocks if n else ():
            got = plain.activate(kernel, gate, up, blocks, 64)
            np.testing.assert_allclose(got, expected(gate, up), rtol=2e-6, atol=1e-30)


@pytest.mark.parametrize("dtype", [np.float32, np.int32, np.uint8])
def test_copy(dtype, kernels):
    module = kernels("wide")
    for n in SIZES[1:]:
        x = np.random.default_rng(n).integers(1, 256, n).astype(dtype)
        whole = module.cuda.to_device(np.zeros(n + 37, dtype))
        module.copy4_kernel[-(-n // 128), 32](module.cuda.to_device(x), whole[:n])
        out = whole.copy_to_host()
        assert np.array_equal(out[:n], x) and not out[n:].any(), n


def test_the_exercise(kernels):
    for n in SIZES:
        x = np.random.default_rng(n).standard_normal(n).astype(np.float32)
        assert np.array_equal(kernels("exercise").relu(x, 32), np.maximum(x, 0)), n

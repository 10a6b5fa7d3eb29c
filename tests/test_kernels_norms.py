"""RMSnorm and layernorm of each row, by every rung, at awkward sizes."""

import sys
import types

import numpy as np
import pytest

from tests.wide import SIMULATOR, loading

# Read by `python -m lockstep gpu`; the page of these kernels says the same.
NOT_ON = {"numba-cuda-mlir": "the 16-byte instructions are made with llvmlite"}
GUARD = 37
EPS = np.float32(1e-5)
LOADS = ("load4_once", "load4_first", "load4_shared", "load4_kept")
SHAPES = [(1, 1), (3, 4), (2, 7), (5, 100), (3, 131), (2, 260)]
LARGER = [(1, 1001), (300, 1028), (3, 4095), (5, 8192), (3, 16384), (140, 16388), (200, 32768)]


def asked(x, i):
    """A line on its way to L2 changes no number."""
    x[i]  # must lie in the array


def row_module(load, cuda):
    """Import the kernels. On a CPU a load with a hint is one without: the same numbers."""
    if SIMULATOR:
        load("kernels.norms")
        hints = types.ModuleType("kernels.norms.hints")
        for name in LOADS:
            setattr(hints, name, sys.modules["kernels.patterns.wide"].load4)
        hints.ask = cuda.jit(device=True)(asked)
        sys.modules["kernels.norms.hints"] = hints
    return load("kernels.norms.row")


def inputs(rows, columns):
    """Return distinct random x with a mean of its own in each row, weight and bias."""
    random = np.random.default_rng(rows * columns)
    x = random.standard_normal((rows, columns)) + 3 * random.standard_normal((rows, 1))
    weight, bias = random.standard_normal((2, columns))
    return [a.astype(np.float32) for a in (x, weight, bias)]


def expected(x, weight, bias, centered):
    x = x.astype(np.float64)
    if centered:
        x = x - x.mean(axis=1, keepdims=True)
    x = x / np.sqrt((x * x).mean(axis=1, keepdims=True) + float(EPS)) * weight
    return x + bias if centered else x


def check(cuda, call, arrays, centered):
    """Make a call with the arrays and a poisoned output; compare, and look behind the end."""
    x = arrays[0]
    whole = cuda.to_device(np.full(x.size + GUARD, np.nan, np.float32))
    call(*map(cuda.to_device, arrays), whole[: x.size].reshape(*x.shape))
    host = whole.copy_to_host()
    assert np.isnan(host[x.size :]).all(), "written past the end"
    close(host[: x.size].reshape(x.shape), expected(*arrays, centered))


def close(got, right):
    np.testing.assert_allclose(got, right, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("centered", [False, True])
def test_passes(centered):
    with loading() as (load, cuda):
        module = load("kernels.norms.passes")

        def call(x, weight, bias, out):
            if centered:
                module.layernorm_passes_kernel[x.shape[0], 64](x, weight, bias, EPS, out)
            else:
                module.rmsnorm_passes_kernel[x.shape[0], 64](x, weight, EPS, out)

        for shape in SHAPES + ([] if SIMULATOR else LARGER):
            check(cuda, call, inputs(*shape), centered)
        x, weight, bias = inputs(2, 12)
        if centered:
            close(module.layernorm_passes(x, weight, bias), expected(x, weight, bias, True))
        else:
            close(module.rmsnorm_passes(x, weight), expected(x, weight, bias, False))


def flat(kernel, config):
    def call(x, weight, bias, out):
        sizes = np.uint32(x.shape[0]), np.uint32(x.shape[1])
        kernel[config](x.reshape(x.size), weight, bias, *sizes, EPS, out.reshape(out.size))

    return call


@pytest.mark.parametrize("centered", [False, True])
@pytest.mark.parametrize(("threads", "together"), [(32, 3), (64, 1)])
def test_row(threads, together, centered):
    with loading() as (load, cuda):
        row = row_module(load, cuda)
        for shape in SHAPES:
            width = 4 * -(-shape[1] // (4 * threads))
            kernel = row.make_norm(threads, width, centered, shape[1] % 4 == 0)
            config = -(-shape[0] // together), (threads, together)
            check(cuda, flat(kernel, config), inputs(*shape), centered)


@pytest.mark.parametrize("centered", [False, True])
@pytest.mark.parametrize("threads", [32, 64])
def test_full_rows(threads, centered):
    """Rows that fill their threads, by each load, with all of L1 for them."""
    with loading() as (load, cuda):
        row = row_module(load, cuda)
        for k, width in enumerate((4, 12, 8, 4)):
            kernel = row.make_full_norm(
                threads,
                width,
                centered,
                getattr(row, LOADS[k]),
                getattr(row, LOADS[3 - k]),
                blocks=1 + k,
                ahead=2 * k,
                shared_memory_carveout=0,
                lto=False,
            )
            shape = 3 + k, threads * width
            check(cuda, flat(kernel, (shape[0], threads)), inputs(*shape), centered)


def test_full_plans_fit():
    with loading() as (load, cuda):
        row = row_module(load, cuda)
        for (columns, _), how in row.FULL.items():
            threads = how["threads"]
            assert threads % 32 == 0
            assert columns % (4 * threads) == 0
            assert columns // threads <= 32


@pytest.mark.parametrize("centered", [False, True])
def test_full_rows_by_the_host(centered, monkeypatch):
    """A length of the table goes to its kernel, its neighbors don't."""
    x, weight, bias = inputs(3, 256)
    with loading() as (load, cuda):
        row = row_module(load, cuda)
        monkeypatch.setattr(row, "FULL", {(256, centered): {"threads": 32, "blocks": 2}})
        made = []
        full = row.make_full_norm

        def make(**how):
            made.append(how)
            return full(**how)

        monkeypatch.setattr(row, "make_full_norm", make)
        arguments = (weight, bias) if centered else (weight,)
        close(row.norm(x, *arguments), expected(x, weight, bias, centered))
        assert made == [{"width": 8, "centered": centered, "threads": 32, "blocks": 2}]
        other = (weight,) if centered else (weight, bias)
        close(row.norm(x, *other), expected(x, weight, bias, not centered))
        assert len(made) == 1


@pytest.mark.parametrize("shape", SHAPES[:4] + ([] if SIMULATOR else LARGER))
def test_on_the_host(shape):
    x, weight, bias = inputs(*shape)
    with loading() as (load, cuda):
        row = row_module(load, cuda)
        close(row.norm(x, weight), expected(x, weight, bias, False))
        close(row.norm(x, weight, bias), expected(x, weight, bias, True))


def test_a_mean_far_from_zero_costs_no_digits():
    """The variance is taken about the mean, not as a difference of two large numbers."""
    x, weight, bias = inputs(2, 64)
    x = (x + np.float32(4096)).astype(np.float32)
    with loading() as (load, cuda):
        got = row_module(load, cuda).norm(x, weight, bias)
    np.testing.assert_allclose(got, expected(x, weight, bias, True), rtol=2e-3, atol=2e-3)


def test_a_row_too_long_is_refused():
    with loading() as (load, cuda), pytest.raises(ValueError, match="at most 32768"):
        row_module(load, cuda).plan(32769)

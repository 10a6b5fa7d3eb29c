"""Weights of few bits: the kernels that unpack them, and what quantization loses."""

import contextlib
import sys
import types

import numpy as np
import pytest

from tests.wide import SIMULATOR, loading

# Read by `python -m lockstep gpu`; the page of these kernels says the same.
NOT_ON = {"numba-cuda-mlir": "the 16-byte loads are made with llvmlite"}
GUARD = 37
STAND_INS = """
from numba import cuda, float32, int32, uint32

@cuda.jit(device=True)
def as_float(bits):
    exponent = int32(bits >> uint32(23) & uint32(255))
    if exponent == 0:
        size = float32(bits & uint32(0x7FFFFF)) * float32(2) ** float32(-149)
        return -size if bits >> uint32(31) else size
    size = float32(bits & uint32(0x7FFFFF) | uint32(0x800000))
    size *= float32(2) ** float32(exponent - 150)
    return -size if bits >> uint32(31) else size

@cuda.jit(device=True)
def load_once(array, index):
    return array[index], array[index + 1], array[index + 2], array[index + 3]

@cuda.jit(device=True)
def load_shared(array, index):
    return array[index], array[index + 1], array[index + 2], array[index + 3]

@cuda.jit(device=True)
def times_power(number, power):  # bfloat16, as bits
    return number if number & uint32(0x7FFF) == 0 else number + power - uint32(0x3F80)

@cuda.jit(device=True)
def times2(numbers, factors):
    low = times_power(numbers & uint32(0xFFFF), factors & uint32(0xFFFF))
    return times_power(numbers >> uint32(16), factors >> uint32(16)) << uint32(16) | low
"""


@contextlib.contextmanager
def kernels():
    """``loading``, with stand-ins for the 16-byte loads where a CPU runs the kernels."""
    with loading() as (load, cuda):
        if SIMULATOR:
            from simulator.stepper import remember

            remember(__file__ + ":stand-ins", STAND_INS)
            module = types.ModuleType("kernels.quantization.words")
            exec(compile(STAND_INS, __file__ + ":stand-ins", "exec"), vars(module))
            load("kernels.quantization")
            sys.modules["kernels.quantization.words"] = module
            sys.modules["kernels.quantization.pairs"] = module
        yield load, cuda


SHAPES = [(1, 128), (3, 256), (4, 1024), (5, 1152), (9, 2176)]
LARGER = [(1021, 4096), (257, 5248)]


WIDE = [(1, 8192 + 640)]  # more than one slice of the vector


def magic(load, cuda, k, count, arrays, x, y):
    module = load("kernels.quantization.matvec")
    rows, warps = min(4, count), 2
    blocks = -(-count // (rows * warps))
    module.make_matvec(k, rows)[blocks, (32, warps)](*arrays, x, module.MAGIC, y)


def subnormal(load, cuda, k, count, arrays, x, y):
    module = load("kernels.quantization.subnormal")
    rows, warps = min(2, count), 3
    blocks = -(-count // (rows * warps))
    module.make_matvec(k, rows, warps)[blocks, (32, warps)](*arrays, x, y)


@pytest.mark.parametrize("run", [magic, subnormal])
@pytest.mark.parametrize("shape", SHAPES + WIDE + ([] if SIMULATOR else LARGER))
def test_int4_matvec(shape, run):
    random = np.random.default_rng(sum(shape))
    count, k = shape
    with kernels() as (load, cuda):
        module = load("kernels.quantization.matvec")
        words, scales = module.pack_int4(random.standard_normal(shape).astype(np.float32))
        x = random.standard_normal(k)
        x[random.integers(0, k, 5)] = 0
        x = module.bfloat16(x)
        whole = cuda.to_device(np.full(count + GUARD, np.nan, np.float32))
        flat = [cuda.to_device(a.reshape(-1)) for a in (words, scales)]
        run(load, cuda, k, count, flat, cuda.to_device(x.view(np.uint32)), whole[:count])
        host = whole.copy_to_host()
        weights = module.unpack_int4(words, scales).astype(np.float64)
    wide = (x.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    assert np.isnan(host[count:]).all(), "written past the end"
    off = np.abs(host[:count] - weights @ wide)
    assert (off <= 3e-6 * (np.abs(weights) @ np.abs(wide)) + 1e-30).all(), (off.max(), off.argmax())


@pytest.mark.parametrize("power", [-59, 0, 41])
def test_int4_subnormal_reaches_far(power):
    """The sizes that the docstring promises: no scaled number leaves the range of a float32."""
    random = np.random.default_rng(8)
    with kernels() as (load, cuda):
        module = load("kernels.quantization.matvec")
        words, scales = module.pack_int4(random.standard_normal((3, 256)).astype(np.float32))
        x = module.bfloat16(np.ldexp(random.uniform(0.5, 2, 256), power))
        y = cuda.to_device(np.full(3, np.nan, np.float32))
        flat = [cuda.to_device(a.reshape(-1)) for a in (words, scales)]
        subnormal(load, cuda, 256, 3, flat, cuda.to_device(x.view(np.uint32)), y)
        weights = module.unpack_int4(words, scales).astype(np.float64)
    wide = (x.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    off = np.abs(y.copy_to_host() - weights @ wide)
    assert (off <= 3e-6 * (np.abs(weights) @ np.abs(wide))).all(), off


@pytest.mark.parametrize("parts", [1, 7, 8, 9])
def test_read_alone(parts):
    words = np.random.default_rng(parts).integers(0, 2**32, parts * 1024, dtype=np.uint32)
    with kernels() as (load, cuda):
        module = load("kernels.quantization.read_alone")
        whole = cuda.to_device(np.full(parts + GUARD, 12345, np.uint32))
        module.read_alone[-(-parts // 8), (32, 8)](cuda.to_device(words), whole[:parts])
        host = whole.copy_to_host()
    assert (host[:parts] == np.bitwise_xor.reduce(words.reshape(parts, 1024), axis=1)).all()
    assert (host[parts:] == 12345).all(), "written past the end"


if not SIMULATOR:
    import torch

    from kernels.in_triton.int4_matmul import int4_linear, int4_weights

    @pytest.mark.parametrize("tokens", [5, 16, 17, 64, 100])
    @pytest.mark.parametrize("shape", [(70, 384), (320, 1024)])
    def test_int4_in_triton(tokens, shape):
        """The words are those of the Numba kernel: one packing, two readers."""
        from kernels.quantization.matvec import pack_int4, unpack_int4

        random = np.random.default_rng(tokens + sum(shape))
        words, scales = pack_int4(random.standard_normal(shape).astype(np.float32))
        packed = torch.as_tensor(words.view(np.uint8), device="cuda")
        steps = torch.as_tensor(scales.view(np.int16), device="cuda").view(torch.bfloat16)
        exact = torch.as_tensor(unpack_int4(words, scales), device="cuda").double()
        weights = int4_weights(packed, steps).double()
        assert ((weights - exact).norm() / exact.norm()).item() < 3e-3
        x = torch.as_tensor(random.standard_normal((tokens, shape[1])), device="cuda").bfloat16()
        right = x.double() @ exact.T
        first = int4_linear(x, packed, steps)
        assert ((first.double() - right).norm() / right.norm()).item() < 4e-3
        # Whoever draws the last ticket, the sum is the same; and the tickets are back at 0.
        assert all(torch.equal(int4_linear(x, packed, steps), first) for _ in range(3))

"""The kernels of the microbenchmarks do what their figures say, and the occupancy calculator."""

import os
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from numba import cuda

from kernels.microbenchmarks.occupancy_calculator import resident_blocks
from lockstep_site.gpu import languages

SOURCES = sorted((Path(__file__).parent.parent / "snippets/microbenchmarks").glob("*.cu"))
SIMULATOR = os.environ.get("NUMBA_ENABLE_CUDASIM") == "1"
MEASURED = os.environ.get("LOCKSTEP_TARGET") != "numba-cuda-mlir"  # by numba-cuda alone


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.stem)
def test_cuda_cpp_compiles(source):
    """On a GPU the benchmarks run it, and check what it gives before they time it."""
    text = source.read_text(encoding="utf-8")
    assert languages.compile_cuda(SimpleNamespace(text=text, where=source.name, options={}))


@pytest.mark.parametrize(
    ("threads", "registers", "shared", "blocks"),
    [
        (1, 16, 0, 32),  # no more blocks than 32
        (64, 32, 0, 32),
        (96, 32, 0, 21),  # three warps: 63 of 64 slots
        (1024, 32, 0, 2),
        (1024, 33, 0, 1),  # 40 registers are handed out
        (1024, 64, 0, 1),
        (1024, 65, 0, 0),
        (128, 168, 0, 3),
        (256, 255, 0, 1),
        (64, 32, 12 * 1024, 17),  # not 19: each block takes 1 KiB more
        (32, 32, 227 * 1024, 1),
        (32, 32, 227 * 1024 + 1, 0),
        (256, 32, 27 * 1024 + 512, 8),
        (2048, 32, 0, 0),
    ],
)
def test_resident_blocks(threads, registers, shared, blocks):
    """By hand, from the limits of compute capability 9.0."""
    assert resident_blocks(threads, registers, shared) == blocks


if MEASURED:
    from kernels.microbenchmarks import atomics, fusion, in_flight, spills, waves

    def numbers(n):
        return np.random.default_rng(5).integers(-8, 9, n).astype(np.float32)

    @pytest.mark.parametrize("places", [1, 3, 64])
    def test_no_atomic_addition_is_lost(places):
        counts = cuda.to_device(np.zeros(places, np.int32))
        atomics.global_kernel[3, 8](counts, 2)
        expected = 2 * np.bincount(np.arange(24) % places, minlength=places)
        assert np.array_equal(counts.copy_to_host(), expected)

    def test_shared_additions_reach_global_memory():
        out = cuda.to_device(np.zeros(4, np.int32))
        atomics.shared_kernel[2, 16](4, 3, out)
        assert out.copy_to_host().tolist() == [
            0,
            24,
            0,
            24,
        ]  # two blocks, four odd threads, 3 rounds

    @pytest.mark.parametrize(
        ("kernel", "n"), [(in_flight.read_1_kernel, 61), (in_flight.read_4_kernel, 60)]
    )
    def test_each_element_is_read_once(kernel, n):
        a = numbers(n)
        out = cuda.to_device(np.zeros(16, np.float32))
        kernel[2, 8](cuda.to_device(a), out)
        assert out.copy_to_host().sum() == a.sum()

    def test_chains_do_the_work_that_is_counted():
        """128 multiply-adds a round, in one chain or in four."""
        one, four = (cuda.to_device(np.zeros(8, np.float32)) for _ in range(2))
        in_flight.fma_1_kernel[1, 8](1, one)
        in_flight.fma_4_kernel[1, 8](1, four)

        def chain(x, steps):
            for _ in range(steps):
                x = x * np.float64(np.float32(0.999)) + 0.5
            return x

        x = np.arange(8.0)
        assert np.allclose(one.copy_to_host(), chain(x, 128), rtol=1e-5)
        assert np.allclose(four.copy_to_host(), sum(chain(x + k, 32) for k in range(4)), rtol=1e-5)

    def test_fused_and_in_three_steps_agree():
        x = cuda.to_device(numbers(37))
        one, two, three, fused = (cuda.to_device(np.full(37, np.nan, np.float32)) for _ in range(4))
        a, b = np.float32(2), np.float32(-3)
        fusion.scale_kernel[3, 16](x, a, one)
        fusion.shift_kernel[3, 16](one, b, two)
        fusion.relu_kernel[3, 16](two, three)
        fusion.fused_kernel[3, 16](x, a, b, fused)
        right = np.maximum(2 * numbers(37) - 3, 0)
        assert np.array_equal(three.copy_to_host(), right)
        assert np.array_equal(fused.copy_to_host(), right)

    def test_a_block_of_waves_keeps_its_own_result():
        out = cuda.to_device(np.zeros(8, np.float32))
        waves.block_work_kernel[2, 4](0, out)
        assert out.copy_to_host().tolist() == [0, 1, 2, 3] * 2

    def test_the_kernel_that_spills_adds_up():
        out = cuda.to_device(np.zeros(4, np.float32))
        spills.enough_kernel[1, 4](1, out)
        values = [np.arange(4.0) + k for k in range(spills.VALUES)]
        turned = [v + 0.5 * w for v, w in zip(values, [*values[1:], values[0]], strict=True)]
        assert np.allclose(out.copy_to_host(), sum(turned))


if MEASURED and not SIMULATOR:
    from kernels.microbenchmarks import gemv, softmax

    @pytest.mark.parametrize("shape", [(1, 4), (13, 128), (61, 260)])
    def test_matrix_times_vector(shape):
        a, x = numbers(shape).astype(np.float32), numbers(shape[1])
        out = cuda.to_device(np.full(shape[0] + 1, np.nan, np.float32))
        blocks = -(-shape[0] // 8)
        gemv.gemv_kernel[blocks, (32, 8)](cuda.to_device(a), cuda.to_device(x), out[: shape[0]])
        assert np.array_equal(out.copy_to_host()[:-1], a @ x)
        scales = cuda.to_device(np.full(shape[0], 0.5, np.float32))
        weights = cuda.to_device(a.astype(np.int8))
        gemv.gemv_int8_kernel[blocks, (32, 8)](weights, scales, cuda.to_device(x), out[:-1])
        assert np.array_equal(out.copy_to_host()[:-1], 0.5 * (a @ x))
        assert np.isnan(out.copy_to_host()[-1])

    @pytest.mark.parametrize("kernel", [softmax.three_pass_kernel, softmax.online_kernel])
    @pytest.mark.parametrize("columns", [1, 255, 1000])
    def test_softmax(kernel, columns):
        a = np.random.default_rng(6).standard_normal((3, columns), dtype=np.float32)
        out = cuda.to_device(np.full((3, columns), np.nan, np.float32))
        kernel[3, softmax.THREADS](cuda.to_device(a), out)
        right = np.exp(a.astype(np.float64))
        right /= right.sum(axis=1, keepdims=True)
        assert np.allclose(out.copy_to_host(), right, rtol=1e-5)

"""The kernels of the lessons on latency, on NumPy and on memory access, at awkward sizes.

And their models, against counting by hand.
"""

import numpy as np
import pytest
from numba import cuda

from kernels.latency_hiding import model, stations, sums, wait_and_work
from kernels.memory_access import lines, reread, swizzle, transpose
from kernels.numpy_baseline import break_even, develop, develop_cpu
from kernels.wrong.latency_hiding_no_tail import no_tail_kernel
from snippets.diagrams import warp_scheduler

rng = np.random.default_rng(7)


def whole(n):
    """Small whole numbers, so that sums are exact in any order."""
    return rng.integers(-8, 9, n).astype(np.float32)


@pytest.mark.parametrize("kernel", [sums.one_in_flight_kernel, sums.four_in_flight_kernel])
@pytest.mark.parametrize("n", [1, 11, 12, 47, 48, 49, 97, 200])
def test_each_element_is_summed_once(kernel, n):
    a = whole(n)
    assert sums.grid_sum(kernel, a, blocks=3, threads=4) == a.sum()


@pytest.mark.parametrize("n", [49, 97])
def test_without_a_tail_elements_are_lost(n):
    a = np.ones(n, np.float32)
    assert sums.grid_sum(no_tail_kernel, a, blocks=3, threads=4) < n


@pytest.mark.parametrize("warps", [1, 3])
@pytest.mark.parametrize("steps", [0, 1, 5])
def test_a_warp_reads_the_rows_on_its_way(warps, steps):
    table = (rng.random(8 * 32) / 2).astype(np.float32)
    got = wait_and_work.wait_and_work(table, steps, blocks=1, threads=32 * warps)
    row, expected = np.arange(warps), np.zeros((warps, 32))
    for _ in range(steps):
        row = (row * 221 + 12345) % 8
        expected += 2 * table.reshape(8, 32)[row]
    np.testing.assert_allclose(got, expected.ravel(), rtol=1e-5)


@pytest.mark.parametrize("shape", [(1, 1), (3, 5), (4, 33), (7, 3), (9, 40)])
@pytest.mark.parametrize("kernel", [stations.station_sums_kernel, stations.station_sums_4_kernel])
def test_station_sums(kernel, shape):
    table = whole(shape)
    out = cuda.to_device(np.full(shape[1], np.nan, np.float32))
    kernel[2, 32](cuda.to_device(table), out)
    assert np.array_equal(out.copy_to_host(), table.sum(axis=0))


def test_the_picture_and_the_model_agree():
    """The model leaves out the start, and that the last warps of a round may have no partner."""
    for warps in (1, 2, 4, 8, 12):
        share = warp_scheduler.schedule(warps)[2]
        assert share == pytest.approx(model.busy(warps), rel=0.03), warps
    assert warp_scheduler.schedule(16)[2] > 0.95


def test_as_many_warps_as_needed_are_busy():
    for work in (8, 32, 64):
        need = model.warps_needed(work)
        assert model.busy(need, work) == 1 > model.busy(need - 1, work)


@pytest.mark.parametrize("stride", [0, 1, 2, 3, 8, 31, 32, 33])
def test_ways_are_counted(stride):
    words = sorted({i * stride for i in range(32)})
    banks = [word % 32 for word in words]
    assert lines.ways(stride) == max(banks.count(bank) for bank in banks)


def test_a_swizzled_tile_has_no_conflicts_and_loses_nothing():
    places = {(y, swizzle.swizzled_column(y, x)) for y in range(32) for x in range(32)}
    assert len(places) == 1024
    for fixed in range(32):
        assert len({swizzle.swizzled_column(fixed, x) for x in range(32)}) == 32
        assert len({swizzle.swizzled_column(y, fixed) for y in range(32)}) == 32


@pytest.mark.parametrize(("stride", "offset"), [(1, 0), (1, 8), (2, 3), (32, 0)])
def test_reread_sums_what_it_names(stride, offset):
    a = rng.integers(0, 100, reread.SPAN + 32 * 32 + 64)
    got = reread.reread(a, stride, offset, rounds=2, threads=64)
    thread = np.arange(64)
    start = offset + thread % 32 * stride + thread // 32 * 256
    assert np.array_equal(got, 2 * sum(a[start + 512 * k] for k in range(8)))


@pytest.mark.parametrize(("rows", "padding"), [(32, 0), (8, 0), (8, 1), (4, 1)])
@pytest.mark.parametrize("shape", [(1, 1), (32, 32), (5, 70), (33, 31)])
def test_transposes(rows, padding, shape):
    a = whole(shape)
    got = transpose.transpose(transpose.make_transpose(rows, padding), a, rows)
    assert np.array_equal(got, a.T)


@pytest.mark.parametrize("n", [1, 255, 257])
def test_a_photo_is_the_same_four_ways(n):
    photo, out = (rng.random(n) * 4).astype(np.float32), np.full(n, np.nan, np.float32)
    expected = (photo * 1.5 / (1 + photo * 1.5)) ** (1 / 2.2)
    np.testing.assert_allclose(develop.develop_numpy(photo, 1.5), expected, rtol=1e-5)
    np.testing.assert_allclose(develop.develop_gpu(photo, 1.5), expected, rtol=1e-5)
    develop_cpu.develop_core(photo, np.float32(1.5), out)
    np.testing.assert_allclose(out, expected, rtol=1e-5)


@pytest.mark.parametrize(("cpu", "copies", "kernel"), [(10, 25, 0.1), (3, 9, 0), (2, 0, 1)])
def test_break_even_is_the_first_that_wins(cpu, copies, kernel):
    steps = break_even.break_even(cpu, copies, kernel)
    assert copies + steps * kernel < steps * cpu
    assert steps == 1 or not copies + (steps - 1) * kernel < (steps - 1) * cpu

"""Heat and waves on a plate: steps against NumPy, and what physics says."""

import numpy as np
import pytest

from tests.wide import SIMULATOR, loading

# Read by `python -m lockstep gpu`; the lab says the same.
NOT_ON = {"numba-cuda-mlir": "the 16-byte instructions are made with llvmlite"}
GUARD = 37
SHAPES = [(1, 4), (2, 8), (3, 4), (3, 132), (5, 260), (9, 128)] + (
    [] if SIMULATOR else [(301, 1004)]
)


def bend(u):
    """The sum of a cell's neighbors less four times the cell, in float64; 0 at the border."""
    u = u.astype(np.float64)
    out = np.zeros_like(u)
    out[1:-1, 1:-1] = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4 * u[1:-1, 1:-1]
    return out


def plates(shape, count):
    random = np.random.default_rng(shape)
    return [random.uniform(-1, 1, shape).astype(np.float32) for _ in range(count)]


@pytest.mark.parametrize("shape", [*SHAPES, (3, 3), (4, 33)])
def test_a_step_of_heat(shape):
    (u,) = plates(shape, 1)
    with loading() as (load, cuda):
        plate = load("kernels.plate.plain")
        whole = cuda.to_device(np.full(u.size + GUARD, np.nan, np.float32))
        out = whole[: u.size].reshape(*shape)
        plate.heat_kernel[plate.over(shape, (32, 2))](cuda.to_device(u), np.float32(0.2), out)
        host = whole.copy_to_host()
    assert np.isnan(host[u.size :]).all(), "written past the end"
    np.testing.assert_allclose(host[: u.size].reshape(shape), u + 0.2 * bend(u), atol=1e-6)


@pytest.mark.parametrize("shape", [*SHAPES, (3, 3), (4, 33)])
def test_a_step_of_a_wave(shape):
    now, before, medium = plates(shape, 3)
    rows, columns = shape
    right = 2.0 * now - before + medium * bend(now)
    right[[0, -1]], right[:, [0, -1]] = before[[0, -1]], before[:, [0, -1]]

    with loading() as (load, cuda):
        plate = load("kernels.plate.plain")
        given = [cuda.to_device(a) for a in (now, medium)]

        def check(launch):
            whole = cuda.to_device(np.full(now.size + GUARD, np.nan, np.float32))
            whole[: now.size].copy_to_device(before.reshape(-1))
            launch(whole[: now.size])
            host = whole.copy_to_host()
            assert np.isnan(host[now.size :]).all(), "written past the end"
            np.testing.assert_allclose(host[: now.size].reshape(shape), right, atol=2e-6)

        kernel = plate.wave_kernel[plate.over(shape, (32, 2))]
        check(lambda out: kernel(*given, out.reshape(*shape)))
        if columns % 4 == 0:
            for high in (1, 2):
                blocks = -(-columns // 128), -(-rows // (2 * high))
                patch = load("kernels.plate.wide").make_wave_patch(high)[blocks, (32, 2)]
                flat = [a.reshape(now.size) for a in given]
                check(lambda out, patch=patch, flat=flat: patch(*flat, rows, columns, out))


def test_a_mode_of_heat_decays_and_one_of_a_wave_swings():
    """Both by the factor of the difference equations; a mode's bend is ``-angle`` times it."""
    n, count = 9, 6
    angle = 8 * np.sin(np.pi / (2 * (n - 1))) ** 2
    with loading() as (load, cuda):
        plate = load("kernels.plate.plain")
        start = plate.mode(n, n)
        u, out = cuda.to_device(start), cuda.to_device(start)
        now, before = cuda.to_device(start), cuda.to_device(start)
        medium = cuda.to_device(np.full((n, n), 0.3, np.float32))
        for _ in range(count):
            plate.heat_kernel[plate.over((n, n))](u, np.float32(0.2), out)
            u, out = out, u
            plate.wave_kernel[plate.over((n, n))](now, medium, before)
            now, before = before, now
        cool, swung = u.copy_to_host(), now.copy_to_host()
    np.testing.assert_allclose(cool, start * (1 - 0.2 * angle) ** count, atol=1e-6)
    turn = np.arccos(1 - 0.3 * angle / 2)  # u(k + 1) + u(k - 1) = 2 cos(turn) u(k)
    factor = np.cos((count + 0.5) * turn) / np.cos(turn / 2)  # equal at steps -1 and 0
    np.testing.assert_allclose(swung, start * factor, atol=1e-5)


def test_drive_probe_and_intensity():
    (u,) = plates((5, 7), 1)
    with loading() as (load, cuda):
        plate = load("kernels.plate.plain")
        d_u, sums = cuda.to_device(u), cuda.to_device(np.ones(5, np.float32))
        record = cuda.to_device(np.full(3, np.nan, np.float32))
        plate.intensity_kernel[1, 8](d_u, 3, sums)
        plate.probe_kernel[1, 1](d_u, 4, 6, record, 1)
        plate.drive_kernel[1, 8](d_u, 2, np.float32(7))
        driven, record = d_u.copy_to_host(), record.copy_to_host()
        np.testing.assert_allclose(sums.copy_to_host(), 1 + u[:, 3] ** 2, rtol=1e-6)
    assert record[1] == u[4, 6] and np.isnan(record[[0, 2]]).all()
    u[1:-1, 2] = 7
    assert np.array_equal(driven, u)

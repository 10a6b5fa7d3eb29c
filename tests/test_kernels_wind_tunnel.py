"""The wind tunnel: a step by both kernels against NumPy, and what physics says must stay."""

import numpy as np
import pytest

from tests.wide import SIMULATOR, loading

# Read by `python -m lockstep gpu`; the lab says the same.
NOT_ON = {"numba-cuda-mlir": "the 16-byte instructions are made with llvmlite"}
GUARD = 37
OPPOSITE = [0, 3, 4, 1, 2, 7, 8, 5, 6]


def expected(module, f, solid, omega, wind):
    """Return one step in float64, by NumPy."""
    moves, weights = module.MOVES, module.WEIGHTS[:, None, None]
    arrived = np.empty(f.shape)
    for d, (right, up) in enumerate(moves):
        column = np.roll(f[d].astype(np.float64), up, axis=0)
        arrived[d] = np.roll(column, right, axis=1)
        if right == 1:
            arrived[d, :, 0] = column[:, 0]
        if right == -1:
            arrived[d, :, -1] = column[:, -1]

    def equilibrium(rho, u, v):
        towards = moves[:, 0, None, None] * u + moves[:, 1, None, None] * v
        return weights * rho * (1 + 3 * towards + 4.5 * towards**2 - 1.5 * (u * u + v * v))

    rho = arrived.sum(0)
    u, v = (np.tensordot(moves[:, axis], arrived, 1) / rho for axis in (0, 1))
    new = arrived + omega * (equilibrium(rho, u, v) - arrived)
    new[:, :, 0] = equilibrium(np.ones((f.shape[1], 1)), wind, np.zeros((f.shape[1], 1)))[:, :, 0]
    new[:, solid != 0] = arrived[OPPOSITE][:, solid != 0]
    return new


SHAPES = [(1, 4), (2, 8), (3, 132), (4, 260), (2, 128)] + ([] if SIMULATOR else [(301, 1004)])


@pytest.mark.parametrize("shape", [*SHAPES, (3, 5), (4, 1)])
def test_a_step(shape):
    rows, columns = shape
    random = np.random.default_rng(rows * columns)
    omega, wind = np.float32(1.3), np.float32(0.07)
    with loading() as (load, cuda):
        module = load("kernels.wind_tunnel.lattice")
        u, v = random.uniform(-0.1, 0.1, (2, *shape))
        f = module.at_wind(u, v) * random.uniform(0.9, 1.1, (9, *shape)).astype(np.float32)
        solid = (random.random(shape) < 0.2).astype(np.uint8)
        right = expected(module, f, solid, float(omega), float(wind))

        def check(kernel, wide, walls):
            whole = cuda.to_device(np.full(f.size + GUARD, np.nan, np.float32))
            config = (-(-columns // wide), -(-rows // 2)), (32, 2)
            kernel[config](cuda.to_device(f.reshape(-1)), walls, rows, columns, omega, wind, whole)
            host = whole.copy_to_host()
            assert np.isnan(host[f.size :]).all(), "written past the end"
            np.testing.assert_allclose(host[: f.size].reshape(f.shape), right, rtol=1e-5, atol=1e-7)

        walls = solid.reshape(-1)
        check(module.lattice_kernel, 32, cuda.to_device(walls))
        if columns % 4 == 0:
            fours = load("kernels.wind_tunnel.fours").fours_kernel
            check(fours, 128, cuda.to_device(walls.view(np.uint32)))


def test_a_steady_wind_stays():
    with loading() as (load, _):
        module = load("kernels.wind_tunnel.lattice")
        wind = np.full((5, 9), 0.1)
        f = module.at_wind(wind, 0 * wind)
        nothing = np.zeros((5, 9), np.uint8)
        after = module.steps(f, nothing, 10, omega=1.7, wind=0.1, threads=(16, 2))
    np.testing.assert_allclose(after, f, atol=1e-6)


def test_a_shear_wave_decays_by_the_viscosity():
    """v = sin(k y) across a periodic tunnel loses exp(-nu k^2) of itself in each step."""
    rows, columns, count, omega = 16, 36, 12, 1.0
    with loading() as (load, _):
        module = load("kernels.wind_tunnel.lattice")
        wave = np.sin(2 * np.pi * np.arange(rows) / rows)[:, None] * np.ones(columns) * 0.01
        f = module.at_wind(wave, 0 * wave)
        nothing = np.zeros((rows, columns), np.uint8)
        after = module.steps(f, nothing, count, omega, wind=0.0, threads=(16, 4))
    rho = after.sum(0, dtype=np.float64)
    u = np.tensordot(module.MOVES[:, 0].astype(np.float64), after, 1) / rho
    viscosity = (1 / omega - 0.5) / 3
    faster = np.exp(-viscosity * (2 * np.pi / rows) ** 2 * count)
    # What the inlet and the outlet disturb spreads by a cell a step, not as far as the middle.
    middle = u[:, columns // 2]
    amplitude = 2 / rows * (middle * np.sin(2 * np.pi * np.arange(rows) / rows)).sum()
    assert amplitude / 0.01 == pytest.approx(faster, rel=0.01)


def test_velocity_and_probe():
    rows, columns = 3, 10
    random = np.random.default_rng(5)
    with loading() as (load, cuda):
        module = load("kernels.wind_tunnel.lattice")
        u, v = random.uniform(-0.1, 0.1, (2, rows, columns))
        f = cuda.to_device(module.at_wind(u, v).reshape(-1))
        out = [cuda.to_device(np.full(rows * columns, np.nan, np.float32)) for _ in range(2)]
        module.velocity_kernel[2, 16](f, rows, columns, *out)
        record = cuda.to_device(np.full(3, np.nan, np.float32))
        module.probe_kernel[1, 1](f, rows * columns, 17, record, 1)
        for got, right in zip(out, (u, v), strict=True):
            np.testing.assert_allclose(got.copy_to_host(), right.ravel(), atol=1e-6)
        record = record.copy_to_host()
        assert record[1] == pytest.approx(v.ravel()[17], abs=1e-6)
        assert np.isnan(record[[0, 2]]).all()


def test_the_cylinder_stands_where_it_should():
    with loading() as (load, _):
        cylinder = load("kernels.wind_tunnel.lattice").disk(50, 60, 25, 20, 20)
    down, right = np.nonzero(cylinder)
    assert (down.mean(), right.mean()) == (20, 25)
    assert cylinder.sum() == pytest.approx(np.pi * 100, rel=0.1)


def test_a_wing_is_symmetric_and_has_its_area():
    with loading() as (load, _):
        wing = load("kernels.wind_tunnel.wing").wing
        level, raised, lowered = (wing(81, 161, 80, 40, 100, degrees) for degrees in (0, 9, -9))
    assert level.sum() == pytest.approx(0.685 * 0.15 * 100**2, rel=0.03)
    assert np.array_equal(level, level[::-1]) and np.array_equal(raised, lowered[::-1])
    nose = np.nonzero(raised)[0][np.argmin(np.nonzero(raised)[1])]
    assert nose > 40 and np.flatnonzero(level.any(axis=0))[0] in (30, 31)


def test_the_force_is_the_momentum_that_the_air_lost():
    """A wall in the air, a step: momentum before and after it, and the force in between."""
    rows, columns, omega = 9, 14, np.float32(1)
    random = np.random.default_rng(3)
    with loading() as (load, cuda):
        module, wing = load("kernels.wind_tunnel.lattice"), load("kernels.wind_tunnel.wing")
        u, v = random.uniform(-0.1, 0.1, (2, rows, columns))
        f = module.at_wind(u, v)
        solid = np.zeros((rows, columns), np.uint8)
        solid[3:6, 5:8] = 1
        after = module.steps(f, solid, 1, omega, wind=0.0)
        force = cuda.to_device(np.zeros(2, np.float32))
        d_f, walls = cuda.to_device(after.reshape(-1)), cuda.to_device(solid.reshape(-1))
        wing.force_kernel[(1, 9), (32, 1)](d_f, walls, rows, columns, force)
        force = force.copy_to_host()
    opposite, moves = np.array(OPPOSITE), module.MOVES
    expected = np.zeros(2)
    for y, x in zip(*np.nonzero(solid), strict=True):
        for d, (right, up) in enumerate(moves):
            if not solid[y - up, x - right]:  # what came from the air has been turned around
                assert after[opposite[d], y, x] == f[d, y - up, x - right]
                expected += 2 * moves[d] * f[d, y - up, x - right].astype(np.float64)
    np.testing.assert_allclose(force, expected, rtol=1e-4, atol=1e-5)

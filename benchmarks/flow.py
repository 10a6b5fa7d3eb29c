"""How the air turns behind a cylinder and around a wing: the field, for a picture of the flow."""

import cupy as cp
import numpy as np

from benchmarks.harness import BenchmarkError, summarize
from kernels.wind_tunnel.fours import fours_kernel
from kernels.wind_tunnel.lattice import at_wind, disk, velocity_kernel
from kernels.wind_tunnel.wing import wing

ROWS, COLUMNS, WIND = 640, 1280, 0.1
X, Y, DIAMETER, CHORD, TILT = COLUMNS // 5, ROWS // 2, 32, 128, 10
SAMPLE = 4  # cells along each side of what one number of the field stands for
TENTH = 0.002 * WIND  # the spin, in turns of the wind a cell, that the field counts as one
PATH = "kernels/wind_tunnel/fours.py"
METHOD = "CUDA events around {} steps in a row, launched one by one from Numba, divided"


def run(bench):
    steps = 40 if bench.quick else 3000
    with bench.part("a cylinder"):
        around = np.linspace(0, 2 * np.pi, 72, endpoint=False)
        outline = X + DIAMETER / 2 * np.cos(around), Y + DIAMETER / 2 * np.sin(around)
        walls = disk(ROWS, COLUMNS, X, Y, DIAMETER)
        flow(
            bench, "flow-cylinder", "a cylinder", walls, DIAMETER, 100, steps, (144, 1120), outline
        )
    with bench.part("a wing"):
        walls = wing(ROWS, COLUMNS, X, Y, CHORD, TILT)
        flow(bench, "flow-wing", "a wing", walls, CHORD, 1000, steps // 3, (120, 720), section())


def section():
    """Return the outline of ``wing``, as columns and rows."""
    t = np.concatenate([np.linspace(1, 0, 60) ** 2, np.linspace(0, 1, 60)[1:-1] ** 2])
    series = 0.2969 * np.sqrt(t) - 0.126 * t - 0.3516 * t**2 + 0.2843 * t**3 - 0.1015 * t**4
    off = 0.75 * series * np.where(np.arange(t.size) < 60, 1, -1)
    along, turn = t - 0.5, np.deg2rad(TILT)
    right = along * np.cos(turn) + off * np.sin(turn)
    return X + CHORD * right, Y + CHORD * (off * np.cos(turn) - along * np.sin(turn))


def flow(bench, id, what, walls, length, reynolds, steps, part, outline):
    """Blow for 20 times ``steps``, and keep the spin of the air in a part of the tunnel.

    ``part``: so many rows above and below the middle, so many columns from 160 on.
    """
    omega = np.float32(1 / (3 * WIND * length / reynolds + 0.5))
    u = np.full((ROWS, COLUMNS), WIND)
    v = 0.01 * WIND * np.sin(2 * np.pi * np.arange(COLUMNS) / COLUMNS) + 0 * u
    view = bench.device.numba
    solid = cp.asarray(walls).reshape(-1)
    f, out = (view(cp.asarray(at_wind(u, v)).reshape(-1)) for _ in range(2))
    launch = fours_kernel[(-(-COLUMNS // 128), -(-ROWS // 4)), (32, 4)]
    rest = ROWS, COLUMNS, omega, np.float32(WIND)
    fours, times = view(solid.view(cp.uint32)), []
    start, end = cp.cuda.Event(), cp.cuda.Event()
    launch(f, fours, *rest, out)  # compiled before the clock starts
    for _ in range(20):
        start.record()
        for _ in range(steps):
            launch(f, fours, *rest, out)
            f, out = out, f
        end.record()
        end.synchronize()
        times.append(cp.cuda.get_elapsed_time(start, end) / 1e3)

    u, v = (cp.empty(ROWS * COLUMNS, cp.float32) for _ in range(2))
    velocity_kernel[-(-u.size // 128), 128](f, ROWS, COLUMNS, view(u), view(v))
    u, v = u.reshape(ROWS, COLUMNS), v.reshape(ROWS, COLUMNS)
    spin = cp.gradient(v, axis=1) - cp.gradient(u, axis=0)
    spin[cp.asarray(walls) != 0] = 0
    if not bool(cp.isfinite(spin).all()):
        raise BenchmarkError(f"{what}: the flow blew up")
    high, wide = part
    spin = spin[Y - high : Y + high, 160 : 160 + wide]
    spin = spin.reshape(2 * high // SAMPLE, SAMPLE, wide // SAMPLE, SAMPLE).mean(axis=(1, 3))
    field = np.clip(np.rint(spin.get() / TENTH), -100, 100).astype(int) + 100
    columns, rows = outline
    row = bench.micro(
        id, f"A step in a wind tunnel of {ROWS} x {COLUMNS} cells with {what} in it",
        summarize(times), unit="us", amount=steps, method=METHOD.format(steps), kernel=PATH,
    )  # fmt: skip
    # Row by row from the bottom, two hexadecimal digits a number, 100 where the air does not turn.
    row["field"] = ["".join(f"{number:02x}" for number in line) for line in field.tolist()]
    places = zip((columns - 160) / SAMPLE, (rows - (Y - high)) / SAMPLE, strict=True)
    row["body"] = [[round(float(x), 2), round(float(y), 2)] for x, y in places]

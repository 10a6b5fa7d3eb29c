"""One step of a galaxy: dust drifts, stars pull on each other, and the dust's energy is summed."""

import math
import sys

import numpy as np
from numba import config, cuda

# Keep the line of Python that each instruction came from. A simulator has no instructions.
lines = {} if config.ENABLE_CUDASIM else {"lineinfo": True}


@cuda.jit(**lines)
def drift_kernel(place, speed, step):
    i = cuda.grid(1)
    if i < place.size:
        place[i] += step * speed[i]


@cuda.jit(**lines)
def pull_kernel(x, y, z, mass, ax, ay, az):
    i = cuda.grid(1)
    if i < x.size:
        sx = sy = sz = 0.0
        for j in range(x.size):
            dx = x[j] - x[i]
            dy = y[j] - y[i]
            dz = z[j] - z[i]
            r2 = dx * dx + dy * dy + dz * dz + 0.01  # 0.01 softens the pull
            pull = mass[j] / (r2 * math.sqrt(r2))
            sx += pull * dx
            sy += pull * dy
            sz += pull * dz
        ax[i] = sx
        ay[i] = sy
        az[i] = sz


@cuda.jit(**lines)
def energy_kernel(speed, partial):
    i = cuda.grid(1)
    total = np.float32(0)
    for k in range(i, speed.size, cuda.gridsize(1)):
        total += speed[k] * speed[k]
    partial[i] = total


def step(stars, grains, blocks=132, threads=32):
    """Take one step, and check what came out of each kernel against NumPy in float64."""
    random = np.random.default_rng(1)
    x, y, z = random.standard_normal((3, stars)).astype(np.float32)
    mass = random.random(stars, dtype=np.float32)
    speed = random.standard_normal(grains, dtype=np.float32)

    d_speed, d_place = cuda.to_device(speed), cuda.to_device(np.ones(grains, np.float32))
    drift_kernel[-(-grains // 256), 256](d_place, d_speed, np.float32(0.5))
    np.testing.assert_allclose(d_place.copy_to_host(), 1 + 0.5 * speed, rtol=1e-5, atol=1e-6)

    arrays = [cuda.to_device(a) for a in (x, y, z, mass)]
    pulls = [cuda.device_array(stars, np.float32) for _ in range(3)]
    pull_kernel[-(-stars // 256), 256](*arrays, *pulls)
    stretch = [a.astype(np.float64) - a[:9, None] for a in (x, y, z)]  # to the first nine stars
    weight = mass / (sum(d * d for d in stretch) + 0.01) ** 1.5
    for got, d in zip(pulls, stretch, strict=True):
        right = (weight * d).sum(axis=1)
        np.testing.assert_allclose(got.copy_to_host()[:9], right, rtol=1e-3, atol=1e-3)

    d_partial = cuda.device_array(blocks * threads, np.float32)
    energy_kernel[blocks, threads](d_speed, d_partial)
    energy = d_partial.copy_to_host().sum(dtype=np.float64)
    np.testing.assert_allclose(energy, np.square(speed, dtype=np.float64).sum(), rtol=1e-4)
    print(f"{stars:,} stars and {grains:,} grains of dust: right")


if __name__ == "__main__":
    step(*(int(count) for count in sys.argv[1:]))

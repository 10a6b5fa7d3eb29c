"""A planet on its way round a star, moved by Euler's steps and by leapfrog."""

import numpy as np

from kernels.nbody.plain import pull_plain_kernel, pulls


# --8<-- [start:orbit]
def orbit(turns=1, steps=60, leapfrog=True):
    """Return the places (steps, 2) and energies of a planet on a circle around a heavy star."""
    stars = np.array([[0, 0, 0, 1], [1, 0, 0, 1e-6]], dtype=np.float32)
    velocity = np.array([[0, 0, 0], [0, 1, 0]], dtype=np.float32)
    dt = 2 * np.pi / steps
    places, energies = [], []
    pull = pulls(pull_plain_kernel, stars, soft=1e-8)
    for _ in range(turns * steps):
        if leapfrog:  # half a push, a whole move, and half a push where it arrives
            velocity += pull * (dt / 2)
            stars[:, :3] += velocity * dt
            pull = pulls(pull_plain_kernel, stars, soft=1e-8)
            velocity += pull * (dt / 2)
        else:  # Euler: both with what they were
            stars[:, :3] += velocity * dt
            velocity += pull * dt
            pull = pulls(pull_plain_kernel, stars, soft=1e-8)
        x, y = stars[1, :2] - stars[0, :2]
        places.append((x, y))
        energies.append((velocity[1] ** 2).sum() / 2 - 1 / np.hypot(x, y))
    return np.array(places), np.array(energies)


# --8<-- [end:orbit]


def _example():
    """
    --8<-- [start:example]
    >>> for leapfrog in True, False:
    ...     places, energies = orbit(leapfrog=leapfrog)
    ...     far = np.hypot(*places.T).max()
    ...     print(f"farthest {far:.2f}, energy from -0.50 to {energies[-1]:.2f}")
    farthest 1.01, energy from -0.50 to -0.50
    farthest 2.13, energy from -0.50 to -0.27

    --8<-- [end:example]
    """

"""Stars that pull on each other: a thread for a star, which asks all others."""

# --8<-- [start:imports]
import math

import numpy as np
from numba import cuda, float32

# --8<-- [end:imports]


# --8<-- [start:plain]
@cuda.jit
def pull_plain_kernel(stars, soft, pull):
    """Write the acceleration of each star. A row of ``stars`` is x, y, z and mass."""
    i = cuda.grid(1)
    if i < stars.shape[0]:
        x, y, z = stars[i, 0], stars[i, 1], stars[i, 2]
        ax = ay = az = float32(0)
        for j in range(stars.shape[0]):
            dx, dy, dz = stars[j, 0] - x, stars[j, 1] - y, stars[j, 2] - z
            inverse = float32(1) / math.sqrt(dx * dx + dy * dy + dz * dz + soft)
            strength = stars[j, 3] * inverse * inverse * inverse
            ax += strength * dx
            ay += strength * dy
            az += strength * dz
        pull[i, 0], pull[i, 1], pull[i, 2] = ax, ay, az


# --8<-- [end:plain]


# --8<-- [start:tile]
TILE = 128  # threads of a block, and stars in shared memory


@cuda.jit
def pull_tile_kernel(stars, soft, pull):
    """The same; a block fetches 128 stars at a time for all of its threads."""
    tile = cuda.shared.array((TILE, 4), float32)
    i, t = cuda.grid(1), cuda.threadIdx.x
    n = stars.shape[0]
    here = min(i, n - 1)  # a thread without a star takes part in fetching
    x, y, z = stars[here, 0], stars[here, 1], stars[here, 2]
    ax = ay = az = float32(0)
    for first in range(0, n, TILE):
        for k in range(4):
            tile[t, k] = stars[first + t, k] if first + t < n else float32(0)  # no mass, no pull
        cuda.syncthreads()
        for j in range(TILE):
            dx, dy, dz = tile[j, 0] - x, tile[j, 1] - y, tile[j, 2] - z
            inverse = float32(1) / math.sqrt(dx * dx + dy * dy + dz * dz + soft)
            strength = tile[j, 3] * inverse * inverse * inverse
            ax += strength * dx
            ay += strength * dy
            az += strength * dz
        cuda.syncthreads()  # all have read the tile before it is overwritten
    if i < n:
        pull[i, 0], pull[i, 1], pull[i, 2] = ax, ay, az


# --8<-- [end:tile]


# --8<-- [start:host]
def pulls(kernel, stars, soft=0.01):
    """Return the accelerations (n, 3) of stars (n, 4), by one of the two kernels.

    --8<-- [start:example]
    >>> stars = np.array([[0, 0, 0, 8], [2, 0, 0, 1], [0, 2, 0, 1]], dtype=np.float32)
    >>> pulls(pull_plain_kernel, stars, soft=0).round(2)  # it divides by its own distance, 0
    array([[nan, nan, nan],
           [nan, nan, nan],
           [nan, nan, nan]], dtype=float32)
    >>> pulls(pull_plain_kernel, stars, soft=1e-6).round(2)
    array([[ 0.25,  0.25,  0.  ],
           [-2.09,  0.09,  0.  ],
           [ 0.09, -2.09,  0.  ]], dtype=float32)

    --8<-- [end:example]

    --8<-- [start:tile_example]
    >>> cloud = np.random.default_rng(8).standard_normal((150, 4), dtype=np.float32)
    >>> np.allclose(pulls(pull_tile_kernel, cloud), pulls(pull_plain_kernel, cloud), rtol=1e-4)
    True

    --8<-- [end:tile_example]
    """
    pull = cuda.device_array((len(stars), 3), np.float32)
    blocks = -(-len(stars) // 128)
    kernel[blocks, 128](cuda.to_device(stars), np.float32(soft), pull)
    return pull.copy_to_host()


# --8<-- [end:host]

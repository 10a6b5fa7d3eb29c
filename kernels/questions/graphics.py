"""Graphics intuition, counted: warps split by an edge, and sectors that a turned image costs."""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:shade]
@cuda.jit
def shade(image):
    """A fragment shader as a kernel: a disk with a soft edge, one thread for each pixel."""
    x, y = cuda.grid(2)  # gl_FragCoord
    height, width = image.shape
    if x < width and y < height:
        from_middle = ((x - width / 2) ** 2 + (y - height / 2) ** 2) ** 0.5
        edge = height / 3 - from_middle
        image[y, x] = min(max(edge + 0.5, 0.0), 1.0)


# --8<-- [end:shade]


# --8<-- [start:tiles]
def tiles(height, width, tile):
    """Return for each pixel the number of its warp, with 32 pixels in a tile (rows, columns)."""
    y, x = np.mgrid[:height, :width]
    return y // tile[0] * -(-width // tile[1]) + x // tile[1]


def split_warps(inside, tile):
    """Return how many warps have pixels on both sides of the branch, and how many there are."""
    warps = tiles(*inside.shape, tile).ravel()
    sides = np.bincount(warps, inside.ravel())
    sizes = np.bincount(warps)
    return int(((sides > 0) & (sides < sizes)).sum()), sizes.size


# --8<-- [end:tiles]


# --8<-- [start:morton]
def by_rows(x, y, side):
    return y * side + x


def morton(x, y, side):
    """Interleave the bits of x and y, as textures do: neighbors in both directions stay close."""
    at = np.zeros_like(x)
    for bit in range(side.bit_length() - 1):
        at |= (x >> bit & 1) << 2 * bit | (y >> bit & 1) << 2 * bit + 1
    return at


def sectors(place, tile, degrees, side=256):
    """Return how many sectors of 8 floats a warp reads, on average, of an image that is turned."""
    y, x = np.mgrid[:side, :side]
    angle, middle = np.radians(degrees), side / 2
    u = (x - middle) * np.cos(angle) - (y - middle) * np.sin(angle) + middle
    v = (x - middle) * np.sin(angle) + (y - middle) * np.cos(angle) + middle
    u, v = (np.clip(np.round(w), 0, side - 1).astype(int) for w in (u, v))
    pairs = np.stack([tiles(side, side, tile).ravel(), (place(u, v, side) // 8).ravel()], axis=1)
    return round(len(np.unique(pairs, axis=0)) / (side * side / 32), 1)


# --8<-- [end:morton]


def example():
    """A small picture.

    --8<-- [start:shade_example]
    >>> image = cuda.to_device(np.zeros((6, 12), np.float32))
    >>> shade[(2, 2), (8, 4)](image)
    >>> image.copy_to_host().round().astype(int)
    array([[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
           [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
           [0, 0, 0, 0, 0, 1, 1, 1, 0, 0, 0, 0],
           [0, 0, 0, 0, 0, 1, 1, 1, 0, 0, 0, 0],
           [0, 0, 0, 0, 0, 1, 1, 1, 0, 0, 0, 0],
           [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]])

    --8<-- [end:shade_example]

    --8<-- [start:split_example]
    >>> y, x = np.mgrid[:256, :256]
    >>> disk = (x - 128) ** 2 + (y - 128) ** 2 < 85**2
    >>> split_warps(disk, (1, 32)), split_warps(disk, (4, 8))
    ((330, 2048), (108, 2048))

    --8<-- [end:split_example]

    --8<-- [start:sectors_example]
    >>> ways = [(place, tile) for place in (by_rows, morton) for tile in ((1, 32), (4, 8))]
    >>> for degrees in (0, 45, 90):
    ...     print(degrees, *(sectors(place, tile, degrees) for place, tile in ways))
    0 4.0 4.0 8.0 4.0
    45 21.9 9.9 14.4 7.5
    90 32.0 11.9 16.0 7.9

    --8<-- [end:sectors_example]
    """

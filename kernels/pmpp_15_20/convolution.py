"""The forward pass of a convolutional layer: direct, unrolled, and unrolled on the fly."""

import numpy as np
from numba import cuda

# --8<-- [start:direct]
from numba import float32  # isort: skip


@cuda.jit
def direct_kernel(x, weights, out):
    """A thread for each output: x (images, channels, h, w), weights (maps, channels, k, k)."""
    place = cuda.grid(1)
    images, maps, high, wide = out.shape
    if place < out.size:
        column, row = place % wide, place // wide % high
        m, image = place // (wide * high) % maps, place // (wide * high * maps)
        total = float32(0)
        for c in range(weights.shape[1]):
            for p in range(weights.shape[2]):
                for q in range(weights.shape[3]):
                    total += x[image, c, row + p, column + q] * weights[m, c, p, q]
        out[image, m, row, column] = total


# --8<-- [end:direct]


# --8<-- [start:unroll]
@cuda.jit
def unroll_kernel(x, size, unrolled):
    """A thread for each output pixel of each channel: copy its window into a column.

    Row (c, p, q) of ``unrolled`` belongs to weight [:, c, p, q], a column to an output pixel.
    """
    place = cuda.grid(1)
    images, channels, height, width = x.shape
    high, wide = height - size + 1, width - size + 1
    pixels = images * high * wide
    if place < channels * pixels:
        c, pixel = place // pixels, place % pixels
        column, row, image = pixel % wide, pixel // wide % high, pixel // (wide * high)
        for p in range(size):
            for q in range(size):
                unrolled[(c * size + p) * size + q, pixel] = x[image, c, row + p, column + q]


# --8<-- [end:unroll]


# --8<-- [start:product]
TILE = 16


def make_product(read):
    """Return a tiled product weights @ u, in which ``read(u, size, row, pixel)`` reads u."""

    @cuda.jit
    def product_kernel(weights, u, size, out):
        tile_w = cuda.shared.array((TILE, TILE), float32)
        tile_u = cuda.shared.array((TILE, TILE), float32)
        tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
        pixel, m = cuda.blockIdx.x * TILE + tx, cuda.blockIdx.y * TILE + ty
        maps, depth = weights.shape
        images, _, high, wide = out.shape
        pixels = images * high * wide
        total = float32(0)
        for first in range(0, depth, TILE):
            inside = m < maps and first + tx < depth
            tile_w[ty, tx] = weights[m, first + tx] if inside else float32(0)
            inside = pixel < pixels and first + ty < depth
            tile_u[ty, tx] = read(u, size, first + ty, pixel) if inside else float32(0)
            cuda.syncthreads()
            for i in range(TILE):
                total += tile_w[ty, i] * tile_u[i, tx]
            cuda.syncthreads()
        if m < maps and pixel < pixels:
            out[pixel // (wide * high), m, pixel // wide % high, pixel % wide] = total

    return product_kernel


@cuda.jit(device=True)
def read_matrix(unrolled, size, row, pixel):
    return unrolled[row, pixel]


@cuda.jit(device=True)
def read_image(x, size, row, pixel):
    """Return element (row, pixel) of the unrolled matrix, which is never made."""
    high, wide = x.shape[2] - size + 1, x.shape[3] - size + 1
    c, p, q = row // (size * size), row // size % size, row % size
    return x[pixel // (wide * high), c, pixel // wide % high + p, pixel % wide + q]


product_kernel, implicit_kernel = make_product(read_matrix), make_product(read_image)
# --8<-- [end:product]


# --8<-- [start:host]
def convolve(x, weights, way):
    """Return the layer's output for a batch of images; ``way`` is one of the three kernels."""
    x, weights = (np.ascontiguousarray(a, dtype=np.float32) for a in (x, weights))
    (images, channels, height, width), (maps, _, size, _) = x.shape, weights.shape
    shape = images, maps, height - size + 1, width - size + 1
    pixels = images * shape[2] * shape[3]
    d_x, out = cuda.to_device(x), cuda.device_array(shape, np.float32)
    if way is direct_kernel:
        way[-(-out.size // 128), 128](d_x, cuda.to_device(weights), out)
        return out.copy_to_host()
    u = d_x
    if way is product_kernel:
        u = cuda.device_array((channels * size * size, pixels), np.float32)
        unroll_kernel[-(-channels * pixels // 128), 128](d_x, size, u)
    flat = cuda.to_device(weights.reshape(maps, -1))
    way[(-(-pixels // TILE), -(-maps // TILE)), (TILE, TILE)](flat, u, size, out)
    return out.copy_to_host()


# --8<-- [end:host]


def _example():
    """
    --8<-- [start:example]
    >>> image = np.zeros((1, 1, 4, 5), np.float32)
    >>> image[0, 0, :, 2:] = 1  # dark left, bright right
    >>> edges = np.array([[[[-1, 1], [-1, 1]]], [[[-1, -1], [1, 1]]]])  # two maps of 2 x 2
    >>> for way in (direct_kernel, product_kernel, implicit_kernel):
    ...     print(convolve(image, edges, way)[0, :, 1].tolist())
    [[0.0, 2.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]]
    [[0.0, 2.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]]
    [[0.0, 2.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]]

    --8<-- [end:example]
    """

"""Sparse matrices of different kind, made on the GPU: what benchmarks/spmv.py multiplies."""

import cupy as cp
import numpy as np


def from_offsets(rows, offsets):
    """Return a square band matrix: row r has columns r + each offset, where there are such."""
    offsets = cp.asarray(sorted(offsets), dtype=cp.int64)
    columns = cp.arange(rows, dtype=cp.int64)[:, None] + offsets
    inside = (columns >= 0) & (columns < rows)
    return finish(inside.sum(axis=1), columns[inside], rows)


def from_lengths(lengths, columns, draw):
    """Return a matrix whose rows have up to these lengths; ``draw(n)`` draws columns."""
    lengths = cp.asarray(lengths, dtype=cp.int64)
    rows = cp.repeat(cp.arange(lengths.size, dtype=cp.int64), lengths.get().tolist())
    keys = cp.unique(rows * columns + draw(rows.size))  # sorted, and no place drawn twice
    lengths = cp.bincount(keys // columns, minlength=lengths.size)
    return finish(lengths, keys % columns, columns)


def finish(lengths, where, columns):
    starts = cp.zeros(lengths.size + 1, cp.int32)
    cp.cumsum(lengths, out=starts[1:])
    where = where.astype(cp.int32)
    values = cp.random.default_rng(3).standard_normal(where.size, dtype=cp.float32)
    return (starts, where, values), columns


def grid(*sides):
    """Return the offsets of the nearest neighbors in a grid, and its size."""
    strides = np.cumprod([1, *sides[:-1]])
    return [0, *strides, *-strides], int(np.prod(sides))


def uniform(random, columns):
    return lambda n: random.integers(0, columns, n)


def power_law(random, columns):
    """Draw columns, small ones far more often."""
    return lambda n: cp.minimum(columns * random.random(n) ** 3, columns - 1).astype(cp.int64)


def kinds(quick):
    """Return {kind: a function that makes the matrix}, about 12 to 56 million nonzeros each."""
    less = 64 if quick else 1
    random = cp.random.default_rng(5)
    many = 2**23 // less

    def tridiagonal():
        return from_offsets(many, [-1, 0, 1])

    def plane():
        offsets, rows = grid(3000, 3000 // less)
        return from_offsets(rows, offsets)

    def space():
        offsets, rows = grid(200, 200, 200 // (8 if quick else 1))
        return from_offsets(rows, offsets)

    def box():
        side = 32 if quick else 110
        near = [x + side * y + side * side * z for x in (-1, 0, 1) for y in (-1, 0, 1)
                for z in (-1, 0, 1)]  # fmt: skip
        return from_offsets(side**3, near)

    def random_rows():
        rows = 2**21 // less
        return from_lengths(cp.full(rows, 16), rows, uniform(random, rows))

    def blocks():
        size, count = 48, 2**14 // less
        inside = cp.arange(size)
        columns = cp.arange(count)[:, None, None] * size + 0 * inside[:, None] + inside
        return finish(cp.full(count * size, size), columns.reshape(-1), count * size)

    def web():
        rows = 2**21 // less
        lengths = cp.minimum(3 / (1 - random.random(rows)) ** 0.8, rows // 20).astype(cp.int64)
        return from_lengths(lengths, rows, power_law(random, rows))

    def short():
        lengths = random.integers(0, 4, many)
        return from_lengths(lengths, many, uniform(random, many))

    def long_rows():
        columns = 2**18
        return from_lengths(cp.full(2048 // less, 20000), columns, uniform(random, columns))

    def arrow():
        rows = many // 2
        lengths = cp.full(rows, 2)
        lengths[0] = rows
        diagonal = cp.stack([cp.zeros(rows, cp.int64), cp.arange(rows)], axis=1)
        columns = cp.concatenate([cp.arange(rows), diagonal[1:].reshape(-1)])
        return finish(lengths, columns, rows)

    return {
        "spmv-tridiagonal": tridiagonal,
        "spmv-grid-2d": plane,
        "spmv-grid-3d": space,
        "spmv-box-3d": box,
        "spmv-random": random_rows,
        "spmv-blocks": blocks,
        "spmv-web": web,
        "spmv-short-rows": short,
        "spmv-long-rows": long_rows,
        "spmv-arrow": arrow,
    }

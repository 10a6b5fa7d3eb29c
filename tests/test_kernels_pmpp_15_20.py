"""The kernels of PMPP's chapters 15 to 18, against plain Python and NumPy at awkward sizes."""

import collections

import numpy as np
import pytest

from kernels.pmpp_15_20 import bfs as search
from kernels.pmpp_15_20 import convolution, fhd, potential

WAYS = (
    search.push_kernel,
    search.pull_kernel,
    search.edge_kernel,
    search.queue_kernel,
    search.block_queue_kernel,
)


def distances(sources, targets, n, first):
    """Return what a queue of plain Python finds."""
    out = collections.defaultdict(list)
    for s, t in zip(sources.tolist(), targets.tolist(), strict=True):
        out[s].append(t)
    level, waiting = np.full(n, -1), collections.deque([first])
    level[first] = 0
    while waiting:
        v = waiting.popleft()
        for w in out[v]:
            if level[w] < 0:
                level[w] = level[v] + 1
                waiting.append(w)
    return level


def graphs():
    random = np.random.default_rng(1)
    yield "one vertex", np.empty(0, int), np.empty(0, int), 1
    yield "no edges", np.empty(0, int), np.empty(0, int), 33
    yield "a path", np.arange(9), np.arange(1, 10), 10
    yield "a ring both ways", np.r_[0:9, 1:9, 0], np.r_[1:9, 0, 0:9], 9
    yield "a star", np.zeros(70, int), np.arange(1, 71), 71
    yield "loops and double edges", np.array([0, 0, 0, 1, 1]), np.array([0, 1, 1, 1, 2]), 3
    yield "random", *random.integers(0, 97, (2, 300)), 97


GRAPHS = {name: rest for name, *rest in graphs()}


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.py_func.__name__)
@pytest.mark.parametrize("name", GRAPHS)
def test_bfs(name, way):
    sources, targets, n = GRAPHS[name]
    for first in {0, n // 2, n - 1}:
        got = search.bfs(sources, targets, n, first, way, threads=32)
        np.testing.assert_array_equal(got, distances(sources, targets, n, first))


def test_a_block_that_finds_more_than_its_queue_holds(monkeypatch):
    n = search.ROOM + 40
    sources, targets = np.zeros(n - 1, int), np.arange(1, n)
    got = search.bfs(sources, targets, n, 0, search.block_queue_kernel, threads=32)
    np.testing.assert_array_equal(got, [0] + [1] * (n - 1))


@pytest.mark.parametrize("shape", [(1, 1, 1), (5, 3, 7), (17, 9, 66)])
@pytest.mark.parametrize(
    "way",
    [
        potential.scatter_kernel,
        potential.gather_kernel,
        potential.coarse_kernel,
        potential.make_constant,
    ],
)
def test_potential(way, shape):
    atoms, rows, columns = shape
    random = np.random.default_rng(atoms)
    xyzq = random.uniform([0, 0, 0.5, -1], [9, 9, 4, 1], (atoms, 4))
    x, y = np.meshgrid(np.arange(columns) * 0.5, np.arange(rows) * 0.5)
    right = sum(q / np.sqrt((x - u) ** 2 + (y - v) ** 2 + w**2) for u, v, w, q in xyzq)
    got = potential.potential(xyzq, rows, columns, 0.5, way)
    np.testing.assert_allclose(got, right, rtol=1e-4, atol=1e-5)


def test_more_atoms_than_constant_memory_holds_are_refused():
    with pytest.raises(ValueError, match="4097 atoms"):
        potential.potential(np.ones((4097, 4)), 1, 1, 1, potential.make_constant)


@pytest.mark.parametrize("sizes", [(1, 1), (7, 65), (66, 3)])
@pytest.mark.parametrize(
    "way",
    [
        fhd.by_samples_kernel,
        fhd.by_voxels_kernel,
        fhd.in_registers_kernel,
        fhd.special_units_kernel,
    ],
)
def test_fhd(way, sizes):
    samples, n = sizes
    random = np.random.default_rng(n)
    phi, d = random.standard_normal((2, samples, 2))
    k, voxels = random.uniform(-1, 1, (samples, 3)), random.uniform(-2, 2, (n, 3))
    mu = (phi[:, 0] - 1j * phi[:, 1]) * (d[:, 0] + 1j * d[:, 1])
    right = np.exp(2j * np.pi * (voxels @ k.T)) @ mu
    got = fhd.fhd(phi, d, k, voxels, way, threads=32)
    scale = np.abs(mu).sum()
    np.testing.assert_allclose(got[:, 0], right.real, atol=1e-5 * scale)
    np.testing.assert_allclose(got[:, 1], right.imag, atol=1e-5 * scale)


@pytest.mark.parametrize(
    "shape", [(1, 1, 1, 3, 3, 3), (2, 3, 5, 6, 7, 3), (1, 2, 17, 5, 9, 2), (3, 1, 4, 4, 4, 1)]
)
@pytest.mark.parametrize(
    "way", [convolution.direct_kernel, convolution.product_kernel, convolution.implicit_kernel]
)
def test_convolution(way, shape):
    images, channels, maps, height, width, size = shape
    random = np.random.default_rng(maps)
    x = random.integers(-3, 4, (images, channels, height, width)).astype(np.float32)
    weights = random.integers(-3, 4, (maps, channels, size, size)).astype(np.float32)
    windows = np.lib.stride_tricks.sliding_window_view(x, (size, size), axis=(2, 3))
    right = np.einsum("nchwpq,mcpq->nmhw", windows, weights)
    np.testing.assert_array_equal(convolution.convolve(x, weights, way), right)

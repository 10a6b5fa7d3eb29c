"""Merge: every rung at awkward sizes, ties, empty halves, and sizes that differ much."""

import numpy as np
import pytest

from tests.patterns import SIMULATOR, running


@pytest.fixture
def kernels():
    with running() as load:
        yield lambda name: load(f"kernels.merge.{name}")


PAIRS = [(0, 0), (0, 5), (5, 0), (1, 1), (31, 33), (100, 3), (3, 100), (127, 129), (700, 500)]
PAIRS += [] if SIMULATOR else [(1_000_003, 65_537), (1, 300_007)]


@pytest.mark.parametrize("sizes", PAIRS)
def test_merge(sizes, kernels):
    module, in_flight = kernels("merge_path"), kernels("in_flight")
    for top in (7, 2**31):  # many ties, and few
        random = np.random.default_rng(sizes)
        a, b = (np.sort(random.integers(-top, top, n)).astype(np.int32) for n in sizes)
        expected = np.sort(np.concatenate([a, b]))
        assert np.array_equal(module.merge_ranks(a, b, 32), expected)
        for items in (1, 2, 5):
            for merge in (module.merge, in_flight.merge_in_flight):
                assert np.array_equal(merge(a, b, 32, items), expected), items


def test_infinities(kernels):
    a = np.array([-np.inf, 1, np.inf], np.float32)
    b = np.array([-np.inf, -1, np.inf, np.inf], np.float32)
    for merge in (kernels("merge_path").merge, kernels("in_flight").merge_in_flight):
        assert np.array_equal(merge(a, b, 32, 1), np.sort(np.concatenate([a, b])))


def test_the_exercise(kernels):
    random = np.random.default_rng(1)
    for n in (0, 1, 33, 500):
        a, b = (np.unique(random.integers(0, 600, n)) for _ in range(2))
        assert np.array_equal(kernels("exercise").common(a, b, 32), np.intersect1d(a, b)), n

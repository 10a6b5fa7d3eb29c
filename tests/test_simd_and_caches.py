"""The loops of the two lessons on the CPU, at awkward sizes: Numba's and C++."""

import ctypes
import subprocess

import numpy as np
import pytest

from kernels.csapp import branches, chains, matmul, memory, sharing
from kernels.simd import compiled, difference, loops
from tests.pages import ROOT

SIZES = [0, 1, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 1003]
GUARD = 40


def track(n, seed=0):
    return np.random.default_rng(seed).standard_normal(n, dtype=np.float32)


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    """The intrinsics, and the plain loops with and without leave to reorder."""
    folder = tmp_path_factory.mktemp("simd")
    for name, *flags in (("energy", "-O3"), ("track", "-O3", "-mavx2", "-mfma", "-ffast-math")):
        source, made = ROOT / f"snippets/simd/{name}.cpp", folder / f"{name}.o"
        subprocess.run(["g++", *flags, "-fPIC", "-c", str(source), "-o", str(made)], check=True)
        # Linked apart: before version 13, a g++ that links with -ffast-math adds code that makes
        # every subnormal number of the process that loads the library a zero.
        subprocess.run(["g++", "-shared", str(made), "-o", str(folder / name)], check=True)
    return {name: ctypes.CDLL(str(folder / name)) for name in ("energy", "track")}


@pytest.mark.parametrize("n", SIZES)
def test_the_energy_by_every_way(n, library):
    x = track(n + GUARD)
    x[n:] = np.nan  # a lane that reads past the end shows
    right = np.sum(x[:n].astype(np.float64) ** 2)
    ways = [loops.in_order, loops.any_order]
    widest = library["energy"].widest()
    ran = [compiled.takes_floats(library["track"].energy)] if widest >= 256 else []
    for bits, name in ((256, "energy_avx2"), (512, "energy_avx512")):
        if bits <= widest:
            ran.append(compiled.takes_floats(getattr(library["energy"], name)))
    for got in [way(x[:n]) for way in ways] + [way(x.ctypes.data, n) for way in ran]:
        np.testing.assert_allclose(got, right, rtol=1e-5)


@pytest.mark.parametrize("n", SIZES)
def test_loops_that_write(n):
    x, y = track(n), track(n, seed=1)
    g = np.float32(0.5)
    results = {
        lambda out: loops.mix(g, x, y, out): g * x + y,
        lambda out: loops.careful(x, out): x / (1 + abs(x)),
        lambda out: loops.like_numpy(x, out): x / (1 + abs(x)),
        lambda out: loops.limit(g, x, out): np.minimum(x, g),
    }
    for call, right in results.items():
        whole = np.full(n + GUARD, np.nan, np.float32)
        call(whole[:n])
        np.testing.assert_allclose(whole[:n], right, rtol=1e-6)
        assert np.isnan(whole[n:]).all()
    if n:
        np.testing.assert_allclose(difference.difference(x, y), np.mean((x - y) ** 2), rtol=1e-5)


def test_both_widths_are_compiled_whatever_the_cpu_is():
    source = str(ROOT / "snippets/simd/energy.cpp")
    for function, register in (("energy_avx2", "ymm"), ("energy_avx512", "zmm")):
        assert register in compiled.assembly(source, function, "-O3")


def test_the_search_sees_the_difference_between_packed_and_scalar():
    """It must find nothing where there is nothing, or the page would prove nothing."""
    assert loops.packed("\tvaddss %xmm0, %xmm1, %xmm2\n\tmulsd %xmm0, %xmm1") == []
    assert loops.packed("\tvfmadd231ps (%rax), %ymm0, %ymm1\n\tmulps %xmm0, %xmm1") == [
        "fmaddps",
        "mulps",
    ]


# ---------------------------------------------------------------- caches, pipelines, branches


@pytest.mark.parametrize("n", [0, 1, 2, 3, 4, 5, 7, 8, 9, 1003])
def test_products_in_any_number_of_chains(n):
    x = 1 + np.random.default_rng(n).normal(0, 0.1, n)
    ways = (chains.product_1, chains.product_2, chains.product_4, chains.product_8)
    np.testing.assert_allclose([way(x) for way in ways], np.prod(x), rtol=1e-12)


@pytest.mark.parametrize("n", [1, 2, 1003])
@pytest.mark.parametrize("above", [-1, 50, 100])
def test_what_is_kept(n, above):
    x = np.random.default_rng(n).integers(0, 100, n).astype(np.int32)
    for keep in (branches.keep_branch, branches.keep_always):
        out = np.full(n + 1, -7, np.int32)
        kept = keep(x, above, out)
        np.testing.assert_array_equal(out[:kept], x[x > above])
        assert out[n] == -7


@pytest.mark.parametrize("stride", [1, 2, 5, 16, 200])
@pytest.mark.parametrize("n", [1, 3, 4, 64, 101])
def test_reads_in_strides(n, stride):
    x = np.arange(1.0, n + 1)
    assert memory.read(x, stride) == x[::stride].sum()


@pytest.mark.parametrize("n", [1, 2, 1003])
def test_a_ring_goes_through_every_place(n):
    following = memory.ring(n)
    assert sorted(following) == list(range(n))
    seen = {memory.chase(following, steps) for steps in range(n)}
    assert len(seen) == n and memory.chase(following, n) == 0


@pytest.mark.parametrize("ahead", [0, 8, 5000])
def test_prefetching_changes_no_sum(ahead, tmp_path):
    path, source = tmp_path / "prefetch", ROOT / "snippets/csapp/prefetch.cpp"
    command = ["g++", "-O2", "-shared", "-fPIC", str(source), "-o", str(path)]
    subprocess.run(command, check=True)
    visit = ctypes.CDLL(str(path)).visit_ahead
    visit.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t]
    visit.restype = ctypes.c_int64
    x, order = np.arange(1003), memory.ring(1003)[:777]
    assert visit(x.ctypes.data, order.ctypes.data, order.size, ahead) == x[order].sum()


@pytest.mark.parametrize("threads", [1, 3, 8])
@pytest.mark.parametrize("n", [1, 100, 1003])
def test_counts_of_several_threads(n, threads):
    letters = np.random.default_rng(n).integers(0, 4, n).astype(np.uint8)
    for padded in (False, True):
        counts = sharing.rows(threads, padded)
        sharing.count(letters, counts)
        np.testing.assert_array_equal(counts.sum(axis=0)[:4], np.bincount(letters, minlength=4))
        assert counts.ctypes.data % 128 == 0


@pytest.mark.parametrize("m,k,n", [(1, 1, 1), (3, 5, 7), (33, 64, 512), (40, 67, 515), (2, 130, 1)])
def test_products_of_matrices(m, k, n):
    rng = np.random.default_rng(m)
    a = rng.standard_normal((m, k), dtype=np.float32)
    b = rng.standard_normal((k, n), dtype=np.float32)
    right = a.astype(np.float64) @ b
    for name in ("product_ijk", "product_ikj", "product_blocked", "product_cores"):
        c = np.full((m, n), np.nan, np.float32)
        getattr(matmul, name)(a, b, c)
        np.testing.assert_allclose(c, right, rtol=1e-4, atol=1e-4, err_msg=name)

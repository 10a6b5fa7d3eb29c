"""NaN and infinity in the patterns: they go where arithmetic sends them, and nowhere else.

One problem, row or cell of the input is not finite; NumPy says in float64 what becomes of it. A
kernel that reads a neighbor's row, or multiplies what it should skip, spreads it further. (Of
softmax, reductions, compaction, element-wise maps and merge their own tests say so.)
"""

import numpy as np
import pytest

from tests import patterns, wide


def floats(random, *shape):
    return random.uniform(-2, 2, shape).astype(np.float32)


def transposes(load, random):
    a = floats(random, 37, 45)
    a[3, 7], a[36, 44], a[0, 1] = np.nan, np.inf, -np.inf
    module = load("kernels.transpose.tile")
    yield module.transpose_with(module.transpose_direct_kernel, a, (8, 4), (8, 4)), a.T
    threads, tile = (module.BM, module.BY), (module.BM, module.BM)
    yield module.transpose_with(module.transpose_tile_kernel, a, threads, tile), a.T


def gathers(load, random):
    x, order = floats(random, 70), random.permutation(70).astype(np.int32)
    x[5], x[6], x[69] = np.nan, np.inf, -np.inf
    module = load("kernels.gather.gather")
    yield module.gather(x, order, 32), x[order]
    yield module.scatter(module.scatter_kernel, x, order, 70, 32), x[np.argsort(order)]


def stencils(load, random):
    a = floats(random, 12, 40)
    a[4, 9], a[8, 31] = np.nan, np.inf
    b = a.astype(np.float64)
    right = b.copy()
    around = b[:-2, 1:-1] + b[2:, 1:-1] + b[1:-1, :-2] + b[1:-1, 2:]
    right[1:-1, 1:-1] = 0.5 * b[1:-1, 1:-1] + 0.125 * around
    module = load("kernels.stencil.plain")
    for kernel in (module.plane_kernel, module.plane_halo_kernel):
        yield module.step(kernel, a, 0.5, 0.125, (32, 8)), right


def matrix_vectors(load, random):
    a, x = floats(random, 9, 40), floats(random, 40)
    a[2, 3], a[5, 39], a[7, 0] = np.nan, np.inf, -np.inf
    right = a.astype(np.float64) @ x
    yield load("kernels.matvec.wide").matvec(a, x), right
    rows = load("kernels.matvec.rows")
    yield rows.matvec_rows(rows.thread_row_kernel, a, x, 1, 32), right
    yield rows.matvec_rows(rows.warp_row_kernel, a, x, 32, 64), right


def sparse(load, random):
    """A column that nobody has may hold anything; a dense product would spread it."""
    dense = floats(random, 6, 8) * (random.random((6, 8)) < 0.5)
    dense[:, 3], dense[2, 5] = 0, 1
    x = floats(random, 8)
    x[3], x[5] = np.nan, np.inf
    module = load("kernels.spmv.rows")
    matrix = module.csr(dense)
    right = [sum(float(v) * float(x[c]) for c, v in enumerate(row) if v) for row in dense.tolist()]
    yield module.multiply(module.scalar_kernel, 1, matrix, x, 32), right
    yield module.multiply(module.make_vector(4), 4, matrix, x, 32), right
    yield load("kernels.spmv.merge").multiply_merge(matrix, x, 32, 2), right


def norms(load, random):
    x, weight = floats(random, 5, 68), floats(random, 68)
    x[1, 9], x[3, 67] = np.nan, np.inf
    y = x.astype(np.float64)
    right = y / np.sqrt((y * y).mean(axis=1, keepdims=True) + 1e-5) * weight
    right[3] = np.where(np.isinf(y[3]), np.nan, 0)  # all of it over infinity
    yield load("kernels.norms.passes").rmsnorm_passes(x, weight), right


def transforms(load, random):
    x = floats(random, 4, 64) + 1j * floats(random, 4, 64)
    x[2, 5] = np.nan
    yield load("kernels.fft.stockham").fft(x.astype(np.complex64)), np.fft.fft(x)


def batches(load, random):
    a, b = floats(random, 5, 4, 4), floats(random, 5, 4, 4)
    a[1, 2, 2], b[3, 0, 0] = np.nan, np.inf
    right = a.astype(np.float64) @ b
    yield load("kernels.batched.plain").products_thread(a, b, 32), right
    yield load("kernels.batched.products").products(a, b), right


def convolutions(load, random):
    x, w = floats(random, 2, 3, 9, 11), floats(random, 4, 3, 3, 3)
    x[1, 2, 4, 5] = np.nan
    windows = np.lib.stride_tricks.sliding_window_view(x.astype(np.float64), (3, 3), (2, 3))
    right = np.einsum("nchwrs,kcrs->nkhw", windows, w)
    for name in ("direct", "tiled"):
        yield getattr(load(f"kernels.convolution.{name}"), f"conv_{name}")(x, w), right


# Which stand-ins a pattern's wide loads need where there is no GPU.
IN_PATTERNS = [transposes, gathers]
IN_WIDE = [stencils, matrix_vectors, sparse, norms, transforms, batches, convolutions]


@pytest.mark.parametrize("pattern", [*IN_PATTERNS, *IN_WIDE], ids=lambda f: f.__name__)
def test_what_is_not_finite_stays_where_it_belongs(pattern):
    def check(load):
        with np.errstate(invalid="ignore", over="ignore"):
            for number, (got, right) in enumerate(pattern(load, np.random.default_rng(20))):
                message = f"{pattern.__name__}, kernel {number}"
                np.testing.assert_allclose(got, right, rtol=1e-4, atol=1e-4, err_msg=message)

    if pattern in IN_PATTERNS:
        with patterns.running() as load:
            check(load)
    else:
        with wide.loading() as (load, _):
            check(load)

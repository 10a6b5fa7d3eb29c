"""Kernels that others wrote, as cases: those of numba-cuda's own tests, as installed.

Nothing of them is kept here. Each kernel is taken out of its file by name, with the helpers that it
calls, and compiled alone, so that no test's imports are needed.
"""

import ast
from functools import cache
from importlib.util import find_spec
from pathlib import Path

PACKAGE = "numba_cuda"
AT = "numba_cuda/numba/cuda/tests/cudapy/"


@cache
def folder():
    """The folder in which the package lies, or None where it is not installed."""
    found = find_spec(PACKAGE)
    return Path(found.submodule_search_locations[0]).parent if found else None


def path(file):
    """Where a foreign file is on this machine."""
    return folder() / file


def function(file, name, helpers=()):
    """The kernel ``name`` of a file of the package, from whatever ``numba`` is at this moment."""
    import math

    import numpy as np
    from numba import cuda

    place = path(file)
    tree = ast.parse(place.read_text(encoding="utf-8"))
    wanted = {name, *helpers}
    body = [n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name in wanted]
    assert {n.name for n in body} == wanted, f"{file} has not all of {sorted(wanted)}"
    namespace = {"__name__": "foreign", "cuda": cuda, "math": math, "np": np}
    for scalar in ("int32", "int64", "uint32", "uint64", "float32", "float64"):
        namespace[scalar] = getattr(cuda, scalar, None) or getattr(cuda.types, scalar)
    exec(compile(ast.Module(body, []), str(place), "exec"), namespace)
    kernel = namespace[name]
    return kernel if hasattr(kernel, "py_func") else cuda.jit(kernel)


def cases(counted, fractions, mixed, zeros):
    """(file, kernel, helpers, variant, launch, arguments, more) of each."""
    import numpy as np

    i4, u4, f4, f8 = np.int32, np.uint32, np.float32, np.float64
    row = lambda *s, dtype=i4: lambda: [zeros(*s, dtype=dtype)]  # noqa: E731
    for kernel, launch, shape, dtype in (
        ("useless_syncthreads", (2, 64), (128,), i4),
        ("useless_syncwarp", (2, 64), (128,), i4),
        ("coop_syncwarp", (1, 32), (1,), i4),
        ("simple_smem", (1, 100), (100,), i4),
        ("coop_smem2d", (1, (10, 20)), (10, 20), f4),
    ):
        yield "test_sync.py", kernel, (), "", launch, row(*shape, dtype=dtype), {}
    for kernel in ("use_syncthreads_count", "use_syncthreads_and", "use_syncthreads_or"):
        votes = lambda: [mixed(96, 3), zeros(96, dtype=i4)]  # noqa: E731
        yield "test_sync.py", kernel, (), "", (1, 96), votes, {}
    yield "test_warp_ops.py", "useful_syncwarp", (), "", (1, 32), row(32), {}
    for kernel, by in (
        ("use_shfl_sync_idx", 4),
        ("use_shfl_sync_up", 4),
        ("use_shfl_sync_down", 4),
        ("use_shfl_sync_xor", 16),
    ):
        given = lambda by=by: [zeros(64, dtype=i4), by]  # noqa: E731
        yield "test_warp_ops.py", kernel, (), "", (2, 32), given, {"out": (0,)}
    for kernel in ("use_vote_sync_all", "use_vote_sync_any", "use_vote_sync_eq"):
        given = lambda: [mixed(64, 2), zeros(64, dtype=i4)]  # noqa: E731
        yield "test_warp_ops.py", kernel, (), "", (2, 32), given, {}
    for kernel in ("use_match_any_sync", "use_match_all_sync"):
        given = lambda: [mixed(64, 5), zeros(64, dtype=i4)]  # noqa: E731
        yield "test_warp_ops.py", kernel, (), "", (2, 32), given, {}
    yield "test_warp_ops.py", "use_vote_sync_ballot", (), "", (1, 32), row(32, dtype=u4), {}
    i = "test_intrinsics.py"
    yield i, "fill_threadidx", (), "", (1, 70), row(70), {}
    yield i, "fill3d_threadidx", (), "", (1, (4, 5, 6)), row(4, 5, 6), {}
    yield i, "simple_grid2d", (), "", ((3, 7), (4, 5)), row(12, 35), {}
    yield i, "intrinsic_forloop_step", (), "", ((2, 2), (8, 4)), row(19, 37), {}
    p, pair = "test_powi.py", lambda: [fractions(13, 30).astype(f8), 3, zeros(13, 30, dtype=f8)]
    yield p, "cu_mat_power", (), "", ((2, 1), (16, 16)), pair, {"tolerance": 2e-6}
    m, one = "test_math.py", lambda: [fractions(64), zeros(64)]
    yield m, "math_sqrt", (), "", (2, 32), one, {}
    yield m, "math_floor", (), "", (2, 32), lambda: [9 * fractions(64), zeros(64)], {}
    yield "test_forall.py", "foo", (), "", (3, 32), lambda: [fractions(90)], {}
    a = "test_atomics.py"
    shared = ("atomic_binary_1dim_shared", "atomic_cast_none")
    ours = lambda: [mixed(32, 32, u4)]  # noqa: E731
    yield a, "atomic_add", shared, "", (1, 32), ours, {}
    flat = ("atomic_binary_2dim_shared", "atomic_cast_none")
    yield a, "atomic_add2", flat, "", (1, (4, 8)), lambda: [counted(4, 8, dtype=u4)], {}
    swap = lambda: [  # noqa: E731
        mixed(90, 2), zeros(90, dtype=i4), 50 + mixed(90, 9), 1
    ]  # fmt: skip
    yield a, "atomic_cas_1dim", (), "", (3, 32), swap, {"out": (0, 1)}
    yield "test_localmem.py", "culocal", (), "", (1, 1), lambda: [
        counted(1000, dtype=i4), zeros(1000, dtype=i4)
    ], {}  # fmt: skip

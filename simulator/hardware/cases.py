"""The launches that the stepper and a GPU both make: kernels, inputs, shapes, and what comes out.

Inputs are written with plain arithmetic, so that they are the same on every machine; a record binds
its counters to the digest of all that a case launches with.
"""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module

import numpy as np

from simulator.hardware import foreign

F4, I4 = np.float32, np.int32


@dataclass(frozen=True)
class Case:
    """One launch. ``arguments`` makes its arguments, NumPy arrays and scalars.

    ``out`` are the places of the arguments that are compared afterward. ``tolerance`` is relative
    to the largest value of the result; 0 asks for every bit. ``unordered``: the values may come in
    any order, and are sorted before they are compared. ``helpers``: the kernel is foreign, a
    function of a file of numba-cuda's, which calls these.
    """

    name: str
    file: str
    kernel: str
    config: tuple
    arguments: Callable[[], list]
    out: tuple = (-1,)
    tolerance: float = 0.0
    unordered: bool = False
    helpers: tuple | None = None

    def path(self, root):
        """The file that holds the kernel, in the repository or in a package."""
        return root / self.file if self.helpers is None else foreign.path(self.file)

    def function(self):
        """The kernel, from whatever ``numba`` is at this moment."""
        if self.helpers is not None:
            return foreign.function(self.file, self.kernel, self.helpers)
        module = self.file.removesuffix(".py").replace("/", ".")
        return getattr(import_module(module), self.kernel)

    def digest(self):
        """The SHA-256 of all that goes into the launch."""
        sha = hashlib.sha256(repr((self.file, self.kernel, self.config, self.out)).encode())
        for argument in self.arguments():
            value = np.asarray(argument)
            sha.update(f"{value.dtype.str}{value.shape}".encode() + value.tobytes())
        return sha.hexdigest()

    def launch(self, cuda):
        """Launch it; return the arrays to compare."""
        arguments = self.arguments()
        places = [cuda.to_device(a) if isinstance(a, np.ndarray) else a for a in arguments]
        self.function()[self.config](*places)
        results = [places[k].copy_to_host() for k in self.out]
        return [np.sort(r, axis=None) if self.unordered else r for r in results]


def fractions(*shape):
    """float32 values in [0, 1) whose products and sums are rounded."""
    n = int(np.prod(shape))
    return (np.arange(n, dtype=np.int64) * 37 % 101 / 101).astype(F4).reshape(shape)


def counted(*shape, dtype=F4):
    """0, 1, 2, ..."""
    return np.arange(int(np.prod(shape))).astype(dtype).reshape(shape)


def zeros(*shape, dtype=F4):
    return np.zeros(shape, dtype)


def mixed(n, most, dtype=I4):
    """Integers from 0 to most - 1, in no order."""
    return (np.arange(n, dtype=np.int64) * 7919 % 1009 % most).astype(dtype)


def _site():
    """Cases of the site's kernels: (kernel, variant, launch, arguments, more)."""
    v, m, n, t, p, k, w, e = (
        f"kernels/{x}/"
        for x in (
            "vector_add", "memory_hierarchy", "naive_matmul", "threads_and_blocks", "pmpp_1_4",
            "thinking_in_parallel", "wrong", "execution_model",
        )
    )  # fmt: skip
    exact, rounded = {}, {"tolerance": 2e-6}
    n3 = (2, 128)
    add = lambda: [fractions(250), counted(250), zeros(250)]  # noqa: E731
    matrices = lambda: [fractions(20, 40), fractions(40, 50), zeros(20, 50)]  # noqa: E731
    turned = lambda: [fractions(20, 40), fractions(50, 40), zeros(20, 50)]  # noqa: E731
    tall = lambda: [counted(40, 70), zeros(70, 40)]  # noqa: E731
    window = lambda: [fractions(120), 5, 2, zeros(120)]  # noqa: E731
    yield v + "add.py:add_kernel", "", n3, add, exact
    yield v + "grid_stride.py:add_strided_kernel", "", (2, 32), add, exact
    yield (
        v + "saxpy.py:saxpy_kernel",
        "",
        n3,
        lambda: [F4(2.7), fractions(250), counted(250)],
        rounded,
    )
    yield "kernels/setup/double.py:double_kernel", "", n3, lambda: [fractions(250)], exact
    yield e + "square.py:square_kernel", "", n3, lambda: [fractions(250)], exact
    yield (
        e + "spaces.py:reverse_in_blocks_kernel",
        "",
        (9, 4),
        lambda: [counted(34), zeros(34)],
        exact,
    )
    yield (
        e + "busy.py:busy_kernel",
        "",
        (2, 64),
        lambda: [fractions(100), 9],
        {"out": (0,), **rounded},
    )
    yield t + "whoami.py:whoami_kernel", "", (3, 64), lambda: [zeros(3, 180, dtype=I4)], exact
    yield (
        t + "image.py:number_pixels_kernel",
        "",
        ((3, 2), (16, 8)),
        lambda: [zeros(13, 40, dtype=I4)],
        exact,
    )
    yield (
        t + "mirror.py:mirror_kernel",
        "",
        ((2, 2), (32, 8)),
        lambda: [counted(13, 50, dtype=I4), zeros(13, 50, dtype=I4)],
        exact,
    )
    yield (
        t + "tickets.py:ticket_kernel",
        "",
        (7, 64),
        lambda: [zeros(1, dtype=I4), zeros(7, dtype=I4)],
        {"out": (0, 1), "unordered": True},
    )
    yield (
        t + "warps.py:warp_kernel",
        "",
        (1, 70),
        lambda: [zeros(70, dtype=I4), zeros(70, dtype=I4)],
        {"out": (0, 1)},
    )
    for words, side in (("by lane", np.arange(128) % 2), ("by warp", np.arange(128) // 32 % 2)):
        yield (
            t + "divergence.py:branch_kernel",
            words,
            (1, 128),
            lambda s=side: [s, zeros(4, 2, dtype=I4)],
            exact,
        )
        yield (
            t + "divergence.py:two_sides_kernel",
            words,
            (2, 64),
            lambda s=side: [s, fractions(128), 7],
            {"out": (1,), **rounded},
        )
    yield n + "matmul.py:matmul_kernel", "", ((2, 3), (32, 8)), matrices, rounded
    yield n + "matmul.py:matmul_swapped_kernel", "", ((3, 2), (8, 32)), matrices, rounded
    yield n + "transposed.py:matmul_transposed_kernel", "", ((2, 3), (32, 8)), turned, rounded
    for stride in (1, 2, 8, 32):
        yield (
            m + "strided_read.py:strided_kernel",
            f"stride {stride}",
            (2, 64),
            lambda s=stride: [counted(128 * s), s, zeros(128)],
            exact,
        )
    for offset in (0, 1, 8):
        yield (
            m + "offset_read.py:offset_kernel",
            f"offset {offset}",
            (2, 64),
            lambda o=offset: [counted(128 + o), o, zeros(128)],
            exact,
        )
    yield (
        m + "column_sums.py:column_sums_kernel",
        "",
        (2, 64),
        lambda: [fractions(24, 100), zeros(100)],
        rounded,
    )
    yield m + "host_copies.py:double_kernel", "", n3, lambda: [fractions(250)], exact
    yield m + "transpose_direct.py:transpose_direct_kernel", "", ((5, 3), (16, 16)), tall, exact
    yield m + "transpose_tile.py:transpose_tile_kernel", "", ((5, 3), (16, 16)), tall, exact
    yield m + "local_memory.py:registers_kernel", "", (2, 64), window, rounded
    yield m + "local_memory.py:local_kernel", "", (2, 64), window, rounded
    yield (
        m + "working_set.py:reread_kernel",
        "",
        (2, 64),
        lambda: [counted(300, dtype=np.int64), 5, zeros(128, dtype=np.int64)],
        exact,
    )
    yield (
        p + "gray.py:gray_kernel",
        "",
        ((2, 2), (16, 16)),
        lambda: [
            mixed(20 * 30 * 3, 256, np.uint8).reshape(20, 30, 3),
            zeros(20, 30, dtype=np.uint8),
        ],
        exact,
    )
    yield (
        p + "blur.py:blur_kernel",
        "",
        ((2, 2), (16, 16)),
        lambda: [mixed(20 * 30, 256, np.uint8).reshape(20, 30), 1, zeros(20, 30, dtype=np.uint8)],
        exact,
    )
    yield (
        p + "matvec.py:matvec_kernel",
        "",
        (1, 64),
        lambda: [fractions(50, 24), fractions(24), zeros(50)],
        rounded,
    )
    yield (
        p + "vecmat.py:vecmat_kernel",
        "",
        (1, 64),
        lambda: [fractions(24), fractions(24, 50), zeros(50)],
        rounded,
    )
    yield k + "map_gather.py:map_kernel", "", (2, 64), lambda: [fractions(120), zeros(120)], exact
    yield (
        k + "map_gather.py:gather_kernel",
        "",
        (2, 64),
        lambda: [fractions(120), mixed(120, 120, np.int64), zeros(120)],
        exact,
    )
    yield k + "reduce.py:sum_kernel", "", (1, 96), lambda: [fractions(300), zeros(1)], rounded
    yield (
        k + "scan.py:scan_kernel",
        "",
        (1, 128),
        lambda: [mixed(100, 10), zeros(100, dtype=I4)],
        exact,
    )
    yield (
        k + "histogram.py:histogram_kernel",
        "",
        (2, 64),
        lambda: [mixed(120, 5), zeros(5, dtype=I4)],
        exact,
    )
    yield (
        k + "compact.py:flag_kernel",
        "",
        (1, 128),
        lambda: [mixed(100, 9) - 4, zeros(100, dtype=I4)],
        exact,
    )
    yield k + "compact.py:keep_kernel", "", (1, 128), _kept, exact
    warps = lambda: [counted(150), zeros(5)]  # noqa: E731
    yield "kernels/stepper/warp_sum.py:warp_sum_kernel", "", (3, 64), warps, exact
    yield (
        w + "threads_and_blocks_thread_index_only.py:square_first_block_kernel",
        "",
        (3, 32),
        lambda: [fractions(90), zeros(90)],
        exact,
    )
    yield (
        w + "histogram_lost_updates.py:histogram_lost_kernel",
        "",
        (1, 128),
        lambda: [mixed(120, 5), zeros(5, dtype=I4)],
        exact,
    )
    yield (
        w + "blur_no_edge.py:blur_no_edge_kernel",
        "",
        ((2, 2), (16, 16)),
        lambda: [mixed(20 * 30, 256, np.uint8).reshape(20, 30), 1, zeros(20, 30, dtype=np.uint8)],
        exact,
    )


def _microbenchmarks():
    """Small launches of the kernels that are launched to be timed, and print nothing."""
    at = "kernels/microbenchmarks/"
    exact, near = {}, {"tolerance": 2e-6}
    places = lambda: [zeros(5, dtype=I4), 3]  # noqa: E731
    rows = ((3, 1), (32, 8))
    yield at + "atomics.py:global_kernel", "", (2, 64), places, {"out": (0,)}
    old = lambda: [zeros(128, dtype=I4), 3, zeros(128, dtype=I4)]  # noqa: E731
    yield at + "atomics.py:global_old_kernel", "", (2, 64), old, {"out": (0, 2)}
    yield at + "atomics.py:global_float_kernel", "", (2, 64), lambda: [zeros(5), 3], {"out": (0,)}
    yield at + "atomics.py:global_cas_kernel", "", (2, 64), places, {"out": (0,)}
    shared = lambda: [7, 3, zeros(7, dtype=I4)]  # noqa: E731
    yield at + "atomics.py:shared_kernel", "", (2, 64), shared, exact
    pair = lambda: [fractions(120), F4(1.5), zeros(120)]  # noqa: E731
    yield at + "fusion.py:scale_kernel", "", (2, 64), pair, exact
    yield at + "fusion.py:shift_kernel", "", (2, 64), pair, exact
    relu = lambda: [fractions(120) - F4(0.5), zeros(120)]  # noqa: E731
    yield at + "fusion.py:relu_kernel", "", (2, 64), relu, exact
    fused = lambda: [fractions(120), F4(1.5), F4(-0.7), zeros(120)]  # noqa: E731
    yield at + "fusion.py:fused_kernel", "", (2, 64), fused, near
    gemv = lambda: [fractions(20, 100), fractions(100), zeros(20)]  # noqa: E731
    yield at + "gemv.py:gemv_kernel", "", rows, gemv, near
    bytes_ = lambda: [  # noqa: E731
        mixed(20 * 128, 200, np.int8).reshape(20, 128), fractions(20), fractions(128), zeros(20)
    ]  # fmt: skip
    yield at + "gemv.py:gemv_int8_kernel", "", rows, bytes_, near
    reads = lambda: [fractions(600), zeros(128)]  # noqa: E731
    yield at + "in_flight.py:read_1_kernel", "", (2, 64), reads, near
    yield at + "in_flight.py:read_4_kernel", "", (2, 64), reads, near
    chains = lambda: [2, zeros(64)]  # noqa: E731
    yield at + "in_flight.py:fma_1_kernel", "", (1, 64), chains, {"tolerance": 2e-5}
    yield at + "in_flight.py:fma_4_kernel", "", (1, 64), chains, {"tolerance": 2e-5}
    yield at + "waves.py:block_work_kernel", "", (2, 32), chains, {"tolerance": 2e-5}
    table = lambda: [9 * fractions(2, 300), zeros(2, 300)]  # noqa: E731
    yield at + "softmax.py:three_pass_kernel", "", (2, 256), table, {"tolerance": 2e-5}
    yield at + "softmax.py:online_kernel", "", (2, 256), table, {"tolerance": 2e-5}


def _kept():
    x = mixed(100, 9) - 4
    places = np.cumsum(x > 0).astype(I4)
    return [x, places, zeros(int(places[-1]), dtype=I4)]


def _traps():
    """Kernels of CUDA to Metal that their page shows and does not launch."""
    at = "kernels/metal_host/traps.py:"
    warp = lambda: [fractions(32), zeros(32)]  # noqa: E731
    for kernel in ("half_warp_kernel", "whole_warp_kernel"):
        yield at + kernel, "", (1, 32), lambda: [counted(16), zeros(1)], {}
    for kernel in ("reverse_by_distance_kernel", "reverse_by_lane_kernel"):
        yield at + kernel, "", (1, 32), warp, {}
    yield at + "largest_kernel", "", (2, 64), lambda: [fractions(120), zeros(1)], {}


def _probes():
    file = "simulator/hardware/probes.py:"
    for stride in (1, 2, 8, 32, 33):
        yield (
            file + "shared_stride_kernel",
            f"stride {stride}",
            (1, 64),
            lambda s=stride: [counted(1024), s, zeros(64)],
            {},
        )
    for stride in (1, 4):
        yield (
            file + "shared_double_kernel",
            f"stride {stride}",
            (1, 64),
            lambda s=stride: [counted(1024, dtype=np.float64), s, zeros(64, dtype=np.float64)],
            {},
        )
    yield (
        file + "shared_scatter_kernel",
        "stride 16",
        (1, 32),
        lambda: [counted(32), 16, zeros(32)],
        {},
    )
    yield (
        file + "transpose_unpadded_kernel",
        "",
        ((2, 1), (32, 32)),
        lambda: [counted(32, 64), zeros(64, 32)],
        {},
    )
    yield (
        file + "bytes_kernel",
        "",
        (2, 64),
        lambda: [mixed(120, 256, np.uint8), zeros(120, dtype=np.uint8)],
        {},
    )
    yield (
        file + "doubles_kernel",
        "",
        (2, 64),
        lambda: [counted(120, dtype=np.float64), zeros(120, dtype=np.float64)],
        {},
    )
    yield file + "shuffle_sum_kernel", "", (2, 64), lambda: [mixed(128, 50), zeros(4, dtype=I4)], {}
    yield file + "votes_kernel", "", (2, 64), lambda: [mixed(128, 10), zeros(5, 128, dtype=I4)], {}
    yield file + "exchange_kernel", "", (2, 64), lambda: [fractions(128), zeros(4, 128)], {}
    yield (
        file + "collatz_kernel",
        "",
        (2, 64),
        lambda: [mixed(120, 90, np.int64) + 1, zeros(120, dtype=np.int64)],
        {},
    )


def _foreign():
    if foreign.folder() is None:
        return
    for file, kernel, helpers, variant, config, arguments, more in foreign.cases(
        counted, fractions, mixed, zeros
    ):
        yield f"{foreign.AT}{file}:{kernel}", variant, config, arguments, {
            **more, "helpers": helpers
        }  # fmt: skip


def _cases():
    for source, variant, config, arguments, more in (
        *_site(),
        *_microbenchmarks(),
        *_traps(),
        *_probes(),
        *_foreign(),
    ):
        file, kernel = source.split(":")
        grid, block = ((n, 1) if isinstance(n, int) else n for n in config)
        yield Case(
            f"{source}, {variant}" if variant else source, file, kernel, (grid, block), arguments,
            **more,
        )  # fmt: skip


CASES = {case.name: case for case in _cases()}

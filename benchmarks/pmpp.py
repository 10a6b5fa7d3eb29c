"""PMPP, ch. 15 to 18: BFS, a potential, an MRI step, a convolution, each in several ways."""

from functools import partial

import cupy as cp
import numpy as np
import torch

from benchmarks.harness import BenchmarkError, Case, Reference
from kernels.pmpp_15_20 import bfs, convolution, fhd, potential

BFS, POTENTIAL, FHD, CONVOLUTION = (
    f"kernels/pmpp_15_20/{name}.py" for name in ("bfs", "potential", "fhd", "convolution")
)
WAYS = {
    "push": bfs.push_kernel,
    "pull": bfs.pull_kernel,
    "edges": bfs.edge_kernel,
    "queue": bfs.queue_kernel,
    "block-queue": bfs.block_queue_kernel,
}
BFS_IDS = {  # graph -> ids in the order of WAYS
    "web": (
        "bfs-web-push",
        "bfs-web-pull",
        "bfs-web-edges",
        "bfs-web-queue",
        "bfs-web-block-queue",
    ),
    "grid": (
        "bfs-grid-push",
        "bfs-grid-pull",
        "bfs-grid-edges",
        "bfs-grid-queue",
        "bfs-grid-block-queue",
    ),
}
POTENTIAL_IDS = ("dcs-scatter", "dcs-gather", "dcs-constant", "dcs-coarse")
FHD_IDS = ("fhd-by-samples", "fhd-by-voxels", "fhd-in-registers", "fhd-special-units")
LAYER_IDS = ("conv-direct", "conv-unrolled", "conv-implicit")


def run(bench):
    for name, ids in BFS_IDS.items():
        with bench.part(f"BFS on a graph like a {name}"):
            breadth_first(bench, name, ids)
    with bench.part("electrostatic potential"):
        slices(bench)
    with bench.part("FHd"):
        mri(bench)
    with bench.part("convolutional layer"):
        layer(bench, 2 if bench.quick else 32)


def graph(bench, name):
    """Return sources, targets, the number of vertices: few long rows, or a square grid."""
    if name == "grid":
        side = 64 if bench.quick else 256
        at = np.arange(side * side).reshape(side, side)
        right, down = (at[:, :-1].ravel(), at[:, 1:].ravel()), (at[:-1].ravel(), at[1:].ravel())
        pairs = np.concatenate([np.array(right), np.array(down)], axis=1)
        return *np.concatenate([pairs, pairs[::-1]], axis=1), side * side
    n = 2**14 if bench.quick else 2**20
    random = np.random.default_rng(0)
    # Vertex numbers with a density that falls as a power: few are named very often.
    ends = (n * random.random((2, 8 * n)) ** 3).astype(np.int64)
    ends = random.permutation(n)[ends]
    return *np.concatenate([ends, ends[::-1]], axis=1), n


def breadth_first(bench, name, ids):
    sources, targets, n = graph(bench, name)
    order = cp.asnumpy(cp.argsort(cp.asarray(sources)))  # both ways: pull reads the same rows
    heads, tails = sources[order].astype(np.int32), targets[order].astype(np.int32)
    starts = np.searchsorted(heads, np.arange(n + 1)).astype(np.int32)
    first = int(heads[0])
    d_starts, d_heads, d_tails = (bench.device.numba(cp.asarray(x)) for x in (starts, heads, tails))
    level = cp.empty(n, cp.int32)
    calls, right = {}, None
    for id, way in zip(ids, WAYS.values(), strict=True):
        by = d_heads if way is bfs.edge_kernel else d_starts
        calls[id] = partial(bfs.search, way, by, d_tails, bench.device.numba(level), first)
        calls[id]()
        right = level.copy() if right is None else right
        if not bool((level == right).all()):
            raise BenchmarkError(f"{id}: other distances than by push")
    ends = right[cp.asarray(heads)], right[cp.asarray(tails)]
    if int(abs(ends[0] - ends[1]).max()) > 1 or int(right[first]) != 0:
        raise BenchmarkError("an edge joins vertices that are more than one level apart")
    times = bench.samples(calls)
    for id, how in zip(ids, WAYS, strict=True):
        bench.micro(
            id,
            f"BFS of {n} vertices and {heads.size} edges in {int(right.max())} levels, {how}",
            times[id],
            unit="ms",
            method="Numba, the whole search with its launches and a wait for each level",
            kernel=BFS,
            extra={"levels": int(right.max()), "reached": int((right >= 0).sum())},
        )


def slices(bench):
    side, small, count = (64, 32, 100) if bench.quick else (1024, 256, 4000)
    xyzq = np.random.default_rng(0).uniform([0, 0, 0.5, -1], [50, 50, 10, 1], (count, 4))
    atoms = xyzq.astype(np.float32)
    atoms[:, 2] **= 2
    d_atoms, spacing = bench.device.numba(cp.asarray(atoms)), np.float32(50 / side)
    exact = cp.asarray(xyzq)
    calls, points = {}, {}
    for id in POTENTIAL_IDS:
        length = small if id == "dcs-scatter" else side
        energy = cp.zeros((length, length), cp.float32)
        out, block = bench.device.numba(energy), (32, 4)
        if id == "dcs-scatter":
            launch = potential.scatter_kernel[-(-count // 64), 64]
            call = partial(launch, d_atoms, spacing, out)
        elif id == "dcs-constant":
            grid = (-(-length // 32), -(-length // 4))
            call = partial(potential.make_constant(atoms)[grid, block], spacing, out)
        else:
            kernel = potential.gather_kernel if id == "dcs-gather" else potential.coarse_kernel
            width = 32 * (potential.POINTS if id == "dcs-coarse" else 1)
            call = partial(
                kernel[(-(-length // width), -(-length // 4)), block], d_atoms, spacing, out
            )
        call()
        at = cp.arange(length) * float(spacing)
        right = cp.zeros((length, length))
        for x, y, z, q in exact:
            right += q / cp.sqrt((at - x) ** 2 + ((at - y) ** 2)[:, None] + z * z)
        off = float(cp.linalg.norm(energy - right) / cp.linalg.norm(right))
        if not off < 1e-4:
            raise BenchmarkError(f"{id}: error {off:.1e}")
        calls[id], points[id] = call, length * length
    times = bench.samples(calls)
    for id in POTENTIAL_IDS:
        bench.micro(
            id,
            f"Potential of {count} atoms at {points[id]} points: {id[4:]}",
            times[id],
            unit="Gop/s",
            method="Numba, CUDA events; an operation is an atom at a point",
            kernel=POTENTIAL,
            amount=count * points[id],
        )


def mri(bench):
    samples, many, few = (64, 512, 64) if bench.quick else (4096, 64**3, 2**13)
    random = np.random.default_rng(0)
    phi, d = random.standard_normal((2, samples, 2)).astype(np.float32)
    k = random.uniform(-0.5, 0.5, (samples, 3)).astype(np.float32)
    voxels = random.uniform(-32, 32, (many, 3)).astype(np.float32)
    as_numba = lambda x: bench.device.numba(cp.asarray(x))  # noqa: E731
    d_phi, d_d, d_k = map(as_numba, (phi, d, k))
    mu = bench.device.numba(cp.empty((samples, 2), cp.float32))
    fhd.mu_kernel[-(-samples // 128), 128](d_phi, d_d, mu)
    weights = (phi[:, 0] - 1j * phi[:, 1]) * (d[:, 0] + 1j * d[:, 1])
    kernels = (
        fhd.by_samples_kernel,
        fhd.by_voxels_kernel,
        fhd.in_registers_kernel,
        fhd.special_units_kernel,
    )
    calls, errors, counts = {}, {}, {}
    for id, kernel in zip(FHD_IDS, kernels, strict=True):
        n = few if kernel is fhd.by_samples_kernel else many
        places, out = as_numba(voxels[:n]), cp.zeros((n, 2), cp.float32)
        numba = bench.device.numba(out)
        if kernel is fhd.by_samples_kernel:
            call = partial(kernel[-(-samples // 128), 128], d_phi, d_d, d_k, places, numba)
        else:
            call = partial(kernel[-(-n // 128), 128], mu, d_k, places, numba)
        call()
        seen = min(n, 4096)
        turns = cp.asarray(voxels[:seen], cp.float64) @ cp.asarray(k, cp.float64).T
        right = cp.exp(2j * np.pi * turns) @ cp.asarray(weights)
        off = out[:seen, 0] + 1j * out[:seen, 1] - right
        errors[id] = float(cp.linalg.norm(off) / cp.linalg.norm(right))
        if not errors[id] < 1e-3:
            raise BenchmarkError(f"{id}: error {errors[id]:.1e}")
        calls[id], counts[id] = call, n
    times = bench.samples(calls)
    for id in FHD_IDS:
        bench.micro(
            id,
            f"FHd of {samples} samples at {counts[id]} voxels: {id[4:]}",
            times[id],
            unit="Gop/s",
            method="Numba, CUDA events; an operation is a sample at a voxel",
            kernel=FHD,
            amount=samples * counts[id],
            extra={"error": float(f"{errors[id]:.3g}")},
        )


def layer(bench, images):
    channels = maps = 64
    side, size = 56, 3
    high = side - size + 1
    x, weights = bench.random((images, channels, side, side)), bench.random((maps, channels, 3, 3))
    output, pixels = bench.output((images, maps, high, high)), images * high * high
    d_x, d_w, out = (bench.device.numba(a) for a in (x, weights, output.array))
    flat = bench.device.numba(weights.reshape(maps, -1))
    unrolled = bench.device.numba(cp.empty((channels * size * size, pixels), cp.float32))
    tile = convolution.TILE
    grid = (-(-pixels // tile), -(-maps // tile))
    unroll = convolution.unroll_kernel[-(-channels * pixels // 128), 128]
    product = convolution.product_kernel[grid, (tile, tile)]
    direct = convolution.direct_kernel[-(-output.array.size // 128), 128]
    implicit = convolution.implicit_kernel[grid, (tile, tile)]

    def by_matrix():
        unroll(d_x, size, unrolled)
        product(flat, unrolled, size, out)

    calls = (
        partial(direct, d_x, d_w, out),
        by_matrix,
        partial(implicit, flat, d_x, size, out),
    )
    torch.backends.cudnn.allow_tf32 = False
    t_x, t_w, t_out = (torch.as_tensor(a, device="cuda") for a in (x, weights, output.array))

    def cudnn():
        t_out.copy_(torch.nn.functional.conv2d(t_x, t_w))

    right = torch.nn.functional.conv2d(t_x.double(), t_w.double())
    flops = 2 * output.array.size * channels * size * size
    title = f"Layer of {maps} maps, {images} x {channels} x {side} x {side}"
    bench.compare(
        [
            Case(id, f"{title}: {id[5:]}", CONVOLUTION, call, output)
            for id, call in zip(LAYER_IDS, calls, strict=True)
        ],
        Reference("torch conv2d in float32, with cuDNN, and a copy of the result", cudnn, output),
        cp.asarray(right),
        size=output.array.size,
        dtype="float32",
        unit="TFLOP/s",
        tolerance=1e-5,
        bytes=4 * (x.size + weights.size + output.array.size),
        flops=flops,
    )

"""Experiments of one change each, which decide what the lessons suspected."""

import os
from functools import partial

import cupy as cp
import numpy as np
import torch
from numba import cuda

from benchmarks.harness import ROOT, BenchmarkError, WallTimer, rounded
from benchmarks.micro.common import COLD, WARM, Events
from benchmarks.tensor_cores import narrow, widen
from kernels.elementwise.vectors import load4, store4
from kernels.elementwise.wide import copy4_kernel, make_map4
from kernels.execution_model.square import square_kernel
from kernels.matvec.rows import warp_row_kernel
from kernels.matvec.wide import THREADS, add_parts_kernel, make_matvec, plan
from kernels.numpy_baseline.develop import develop_kernel
from kernels.pmpp_15_20 import fhd, potential
from kernels.vector_add.add import add_kernel
from kernels.vector_add.grid_stride import add_strided_kernel

RING = "snippets/tensor_cores/wmma_ring.cu"
SUMS = "snippets/hopper/sums.cu"
HERE = "benchmarks/micro/one_change.py"


def run(bench):
    small = bench.quick
    with bench.part("one read and two writes"):
        one_and_two(bench, 2**22 if small else 2**28)
    with bench.part("block sizes, in a grid-stride loop"):
        block_sizes(bench, 2**22 if small else 2**28)
    with bench.part("a matrix times a vector"):
        matvec(bench, *((2048, 2048, 1024, 2048) if small else (16384, 16384, 4096, 14336)))
    with bench.part("a photo's kernel alone"):
        photo(bench, 4000 * 3000 * 3 // (64 if small else 1))
    with bench.part("a launch on an array of the host, again and again"):
        host_arrays(bench, 2**24)
    with bench.part("L2 read by half of the multiprocessors"):
        doors(bench)
    with bench.part("slots of 16 KiB"):
        slots(bench, 2**20 + 3 if small else 2**28 + 3)
    with bench.part("WMMA with a ring"):
        rings(bench, 512 if small else 4096)
    with bench.part("products on zeros"):
        zeros(bench, 512 if small else 8192)
    with bench.part("TF32, both forms of the right matrix"):
        forms(bench, 512 if small else 8192)
    with bench.part("2:4 sparse products in a graph"):
        sparse(bench, 512 if small else 4096, 512 if small else 8192)
    with bench.part("a potential of few atoms"):
        atoms(bench, 64 if small else 1024)
    with bench.part("FHd of few voxels"):
        voxels(bench, 64 if small else 4096, 64 if small else 4096)
    with bench.part("GPT-2's large products"):
        large_products(bench, small)


def held(id, got, expected, tolerance):
    """Raise ``BenchmarkError`` where a result is further off than the tolerance."""
    wide = cp.asarray(got).astype(cp.float64)
    error = float(cp.linalg.norm(wide - expected) / cp.linalg.norm(expected))
    if not error <= tolerance:
        raise BenchmarkError(f"{id}: error {error:.1e}")


@cuda.jit
def one_read_two_writes_kernel(x, out, also):
    """out[i] = also[i] = x[i], 16 bytes an access; x.size is a multiple of four."""
    i = 4 * cuda.grid(1)
    if i < x.size:
        four = load4(x, i)
        store4(out, i, four)
        store4(also, i, four)


@cuda.jit(device=True)
def add(a, b):
    return a + b


def one_and_two(bench, n):
    a, b, c = bench.random(n), cp.empty(n, cp.float32), cp.empty(n, cp.float32)
    d_a, d_b, d_c = map(bench.device.numba, (a, b, c))
    blocks = -(-n // 1024)
    addition = make_map4(add)
    calls = {
        "one-change-one-read-one-write": lambda: copy4_kernel[blocks, 256](d_a, d_b),
        "one-change-two-reads-one-write": lambda: addition[blocks, 256](d_a, d_b, d_c),
        "one-change-one-read-two-writes": lambda: one_read_two_writes_kernel[blocks, 256](
            d_a, d_b, d_c
        ),
    }
    b.fill(cp.nan), c.fill(cp.nan)
    calls["one-change-one-read-two-writes"]()
    if not bool((a == b).all()) or not bool((a == c).all()):
        raise BenchmarkError("one-change-one-read-two-writes: wrong")
    for id, summary in bench.samples(calls).items():
        what = id.removeprefix("one-change-").replace("-", " ")
        amount = 4 * n * (2 if id.endswith("one-read-one-write") else 3)
        bench.micro(id, f"2^28 float32, 16 bytes an access: {what}", summary, unit="GB/s",
                    amount=amount, method=COLD, terms=["memory-bandwidth"])  # fmt: skip


def block_sizes(bench, n):
    a, b, output = bench.random(n), bench.random(n), bench.output(n)
    arrays = [bench.device.numba(x) for x in (a, b, output.array)]
    calls = {}
    for threads in (128, 256, 512, 1024):
        blocks = bench.device.multiprocessors * 2048 // threads
        calls[f"one-change-add-strided-{threads}"] = partial(
            add_strided_kernel[blocks, threads], *arrays
        )
        calls[f"one-change-add-{threads}"] = partial(add_kernel[-(-n // threads), threads], *arrays)
    expected = a.astype(cp.float64) + b
    for id, call in calls.items():
        output.poison()
        call()
        if not output.error(expected) < 1e-6:
            raise BenchmarkError(f"{id}: wrong")
    for id, summary in bench.samples(calls).items():
        how = "a grid-stride loop, all slots full" if "strided" in id else "an element a thread"
        bench.micro(id, f"Vector addition of 2^28, blocks of {id.split('-')[-1]} threads, {how}",
                    summary, unit="GB/s", amount=12 * n, method=COLD,
                    terms=["grid-stride-loop"])  # fmt: skip


def matvec(bench, m, n, few, wide):
    a, x, output = bench.random((m, n)), bench.random(n), bench.output(m)
    numba = bench.device.numba
    flat, d_a, d_x, y = numba(a.reshape(-1)), numba(a), numba(x), numba(output.array)
    lanes, rows, count, share = plan(m, n)
    calls = {}
    for id, four in {"one-change-matvec-16-byte": True, "one-change-matvec-4-byte": False}.items():
        kernel = make_matvec(lanes, rows, four)[-(-m * lanes // (rows * THREADS)), THREADS]
        arguments = flat, d_x, np.uint32(m), np.uint32(n), np.uint32(share), y.reshape(1, m)
        calls[id] = partial(kernel, *arguments)
    calls["one-change-matvec-warp-row"] = partial(warp_row_kernel[-(-m // 8), 256], d_a, d_x, y)
    timed(bench, calls, output, a.astype(cp.float64) @ x, 4 * (m * n + m + n), {
        "one-change-matvec-16-byte": "Matrix times vector, aligned, 16 bytes a load",
        "one-change-matvec-4-byte": "Matrix times vector, aligned, 4 bytes a load",
        "one-change-matvec-warp-row": "Matrix times vector, a warp a row",
    })  # fmt: skip
    a, x, output = bench.random((few, wide)), bench.random(wide), bench.output(few)
    flat, d_x, y = numba(a.reshape(-1)), numba(x), numba(output.array)
    lanes, rows, *_ = plan(few, wide)
    calls, titles = {}, {}
    for parts in (1, 2, 4):
        share = 4 * -(-wide // (4 * parts))
        held_parts = numba(cp.empty((parts, few), cp.float32))
        kernel = make_matvec(lanes, rows, True)[
            (-(-few * lanes // (rows * THREADS)), parts), THREADS
        ]
        target = held_parts if parts > 1 else y.reshape(1, few)
        one = partial(kernel, flat, d_x, np.uint32(few), np.uint32(wide), np.uint32(share), target)

        def call(one=one, parts=parts, target=target):
            one()
            if parts > 1:
                add_parts_kernel[-(-few // THREADS), THREADS](target, y)

        id = f"one-change-matvec-layer-{parts}"
        calls[id], titles[id] = call, f"A layer, {few} x {wide}: each row in {parts} parts"
    timed(bench, calls, output, a.astype(cp.float64) @ x, 4 * (few * wide + few + wide), titles)


def timed(bench, calls, output, expected, amount, titles):
    """Check each call against ``expected``, time them in turns, and add a row in GB/s for each."""
    for id, call in calls.items():
        output.poison()
        call()
        if not output.error(expected) < 1e-4:
            raise BenchmarkError(f"{id}: wrong")
    for id, summary in bench.samples(calls).items():
        bench.micro(id, titles[id], summary, unit="GB/s", amount=amount, method=COLD,
                    terms=["memory-bandwidth"])  # fmt: skip


def photo(bench, n):
    x, out = bench.random(n), cp.empty(n, cp.float32)
    x = cp.abs(x)
    d_x, d_out = bench.device.numba(x), bench.device.numba(out)
    call = partial(develop_kernel[-(-n // 256), 256], d_x, np.float32(1.5), d_out)
    call()
    wide = 1.5 * x.astype(cp.float64)
    held("one-change-develop-kernel", out, (wide / (1 + wide)) ** (1 / 2.2), 1e-5)
    bench.micro(
        "one-change-develop-kernel", f"Develop {n} color values: the kernel alone",
        bench.samples({"k": call})["k"], unit="us", method=COLD,
        kernel="kernels/numpy_baseline/develop.py",
    )  # fmt: skip


def host_arrays(bench, n):
    """The launch of the execution model's lesson, on an array of the device, 50 times."""
    x = cuda.to_device(np.ones(n, np.float32))

    def call():
        square_kernel[n // 256, 256](x)

    call()
    timer = WallTimer(bench.device.synchronize, calls=50)
    bench.micro(
        "one-change-square-again", "x * x of 2^24 float32 on the device, launched again and again",
        bench.samples({"again": call}, timer)["again"], unit="us",
        method="wall clock of 50 launches, until the GPU is done, for one of them",
        kernel="kernels/execution_model/square.py",
    )  # fmt: skip


READ_L2 = """
extern "C" __global__ void __launch_bounds__(1024)
read_l2(const float4* a, int n, int rounds, float* out) {
    int step = gridDim.x * blockDim.x, first = blockIdx.x * blockDim.x + threadIdx.x;
    float total = 0;
    for (int r = 0; r < rounds; r++) {
#pragma unroll 4
        for (int at = first; at < n; at += step) {
            float4 v = __ldcg(a + at);
            total += v.x + v.y + v.z + v.w;
        }
    }
    out[first] = total;
}
"""


def doors(bench):
    """Reads of L2 by all multiprocessors and by fewer: a block of 1,024 threads on each."""
    by_l2 = cp.RawKernel(READ_L2, "read_l2", options=("-std=c++17",))
    out = cp.zeros(bench.device.multiprocessors * 1024, cp.float32)
    words = 2**20  # of 16 bytes: 16 MiB
    a, calls, amounts = bench.random(4 * words), {}, {}
    for blocks in (16, 32, 64, 96, bench.device.multiprocessors):
        step = 4 * blocks * 1024
        trips = words // step * step
        id = f"one-change-l2-{blocks}"
        calls[id] = partial(by_l2, (blocks,), (1024,), (a, np.int32(trips), np.int32(64), out))
        amounts[id] = 16 * trips * 64
        out.fill(cp.nan)
        calls[id]()
        right = 64 * float(a[: 4 * trips].sum(dtype=cp.float64))
        size = 64 * float(cp.abs(a[: 4 * trips]).sum(dtype=cp.float64))
        if not abs(float(out[: blocks * 1024].sum(dtype=cp.float64)) - right) < 1e-5 * size:
            raise BenchmarkError(f"{id}: wrong")
    for id, summary in bench.samples(calls, Events()).items():
        blocks = int(id.split("-")[-1])
        bench.micro(
            id, f"L2, 16 MiB read by {blocks} blocks of 1,024 threads, one a multiprocessor",
            summary, unit="GB/s", amount=amounts[id], method=WARM, terms=["l2-cache"],
            extra={"each_gbps": rounded(amounts[id] / summary.median / 1e9 / blocks)},
        )  # fmt: skip


def slots(bench, n):
    x = cp.abs(bench.random(n))
    right, out, calls = float(x.sum(dtype=cp.float64)), cp.zeros((), cp.float64), {}
    code = (ROOT / SUMS).read_text(encoding="utf-8")
    for stages, slot in ((8, 2048), (4, 4096), (8, 4096)):
        text = code.replace("STAGES = 8;", f"STAGES = {stages};")
        text = text.replace("SLOT = 2048;", f"SLOT = {slot};")
        kernel = cp.RawModule(code=text, options=("-std=c++17",)).get_function("sum_bulk")
        kernel.max_dynamic_shared_size_bytes = shared = stages * slot * 4
        for threads in (256, 1024):
            call = partial(kernel, (bench.device.multiprocessors,), (threads,),
                           (x, cp.int64(n), out), shared_mem=shared)  # fmt: skip
            out.fill(0)
            call()
            id = f"one-change-slots-{slot // 256}k-{stages}-{threads}"
            if abs(float(out) - right) > 1e-4 * right:
                raise BenchmarkError(f"{id}: {float(out)}, should be {right}")
            calls[id] = call
    for id, summary in bench.samples(calls).items():
        size, stages, threads = id.split("-")[3:]
        title = f"Sum of 2^28 float32 by TMA, {stages} slots of {size[:-1]} KiB, {threads} threads"
        bench.micro(id, title,
                    summary, unit="GB/s", amount=4 * n, method=COLD, kernel=SUMS,
                    terms=["tma"])  # fmt: skip


KIND = "16, 16, 16, __nv_bfloat16, wmma::row_major>"
STEP = f"""            wmma::fragment<wmma::matrix_a, {KIND} fa[4];
            wmma::fragment<wmma::matrix_b, {KIND} fb[4];
            for (int x = 0; x < 4; ++x)
                wmma::load_matrix_sync(fa[x], tile_a + (warp_row + x * 16) * PITCH_A + j, PITCH_A);
            for (int y = 0; y < 4; ++y)
                wmma::load_matrix_sync(fb[y], tile_b + j * PITCH_B + warp_column + y * 16, PITCH_B);
            for (int x = 0; x < 4; ++x)
                for (int y = 0; y < 4; ++y)
                    wmma::mma_sync(sum[x][y], fa[x], fb[y], sum[x][y]);
"""
LOOP = """        #pragma unroll
        for (int j = 0; j < BK; j += 16) {
"""
TWO_SETS = f"""        wmma::fragment<wmma::matrix_a, {KIND} fa[2][4];
        wmma::fragment<wmma::matrix_b, {KIND} fb[2][4];
        auto load = [&](int set, int j) {{
            for (int x = 0; x < 4; ++x)
                wmma::load_matrix_sync(fa[set][x], tile_a + (warp_row + x * 16) * PITCH_A + j,
                                       PITCH_A);
            for (int y = 0; y < 4; ++y)
                wmma::load_matrix_sync(fb[set][y], tile_b + j * PITCH_B + warp_column + y * 16,
                                       PITCH_B);
        }};
        load(0, 0);
        #pragma unroll
        for (int j = 0; j < BK; j += 16) {{
            const int now = j / 16 % 2;
            if (j + 16 < BK) load(1 - now, j + 16);
            for (int x = 0; x < 4; ++x)
                for (int y = 0; y < 4; ++y)
                    wmma::mma_sync(sum[x][y], fa[now][x], fb[now][y], sum[x][y]);
"""


def rings(bench, n):
    """wmma_ring.cu as it is, with a second set of fragments, and with tiles of 64."""
    code = (ROOT / RING).read_text(encoding="utf-8")
    if code.count(LOOP + STEP) != 1 or code.count("BK = 32, PAD = 8, STAGES = 4;") != 1:
        raise BenchmarkError(f"{RING} is not what this experiment changes")
    two = code.replace(LOOP + STEP, TWO_SETS)
    ways = {
        "one-change-wmma-ring": (code, 32, 4, "as it is"),
        "one-change-wmma-ring-two-sets": (two, 32, 4, "two sets of fragments"),
        "one-change-wmma-ring-64": (code, 64, 4, "tiles 64 deep"),
        "one-change-wmma-ring-64-two-sets": (two, 64, 4, "tiles 64 deep, two sets of fragments"),
    }
    a, b = (narrow(bench.random((n, n))) for _ in range(2))
    output, calls = bench.output((n, n)), {}
    right = widen(a).astype(cp.float64) @ widen(b).astype(cp.float64)
    registers, toolkit = {}, os.environ.get("CUDA_HOME", "/usr/local/cuda")
    options = "-std=c++17", f"-I{toolkit}/include"  # which has the whole of mma.h
    for id, (text, depth, stages, _) in ways.items():
        text = text.replace("BK = 32,", f"BK = {depth},").replace(
            "STAGES = 4;", f"STAGES = {stages};"
        )
        kernel = cp.RawModule(code=text, options=options).get_function("wmma_ring")
        shared = stages * 2 * (128 * (depth + 8) + depth * 264)
        kernel.max_dynamic_shared_size_bytes = shared
        arguments = a, b, output.array, *(np.int32(n),) * 3
        grid = -(-n // 256), -(-n // 128)
        calls[id] = partial(kernel, grid, (256,), arguments, shared_mem=shared)
        registers[id] = {"registers": kernel.num_regs, "local_bytes": kernel.local_size_bytes}
        output.poison()
        calls[id]()
        if not output.error(right) < 1e-3:
            raise BenchmarkError(f"{id}: wrong")
    for id, summary in bench.samples(calls).items():
        bench.micro(id, f"WMMA with a ring, bfloat16, {n}: {ways[id][3]}", summary, unit="TFLOP/s",
                    amount=2 * n**3, method=COLD, kernel=RING, extra=registers[id],
                    terms=["wmma"])  # fmt: skip


def zeros(bench, n):
    calls = {}
    for type in (torch.float16, torch.bfloat16):
        name = str(type).rpartition(".")[2]
        for data in ("random", "zeros"):
            make = torch.randn if data == "random" else torch.zeros
            a, b = (make(n, n, device="cuda").to(type) for _ in range(2))
            c = torch.empty_like(a)
            calls[f"one-change-{data}-{name}"] = partial(torch.matmul, a, b, out=c)
    for id, summary in bench.samples(calls).items():
        data, name = id.split("-")[2:]
        bench.micro(id, f"cuBLAS, {name}, {n} x {n}, {data}", summary, unit="TFLOP/s",
                    amount=2 * n**3, method=COLD, kernel=HERE)  # fmt: skip


def forms(bench, n):
    before = torch.backends.cuda.matmul.allow_tf32
    torch.backends.cuda.matmul.allow_tf32 = True
    a, b, c = (torch.randn(n, n, device="cuda") for _ in range(3))
    flipped = b.t().contiguous().t()  # the same matrix, its columns in a row
    calls = {
        "one-change-tf32-as-it-is": partial(torch.matmul, a, b, out=c),
        "one-change-tf32-transposed": partial(torch.matmul, a, flipped, out=c),
    }
    for id, summary in bench.samples(calls).items():
        how = "the right matrix " + id.removeprefix("one-change-tf32-").replace("-", " ")
        bench.micro(id, f"cuBLAS, TF32, {n} x {n}, {how}", summary, unit="TFLOP/s",
                    amount=2 * n**3, method=COLD, kernel=HERE)  # fmt: skip
    torch.backends.cuda.matmul.allow_tf32 = before


def sparse(bench, *sizes):
    from torch.sparse import to_sparse_semi_structured

    from kernels.ampere.torch_sparse import prune_torch

    for n in dict.fromkeys(sizes):
        pruned = prune_torch(torch.randn(n, n, device="cuda", dtype=torch.float16))
        x = torch.randn(n, n, device="cuda", dtype=torch.float16)
        packed, stream = to_sparse_semi_structured(pruned), torch.cuda.Stream()
        ways = {"sparse": lambda p=packed, x=x: p @ x, "dense": lambda p=pruned, x=x: p @ x}
        calls = {}
        for way, call in ways.items():
            stream.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(stream):
                for _ in range(3):
                    call()
            torch.cuda.current_stream().wait_stream(stream)
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                kept = call()
            graph.replay()
            torch.cuda.synchronize()
            held(f"{way} {n}", cp.asarray(kept), cp.asarray(pruned.double() @ x.double()), 2e-3)
            calls[f"one-change-{way}-{n}"] = call
            calls[f"one-change-{way}-graph-{n}"] = lambda graph=graph, kept=kept: graph.replay()
        for id, summary in bench.samples(calls).items():
            how = "a graph of it" if "graph" in id else "called from Python"
            way = id.split("-")[2]
            names = sorted(kernel_names(ways[way]))
            bench.micro(id, f"2:4 pruned matrix times a matrix, float16, {n}, {way}: {how}",
                        summary, unit="us", method=f"{COLD}; kernels: {', '.join(names)}"[:300],
                        kernel="kernels/ampere/torch_sparse.py")  # fmt: skip


def kernel_names(call):
    """Return the names of the kernels that a call starts, by CUPTI."""
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as seen:
        call()
        torch.cuda.synchronize()
    return {e.name[:70] for e in seen.events() if "CUDA" in str(e.device_type)}


def atoms(bench, side):
    random = np.random.default_rng(0)
    fast = cuda.jit(fastmath=True)(potential.gather_kernel.py_func)
    for count in (400, 4000):
        xyzq = random.uniform([0, 0, 0.5, -1], [50, 50, 10, 1], (count, 4))
        given = xyzq.astype(np.float32)
        given[:, 2] **= 2
        d_atoms, spacing = bench.device.numba(cp.asarray(given)), np.float32(50 / side)
        energy = cp.zeros((side, side), cp.float32)
        out, grid, block = bench.device.numba(energy), (-(-side // 32), -(-side // 4)), (32, 4)
        calls = {
            f"one-change-dcs-gather-{count}": partial(
                potential.gather_kernel[grid, block], d_atoms, spacing, out
            ),
            f"one-change-dcs-constant-{count}": partial(
                potential.make_constant(given)[grid, block], spacing, out
            ),
            f"one-change-dcs-fast-{count}": partial(fast[grid, block], d_atoms, spacing, out),
        }
        at, right = cp.arange(side) * float(spacing), cp.zeros((side, side))
        for x, y, z, q in cp.asarray(xyzq):
            right += q / cp.sqrt((at - x) ** 2 + ((at - y) ** 2)[:, None] + z * z)
        for id, call in calls.items():
            energy.fill(cp.nan)
            call()
            held(id, energy, right, 1e-4)
        for id, summary in bench.samples(calls).items():
            title = f"Potential of {count} atoms at {side * side} points: {id.split('-')[3]}"
            bench.micro(id, title,
                        summary, unit="Gop/s", amount=count * side * side, method=COLD,
                        kernel="kernels/pmpp_15_20/potential.py")  # fmt: skip


def voxels(bench, samples, few):
    random = np.random.default_rng(0)
    phi, d = random.standard_normal((2, samples, 2)).astype(np.float32)
    k = random.uniform(-0.5, 0.5, (samples, 3)).astype(np.float32)
    places = random.uniform(-32, 32, (few, 3)).astype(np.float32)
    as_numba = lambda x: bench.device.numba(cp.asarray(x))  # noqa: E731
    d_phi, d_d, d_k, d_places = map(as_numba, (phi, d, k, places))
    mu, out = as_numba(np.zeros((samples, 2), np.float32)), cp.zeros((few, 2), cp.float32)
    fhd.mu_kernel[-(-samples // 128), 128](d_phi, d_d, mu)
    weights = (phi[:, 0] - 1j * phi[:, 1]) * (d[:, 0] + 1j * d[:, 1])
    turns = cp.asarray(places, cp.float64) @ cp.asarray(k, cp.float64).T
    right = cp.exp(2j * np.pi * turns) @ cp.asarray(weights)
    right = cp.stack([right.real, right.imag], axis=1)
    numba = bench.device.numba(out)
    calls = {
        "one-change-fhd-by-samples": partial(
            fhd.by_samples_kernel[-(-samples // 128), 128], d_phi, d_d, d_k, d_places, numba
        ),
        "one-change-fhd-by-voxels": partial(
            fhd.by_voxels_kernel[-(-few // 128), 128], mu, d_k, d_places, numba
        ),
    }
    for id, call in calls.items():
        out.fill(0)
        call()
        held(id, out, right, 1e-3)
    for id, summary in bench.samples(calls).items():
        bench.micro(id, f"FHd of {samples} samples at {few} voxels: {id[15:].replace('-', ' ')}",
                    summary, unit="Gop/s", amount=samples * few, method=COLD,
                    kernel="kernels/pmpp_15_20/fhd.py")  # fmt: skip


def large_products(bench, small):
    """The large products of GPT-2's step: forward, and both products of each going back."""
    layers, tokens, width = (2, 1024, 384) if small else (6, 64 * 256, 384)
    before = torch.backends.cuda.matmul.allow_tf32
    torch.backends.cuda.matmul.allow_tf32 = True
    shapes = ((width, 3 * width), (width, width), (width, 4 * width), (4 * width, width))
    pairs = []
    for fro, to in shapes:
        x, w, g = (torch.randn(s, device="cuda") for s in ((tokens, fro), (fro, to), (tokens, to)))
        out = [torch.empty(s, device="cuda") for s in ((tokens, to), (tokens, fro), (fro, to))]
        pairs += [(x, w, out[0]), (g, w.t(), out[1]), (x.t(), g, out[2])]

    def step():
        for _ in range(layers):
            for a, b, c in pairs:
                torch.matmul(a, b, out=c)

    for _ in range(3):
        step()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step()
    flops = layers * sum(2 * a.shape[0] * a.shape[1] * b.shape[1] for a, b, _ in pairs)
    summary = bench.samples({"large": graph.replay})["large"]
    bench.micro(
        "one-change-gpt-large-products",
        "The four large products of each layer of a step, forward and backward", summary, unit="ms",
        method="cuBLAS through PyTorch, TF32, a graph of them; CUDA events", kernel=HERE,
        extra={"tflops": rounded(flops / summary.median / 1e12), "tflop": rounded(flops / 1e12)},
    )  # fmt: skip
    torch.backends.cuda.matmul.allow_tf32 = before

"""The memory hierarchy: how threads read, shared memory, registers, caches, the bus to the host."""

from contextlib import contextmanager

import cupy as cp
import numpy as np

from benchmarks.harness import GIB, MIB, BenchmarkError, Case, Reference
from kernels.memory_hierarchy.host_copies import double_kernel
from kernels.memory_hierarchy.local_memory import WIDTH, local_kernel, registers_kernel
from kernels.memory_hierarchy.offset_read import offset_kernel
from kernels.memory_hierarchy.strided_read import strided_kernel
from kernels.memory_hierarchy.transpose_direct import transpose_direct_kernel
from kernels.memory_hierarchy.transpose_tile import TILE, transpose_tile_kernel
from kernels.memory_hierarchy.working_set import reread_kernel

HERE = "kernels/memory_hierarchy/"
THREADS = 256
STRIDES = (1, 2, 4, 8, 16, 32)
OFFSETS = (0, 1, 8, 16, 31, 32, 64, 96, 128)
L2_FETCH = 5  # cudaLimitMaxL2FetchGranularity, for which CuPy has no name
SETS = {
    "256kib": 256 * 1024,
    "1mib": MIB,
    "4mib": 4 * MIB,
    "16mib": 16 * MIB,
    "32mib": 32 * MIB,
    "64mib": 64 * MIB,
    "128mib": 128 * MIB,
    "256mib": 256 * MIB,
    "1gib": GIB,
}
COLD = "CUDA events, cold L2"


def run(bench):
    small = bench.quick
    with bench.part("device copy"):
        device_copy(bench, 64 * MIB if small else GIB)
    with bench.part("strided reads"):
        strided(bench, 2**18 if small else 2**25)
    with bench.part("reads with an offset"):
        offsets(bench, 2**20 if small else 2**27)
    with bench.part("transpose, directly and by way of shared memory"):
        transpose(bench, 512 if small else 8192)
    with bench.part("registers and local memory"):
        local(bench, 2**14 if small else 2**20, 1024)
    with bench.part("working set"):
        working_set(bench, 64 * MIB if small else 8 * GIB)
    with bench.part("host and device"):
        host_device(bench, 2**20 if small else 2**26)


def device_copy(bench, size):
    call, moved = bench.device.copy(size)
    bench.micro(
        "device-copy",
        "A plain copy from device memory to device memory",
        bench.samples({"device-copy": call})["device-copy"],
        unit="GB/s",
        amount=moved,
        method=f"{COLD}; 1 GiB, cudaMemcpyAsync; bytes read plus bytes written",
    )


def strided(bench, n):
    a = bench.random(n * max(STRIDES))
    d_a = bench.device.numba(a)
    output = bench.output(n)
    d_out = bench.device.numba(output.array)

    def launch(stride):
        return lambda: strided_kernel[-(-n // THREADS), THREADS](d_a, stride, d_out)

    calls = {f"read-stride-{stride}": launch(stride) for stride in STRIDES}
    for (id, call), stride in zip(calls.items(), STRIDES, strict=True):
        bench.check(id, call, output, a[: n * stride : stride], 0.0)
    times = bench.samples(calls)
    with l2_fetch(32) as usual:
        finer = bench.samples({f"read-stride-{s}-fetch-32": launch(s) for s in (16, 32)})
    for id, summary in (times | finer).items():
        stride = int(id.split("-")[2])
        fetch = 32 if id in finer else usual
        bench.micro(
            id,
            f"Useful bytes a second when neighboring threads read float32 {stride} apart"
            + (f", L2 fetching {fetch} bytes" if id in finer else ""),
            summary,
            unit="GB/s",
            amount=8 * n,
            kernel=HERE + "strided_read.py",
            method=f"{COLD}; 2^25 threads, each reads 4 bytes and writes 4 side by side",
            extra={
                "stride": stride,
                "times_stride_1": _slower(summary, times["read-stride-1"]),
                "l2_fetch_bytes": fetch,
            },
        )


@contextmanager
def l2_fetch(size):
    """Let L2 fetch pieces of at most ``size`` bytes from device memory; yield the usual size."""
    usual = cp.cuda.runtime.deviceGetLimit(L2_FETCH)
    cp.cuda.runtime.deviceSetLimit(L2_FETCH, size)
    try:
        yield usual
    finally:
        cp.cuda.runtime.deviceSetLimit(L2_FETCH, usual)


def offsets(bench, n):
    a = bench.random(n + max(OFFSETS))
    d_a = bench.device.numba(a)
    output = bench.output(n)
    d_out = bench.device.numba(output.array)

    def launch(offset):
        return lambda: offset_kernel[-(-n // THREADS), THREADS](d_a, offset, d_out)

    calls = {f"read-offset-{offset}": launch(offset) for offset in OFFSETS}
    for (id, call), offset in zip(calls.items(), OFFSETS, strict=True):
        bench.check(id, call, output, a[offset : offset + n], 0.0)
    times = bench.samples(calls)
    for offset, (id, summary) in zip(OFFSETS, times.items(), strict=True):
        bench.micro(
            id,
            f"Copy of float32 whose reads begin {4 * offset} bytes past a 128-byte boundary",
            summary,
            unit="GB/s",
            amount=8 * n,
            kernel=HERE + "offset_read.py",
            method=f"{COLD}; 2^27 threads, each reads 4 bytes and writes 4",
            extra={"offset": offset, "times_offset_0": _slower(summary, times["read-offset-0"])},
        )


def _slower(summary, first):
    return round(summary.median / first.median, 4)


def transpose(bench, n):
    a = bench.random((n, n))
    output = bench.output((n, n))
    d_a, d_out = bench.device.numba(a), bench.device.numba(output.array)
    grid = (-(-n // TILE), -(-n // TILE))
    bench.compare(
        [
            Case(
                "transpose-direct",
                f"Transpose of {n} x {n} float32, straight through global memory",
                HERE + "transpose_direct.py",
                lambda: transpose_direct_kernel[grid, (TILE, TILE)](d_a, d_out),
                output,
            ),
            Case(
                "transpose-tile",
                f"Transpose of {n} x {n} float32, by way of a tile in shared memory",
                HERE + "transpose_tile.py",
                lambda: transpose_tile_kernel[grid, (TILE, TILE)](d_a, d_out),
                output,
            ),
        ],
        Reference("CuPy, cp.copyto(out, a.T)", lambda: cp.copyto(output.array, a.T), output),
        a.T.astype(cp.float64),
        size=n,
        dtype="float32",
        unit="GB/s",
        tolerance=0.0,
        bytes=2 * 4 * n * n,
    )


def local(bench, n, rounds):
    # Small whole numbers, so that float32 sums are exact in any order.
    a = cp.rint(4 * bench.random(n)).astype(cp.float32)
    output = bench.output(n)
    d_a, d_out = bench.device.numba(a), bench.device.numba(output.array)
    twice = cp.concatenate([a, a[:WIDTH]]).astype(cp.float64)
    expected = rounds * sum(twice[k : k + n] for k in range(WIDTH))

    def launch(kernel):
        return lambda: kernel[-(-n // 128), 128](d_a, 3, rounds, d_out)

    bench.compare(
        [
            Case(
                "registers-local",
                f"Sums over 16 values a thread, {rounds} times: registers against local memory",
                HERE + "local_memory.py",
                launch(registers_kernel),
                output,
            )
        ],
        Reference(
            "the same with an index that the compiler does not know", launch(local_kernel), output
        ),
        expected,
        size=n,
        dtype="float32",
        unit="us",
        tolerance=0.0,
        flops=n * rounds * WIDTH,
    )


def working_set(bench, amount):
    blocks = 8 * bench.device.multiprocessors  # 2048 threads for each: as many as can be resident
    threads = blocks * THREADS
    reads = amount // (8 * threads)
    output = bench.output(threads, "int64")
    d_out = bench.device.numba(output.array)

    def launch(d_a):
        return lambda: reread_kernel[blocks, THREADS](d_a, reads, d_out)

    calls = {}
    for name, size in SETS.items():
        a = (1000 * bench.random(size // 8)).astype(cp.int64)
        id, call = f"read-{name}", launch(bench.device.numba(a))
        bench.check(id, call, output, reread_sums(a, reads, threads), 0.0)
        calls[id] = call
    for (id, summary), size in zip(bench.samples(calls).items(), SETS.values(), strict=True):
        bench.micro(
            id,
            f"All multiprocessors read the same {_human(size)} again and again",
            summary,
            unit="GB/s",
            amount=8 * reads * threads,
            kernel=HERE + "working_set.py",
            method="CUDA events around one launch that reads 8 GiB in all, 8 bytes a thread a read",
            extra={"bytes": size},
        )


def reread_sums(a, reads, threads):
    """Return what ``reread_kernel`` must give, by another way: counting whole trips around a."""
    n = a.size
    at = cp.arange(threads, dtype=cp.int64) % n
    hop = threads % n
    cycle = n // np.gcd(n, hop) if hop else 1  # after so many reads a thread is where it began
    total = cp.zeros(threads, cp.int64)
    trips, rest = divmod(reads, int(cycle))
    for r in range(min(int(cycle), reads)):
        times = trips + (r < rest)
        total += times * a[(at + r * hop) % n]
    return total


def _human(size):
    for unit, name in ((GIB, "GiB"), (MIB, "MiB"), (1024, "KiB")):
        if size >= unit:
            return f"{size // unit} {name}"


def host_device(bench, n):
    from numba import cuda

    device = cuda.device_array(n, np.float32)
    pageable, pinned = np.empty(n, np.float32), cuda.pinned_array(n, np.float32)
    data = np.random.default_rng().standard_normal(n, dtype=np.float32)
    for name, host in (("pageable", pageable), ("pinned", pinned)):
        host[:] = data
        device.copy_to_device(host)
        double_kernel[-(-n // THREADS), THREADS](device)
        host[:] = np.nan
        device.copy_to_host(host)
        bench.device.synchronize()
        if not np.array_equal(host, 2 * data):
            raise BenchmarkError(f"{name}: the copy to the device and back is not twice the data")
        host[:] = data
    calls = {
        "host-to-device-pageable": lambda: device.copy_to_device(pageable),
        "host-to-device-pinned": lambda: device.copy_to_device(pinned),
        "device-to-host-pageable": lambda: device.copy_to_host(pageable),
        "device-to-host-pinned": lambda: device.copy_to_host(pinned),
    }
    for id, summary in bench.samples(calls).items():
        source, target = id.split("-")[0], id.split("-")[2]
        kind = id.split("-")[3]
        bench.micro(
            id,
            f"Copy from {source} to {target}, {kind} host memory, 256 MiB",
            summary,
            unit="GB/s",
            amount=4 * n,
            kernel=HERE + "host_copies.py",
            method="CUDA events around one copy of 256 MiB",
        )

"""Threads that meet: bank conflicts, divergence, atomics, barriers, fences."""

import cupy as cp
import numpy as np

from benchmarks.harness import BenchmarkError
from benchmarks.micro.common import (
    IN_KERNEL,
    KERNELS,
    SNIPPETS,
    WARM,
    Cycles,
    Events,
    clock_mhz,
    functions,
    in_ns,
    relative,
)
from kernels.microbenchmarks import atomics, barriers
from kernels.microbenchmarks.bank_conflicts import banks_kernel
from kernels.microbenchmarks.divergence import ways_kernel

STRIDES = (0, 1, 2, 4, 8, 16, 32, 33)
WAYS = (1, 2, 4, 8, 16, 32)


def run(bench):
    with bench.part("the clock"):
        clock = clock_mhz(bench)
    with bench.part("bank conflicts"):
        banks(bench)
    with bench.part("divergence"):
        divergence(bench)
    with bench.part("atomics in global memory"):
        atomics_global(bench)
    with bench.part("atomics in shared memory"):
        atomics_shared(bench)
    with bench.part("scopes"):
        scopes(bench)
    with bench.part("barriers"):
        block_barriers(bench, clock)
        grid_barrier(bench)
    with bench.part("fences"):
        fences(bench, clock)


def banks(bench):
    rounds, threads = 64, 1024
    timer = Cycles()
    out = cp.zeros(threads, cp.float32)
    d_cycles, d_out = bench.device.numba(timer.cycles), bench.device.numba(out)

    def launch(stride):
        return lambda: banks_kernel[1, threads](stride, rounds, d_cycles, d_out)

    times = bench.samples({f"stride {s}": launch(s) for s in STRIDES}, timer)
    for stride, summary in zip(STRIDES, times.values(), strict=True):
        ways = np.gcd(stride, 32) if stride else 1
        name = {0: "broadcast", 33: "stride-33"}.get(stride, ways)
        what = "all lanes one word" if stride == 0 else f"lanes {stride} words apart"
        conflict = f", {ways} of them in a bank" if ways > 1 else ", no conflict"
        bench.micro(
            f"bank-conflict-{name}",
            f"A warp's read of shared memory, {what}{conflict}",
            summary,
            unit="cycles",
            amount=rounds * 8 * threads // 32,
            kernel=KERNELS + "bank_conflicts.py",
            method=f"{IN_KERNEL} 512 reads in each of 32 warps of one block, over all reads",
            terms=["bank-conflict", "shared-memory-hardware"],
            extra={"ways": int(ways), "times_no_conflict": relative(summary, times["stride 1"])},
        )


def divergence(bench):
    timer = Cycles()
    out = cp.zeros(32, cp.float32)
    d_cycles, d_out = bench.device.numba(timer.cycles), bench.device.numba(out)

    def launch(ways):
        return lambda: ways_kernel[1, 32](ways, 1024, d_cycles, d_out)

    times = bench.samples({f"{ways} ways": launch(ways) for ways in WAYS}, timer)
    for ways, summary in zip(WAYS, times.values(), strict=True):
        bench.micro(
            f"divergence-{ways}",
            f"A warp whose lanes take {ways} paths of 1024 multiply-adds each"
            if ways > 1
            else "A warp whose lanes take one path of 1024 multiply-adds",
            summary,
            unit="cycles",
            kernel=KERNELS + "divergence.py",
            method=f"{IN_KERNEL} the work of one warp",
            terms=["warp-divergence", "simt", "independent-thread-scheduling"],
            extra={"ways": ways, "times_one_path": relative(summary, times["1 ways"])},
        )


def atomics_global(bench):
    blocks, threads, rounds = 8 * bench.device.multiprocessors, 256, 32  # float32 counts to 2^24
    total = blocks * threads
    terms = ["atomic-operation", "l2-cache"]
    rows, calls = {}, {}

    def plan(id, title, kernel, places, dtype="int32", old=False):
        counts = cp.zeros(places, dtype)
        d_counts = bench.device.numba(counts)
        more = (bench.device.numba(cp.zeros(total, cp.int32)),) if old else ()
        call = lambda: kernel[blocks, threads](d_counts, rounds, *more)  # noqa: E731
        call()
        if kernel is not atomics.global_cas_kernel and int(counts.sum()) != total * rounds:
            raise BenchmarkError(f"{id}: additions were lost")
        rows[id], calls[id] = title, call

    for places in (1, 32, 1024, 2**18):
        name = f"{places} place" + ("s" if places > 1 else "")
        plan(f"atomic-global-{places}", f"int32, {name}", atomics.global_kernel, places)
    for places in (1, 2**18):
        name = f"{places} place" + ("s" if places > 1 else "")
        title = f"int32, {name}, and the old value is used"
        plan(f"atomic-global-{places}-old", title, atomics.global_old_kernel, places, old=True)
    plan("atomic-global-float32-1", "float32, 1 place", atomics.global_float_kernel, 1, "float32")
    title = "float32, 262144 places"
    plan("atomic-global-float32", title, atomics.global_float_kernel, 2**18, "float32")
    plan("atomic-global-float64", title.replace("32,", "64,"), atomics.global_float_kernel, 2**18,
         "float64")  # fmt: skip
    title = "compare and swap of int32, 262144 places"
    plan("atomic-global-cas", title, atomics.global_cas_kernel, 2**18)
    for id, summary in bench.samples(calls, Events()).items():
        bench.micro(
            id,
            f"Atomic additions in global memory: {rows[id]}".replace("additions in", "in")
            if "cas" in id
            else f"Atomic additions in global memory: {rows[id]}",
            summary,
            unit="Gop/s",
            amount=total * rounds,
            kernel=KERNELS + "atomics.py",
            method=f"{WARM}; 2048 threads on each multiprocessor, {rounds} each",
            terms=terms,
        )


def atomics_shared(bench):
    blocks, threads, rounds = 2 * bench.device.multiprocessors, 1024, 128
    out = cp.zeros(1024, cp.int32)
    d_out = bench.device.numba(out)

    def launch(places):
        return lambda: atomics.shared_kernel[blocks, threads](places, rounds, d_out)

    calls = {}
    for places in (1, 32, 1024):
        out.fill(0)
        call = calls[f"atomic-shared-{places}"] = launch(places)
        call()
        if int(out.sum()) != blocks * threads // 2 * rounds:  # odd threads add 1
            raise BenchmarkError(f"atomic-shared-{places}: additions were lost")
    for id, summary in bench.samples(calls, Events()).items():
        places = int(id.split("-")[-1])
        bench.micro(
            id,
            f"Atomic additions in shared memory: int32, {places} place"
            + ("s" if places > 1 else "")
            + " in each block",
            summary,
            unit="Gop/s",
            amount=blocks * threads * rounds,
            kernel=KERNELS + "atomics.py",
            method=f"{WARM}; two blocks of 1024 threads on each multiprocessor, {rounds} each",
            terms=["atomic-operation", "shared-memory"],
        )


def scopes(bench):
    source = SNIPPETS + "atomics.cu"
    names = ("block", "device", "system")
    kernels = functions(source, *(f"{name}_scope" for name in names))
    blocks, threads, rounds = 8 * bench.device.multiprocessors, 256, 256
    counts = cp.zeros(32 * blocks, cp.int32)
    calls = {
        name: lambda kernel=kernel: kernel((blocks,), (threads,), (counts, np.int32(rounds)))
        for name, kernel in zip(names, kernels, strict=True)
    }
    for name, summary in bench.samples(calls, Events()).items():
        bench.micro(
            f"atomic-scope-{name}",
            f"Atomic additions of a block to one place of its own, scope {name}",
            summary,
            unit="Gop/s",
            amount=blocks * threads * rounds,
            kernel=source,
            method=f"{WARM}; 2048 threads on each multiprocessor, {rounds} each; "
            "the compiler makes one addition of those of a warp",
            terms=["memory-scope", "atomic-operation", "memory-order"],
        )


def block_barriers(bench, clock):
    timer, rounds = Cycles(), 64
    d_cycles = bench.device.numba(timer.cycles)
    calls = {"syncwarp": lambda: barriers.warp_barrier_kernel[1, 32](rounds, d_cycles)}
    for threads in (32, 128, 256, 512, 1024):
        calls[f"syncthreads-{threads}"] = lambda threads=threads: barriers.block_barrier_kernel[
            1, threads
        ](rounds, d_cycles)
    for id, summary in bench.samples(calls, timer).items():
        threads = id.split("-")[-1]
        title = "syncwarp" if id == "syncwarp" else f"syncthreads in a block of {threads} threads"
        bench.micro(
            id,
            f"A barrier: {title}, nothing to wait for",
            summary,
            unit="cycles",
            amount=8 * rounds,
            kernel=KERNELS + "barriers.py",
            method=f"{IN_KERNEL} {8 * rounds} barriers in a row, one block, divided",
            terms=["barrier"],
            extra=in_ns(summary, clock, 8 * rounds),
        )
    source = SNIPPETS + "cluster_barrier.cu"
    (cluster,) = functions(source, "cluster_barrier")
    timer = Cycles(2)
    call = lambda: cluster((2,), (256,), (np.int32(512), timer.cycles))  # noqa: E731
    summary = bench.samples({"sync-cluster": call}, timer)["sync-cluster"]
    bench.micro(
        "sync-cluster",
        "A barrier of a cluster of two blocks of 256 threads",
        summary,
        unit="cycles",
        amount=512,
        kernel=source,
        method=f"{IN_KERNEL} 512 barriers in a row, divided",
        terms=["thread-block-cluster", "barrier"],
        extra=in_ns(summary, clock, 512),
    )


def grid_barrier(bench):
    blocks = bench.device.multiprocessors
    few, many = 32, 1056  # the launch and its end are in both

    def launch(rounds):
        return lambda: barriers.grid_barrier_kernel[blocks, 256](rounds)

    times = bench.samples({"few": launch(few), "many": launch(many)}, Events())
    between = times["many"].median - times["few"].median
    bench.micro(
        "sync-grid",
        "A barrier of the whole grid, one block of 256 threads on each multiprocessor",
        type(times["many"])(between, times["many"].spread, times["many"].repeats),
        unit="us",
        amount=many - few,
        kernel=KERNELS + "barriers.py",
        method=f"{WARM}; a kernel with {many} barriers less one with {few}, divided",
        terms=["cooperative-groups", "barrier", "persistent-kernel"],
    )


def fences(bench, clock):
    timer, rounds = Cycles(), 512
    d_cycles = bench.device.numba(timer.cycles)
    d_out = bench.device.numba(cp.zeros(32, cp.int64))
    kernels = {
        "fence-none": ("no fence", barriers.no_fence_kernel),
        "fence-block": ("threadfence_block", barriers.block_fence_kernel),
        "fence-device": ("threadfence", barriers.device_fence_kernel),
        "fence-system": ("threadfence_system", barriers.system_fence_kernel),
    }
    calls = {
        id: lambda kernel=kernel: kernel[1, 32](d_out, rounds, d_cycles)
        for id, (_, kernel) in kernels.items()
    }
    for id, summary in bench.samples(calls, timer).items():
        bench.micro(
            id,
            f"A write to global memory, and then {kernels[id][0]}",
            summary,
            unit="cycles",
            amount=rounds,
            kernel=KERNELS + "barriers.py",
            method=f"{IN_KERNEL} {rounds} in one warp, divided",
            terms=["memory-fence", "memory-scope", "memory-order"],
            extra=in_ns(summary, clock, rounds),
        )

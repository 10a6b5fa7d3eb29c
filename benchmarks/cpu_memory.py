"""What a CPU's caches, predictors and pipelines are worth: chapters 5 and 6 of CS:APP, measured."""

import ctypes
import subprocess
import tempfile
import time

import numba
import numpy as np

from benchmarks.harness import ROOT, BenchmarkError, rounded
from benchmarks.numpy_baseline import cores, processor
from kernels.csapp import branches, chains, memory, sharing

HERE = "kernels/csapp/"
PREFETCH = "snippets/csapp/prefetch.cpp"
# Bytes of the arrays that the mountain reads, and how many values apart
FLOORS = {"16k": 2**14, "256k": 2**18, "8m": 2**23, "512m": 2**29}
STRIDES = (1, 2, 4, 8, 16, 32)
# The rows by id, so that a page may name one that no run has recorded yet
ROWS = (
    "cpu-chains-1", "cpu-chains-2", "cpu-chains-4", "cpu-chains-8", "cpu-keep-branch-random-half",
    "cpu-keep-branch-random-few", "cpu-keep-branch-sorted-half", "cpu-keep-branch-sorted-few",
    "cpu-keep-always-random-half", "cpu-keep-always-random-few", "cpu-keep-always-sorted-half",
    "cpu-keep-always-sorted-few", "cpu-read-16k-1", "cpu-read-16k-2", "cpu-read-16k-4",
    "cpu-read-16k-8", "cpu-read-16k-16", "cpu-read-16k-32", "cpu-read-256k-1", "cpu-read-256k-2",
    "cpu-read-256k-4", "cpu-read-256k-8", "cpu-read-256k-16", "cpu-read-256k-32", "cpu-read-8m-1",
    "cpu-read-8m-2", "cpu-read-8m-4", "cpu-read-8m-8", "cpu-read-8m-16", "cpu-read-8m-32",
    "cpu-read-512m-1", "cpu-read-512m-2", "cpu-read-512m-4", "cpu-read-512m-8", "cpu-read-512m-16",
    "cpu-read-512m-32", "cpu-chase-16k", "cpu-chase-256k", "cpu-chase-8m", "cpu-chase-512m",
    "cpu-visit-in-order", "cpu-visit-random", "cpu-visit-random-8", "cpu-visit-random-32",
    "cpu-visit-random-128", "cpu-count-shared-1", "cpu-count-shared-2", "cpu-count-shared-4",
    "cpu-count-shared-8", "cpu-count-shared-16", "cpu-count-padded-1", "cpu-count-padded-2",
    "cpu-count-padded-4", "cpu-count-padded-8", "cpu-count-padded-16",
)  # fmt: skip


def seconds(call):
    began = time.perf_counter()
    call()
    return time.perf_counter() - began


def require(right, what):
    if not right:
        raise BenchmarkError(f"{what}: wrong")


def run(bench):
    numba.set_num_threads(min(cores(), numba.config.NUMBA_NUM_THREADS))
    for part in (pipeline, predictor, mountain, latency, prefetch, false_sharing):
        with bench.part(part.__name__.replace("_", " ")):
            part(bench)
    for row in {*ROWS} - {row["id"] for row in bench.rows["microbenchmarks"]}:
        bench.say(f"[{bench.name}] this machine has not measured {row}")


def add(bench, id, title, summary, kernel, **more):
    where = processor() if more.pop("all_cores", False) else processor().rpartition(",")[0]
    method = f"wall clock, {where}" + ("" if where.endswith("cores") else ", one core")
    bench.micro(id, title, summary, kernel=kernel, method=method, **more)


def pipeline(bench):
    """A product of 8,192 numbers with 1, 2, 4 and 8 chains; the same 500 times for one sample."""
    n, calls = 2**13, 20 if bench.quick else 500
    x = 1 + np.random.default_rng(6).normal(0, 0.01, n)
    ways = {c: getattr(chains, f"product_{c}") for c in (1, 2, 4, 8)}
    for name, way in ways.items():
        require(np.isclose(way(x), np.prod(x)), f"{name} chains")

    @numba.njit
    def often(call, x, calls):
        total = 0.0
        for k in range(calls):
            x[k] += 1e-9  # so that no call is the same as the one before
            total += call(x)
        return total

    timed = {str(c): lambda w=w: often(w, x, calls) for c, w in ways.items()}
    times = bench.samples(timed, seconds)
    for c, summary in times.items():
        add(
            bench, f"cpu-chains-{c}", f"A product of {n} float64 in {c} chains", summary,
            HERE + "chains.py", unit="ns", amount=calls * n,
            extra={"gain": rounded(times["1"].median / summary.median)},
        )  # fmt: skip


def predictor(bench):
    """Keep a half and a hundredth of the values, in random order and sorted."""
    n = 2**18 if bench.quick else 2**22
    x = np.random.default_rng(7).integers(0, 1000, n).astype(np.int32)
    out = np.empty_like(x)
    inputs = {"random": x, "sorted": np.sort(x)}
    calls = {}
    for order, given in inputs.items():
        for share, above in (("half", 499), ("few", 989)):
            for way, keep in (("branch", branches.keep_branch), ("always", branches.keep_always)):
                kept = keep(given, above, out)
                require(np.array_equal(out[:kept], given[given > above]), f"{way}, {order}")
                calls[f"{way}-{order}-{share}"] = lambda k=keep, g=given, a=above: k(g, a, out)
    times = bench.samples(calls, seconds)
    for name, summary in times.items():
        other = times["always" + name.removeprefix("always").removeprefix("branch")]
        add(
            bench, f"cpu-keep-{name}", f"Keep some of {n} int32, by a branch or always: {name}",
            summary, HERE + "branches.py", unit="ns", amount=n,
            extra={"times_always": rounded(summary.median / other.median)},
        )  # fmt: skip


@numba.njit
def climb(x, stride, calls):
    total = 0.0
    for k in range(calls):
        x[0] = k  # so that no call is the same as the one before
        total += memory.read(x, stride)
    return total


def mountain(bench):
    """Read rates by the array's size and the stride, one core."""
    for floor, size in FLOORS.items():
        x = np.ones(min(size, 2**24) // 8 if bench.quick else size // 8)
        timed, reads = {}, {}
        for stride in STRIDES:
            require(memory.read(np.ones(101), stride) == -(-101 // stride), f"stride {stride}")
            reads[f"{floor}-{stride}"] = -(-x.size // stride)
            calls = max(1, 2**22 * stride // x.size)
            timed[f"{floor}-{stride}"] = lambda s=stride, c=calls, x=x: climb(x, s, c)
            reads[f"{floor}-{stride}"] *= calls
        for name, summary in bench.samples(timed, seconds).items():
            add(
                bench, f"cpu-read-{name}",
                f"Read every {name.partition('-')[2]}. float64 of {size} bytes", summary,
                HERE + "memory.py", unit="GB/s", amount=8 * reads[name],
                extra={"ns": rounded(summary.median / reads[name] * 1e9)},
            )  # fmt: skip


def latency(bench):
    """Each address stands in the last value: nothing can be fetched ahead."""
    steps = 20_000 if bench.quick else 400_000
    for floor, size in FLOORS.items():
        following = memory.ring(min(size, 2**23) // 8 if bench.quick else size // 8, seed=8)
        require(memory.chase(following, following.size) == 0, "the ring is not closed")
        timed = {floor: lambda f=following: memory.chase(f, steps)}
        add(
            bench, f"cpu-chase-{floor}",
            f"One step from place to place, at random, in {size} bytes",
            bench.samples(timed, seconds)[floor],
            HERE + "memory.py", unit="ns", amount=steps, terms=["latency-hiding"],
        )  # fmt: skip


def prefetch(bench):
    """Sum 64 million values in order, at random, and at random with prefetches."""
    n, reads = (2**20, 2**18) if bench.quick else (2**26, 2**22)
    rng = np.random.default_rng(9)
    x = rng.integers(0, 100, n)
    orders = {"in-order": np.arange(reads), "random": rng.integers(0, n, reads)}
    with tempfile.TemporaryDirectory() as folder:
        library = f"{folder}/prefetch.so"
        source = str(ROOT / PREFETCH)
        subprocess.run(["g++", "-O2", "-shared", "-fPIC", source, "-o", library], check=True)
        loaded = ctypes.CDLL(library)
    pointers = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t]
    loaded.visit.argtypes, loaded.visit.restype = pointers, ctypes.c_int64
    loaded.visit_ahead.argtypes = [*pointers, ctypes.c_size_t]
    loaded.visit_ahead.restype = ctypes.c_int64
    calls = {}
    for name, order in orders.items():
        right = int(x[order].sum())
        where = (x.ctypes.data, order.ctypes.data, reads)
        require(loaded.visit(*where) == right == memory.visit(x, order), name)
        calls[name] = lambda where=where: loaded.visit(*where)
        for ahead in (8, 32, 128) if name == "random" else ():
            require(loaded.visit_ahead(*where, ahead) == right, f"{ahead} ahead")
            calls[f"{name}-{ahead}"] = lambda w=where, a=ahead: loaded.visit_ahead(*w, a)
    for name, summary in bench.samples(calls, seconds).items():
        add(
            bench, f"cpu-visit-{name}", f"Sum {reads} of {n} int64: {name}", summary,
            PREFETCH, unit="ns", amount=reads,
        )  # fmt: skip


def false_sharing(bench):
    """Four letters counted by 1, 2, 4, 8 and all threads, side by side and each in its line."""
    n = 2**20 if bench.quick else 2**26
    letters = np.random.default_rng(10).integers(0, 4, n).astype(np.uint8)
    right = np.bincount(letters)
    here = numba.get_num_threads()
    calls = {}
    for threads in sorted({t for t in (1, 2, 4, 8, 16) if t <= here}):
        for name in ("shared", "padded"):

            def call(threads=threads, padded=name == "padded"):
                numba.set_num_threads(threads)  # wake no others: that takes milliseconds
                counts = sharing.rows(threads, padded)
                sharing.count(letters, counts)
                return counts

            require(np.array_equal(call().sum(axis=0)[:4], right), f"{threads} {name}")
            calls[f"{name}-{threads}"] = call
    times = bench.samples(calls, seconds)
    numba.set_num_threads(here)
    for name, summary in times.items():
        add(
            bench, f"cpu-count-{name}",
            f"Count {n} letters, places and threads: {name}", summary,
            HERE + "sharing.py", unit="ms", all_cores=True,
            extra={"gain": rounded(times["padded-1"].median / summary.median)},
        )  # fmt: skip

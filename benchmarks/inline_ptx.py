"""Inline PTX: loads with cache hints from Numba, CUDA C++ and Triton; warp-wide instructions."""

from functools import partial

import cupy as cp
import numpy as np
import torch

from benchmarks.harness import ROOT, BenchmarkError, rounded
from kernels.in_triton.inline_ptx import lookup_kernel as lookup_triton_kernel
from kernels.inline_ptx import hints, match

HINTS, MATCH = "kernels/inline_ptx/hints.py", "kernels/inline_ptx/match.py"
TRITON = "kernels/in_triton/inline_ptx.py"
CUDA = "snippets/inline_ptx/lookup.cu"
BLOCKS, THREADS = 264, 1024  # two blocks for each multiprocessor of an H200
LOADS = {
    "plain": hints.load_plain,
    "nc": hints.load_nc,
    "evict-first": hints.load_first,
    "no-allocate": hints.load_once,
    "deepep": hints.load_deepep,
}
TABLES = {
    "small": 4 * 1024,
    "fits": 40 * 1024,
    "fills": 56 * 1024,
    "large": 512 * 1024,
}  # entries of four bytes
IDS = {
    ("small", "plain"): "ptx-lookup-16k-plain",
    ("small", "nc"): "ptx-lookup-16k-nc",
    ("small", "evict-first"): "ptx-lookup-16k-evict-first",
    ("small", "no-allocate"): "ptx-lookup-16k-no-allocate",
    ("small", "deepep"): "ptx-lookup-16k-deepep",
    ("fits", "plain"): "ptx-lookup-160k-plain",
    ("fits", "nc"): "ptx-lookup-160k-nc",
    ("fits", "evict-first"): "ptx-lookup-160k-evict-first",
    ("fits", "no-allocate"): "ptx-lookup-160k-no-allocate",
    ("fits", "deepep"): "ptx-lookup-160k-deepep",
    ("fills", "plain"): "ptx-lookup-224k-plain",
    ("fills", "nc"): "ptx-lookup-224k-nc",
    ("fills", "evict-first"): "ptx-lookup-224k-evict-first",
    ("fills", "no-allocate"): "ptx-lookup-224k-no-allocate",
    ("fills", "deepep"): "ptx-lookup-224k-deepep",
    ("large", "plain"): "ptx-lookup-2m-plain",
    ("large", "nc"): "ptx-lookup-2m-nc",
    ("large", "evict-first"): "ptx-lookup-2m-evict-first",
    ("large", "no-allocate"): "ptx-lookup-2m-no-allocate",
    ("large", "deepep"): "ptx-lookup-2m-deepep",
}
CUDA_IDS = {"plain": "ptx-lookup-cuda-plain", "deepep": "ptx-lookup-cuda-deepep"}
TRITON_IDS = {
    "none": "ptx-lookup-triton-plain",
    "policy": "ptx-lookup-triton-policy",
    "asm": "ptx-lookup-triton-asm",
}
COPIES = {"plain": "ptx-copy-plain", "deepep": "ptx-copy-deepep"}
GATHERS = {
    "plain": ("ptx-gather-plain", hints.load_plain),
    "64B": ("ptx-gather-64b", hints.load_64),
    "256B": ("ptx-gather-256b", hints.load_256),
}
EVENTS = "CUDA events around one launch, cold L2"


def run(bench):
    n = 2**22 if bench.quick else 2**28
    for name, entries in TABLES.items():
        with bench.part(f"lookups in {entries} entries"):
            lookups(bench, name, entries, n)
    with bench.part("a copy"):
        copies(bench, n)
    with bench.part("rows of 32 bytes"):
        gathers(bench, n)
    with bench.part("sums of a warp"):
        sums(bench, 64 if bench.quick else 4096)
    with bench.part("a tally"):
        tallies(bench, n)
    torch.cuda.empty_cache()


def right(name, got, expected, tolerance=0.0):
    error = abs(float(got) - float(expected)) / max(1.0, abs(float(expected)))
    if not error <= tolerance:
        raise BenchmarkError(f"{name}: {got}, expected {expected}, error {error:.1e}")


def lookups(bench, name, entries, n):
    n -= n % (4096 * BLOCKS)
    codes = cp.random.randint(0, entries, n, dtype=cp.uint32)
    table = cp.random.random(entries, dtype=cp.float32)
    expected = (cp.bincount(codes, minlength=entries) * table.astype(cp.float64)).sum()
    out = cp.empty(BLOCKS * THREADS, cp.float32)
    d_codes, d_table, d_out = map(bench.device.numba, (codes, table, out))
    calls, files = {}, {}
    for way, load in LOADS.items():
        kernel = hints.make_lookup(load)[BLOCKS, THREADS]
        calls[IDS[name, way]] = partial(kernel, d_codes, d_table, d_out)
        files[IDS[name, way]] = (f"{way}, Numba", HINTS)
    if name == "fits":
        source = (ROOT / CUDA).read_text(encoding="utf-8")
        for way, options in (("plain", ("-DPLAIN",)), ("deepep", ())):
            raw = cp.RawModule(code=source, options=options).get_function("lookup")
            arguments = codes, table, out, np.int64(n // 4)
            calls[CUDA_IDS[way]] = partial(raw, (BLOCKS,), (THREADS,), arguments)
            files[CUDA_IDS[way]] = (f"{way}, CUDA C++", CUDA)
        tensors = [torch.as_tensor(a, device="cuda") for a in (codes.view(cp.int32), table, out)]
        for way, id in TRITON_IDS.items():
            calls[id] = partial(
                lookup_triton_kernel[(BLOCKS,)], *tensors, n // 4096 // BLOCKS,
                HINT=way, BLOCK=4096, num_warps=32,
            )  # fmt: skip
            files[id] = (f"{way}, Triton", TRITON)
    for id, call in calls.items():
        out.fill(0)
        call()
        right(id, out.sum(dtype=cp.float64), expected, 1e-4)
    times = bench.samples(calls)
    first = times[IDS[name, "plain"]].median
    for id, (way, file) in files.items():
        bench.micro(
            id,
            f"Lookup of {n} codes in a table of {4 * entries // 1024} KiB: {way}",
            times[id],
            unit="GB/s",
            amount=4 * n,
            method=f"{EVENTS}; the bytes of the codes alone",
            kernel=file,
            extra={"gain": rounded(first / times[id].median)},
        )


def copies(bench, n):
    x = cp.random.randint(0, 2**31, n, dtype=cp.uint32)
    out = cp.empty_like(x)
    calls = {}
    for way, id in COPIES.items():
        kernel = hints.make_copy(LOADS[way])[n // 1024, 256]
        calls[id] = partial(kernel, bench.device.numba(x), bench.device.numba(out))
        out.fill(0)
        calls[id]()
        right(id, cp.count_nonzero(x != out), 0)
    times = bench.samples(calls)
    for way, id in COPIES.items():
        bench.micro(
            id, f"Copy of {n} uint32: {way}", times[id],
            unit="GB/s", amount=8 * n, method=f"{EVENTS}; read and written", kernel=HINTS,
        )  # fmt: skip


def gathers(bench, n):
    x = cp.random.randint(0, 2**20, n, dtype=cp.uint32)
    rows = cp.random.permutation(n // 8)[: n // 32].astype(cp.uint32)
    out = cp.empty(2 * rows.size, cp.uint32)
    expected = x.reshape(-1, 8)[rows].sum(dtype=cp.uint64)
    calls = {}
    for id, load in GATHERS.values():
        kernel = hints.make_gather(load)[-(-out.size // 256), 256]
        calls[id] = partial(kernel, *map(bench.device.numba, (x, rows, out)))
        out.fill(0)
        calls[id]()
        right(id, out.sum(dtype=cp.uint64), expected)
    times = bench.samples(calls)
    first = times["ptx-gather-plain"].median
    for way, (id, _) in GATHERS.items():
        bench.micro(
            id, f"{rows.size} rows of 32 bytes, from anywhere in {4 * n >> 20} MiB: {way}",
            times[id], unit="GB/s", amount=32 * rows.size,
            method=f"{EVENTS}; the rows' bytes alone", kernel=HINTS,
            extra={"gain": rounded(first / times[id].median)},
        )  # fmt: skip


def sums(bench, turns):
    out = cp.empty(BLOCKS * THREADS, cp.uint32)
    calls, results = {}, []
    for id, add in (
        ("ptx-warp-redux", match.warp_add),
        ("ptx-warp-shuffles", match.warp_add_by_shuffles),
    ):
        kernel = match.make_sums(add)[BLOCKS, THREADS]
        calls[id] = partial(kernel, bench.device.numba(out), turns)
        calls[id]()
        results.append(out.copy())
    right("redux against shuffles", cp.count_nonzero(results[0] != results[1]), 0)
    times = bench.samples(calls)
    for id, name in (("ptx-warp-redux", "redux.sync"), ("ptx-warp-shuffles", "five shuffles")):
        bench.micro(
            id, f"Sums of a warp's 32 lanes, {name}", times[id],
            unit="Gop/s", amount=BLOCKS * THREADS // 32 * turns,
            method=f"CUDA events; {BLOCKS} blocks of {THREADS}, {turns} sums in a row",
            kernel=MATCH,
        )  # fmt: skip


def tallies(bench, n):
    for name, ids, votes in (
        (
            "most for one of 1,024",
            ("ptx-tally-skewed", "ptx-tally-skewed-match", "ptx-tally-skewed-ballots"),
            cp.minimum(cp.random.geometric(0.5, n), 1023).astype(cp.uint32),
        ),
        (
            "evenly over 1,024",
            ("ptx-tally-even", "ptx-tally-even-match", "ptx-tally-even-ballots"),
            cp.random.randint(0, 1024, n, dtype=cp.uint32),
        ),
    ):
        expected = cp.bincount(votes, minlength=1024)
        counts = cp.zeros(1024, cp.uint32)
        ways = match.tally_kernel, match.tally_match_kernel, match.make_tally_ballots(10)
        calls = {}
        for id, kernel in zip(ids, ways, strict=True):
            calls[id] = partial(
                kernel[BLOCKS, THREADS], bench.device.numba(votes), bench.device.numba(counts)
            )
            counts.fill(0)
            calls[id]()
            right(id, cp.count_nonzero(counts != expected), 0)
        times = bench.samples(calls)
        for id, way in zip(ids, ("an atomic a vote", "match.any", "ten ballots"), strict=True):
            bench.micro(
                id, f"Tally of {n} votes, {name}: {way}", times[id],
                unit="GB/s", amount=4 * n, method=f"{EVENTS}; the bytes of the votes",
                kernel=MATCH, extra={"gain": rounded(times[ids[0]].median / times[id].median)},
            )  # fmt: skip

"""Hopper's open questions: whether wgmma rounds TF32, who waits for whom, and attention in turns.

Each part is tried by itself: where one fails, its rows are missing and the log says why, and the
others are still recorded.
"""

import contextlib
import traceback
from functools import partial

import cupy as cp
import numpy as np
import torch
from numba import cuda, int32

from benchmarks.attention import Returned, by_torch, flat, in_float64, operands
from benchmarks.harness import BenchmarkError, Summary, rounded, summarize
from benchmarks.micro.common import COLD
from benchmarks.micro.one_change_clock import Clocked
from benchmarks.micro.one_change_gemm import edited
from benchmarks.micro.one_change_turns import TURNS
from benchmarks.tensor_cores import DRAWS, STAGE, Bfloat16, hopper, narrow, text, to_tf32, widen
from kernels.attention import one_group
from kernels.hopper import multistage
from kernels.tensor_cores import box, wgmma, wgmma_ceiling
from kernels.tensor_cores.ptx import ptx
from kernels.tensor_cores.tma import tensor_map
from kernels.wrong.tma_old_phase import old_phase_kernel

CEILING, PRODUCT = "kernels/tensor_cores/wgmma_ceiling.py", "kernels/tensor_cores/wgmma.py"
MULTISTAGE, TF32 = "kernels/hopper/multistage.py", "snippets/tensor_cores/wgmma_tf32.cu"
RUNG_2, RUNG_3 = "kernels/attention/two_consumers.py", "kernels/attention/overlap.py"
OLD_PHASE = "kernels/wrong/tma_old_phase.py"

# ---- What changes: (words of the file, words in their place)

# Tries enough for a millisecond, and then goes on: without the barrier a warpgroup can miss two
# phases of its slot, and would wait for a third one that may never come.
TRIES = 1 << 15
peek = ptx(
    "{ .reg .pred done; mbarrier.test_wait.parity.shared::cta.b64 done, [%1], %2;"
    " selp.u32 %0, 1, 0, done; }",
    "=r r r",
)


@cuda.jit(device=True)
def wait_or_go_on(barrier, parity):
    tries = int32(0)
    while tries < TRIES and not peek(barrier, parity):
        tries = int32(tries + 1)


BARRIER = "            cuda.syncthreads()  # both halves have used the slot\n"
FETCHES = (
    "            if cuda.threadIdx.x == 0 and ahead < rows * columns:\n                fetch(map"
)
GOES_ON = (
    ("    barrier_wait,\n    load_box", "    load_box"),
    ("# --8<-- [start:kernel]",
     "from benchmarks.micro.one_change_hopper import wait_or_go_on as barrier_wait\n"),
)  # fmt: skip
NO_BARRIER = (*GOES_ON, (BARRIER, ""))
# Each half says when it has used the slot, and only the thread that fetches waits for both.
FETCHER_WAITS = (
    ("    barrier_expect,\n", "    barrier_arrive,\n    barrier_expect,\n"),
    ("            barrier_init(full + 8 * s, 1)\n",
     "            barrier_init(full + 8 * s, 1)\n"
     "            barrier_init(full + 8 * STAGES + 8 * s, 2)\n"),
    (BARRIER,
     "            if thread == 0:\n"
     "                barrier_arrive(full + 8 * STAGES + 8 * slot)\n"),
    (FETCHES,
     FETCHES.replace("fetch(map", "barrier_wait(full + 8 * STAGES + 8 * slot, parity)\n"
                     "                fetch(map")),
)  # fmt: skip

BUT_ONE = "from kernels.attention.boxes import wait_but_one\n"
CEILING_BUT_ONE = (
    ("from kernels.tensor_cores.tma import", BUT_ONE + "from kernels.tensor_cores.tma import"),
    ("        wgmma_wait()\n    out[", "        wait_but_one()\n    wgmma_wait()\n    out["),
)
# The slot that is given back is that of the step before, whose product is done.
PRODUCT_BUT_ONE = (
    ("from kernels.tensor_cores.ptx import ptx\n",
     BUT_ONE + "from kernels.tensor_cores.ptx import ptx\n"),
    ("            total = zeros()\n            for _ in range(steps):\n",
     "            total = zeros()\n            before = slot\n"
     "            for i in range(steps):\n"),
    ("                wgmma_wait()\n"
     "                if thread == 0:\n"
     "                    barrier_arrive(empty + 8 * slot)\n",
     "                wait_but_one()\n"
     "                if thread == 0 and i > 0:\n"
     "                    barrier_arrive(empty + 8 * before)\n"
     "                before = slot\n"),
    ("            put(total[0:32], box,",
     "            wgmma_wait()\n"
     "            if thread == 0:\n"
     "                barrier_arrive(empty + 8 * before)\n"
     "            put(total[0:32], box,"),
)  # fmt: skip

# As TURNS, but the other consumer may go on as soon as the next scores are issued.
WHEN_DONE = "                barrier_arrive(k_empty + 8 * slot)\n            give(other)\n"
SCORES = "            s = scores_2(q, describe(k_s + slot * KV_BYTES, 16, 1024))\n"
WHEN_ISSUED = (
    (WHEN_DONE, WHEN_DONE.removesuffix("            give(other)\n")),
    (SCORES, SCORES + "            give(other)\n"),
)
# ptxas may move the powers of 2 past a wait, to where they are idle time for the tensor cores. A
# mask that depends on their sums, and whose bits are all 1, since no sum is negative, forbids it.
first_the_sums = ptx(
    "{ .reg .b32 x<2>; mov.b32 x0, %0[0]; mov.b32 x1, %0[1]; or.b32 x0, x0, x1;"
    " shr.s32 x0, x0, 31; not.b32 x0, x0; bar.warp.sync x0; }",
    "f2",
)
FIRST = "from benchmarks.micro.one_change_hopper import first_the_sums\n"
IMPORTS = "from kernels.tensor_cores.ptx import ptx\n"
TURN_AFTER_SUMS = (
    (IMPORTS, FIRST + IMPORTS),
    ("            take(mine)\n            barrier_wait(v_full",
     "            first_the_sums(row_sum)\n"
     "            take(mine)\n            barrier_wait(v_full"),
)  # fmt: skip
SUMS = "                    row_sum = row_sums(s, row_sum, alpha)\n"
WAIT_AFTER_SUMS = (
    (IMPORTS, FIRST + IMPORTS),
    (SUMS + "                    wgmma_wait()\n",
     SUMS + "                    first_the_sums(row_sum)\n                    wgmma_wait()\n"),
)  # fmt: skip
# A turn is the next scores and the product with the values; it ends when both are issued.
RUNG_3_TURNS = (
    ("    @cuda.jit(launch_bounds=(THREADS, 1))\n",
     "    take = ptx('bar.sync %0, 256;', 'r')\n"
     "    give = ptx('bar.arrive %0, 256;', 'r')\n\n"
     "    @cuda.jit(launch_bounds=(THREADS, 1))\n"),
    ("            part = int32(warpgroup - 1)  # which 64 rows of the tile\n",
     "            part = int32(warpgroup - 1)\n"
     "            mine, other = np.uint32(1 + part), np.uint32(2 - part)\n"
     "            if part == 1:\n"
     "                give(other)\n"),
    ("                    barrier_wait(k_full + 8 * slot, parity)\n"
     "                    s = scores(",
     "                    barrier_wait(k_full + 8 * slot, parity)\n"
     "                    take(mine)\n"
     "                    s = scores("),
    ("                    wait_but_one()  #", "                    give(other)\n"
     "                    wait_but_one()  #"),
    ("    shared = Q_SLOTS * Q_BYTES",
     "            if part == 0:\n                take(mine)\n"
     "    shared = Q_SLOTS * Q_BYTES"),
)  # fmt: skip


# ---- The parts


def run(bench):
    small = bench.quick
    with tried(bench, "wgmma's operands in TF32"):
        tf32(bench, *((256, 256) if small else (1024, 4096)))
    with tried(bench, "a phase that is over"):
        old_phase(bench)
    with tried(bench, "multistage without its barrier"):
        barriers(bench, 512 if small else 4096)
    with tried(bench, "wgmma alone, one step in flight"):
        ceiling(Clocked(bench), 25 if small else 5000)
    with tried(bench, "the product, one step in flight"):
        product(Clocked(bench), 512 if small else 8192)
    with tried(bench, "attention's consumers in turns"):
        ping_pong(bench, 1024 if small else 16384)


@contextlib.contextmanager
def tried(bench, name):
    """A part whose failure is said and leaves the others' rows as they are."""
    bench.say(f"[{bench.name}] {name}")
    try:
        yield
    except Exception as error:
        bench.say(f"[{bench.name}] FAILED {name}: {error}")
        traceback.print_exc()


def tf32(bench, n, k):
    """Errors of products of the same numbers: rounded before, cut off before, or as they are."""
    ring = hopper(text("wgmma_tf32.cu"), "wgmma_tf32")
    ring.max_dynamic_shared_size_bytes = shared = 4 * STAGE + 64
    before = torch.backends.cuda.matmul.allow_tf32
    torch.backends.cuda.matmul.allow_tf32 = True

    def by_wgmma(a, bt):
        output = bench.output((n, n))
        maps = [tensor_map(x.view(cp.uint16), rows).view("V128")
                for x, rows in ((a, 128), (bt, 256))]  # fmt: skip
        sizes = np.int32(n), np.int32(n), np.int32(k)
        ring((bench.device.multiprocessors,), (384,), (*maps, output.array, *sizes),
             shared_mem=shared)  # fmt: skip
        return output.array

    def by_cublas(a, bt):
        return cp.asarray(torch.matmul(*(torch.as_tensor(x, device="cuda") for x in (a, bt.T))))

    def cut(x):
        return (x.view(cp.uint32) & cp.uint32(0xFFFFE000)).view(cp.float32)

    def as_they_are(x):
        return x

    ways = {"rounded": to_tf32, "cut": cut, "as-they-are": as_they_are}
    errors, same = {}, {"cut": [], "rounded": []}
    for _ in range(DRAWS):
        a, bt = bench.random((n, k)), bench.random((n, k))
        exact = a.astype(cp.float64) @ bt.astype(cp.float64).T
        got = {}
        for who, multiply in (("wgmma", by_wgmma), ("cublas", by_cublas)):
            for way, before_it in ways.items():
                got[who, way] = product_of = multiply(*map(before_it, (a, bt)))
                off = float(cp.linalg.norm(product_of - exact) / cp.linalg.norm(exact))
                errors.setdefault((who, way), []).append(off)
        for way, shares in same.items():
            shares.append(float((got["wgmma", "as-they-are"] == got["wgmma", way]).mean()))
    torch.backends.cuda.matmul.allow_tf32 = before
    for (who, way), found in errors.items():
        bench.micro(
            f"one-change-tf32-{who}-{way}",
            f"Error of a TF32 product by {who}, operands {way.replace('-', ' ')}, k = {k}",
            summarize(found), unit="", kernel=TF32 if who == "wgmma" else None,
            method=f"||c - c64|| / ||c64||, normal random float32, {n} x {k} by {k} x {n};"
            f" median of {DRAWS} draws",
        )  # fmt: skip
    for way, shares in same.items():
        bench.micro(
            f"one-change-tf32-wgmma-as-{way}", "Results of wgmma on TF32 operands as they are that"
            f" equal those on {way} ones to the last bit", summarize(shares), unit="%", kernel=TF32,
            method=f"{n} x {n} results, median of {DRAWS} draws",
        )  # fmt: skip


def old_phase(bench):
    """How often the second of two boxes is read as the first one, because nobody waited for it."""
    first = []
    for _ in range(bench.repeats):
        got = box.first_elements(old_phase_kernel, 2)
        if got[0] != 0:
            raise BenchmarkError(f"the first box begins with {got[0]}, not 0")
        first.append(float(got[1] == 0))
    share = Summary(rounded(float(np.mean(first))), 0.0, len(first))
    bench.micro(
        "one-change-old-phase", "Launches whose second box was read as the first one: a wait for"
        " a phase that is over", share, unit="%",
        kernel=OLD_PHASE, method=f"the first element of the slot after each wait, {len(first)}"
        " launches of two boxes",
    )  # fmt: skip


def maps_of(bench, bits, output):
    boxes = zip((*bits, output.array), (wgmma.BM, wgmma.BK, 64), strict=True)
    return bench.device.numba(cp.asarray(np.concatenate([tensor_map(*each) for each in boxes])))


def configured(bench, kernel, threads, *arguments):
    """Launch a product once, which raises its limit of shared memory, and return the call."""
    shape = bench.device.multiprocessors, threads
    wgmma.launch(kernel, *shape, wgmma.SHARED, *arguments)
    return partial(kernel[(*shape, 0, wgmma.SHARED)], *arguments)


def barriers(bench, n):
    bits = [narrow(bench.random((n, n))) for _ in range(2)]
    expected = widen(bits[0]).astype(cp.float64) @ widen(bits[1]).astype(cp.float64)
    output = Bfloat16(bench.xp, (n, n))
    arguments = maps_of(bench, bits, output), *(int32(n),) * 3
    kernels = {
        "as-it-is": (multistage.multistage_kernel, 256, "as it is"),
        "none": (edited(MULTISTAGE, *NO_BARRIER).multistage_kernel, 256,
                 "without its barrier, and wrong where a slot is filled too soon"),
        "none-but-waits": (edited(MULTISTAGE, *GOES_ON).multistage_kernel, 256,
                           "as it is, but with the other wait for tiles"),
        "fetcher": (edited(MULTISTAGE, *FETCHER_WAITS).multistage_kernel, 256,
                    "only the thread that fetches waits for both halves"),
        "specialized": (wgmma.wgmma_kernel, 384, "a producer and two consumers"),
    }  # fmt: skip
    calls, errors = {}, {}
    for name, (kernel, threads, _) in kernels.items():
        with tried(bench, name):
            call = configured(bench, kernel, threads, *arguments)
            # It may be wrong, as long as every element is written.
            errors[name] = bench.check(name, call, output, expected, 9 if name == "none" else 5e-3)
            calls[name] = call
    for name, summary in bench.samples(calls).items():
        bench.micro(
            f"one-change-barrier-{name}", f"bfloat16 product {n}, multistage: {kernels[name][2]}",
            summary, unit="TFLOP/s", amount=2 * n**3, method=COLD,
            kernel=PRODUCT if name == "specialized" else MULTISTAGE,
            extra={"us": rounded(summary.median * 1e6), "error": rounded(errors[name])},
        )  # fmt: skip


def ceiling(clocked, steps):
    bench = clocked.bench
    blocks = bench.device.multiprocessors
    numbers = bench.device.numba(narrow(bench.random(3 * 8192)))
    results = {}
    for name, module, what in (
        ("each-step", wgmma_ceiling, "each step is waited for"),
        ("but-one", edited(CEILING, *CEILING_BUT_ONE), "one step stays in flight"),
    ):
        results[name] = out = cp.empty(blocks * 256, cp.float32)
        launch = module.wgmma_ceiling_kernel[blocks, 256]
        clocked.row(
            f"one-change-in-flight-{name}", f"a loop of wgmma alone, bfloat16; {what}",
            partial(launch, numbers, bench.device.numba(out), steps), 4_194_304 * blocks * steps,
            CEILING,
        )  # fmt: skip
    if not bool((results["each-step"] == results["but-one"]).all()):
        raise BenchmarkError("the two loops differ")


def product(clocked, n):
    bench = clocked.bench
    bits = [narrow(bench.random((n, n))) for _ in range(2)]
    expected = widen(bits[0]).astype(cp.float64) @ widen(bits[1]).astype(cp.float64)
    output = Bfloat16(bench.xp, (n, n))
    arguments = maps_of(bench, bits, output), *(int32(n),) * 3
    calls = {}
    for name, module in (("each-step", wgmma), ("but-one", edited(PRODUCT, *PRODUCT_BUT_ONE))):
        calls[name] = call = configured(bench, module.wgmma_kernel, 384, *arguments)
        bench.check(name, call, output, expected, 3e-3)
    del expected
    for name, call in calls.items():
        what = "one step stays in flight" if name == "but-one" else "each step is waited for"
        clocked.row(
            f"one-change-in-flight-product-{name}",
            f"a bfloat16 product of {n} x {n} x {n}, Numba; {what}", call, 2 * n**3, PRODUCT,
        )  # fmt: skip


def ping_pong(bench, length):
    heads, depth = 16, 128
    bits, tensors, wide = operands(bench, 1, heads, heads, length, depth)
    expected, output, calls = in_float64(*wide, False), Bfloat16(bench.xp, bits[0].shape), {}
    flats = [flat(bench, x) for x in (*bits, output.array)]
    changes = {
        (2, "as-it-is"): (),
        (2, "done"): TURNS,
        (2, "issued"): (*TURNS, *WHEN_ISSUED),
        (2, "done-after-sums"): (*TURNS, *TURN_AFTER_SUMS),
        (2, "issued-after-sums"): (*TURNS, *WHEN_ISSUED, *TURN_AFTER_SUMS),
        (3, "as-it-is"): (),
        (3, "after-sums"): WAIT_AFTER_SUMS,
        (3, "issued"): RUNG_3_TURNS,
        (3, "issued-after-sums"): (*RUNG_3_TURNS, *WAIT_AFTER_SUMS),
    }
    for (rung, way), change in changes.items():
        id, file = f"one-change-turns-{rung}-{way}", RUNG_2 if rung == 2 else RUNG_3
        with tried(bench, id):
            module = edited(file, *change)
            if rung == 2:
                kernel, threads, memory = module.two_consumers_kernel, 384, module.SHARED_2
                blocks, arguments = one_group.rung_arguments(*flats, 128)
            else:
                kernel, blocks, threads, memory, arguments = module.flash_arguments(*flats)
            wgmma.launch(kernel, blocks, threads, memory, *arguments)
            call = partial(kernel[blocks, threads, 0, memory], *arguments)
            bench.check(id, call, output, expected, 6e-3)
            calls[id] = file, call
    library = by_torch("CUDNN_ATTENTION", *tensors, False, Returned(bench.xp, bits[0].shape))
    calls["one-change-turns-cudnn"] = None, library.call
    hows = {
        "as-it-is": "no turns", "done": "turns, handed over when the scores are done",
        "issued": "turns, handed over when the products are issued",
        "after-sums": "a wait that the compiler cannot move",
    }  # fmt: skip
    for id, summary in bench.samples({id: call for id, (_, call) in calls.items()}).items():
        who, _, way = id.removeprefix("one-change-turns-").partition("-")
        told = [text for name, text in hows.items() if name in way]
        how = "cuDNN" if who == "cudnn" else f"rung {who}, {', '.join(told)}"
        bench.micro(
            id, f"Attention forward, {heads} heads x {length} x {depth}: {how}", summary,
            unit="TFLOP/s", amount=4 * heads * length * length * depth, method=COLD,
            kernel=calls[id][0], extra={"us": rounded(summary.median * 1e6)},
        )  # fmt: skip
    torch.cuda.empty_cache()

"""Two GPUs: when the all-reduce inside GPT-2's step begins and ends on each, by its own stamps.

Hypothesis: the all-reduce costs more inside a step than alone because one rank waits for the
other. Then it takes the rank that comes last as long as alone, and the rank that came first the
wait on top.
"""

import cupy as cp
import numpy as np

from benchmarks.gpt_two_gpus import TOLERANCE, filled
from benchmarks.group import free, in_a_graph, reach
from benchmarks.harness import REPEATS, ROOT, BenchmarkError, rounded, summarize
from kernels.multi_gpu.all_reduce import PEERS, struct
from kernels.multi_gpu.peers import on_each

GPUS = 2
FOLDER = ROOT / "snippets/multi_gpu"
TWO_SHOT, ONE_SHOT = "snippets/multi_gpu/peers.cu", "snippets/multi_gpu/one_shot.cu"
SHARES = (2, 8, 32, 64)  # sequences of a GPU
WARMUP, STAMPS = 3, 3  # a block notes: it begins, all ranks are there, it ends
KEPT = 64  # calls of one shot whose stamps are kept
METHOD = "the global timer of each GPU, read by each block of the kernel: the first to begin, the "
METHOD += "last to end"


def run(bench):
    reach(GPUS)
    with bench.part("the gradient"):
        check()
    for share in SHARES[:1] if bench.quick else SHARES:
        with bench.part(f"steps of {share} sequences"):
            steps(bench, share)
        free(GPUS)


def replaced(text, changes):
    for old, new in changes.items():
        if text.count(old) != 1:
            raise BenchmarkError(f"the kernel has no longer one {old!r}")
        text = text.replace(old, new)
    return text


def stamped_peers(text):
    """Return peers.cu with a two_shot that notes three times a block, in its unused room."""
    note = "if (threadIdx.x == 0) ((word_t*)p.room[g.rank])[{} * gridDim.x + blockIdx.x] = "
    note += "nanoseconds();\n"
    size = "    size_t part = (n + g.ranks - 1) / g.ranks, end = min("
    meets = "    if (!meet(p, g, call + 1)) return;\n    for (size_t i = first; i < end;"
    ends = "    if (!meet(p, g, call + 2)) return;  // all parts have arrived\n"
    loop = "    for (size_t i = first; i < end;"
    met = meets.removesuffix(loop) + "    " + note.format(1) + loop
    return replaced(text, {size: "    " + note.format(0) + size, meets: met,
                           ends: ends + "    " + note.format(2)})  # fmt: skip


def stamped_one_shot(text):
    """Return one_shot.cu whose blocks note begin and end of each call, behind the output."""
    note = "if (threadIdx.x == 0) ((word_t*)(out + n))[(call % {} * 2 + {}) * gridDim.x + "
    note += "blockIdx.x] = nanoseconds();\n"
    begins = "    int first = blockIdx.x * blockDim.x + threadIdx.x, step = gridDim.x *"
    begins += " blockDim.x;\n"
    ends = "    if (threadIdx.x == 0) calls[blockIdx.x] = call;\n"
    return replaced(text, {begins: begins + "    " + note.format(KEPT, 0),
                           ends: "    " + note.format(KEPT, 1) + ends})  # fmt: skip


def note_times(group, name):
    """Let a group of ranks use the kernel that notes its times; load it on every GPU now."""
    file, stamped = {
        "two_shot": ("peers.cu", stamped_peers),
        "one_shot": ("one_shot.cu", stamped_one_shot),
    }[name]
    source = stamped((FOLDER / file).read_text(encoding="utf-8"))
    module = cp.RawModule(code=source, options=("-std=c++17",))
    group.kernels[name] = module.get_function(name)
    places = on_each(lambda rank: cp.zeros(2 * KEPT * group.shape[0], np.uint64), group.devices)
    for rank, device in enumerate(group.devices):  # as a group does when it is made
        place = places[rank].data.ptr
        alone = struct(PEERS, flags=[group.flags[rank].data.ptr], room=[place])
        group._queue(name, rank, group._arguments(name, 0, 1, rank, alone, 0, 0, place))
        group.streams[rank].synchronize()
        with cp.cuda.Device(device):
            for array in (group.flags[rank], *(calls[rank] for calls in group.calls.values())):
                array.fill(0)
            cp.cuda.Device().synchronize()


def check():
    """The averaged gradient is that of one GPU with both shares, and the same on both ranks."""
    both, alone = filled(4, [0, 1]), filled(8, [0])
    note_times(both.group, "two_shot")
    for gpus in (both, alone):
        gpus.step()
        gpus.wait()
    first, second, right = (g.get() for g in (*both.gradients, *alone.gradients))
    error = float(np.linalg.norm(first - right) / np.linalg.norm(right))
    if not error < TOLERANCE or not np.array_equal(first, second):
        raise BenchmarkError(f"gradient: error {error:.1e}, apart {np.abs(first - second).max()}")


def noted(group):
    """Return when each rank's blocks began, were all there, and ended: (rank, 3), ns."""
    blocks = group.shape[0]
    found = []
    for room in group.room:
        stamps = room[: 2 * STAMPS * blocks].get().view(np.uint64).reshape(STAMPS, blocks)
        found.append([stamps[0].min(), stamps[1].max(), stamps[2].max()])
    times = np.array(found)
    if (times[:, 1] < times[:, 0]).any() or (times[:, 2] < times[:, 1]).any() or not times.all():
        raise BenchmarkError(f"stamps out of order: {times.tolist()}")
    return times


def rows(bench, id, title, times):
    """Add a row for the rank that came last, and one for the other. ``times``: (calls, 2, 3)."""
    times = np.array(times).astype(np.int64)
    lasted = 1e-9 * (times[:, :, 2] - times[:, :, 0])
    worked = 1e-9 * (times[:, :, 2] - times[:, :, 1])
    waits = lasted.max(1) - lasted.min(1)
    steps = np.diff(np.unique(times))
    extra = {
        "wait_us": rounded(1e6 * float(np.median(waits))),
        "longest_wait_us": rounded(1e6 * float(waits.max())),
        "worked_us": rounded(1e6 * float(np.median(worked.max(1)))),
        "first_of_rank_0_share": rounded(float((lasted[:, 0] > lasted[:, 1]).mean())),
        "clock_ns": rounded(float(steps.min())),
    }
    for which, of_two in (("last", lasted.min(1)), ("first", lasted.max(1))):
        if len(of_two) < REPEATS and not bench.quick:
            raise BenchmarkError(f"{id}: {len(of_two)} samples")
        bench.micro(f"{id}-{which}", f"{title}: on the rank that comes {which}",
                    summarize(of_two.tolist()), unit="us", kernel=TWO_SHOT, method=METHOD,
                    terms=["data-parallelism", "all-reduce"], extra=extra)  # fmt: skip


def steps(bench, share):
    gpus = filled(share, list(range(GPUS)))
    note_times(gpus.group, "two_shot")
    launch = gpus.record()
    times = []
    for turn in range(WARMUP + 2 * bench.repeats):
        launch()
        gpus.wait()
        if turn >= WARMUP:
            times.append(noted(gpus.group))
    rows(bench, f"two-change-step-{share}", "The all-reduce of GPT-2's gradients inside a step of "
         f"{share} sequences on each of two GPUs", times)  # fmt: skip
    if share != SHARES[0]:
        return
    call = in_a_graph(gpus.all_reduce, gpus.streams, 4)  # the last of four begins with the others
    times = []
    for turn in range(WARMUP + 2 * bench.repeats):
        call()
        gpus.wait()
        if turn >= WARMUP:
            times.append(noted(gpus.group))
    rows(bench, "two-change-step-alone", "The all-reduce of GPT-2's gradients on two GPUs, the "
         "last of four in a row", times)  # fmt: skip

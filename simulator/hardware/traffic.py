"""Traffic beyond the first-level cache: what the stepper says of it, and what a GPU counts.

``launches`` are the cases and the larger launches below. Three numbers of the stepper's are held
against a GPU: the sectors of loads that reach the second-level cache (the first level keeps what a
block has read, and nothing from one block to the next), those of stores, which all reach it, and
the bytes that HBM is read for: pieces of 64 bytes, the two sectors that it hands out together, each
once. Nsight Compute empties both caches before a launch, so that each begins as here. What is
written stays in the second level and may never come to HBM in the launch, and of atomic operations
that level counts turns: both are shown, and not compared.

``python -m simulator.hardware.traffic`` counts traffic.json anew.
"""

import json
from functools import cache
from pathlib import Path

import numpy as np

from simulator.hardware.cases import CASES, Case, counted, fractions, mixed, zeros
from simulator.loading import stepping
from simulator.stepper import Stepper

FILE = Path(__file__).with_name("traffic.json")
READS = "lts__t_sectors_srcunit_tex_op_read.sum"
WRITES = "lts__t_sectors_srcunit_tex_op_write.sum"
ATOMICS = ("lts__t_sectors_op_atom.sum", "lts__t_sectors_op_red.sum")
HBM_READ, HBM_WRITTEN = "dram__bytes_read.sum", "dram__bytes_write.sum"
LOCAL = {
    "reads": "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum",
    "writes": "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum",
}
METRICS = (
    READS, WRITES, *ATOMICS, HBM_READ, HBM_WRITTEN, *LOCAL.values(),
    "lts__t_sectors_op_read.sum", "lts__t_sectors_op_write.sum",
    "lts__t_sectors_srcunit_tex_lookup_miss.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
)  # fmt: skip
PIECE = 64  # bytes that HBM hands out at least: see the reads 16 elements apart in the profiles

N, SIDE = 1 << 16, 256  # elements, and rows and columns


def _large():
    """Launches of more blocks than a GPU has multiprocessors: (kernel, variant, grid, ...)."""
    at = "kernels/memory_hierarchy/"
    flat, tiles = (N // 256, 256), ((SIDE // 16, SIDE // 16), (16, 16))
    three = lambda: [fractions(N), counted(N), zeros(N)]  # noqa: E731
    yield "kernels/vector_add/add.py:add_kernel", "", flat, three
    yield "kernels/vector_add/grid_stride.py:add_strided_kernel", "", (64, 256), three
    yield "kernels/setup/double.py:double_kernel", "", flat, lambda: [fractions(N)]
    for stride in (8, 16):
        given = lambda s=stride: [counted(N // 2 * s), s, zeros(N // 2)]  # noqa: E731
        yield at + "strided_read.py:strided_kernel", f"stride {stride}", (N // 512, 256), given
    for offset in (1, 8):
        given = lambda o=offset: [counted(N + o), o, zeros(N)]  # noqa: E731
        yield at + "offset_read.py:offset_kernel", f"offset {offset}", flat, given
    square = lambda: [counted(SIDE, SIDE), zeros(SIDE, SIDE)]  # noqa: E731
    yield at + "transpose_direct.py:transpose_direct_kernel", "", tiles, square
    yield at + "transpose_tile.py:transpose_tile_kernel", "", tiles, square
    columns = lambda: [fractions(64, 4 * SIDE), zeros(4 * SIDE)]  # noqa: E731
    yield at + "column_sums.py:column_sums_kernel", "", (8, 128), columns
    matrices = lambda: [fractions(96, 96), fractions(96, 96), zeros(96, 96)]  # noqa: E731
    yield "kernels/naive_matmul/matmul.py:matmul_kernel", "", ((3, 12), (32, 8)), matrices
    bins = lambda: [mixed(N, 251), zeros(251, dtype=np.int32)]  # noqa: E731
    yield "kernels/thinking_in_parallel/histogram.py:histogram_kernel", "", flat, bins


def _named():
    for source, variant, config, arguments in _large():
        file, kernel = source.split(":")
        grid, block = ((n, 1) if isinstance(n, int) else n for n in config)
        name = ", ".join(filter(None, (source, variant, "large")))
        yield Case(name, file, kernel, (grid, block), arguments)


LARGE = {case.name: case for case in _named()}
LAUNCHES = CASES | LARGE


# ---------------------------------------------------------------- the stepper's side


def count(cases):
    """Launch cases in the stepper: {name: its numbers}."""
    stepper = Stepper(mode="check", raise_findings=False)
    found = {}
    with stepping(stepper):
        for name, case in cases.items():
            stepper.launches.clear()
            case.launch(stepper.cuda)
            found[name] = numbers(stepper.launches[0].counts)
    return found


def numbers(counts):
    """What is compared of a launch's Counts."""
    return {
        **counts.l2(),
        "loads": counts.total("sectors", kind="load"),
        "only read": len(counts.loaded - counts.stored - counts.updated),
        "written": len(counts.stored),
        "HBM": PIECE * len({sector // 2 for sector in counts.loaded}),
    }


@cache
def known():
    """What ``count`` found when it last ran."""
    return json.loads(FILE.read_text(encoding="utf-8"))


# ---------------------------------------------------------------- the two side by side

# Why the second-level cache sees other than the stepper says.
FEWER = "several blocks read the same sectors, and some of their requests were joined on the way"
MORE = "a sector was asked for again before it had come, or after other data had taken its place"
KEPT = "the block reads what it has stored, and the first level keeps that too"
JOINED = "stores to one sector were put together on the way"
LOCAL_ARRAY = "the thread's local array lies behind the same caches"
AS_COMPILED = "the machine code has other loads or stores than the source: see the list below"


def unlike(name, counters):
    """Where a GPU's traffic is what it cannot be, as sentences.

    Whatever the first level keeps: no more sectors reach the second than the warps ask for, and no
    fewer than they touch. HBM is read for each piece that was loaded, where there are so many that
    the rest (instructions, arguments) is little beside them.
    """
    ours = known()[name]
    local = {which: counters.get(metric, 0) for which, metric in LOCAL.items()}
    asked = counters["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"] + local["reads"]
    stored = counters["l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"] + local["writes"]
    least = ours["only read"]
    if not least <= counters[READS] <= asked:
        yield f"{name}: reads of the L2: {counters[READS]:g}, and not {least:g} to {asked:g}"
    least = ours["written"] if stored == ours["writes"] else 0
    if not least <= counters[WRITES] <= stored:
        yield f"{name}: writes of the L2: {counters[WRITES]:g}, and not {least:g} to {stored:g}"
    if name in LARGE and counters[HBM_READ] < ours["HBM"]:
        yield f"{name}: HBM is read for {counters[HBM_READ]:g} bytes, fewer than {ours['HBM']:g}"


def reason(name, counters):
    """Why reads or writes of the second-level cache are not what the stepper says, or None."""
    ours = known()[name]
    reads, writes = counters[READS] - ours["reads"], counters[WRITES] - ours["writes"]
    if not reads and not writes:
        return None
    if any(counters.get(metric) for metric in LOCAL.values()):
        return LOCAL_ARRAY
    found = []
    if reads:
        as_source = counters["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"] == ours["loads"]
        fewer = FEWER if ours["only read"] else KEPT
        found.append((MORE if reads > 0 else fewer) if as_source else AS_COMPILED)
    if writes:
        as_source = counters["l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"] == ours["writes"]
        found.append(JOINED if as_source else AS_COMPILED)
    return "; ".join(dict.fromkeys(found))


def main():
    rows = (f"{json.dumps(k)}: {json.dumps(v)}" for k, v in count(LAUNCHES).items())
    FILE.write_text("{\n " + ",\n ".join(rows) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()

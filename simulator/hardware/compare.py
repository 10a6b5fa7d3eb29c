"""What the stepper counts of each case, and where a GPU counts otherwise, with the reason.

Everything that is known to differ stands in DIFFERENCES, and nothing else may differ.
"""

import ast
import json
from functools import cache
from pathlib import Path

import numpy as np

from simulator.hardware import traffic
from simulator.hardware.cases import CASES
from simulator.hardware.foreign import AT
from simulator.loading import stepping
from simulator.stepper import Stepper
from simulator.stepper.counts import LEAST

ISSUED = Path(__file__).with_name("issued.json")
_GLOBAL = "l1tex__t_{}_pipe_lsu_mem_global_op_{}.sum"
_SHARED = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{}.sum"
_WAVES = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{}.sum"
EFFICIENCY = "smsp__sass_average_branch_targets_threads_uniform.pct"
# What is compared: a short name, and Nsight Compute's.
METRICS = {
    "requests, loads": _GLOBAL.format("requests", "ld"),
    "requests, stores": _GLOBAL.format("requests", "st"),
    "sectors, loads": _GLOBAL.format("sectors", "ld"),
    "sectors, stores": _GLOBAL.format("sectors", "st"),
    "bank conflicts, loads": _SHARED.format("ld"),
    "bank conflicts, stores": _SHARED.format("st"),
    "shared-memory cycles, loads": _WAVES.format("ld"),
    "shared-memory cycles, stores": _WAVES.format("st"),
    "divergent branches": "smsp__sass_branch_targets_threads_divergent.sum",
    "branch efficiency": EFFICIENCY,
}
BRANCHES = "smsp__sass_branch_targets.sum"
INSTRUCTIONS = "smsp__inst_executed.sum"
FEWEST = "the least instructions"  # a name of ours, as is the next
TRAFFIC = "the traffic beyond the first-level cache"

# Why a GPU counts otherwise, each seen in the machine code of the kernels that it names.
ONCE = "the source reads an element twice, and the compiler keeps it in a register"
STORED = "the thread reads what it has just stored, and the compiler leaves the load out"
UNROLLED = (
    "the compiler unrolled the loop by four turns and does those that are left over first, so that "
    "lanes with another number of turns load at another time"
)
SWAPPED = (
    "the GPU has no atomic maximum of floats: the compiler writes a loop that reads the element, "
    "compares and swaps, and goes on while another lane was faster"
)
ROOT = (
    "the machine code of a square root has a way of its own for zero and for very small numbers, "
    "which the lane with the zero takes"
)
SPLIT = "the compiler made a store for each side of `a if test else b`"
FEWER = (
    "the machine code has other branches than the source: some are conditional instructions or "
    "early exits, and loops are unrolled. Where none is left, the GPU's counter reads 0"
)

MORE = (
    "the source has one operation where the machine code has several: an index becomes an address "
    "of 64 bits, and one that may be negative counts from the end, with five or six instructions "
    "for each array; pointers and sizes are read from the kernel's arguments; a warp asks for its "
    "place first and ends with an instruction of its own"
)
UNROLLED_SUMS = (
    "the compiler unrolled the loop and fused each product with its sum, so that a turn of five "
    "operations is one instruction"
)
# Kernels of which the GPU issues fewer instructions than the source has.
FEWER_ISSUED = {"fma_1_kernel": UNROLLED_SUMS, "fma_4_kernel": UNROLLED_SUMS}
MOST_MORE = 8  # times as many as the source has, at most
# An atomic maximum of floats is a loop around a compare-and-swap: lanes of a warp that meet go
# round again, up to 32 times, and who wins each round differs by run (217 issued, or 237).
RETRIED = {"largest_kernel": 32}  # kernel -> that many times as many at most

# Branches of the source that are none in the machine code, by their place among the kernel's
# branches (if, for and while, from the top): conditional instructions, an early exit, an unrolled
# loop. Of kernels that are not named here, the machine code keeps all branches or none.
GONE = {
    "busy_kernel": (0,),
    "matmul_kernel": (0,),
    "matmul_swapped_kernel": (0,),
    "matmul_transposed_kernel": (0,),
    "column_sums_kernel": (0,),
    "matvec_kernel": (0,),
    "vecmat_kernel": (0,),
    "registers_kernel": (0,),
    "local_kernel": (0,),
    "collatz_kernel": (0,),
    "reread_kernel": (1,),
    "reverse_in_blocks_kernel": (1,),
    "histogram_lost_kernel": (1,),
    "transpose_tile_kernel": (1,),
    "warp_sum_kernel": (2,),
    "whole_warp_kernel": (2,),
    "shared_kernel": (1,),
    "gemv_kernel": (3,),
    "gemv_int8_kernel": (3,),
    "online_kernel": (5,),
    "blur_kernel": (0, 2),
    "blur_no_edge_kernel": (0, 2),
    "sum_kernel": (2, 3),
    "scan_kernel": (0, 3, 4),
    "coop_syncwarp": (4,),
    "cu_mat_power": (0,),
}


def _differences():
    """What differs, as (case, metric, the stepper's, the GPU's, why)."""
    loads, sectors = "requests, loads", "sectors, loads"
    v, t, w = "kernels/vector_add/", "kernels/thinking_in_parallel/", "kernels/wrong/"
    for case, ours, theirs, a, b in (
        ("kernels/setup/double.py:double_kernel", 16, 8, 64, 32),
        ("kernels/execution_model/square.py:square_kernel", 16, 8, 64, 32),
        (t + "map_gather.py:map_kernel", 8, 4, 30, 15),
        (t + "compact.py:keep_kernel", 12, 8, 27, 20),
        (w + "threads_and_blocks_thread_index_only.py:square_first_block_kernel", 6, 3, 24, 12),
    ):
        yield case, loads, ours, theirs, ONCE
        yield case, sectors, a, b, ONCE
    strided = v + "grid_stride.py:add_strided_kernel"
    yield strided, loads, 16, 22, UNROLLED
    yield strided, sectors, 64, 70, UNROLLED
    yield strided, "requests, stores", 8, 11, UNROLLED
    yield strided, "sectors, stores", 32, 35, UNROLLED
    total = t + "reduce.py:sum_kernel"
    yield total, loads, 10, 13, UNROLLED
    yield total, sectors, 38, 41, UNROLLED
    yield total, "divergent branches", 1, 2, UNROLLED
    traps = "kernels/metal_host/traps.py:"
    yield traps + "largest_kernel", loads, 4, 8, SWAPPED
    yield traps + "largest_kernel", sectors, 15, 19, SWAPPED
    yield traps + "largest_kernel", "divergent branches", 1, 17, SWAPPED
    yield traps + "reverse_by_distance_kernel", "requests, stores", 1, 2, SPLIT
    gemv = "kernels/microbenchmarks/gemv.py:gemv_kernel"
    yield gemv, loads, 160, 280, UNROLLED
    yield gemv, sectors, 550, 640, UNROLLED
    yield gemv, "divergent branches", 20, 40, UNROLLED
    # A tree in shared memory reads back what the thread has just written.
    cycles, at = "shared-memory cycles, loads", "kernels/microbenchmarks/"
    yield at + "softmax.py:three_pass_kernel", cycles, 256, 128, ONCE
    yield at + "softmax.py:online_kernel", cycles, 256, 128, ONCE
    yield at + "waves.py:block_work_kernel", cycles, 2, 0, STORED
    yield AT + "test_sync.py:coop_syncwarp", cycles, 10, 9, STORED
    yield AT + "test_math.py:math_sqrt", "divergent branches", 0, 1, ROOT


DIFFERENCES = {(case, metric): row for case, metric, *row in _differences()}


@cache
def stepped():
    """Launch every case in the stepper: {name: (counts by Nsight Compute's names, results)}."""
    stepper = Stepper(mode="check", raise_findings=False)
    found = {}
    with stepping(stepper):
        for name, case in CASES.items():
            stepper.launches.clear()
            results = case.launch(stepper.cuda)
            found[name] = counted(case.kernel, stepper.launches[0].counts), results
    return found


def counted(kernel, counts):
    """The counts of a launch by Nsight Compute's names."""
    rows = [row for row in counts.by_line().values() if row["branches"]]
    left = [row["split"] for k, row in enumerate(rows) if k not in GONE.get(kernel, ())]
    return counts.metrics() | {
        METRICS["divergent branches"]: sum(left),
        INSTRUCTIONS: counts.summary()["instructions_issued"],
        FEWEST: counts.issued(LEAST),
        TRAFFIC: traffic.numbers(counts),
    }


@cache
def issued():
    """Warp instructions of every case: {name: (as the source has them, the least)}."""
    return json.loads(ISSUED.read_text(encoding="utf-8"))


def count_issued():
    """Count ``issued`` anew."""
    return {name: [counts[INSTRUCTIONS], counts[FEWEST]] for name, (counts, _) in stepped().items()}


def unlike_issued(name, theirs):
    """Where a GPU issued other than it may, as sentences: the least holds for every case."""
    ours, least = issued()[name]
    if theirs < least:
        yield f"{name}: the GPU issues {theirs:g} instructions, fewer than the least, {least:g}"
    kernel = CASES[name].kernel
    most = RETRIED.get(kernel, MOST_MORE) * ours
    if (kernel in FEWER_ISSUED) != (theirs < ours) or theirs > most:
        yield f"{name}: the GPU issues {theirs:g} instructions, and the source has {ours:g}"


def unlike(name, counters, case_counts):
    """Where the counts of a case are not what they should be, as sentences."""
    none_left = counters[BRANCHES] == 0
    for metric, long in METRICS.items():
        ours, theirs = case_counts[long], counters[long]
        if metric == "branch efficiency" or metric == "divergent branches" and none_left:
            continue
        wanted = DIFFERENCES.get((name, metric), (theirs, theirs))[:2]
        if (ours, theirs) != tuple(wanted):
            yield f"{name}: {metric}: the stepper {ours:g}, the GPU {theirs:g}, known {wanted}"
        elif (name, metric) in DIFFERENCES and ours == theirs:
            yield f"{name}: {metric}: no longer differs"
    parted, branches = counters[METRICS["divergent branches"]], counters[BRANCHES]
    share = 100 * (1 - parted / branches) if branches else 0
    if abs(share - counters[EFFICIENCY]) > 0.01:
        yield f"{name}: the GPU's branch efficiency does not follow from its branches"


def error(ours, theirs):
    """The largest difference of two results, relative to the largest value of the second."""
    ours, theirs = np.asarray(ours, np.float64), np.asarray(theirs, np.float64)
    most = np.abs(theirs).max(initial=0)
    return float(np.abs(ours - theirs).max(initial=0) / (most or 1))


# ---------------------------------------------------------------- what is not compared

# Kernels that have no result of their own to compare: {file or file:kernel: reason}.
LEFT_OUT = {
    "kernels/wrong/vector_add_no_guard.py": "writes outside its arrays: the stepper stops it there",
    "kernels/latency_hiding/stations.py:station_sums_kernel": "an exercise's beginning, of which "
    "the page runs the solution",
    "kernels/wrong/attention_no_rescale.py": "wrong in its arithmetic alone: its values are shown "
    "as wrong beside those of the kernel that it comes from",
    "kernels/wrong/matmul_or_guard.py": "reads and writes outside its arrays: the stepper stops it "
    "there",
    "kernels/metal_host/traps.py:wait_kernel": "waits for a block that may never get a place, and "
    "is shown for that alone",
    "kernels/wrong/coarsened_first_guard.py": "reads and writes outside its arrays: the stepper "
    "stops it there",
    "kernels/wrong/tiled_one_barrier.py": "a race: what it leaves is open, and the stepper says so",
    "kernels/wrong/transpose_no_barrier.py": "a race: what it leaves is open, and the stepper says "
    "so",
}
# Modules that the stepper cannot run, by what they import.
REFUSED = {
    "llvmlite": "PTX of its own, which no simulator reads",
    "cupy": "CuPy drives a GPU itself",
    "cupyx": "CuPy drives a GPU itself",
    "cuda": "CUDA's own interface drives a GPU itself",
    "nccl": "NCCL drives GPUs itself",
    "mlx": "MLX drives a GPU itself",
    "torch": "PyTorch drives a GPU itself",
    "triton": "Triton compiles for a GPU itself",
    "mpi4py": "MPI needs a process for each GPU",
    "numba_cuda_mlir": "what numba-cuda-mlir alone compiles: PTX, and its own intrinsics",
}


@cache  # one that many kernels import is asked for each of them
def imports(file: Path) -> frozenset[str]:
    """The names of the packages and of the modules under kernels/ that a module imports."""
    return frozenset(_imports(file))


def _imports(file: Path):
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module
            if node.module.split(".")[0] == "kernels":
                yield from (f"{node.module}.{alias.name}" for alias in node.names)


@cache
def packages(root: Path, file: Path) -> frozenset[str]:
    """The packages that a module imports, itself or by other modules of kernels/."""
    found, left, seen = set(), [file], set()
    while left:
        one = left.pop()
        if one in seen:
            continue
        seen.add(one)
        for name in imports(one):
            found.add(package(name))
            other = root / f"{name.replace('.', '/')}.py"
            if name.startswith("kernels.") and other.is_file():
                left.append(other)
    return frozenset(found)


def refused(root: Path, file: Path):
    """Why the stepper cannot run a module of kernels/: one that drives a GPU, or None."""
    used = packages(root, file)
    return next((reason for name, reason in REFUSED.items() if name in used), None)


def package(module: str) -> str:
    """The package of a module; Numba's way to the driver is CUDA's own interface."""
    return "cuda" if module.startswith("numba.cuda.cudadrv") else module.split(".")[0]


@cache
def bindings(file: Path) -> dict:
    """What binds each name at the top of a module: a node, or the module and name of an import."""
    found = {}
    for node in ast.parse(file.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found[node.name] = node
        elif isinstance(node, ast.Assign):
            names = [n for t in node.targets for n in ast.walk(t) if isinstance(n, ast.Name)]
            found |= {n.id: node for n in names}
        elif isinstance(node, ast.Import):
            found |= {a.asname or a.name.split(".")[0]: (a.name, "") for a in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {a.asname or a.name: (node.module, a.name) for a in node.names}
    return found


def uses(root: Path, file: Path, name: str, seen=frozenset()):
    """Why no simulator reads a kernel itself, by all that it and its functions name; or None.

    Its module may hold others that drive a GPU: ``refused`` says so of the whole.
    """
    if (file, name) in seen:
        return None
    seen |= {(file, name)}
    known = bindings(file).get(name)
    if isinstance(known, tuple):
        module, inner = known
        if "libdevice" in (*module.split("."), inner):
            return "libdevice is bitcode, which no simulator reads"
        other = root / f"{module.replace('.', '/')}.py"
        if module.startswith("kernels.") and other.is_file():
            return uses(root, other, inner, seen)
        return REFUSED.get(package(module))
    names = {n.id for n in ast.walk(known) if isinstance(n, ast.Name)} if known else ()
    return next(filter(None, (uses(root, file, n, seen) for n in sorted(names))), None)


def kernels(root: Path) -> dict[str, Path]:
    """Every module-level Numba kernel under kernels/: {"kernels/x.py:name": file}."""
    found = {}
    for file in sorted((root / "kernels").rglob("*.py")):
        path = file.relative_to(root).as_posix()
        for name in module_kernels(file):
            found[f"{path}:{name}"] = file
    return found


def module_kernels(file: Path) -> list[str]:
    return _kernels(file.read_text(encoding="utf-8"))


@cache
def _kernels(text: str) -> list[str]:
    return [
        node.name
        for node in ast.parse(text).body
        if isinstance(node, ast.FunctionDef) and any(map(_is_jit, node.decorator_list))
    ]


def _is_jit(node):
    if isinstance(node, ast.Call):
        if any(k.arg == "device" for k in node.keywords):
            return False
        node = node.func
    return ast.unparse(node) == "cuda.jit"


if __name__ == "__main__":
    text = ",\n ".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in count_issued().items())
    ISSUED.write_text(f"{{\n {text}\n}}\n", encoding="utf-8")

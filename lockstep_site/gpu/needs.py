"""What a CPU cannot run of a page, and what a machine's GPUs cannot."""

import ast
import functools
import importlib.util
import math
import re
import sys
from collections.abc import Iterable, Set
from pathlib import Path
from typing import NamedTuple

import yaml

from lockstep.block import Block, Page
from lockstep.languages.names import bound, imports, names_bound, names_read, trees
from lockstep.languages.names import modules as imported
from lockstep_site.gpu import machine

# Packages that need a GPU, or that only a GPU machine has; llvmlite writes its instructions.
GPU_MODULES = {"cudnn", "cupy", "cupyx", "llvmlite", "mpi4py", "torch", "triton", "pynvml"}
# Packages that no part of the suite installs, because they are large, and how to have them. A page
# that imports one runs where it is, and is skipped, by name and counted, where it is not.
OPTIONAL = {
    "numba_cuda_mlir": "numba-cuda-mlir[cu13]==0.6.*",
    "tvm": "apache-tvm==0.27.*",
    "tensorrt_rtx": "tensorrt-rtx-cu13==1.7.1.116",  # its layers are printed by name
}
# What numba.cuda has and no simulator on a CPU (Numba's is that of numba-cuda 0.30.4).
STEPPER_LACKS = {
    "nanosleep",
    "event",
    "event_elapsed_time",
    "managed_array",
    "as_cuda_array",
    "current_context",
    "get_current_device",
    "gpus",
    "detect",
    "select_device",
    "list_devices",
    "compile_mlir",
    "compile_cubin",
    "declare_device",
}
# Numba's simulator has no warp operations either; the stepper has them.
SIMULATOR_LACKS = STEPPER_LACKS | {
    "shfl_sync",
    "shfl_up_sync",
    "shfl_down_sync",
    "shfl_xor_sync",
    "ballot_sync",
    "all_sync",
    "any_sync",
    "eq_sync",
    "match_any_sync",
    "match_all_sync",
    "activemask",
    "lanemask_lt",
    "syncwarp",
}
# The least compute capability of instructions and types, newest first: PTX ISA, "Target ISA Notes"
# of each instruction: https://docs.nvidia.com/cuda/parallel-thread-execution/
INSTRUCTIONS = {
    "9.0": r"wgmma|cp\.async\.bulk|tensormap|CUtensorMap|mbarrier\.try_wait|barrier\.cluster"
    r"|__cluster_dims__|setmaxnreg|sm_90a",
    "8.9": r"\.e4m3|\.e5m2|__nv_fp8|float8_e",
    "8.0": r"cp\.async(?!\.bulk)|\.tf32|FAST_TF32|precision::tf32|\.bf16|__nv_bfloat16|redux\.sync",
}
# Of sm_90a, whose code no other GPU runs, a newer one neither.
ALONE = re.compile(r"wgmma|setmaxnreg|sm_90a")
# Dynamic shared memory that the launches of a file ask for, in KiB, where that is more than 48.
SHARED_KB = {
    "benchmarks/micro/occupancy.py": 227,
    "kernels/attention/backward.py": 162,
    "kernels/attention/fp8.py": 161,
    "kernels/attention/one_group.py": 81,
    "kernels/attention/overlap.py": 193,
    "kernels/attention/two_consumers.py": 161,
    "kernels/gemm/cupy_sgemm.py": 73,
    "kernels/gpt/matmul.py": 162,
    "kernels/hopper/cupy_clusters.py": 128,
    "kernels/hopper/cupy_sums.py": 64,
    "kernels/hopper/multistage.py": 225,
    "kernels/tensor_cores/cupy_wgmma.py": 225,
    "kernels/tensor_cores/cupy_wmma.py": 144,
    "kernels/tensor_cores/fp8.py": 225,
    "kernels/tensor_cores/mma_sync.py": 144,
    "kernels/tensor_cores/mma_tf32.py": 96,
    "kernels/tensor_cores/shapes.py": 227,
    "kernels/tensor_cores/wgmma.py": 225,
}
# Files that ask for it at sizes which tests and benchmarks launch, and no page.
SHARED_KB_AT_MOST = {"kernels/fft/in_place.py": 132, "kernels/fft/stockham.py": 64}
# A block that launches with them: a kernel of Numba's, or a launch of CuPy's. A page that borrows
# a descriptor or a device function from such a file asks for none of its memory.
TAKES_SHARED = re.compile(r"@cuda\.jit\b(?!\([^)]*\bdevice=True)|\bshared_mem=")
HARDWARE = "docs/glossary/hardware.yml"
PEAK = re.compile(r"([\d.]+) GB at the peak|peak ([\d.]+) GB")  # in what a page printed
# A page that asks the GPU itself before each part, and goes on without it.
ASKS = re.compile(r"\bcapability (?:>=|==) \((\d+), (\d+)\)")


class Needs(NamedTuple):
    """What some code needs of a GPU. ``alone``: that compute capability and no newer one."""

    capability: str = "0"
    alone: bool = False
    shared_kb: int = 0  # for a block
    memory_gb: int = 0
    gpus: int = 1

    def lacks(self, gpu: dict, count: int) -> str | None:
        """Return what a machine with ``count`` of this GPU lacks, or None."""
        have = gpu["compute_capability"]
        if count < self.gpus:
            return f"needs {self.gpus} GPUs, this machine has {count}"
        if float(have) < float(self.capability):
            return f"needs compute capability {self.capability}, this GPU has {have}"
        if self.alone and float(have) > float(self.capability):
            return f"needs compute capability {self.capability} itself, this GPU has {have}"
        most = shared_kb().get(have, self.shared_kb)
        if most < self.shared_kb:
            what = f"needs {self.shared_kb} KiB of shared memory for a block"
            return f"{what}, compute capability {have} has {most}"
        memory = gpu["memory_mib"] * 2**20 / 1e9
        if memory < self.memory_gb:
            return f"needs {self.memory_gb} GB of memory, this GPU has {memory:.0f}"
        return None


@functools.cache
def shared_kb() -> dict[str, int]:
    """Return the most shared memory that a block can have, in KiB, by compute capability."""
    text = (Path(__file__).resolve().parents[2] / HARDWARE).read_text(encoding="utf-8")
    rows = re.findall(r"^ *- (\{id: cc-.*\})$", text, re.MULTILINE)
    found = [yaml.safe_load(row) for row in rows]
    return {row["compute_capability"]: row["shared_memory_per_block_max_kb"] for row in found}


def least(text: str) -> str:
    """Return the least compute capability that the instructions in a text need."""
    found = (known for known, words in INSTRUCTIONS.items() if re.search(words, text))
    return next(found, "0")


def of_page(page: Page) -> Needs:
    """Return what a page needs: by its front matter, its code, and what it printed."""
    if asks(page):
        return Needs(gpus=page.meta.get("gpus", 1))
    text = "\n".join(block.text for block in page.blocks if block.runs)
    printed = "\n".join(block.text for block in page.blocks if block.language == "output")
    peaks = [float(a or b) for a, b in PEAK.findall(printed)]
    return Needs(
        page.meta.get("compute_capability", "0"),
        bool(ALONE.search(text)),
        max(map(_takes_kb, page.blocks), default=0),
        math.ceil(max(peaks, default=0)),
        page.meta.get("gpus", 1),
    )


def _takes_kb(block: Block) -> int:
    takes = block.runs and TAKES_SHARED.search(block.text)
    return SHARED_KB.get(block.path, 0) if takes else 0


def asks(page: Page) -> list[str]:
    """Return the compute capabilities that a page asks for itself, before parts of it."""
    found = {f"{a}.{b}" for block in page.blocks for a, b in ASKS.findall(block.text)}
    return sorted(found, key=float)


def of_files(root: Path, paths: Iterable[str]) -> Needs:
    """Return what tests or benchmarks need that run the code of some files."""
    found = Needs()
    for path in paths:
        at_least, alone = _of_text((root / path).read_text(encoding="utf-8", errors="replace"))
        shared = max(SHARED_KB.get(path, 0), SHARED_KB_AT_MOST.get(path, 0), found.shared_kb)
        found = Needs(max(found.capability, at_least, key=float), found.alone or alone, shared)
    return found


@functools.cache
def _of_text(text: str) -> tuple[str, bool]:
    return least(text), bool(ALONE.search(text))


def uses_gpu(page: Page) -> bool:
    """Whether a page needs a GPU to be proved. ``gpus: 0`` says that it needs none."""
    if page.meta.get("gpus") == 0:
        return False
    roots = modules(page)
    return bool(roots & (GPU_MODULES | {"numba"})) or any(
        block.options.get("run") == "gpu" for block in page.blocks
    )


def uses_numba(page: Page) -> bool:
    """Whether a page has Numba kernels, which a CPU can simulate."""
    return "numba" in modules(page) or not uses_gpu(page)


def modules(page: Page) -> set[str]:
    """Return the top packages that a page imports."""
    return {root for block in page.blocks for root in imports(block)}


def simulator_of(page: Page) -> str:
    """Return which simulator runs a page on a CPU: Numba's, or ours where it has warp operations.

    One simulator runs the whole page, because its blocks hand each other arrays and kernels.
    """
    lacks = SIMULATOR_LACKS - STEPPER_LACKS
    if not any(lacks & set(_of_cuda(block)) for block in page.blocks):
        return "simulator"  # what the one cannot run, the other cannot
    return "simulator" if gpu_only(page) == gpu_only(page, SIMULATOR_LACKS) else "stepper"


def too_small_for(page: Page) -> str | None:
    """Return why the GPUs of this machine cannot run a page, or None."""
    found, needs = machine.gpus(), of_page(page)
    if not found:
        need = page.meta.get("gpus", 1)
        return f"{page.path} needs {need} GPUs, this machine has 0" if need else None
    lacks = needs.lacks(found[0], len(found))
    return f"{page.path} {lacks}" if lacks else None


def lacks_package(page: Page) -> str | None:
    """Return which optional package of a page is not installed here, or None."""
    for name in sorted(modules(page) & OPTIONAL.keys()):
        if name not in sys.modules and importlib.util.find_spec(name) is None:
            return f"{page.path} needs {name}: pip install '{OPTIONAL[name]}'"
    return None


def gpu_only(page: Page, lacks: Set[str] = STEPPER_LACKS) -> dict[int, str]:
    """Return why each block that a CPU cannot run cannot, by its index.

    A block needs a GPU when it imports a package that does, uses what simulators lack, or uses a
    name that such a block made. ``lacks``: SIMULATOR_LACKS asks what Numba's simulator cannot run.
    """
    # A page is asked a dozen times while the site is built.
    known = page.__dict__.setdefault("_gpu_only", {})
    key = frozenset(lacks)
    if key not in known:
        known[key] = _gpu_only(page, lacks)
    return dict(known[key])


def _gpu_only(page: Page, lacks: Set[str]) -> dict[int, str]:
    reasons: dict[int, str] = {}
    made: dict[str, str] = {}  # names and files that only a GPU machine has
    for block in page.blocks:
        if not block.runs:
            continue
        reason = None
        if block.options.get("run") == "gpu":
            reason = "it is a command for a GPU machine"
        elif block.language in {"python", "pycon"} and "file" not in block.options:
            reason = _gpu_reason(block, made, lacks)
            if reason:
                made.update(dict.fromkeys(bound(block), f"{block.where} needs a GPU"))
            elif made:
                for name in bound(block):
                    made.pop(name, None)  # made anew, without a GPU
        if reason:
            reasons[block.index] = reason
    return reasons


def _gpu_reason(block: Block, made: dict[str, str], lacks: Set[str]) -> str | None:
    if modules := sorted((imports(block) & GPU_MODULES) - _on_a_cpu(block)):
        return f"it imports {modules[0]}, which needs a GPU"
    own: set[str] = set()  # names that this block has made itself so far
    for tree, used in zip(trees(block), _attributes(block), strict=True):
        for name in used:
            if name in lacks:
                return f"it uses cuda.{name}, which the simulator lacks"
        for statement in tree.body if made else ():
            for name in sorted(names_read(statement) & made.keys() - own):
                return f"it uses {name}: {made[name]}"
            own |= names_bound(statement)
    return None


@functools.cache
def _attributes(block: Block) -> list[list[str]]:
    """Return the names that a block takes from ``cuda``, for each of its trees."""
    return [
        [
            node.attr
            for node in ast.walk(tree)
            if isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name)
            and node.value.id == "cuda"
        ]
        for tree in trees(block)
    ]


def _of_cuda(block: Block) -> list[str]:
    return [name for names in _attributes(block) for name in names]


def _on_a_cpu(block: Block) -> set[str]:
    """Return ``{"llvmlite"}`` where a block takes its compiler for this processor alone."""
    used = {name for name in imported(block) if name.split(".")[0] == "llvmlite"}
    return {"llvmlite"} if used == {"llvmlite.binding"} else set()

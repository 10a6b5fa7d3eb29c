"""What a CPU cannot run of a page, and what a machine's GPUs cannot."""

import ast
import functools
import importlib.util
import sys
from collections.abc import Set

from lockstep.block import Block, Page
from lockstep.languages.names import bound, imports, names_bound, names_read, trees
from lockstep.languages.names import modules as imported
from lockstep_site.gpu import machine

# Packages that need a GPU, or that only a GPU machine has; llvmlite writes its instructions.
GPU_MODULES = {"cupy", "cupyx", "llvmlite", "mpi4py", "torch", "triton", "pynvml"}
# Packages that no part of the suite installs, because they are large, and how to have them. A page
# that imports one runs where it is, and is skipped, by name and counted, where it is not.
OPTIONAL = {
    "numba_cuda_mlir": "numba-cuda-mlir[cu13]==0.6.*",
    "tvm": "apache-tvm==0.27.*",
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
    found = machine.gpus()
    need = page.meta.get("gpus", 1)
    if len(found) < need:
        return f"{page.path} needs {need} GPUs, this machine has {len(found)}"
    least = page.meta.get("compute_capability", "0")
    if found and float(found[0]["compute_capability"]) < float(least):
        have = found[0]["compute_capability"]
        return f"{page.path} needs compute capability {least}, this GPU has {have}"
    return None


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

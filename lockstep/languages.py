"""The GPU side of the machine: targets, what a CPU cannot run, and how each language runs.

A page runs on a *target*:

=================  ===========================================================
numba-cuda         on a GPU, Numba kernels compiled by numba-cuda
numba-cuda-mlir    on a GPU, the same source compiled by numba-cuda-mlir
cupy               on a GPU, a page without Numba kernels
simulator          on a CPU, Numba kernels in Numba's simulator
stepper            on a CPU, a page with warp operations, in simulator/stepper
cpu                on a CPU, a page that uses no GPU
=================  ===========================================================
"""

import ast
import contextlib
import doctest
import functools
import io
import os
import subprocess
import symtable
import sys
import traceback
import types
from collections.abc import Iterator, Set
from importlib import import_module
from pathlib import Path

from lockstep import environment
from lockstep.page import ALONE, Block, Page

GPU_TARGETS = ("numba-cuda", "numba-cuda-mlir", "cupy")
CPU_TARGETS = ("simulator", "stepper", "cpu")
APPLE = "metal"  # a Mac, which runs the Metal blocks of a page and no others: tools/apple.py

# Packages that need a GPU, or that only a GPU machine has; llvmlite writes its instructions.
GPU_MODULES = {"cupy", "cupyx", "llvmlite", "mpi4py", "torch", "triton", "pynvml"}
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


class NeedsGpu(Exception):
    """This block cannot run here; the text says why."""


class Failed(Exception):
    """A block did not do what the page says; the text names file, line and what happened."""


def default_target() -> str:
    """Return the target of this process: $LOCKSTEP_TARGET, else what the machine has."""
    target = os.environ.get("LOCKSTEP_TARGET")
    if target is None:
        simulated = os.environ.get("NUMBA_ENABLE_CUDASIM") == "1"
        target = "numba-cuda" if environment.gpus() and not simulated else "simulator"
    if target not in GPU_TARGETS + CPU_TARGETS:
        raise SystemExit(f"LOCKSTEP_TARGET={target}: use one of {GPU_TARGETS + CPU_TARGETS}")
    return target


def prepare(target: str) -> None:
    """Set this process up for a target, before anything imports numba."""
    if target == "simulator":
        os.environ["NUMBA_ENABLE_CUDASIM"] = "1"
    elif target == "numba-cuda-mlir":
        swap_numba()


def swap_numba() -> None:
    """Make ``from numba import cuda`` give numba-cuda-mlir's.

    A reader changes one line, ``from numba_cuda_mlir import cuda``; a stand-in module named
    numba does the same here, so that the source that ran is the source on the page.
    """
    if isinstance(sys.modules.get("numba"), types.ModuleType) and hasattr(
        sys.modules["numba"], "__lockstep__"
    ):
        return
    if "numba" in sys.modules:
        raise RuntimeError("numba is imported already: call swap_numba() first")
    numba = types.ModuleType("numba")
    numba.__lockstep__ = "numba-cuda-mlir"
    numba.__path__ = []
    numba.cuda = import_module("numba_cuda_mlir.cuda")
    sys.modules["numba"] = numba
    sys.modules["numba.cuda"] = numba.cuda


def targets(page: Page) -> tuple[str, ...]:
    """Return the targets that prove a page: on a GPU if it uses one, else on a CPU."""
    roots = {root for block in page.blocks for root in _imports(block)}
    if "numba" in roots:
        skipped = page.meta.get("not_on", {})
        return tuple(t for t in ("numba-cuda", "numba-cuda-mlir") if t not in skipped)
    uses_gpu = roots & GPU_MODULES or any(b.options.get("run") == "gpu" for b in page.blocks)
    return ("cupy",) if uses_gpu else ("cpu",)


def target_here(page: Page, target: str) -> str | None:
    """Return the target to run a page on in a process set up for ``target``, or None."""
    wanted = targets(page)
    if target in GPU_TARGETS:
        if target in wanted:
            return target
        # Pages without Numba run once, beside the first compiler.
        return wanted[0] if target == "numba-cuda" and wanted[0] in {"cupy", "cpu"} else None
    return "cpu" if wanted == ("cpu",) else simulator_of(page)


def simulator_of(page: Page) -> str:
    """Return which simulator runs a page on a CPU: Numba's, or ours where it has warp operations.

    One simulator runs the whole page, because its blocks hand each other arrays and kernels.
    """
    return "simulator" if gpu_only(page) == gpu_only(page, SIMULATOR_LACKS) else "stepper"


def too_small_for(page: Page) -> str | None:
    """Return why the GPUs of this machine cannot run a page, or None."""
    found = environment.gpus()
    need = page.meta.get("gpus", 1)
    if len(found) < need:
        return f"{page.path} needs {need} GPUs, this machine has {len(found)}"
    least = page.meta.get("compute_capability", "0")
    if found and float(found[0]["compute_capability"]) < float(least):
        have = found[0]["compute_capability"]
        return f"{page.path} needs compute capability {least}, this GPU has {have}"
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
                made.update(dict.fromkeys(_bound(block), f"{block.where} needs a GPU"))
            else:
                for name in _bound(block):
                    made.pop(name, None)  # made anew, without a GPU
        if reason:
            reasons[block.index] = reason
    return reasons


@functools.cache
def _trees(block: Block) -> list[ast.Module]:
    if block.language == "pycon":
        examples = doctest.DocTestParser().get_examples(block.text)
        sources = [e.source for e in examples]
    elif block.language == "python":
        sources = [block.text]
    else:
        return []
    trees = []
    for source in sources:
        with contextlib.suppress(SyntaxError):  # running the block reports it, with its line
            trees.append(ast.parse(source))
    return trees


@functools.cache
def _imports(block: Block) -> set[str]:
    found = set()
    for tree in _trees(block):
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                found |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                found.add(node.module.split(".")[0])
    return found


def _gpu_reason(block: Block, made: dict[str, str], lacks: Set[str]) -> str | None:
    if modules := sorted(_imports(block) & GPU_MODULES):
        return f"it imports {modules[0]}, which needs a GPU"
    bound: set[str] = set()  # names that this block has made itself so far
    for tree in _trees(block):
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and node.attr in lacks:
                if isinstance(node.value, ast.Name) and node.value.id == "cuda":
                    return f"it uses cuda.{node.attr}, which the simulator lacks"
        for statement in tree.body:
            for name in sorted(names_read(statement) & made.keys() - bound):
                return f"it uses {name}: {made[name]}"
            bound |= names_bound(statement)
    return None


@functools.cache
def names_read(statement: ast.stmt) -> set[str]:
    """Return the names that a statement reads from outside its own functions."""
    found = set()
    tables = [symtable.symtable(ast.unparse(statement), "<block>", "exec")]
    while tables:
        table = tables.pop()
        top = table.get_type() == "module"
        for symbol in table.get_symbols():
            if symbol.is_referenced() and (top or symbol.is_global()):
                found.add(symbol.get_name())
        tables += table.get_children()
    return found


def _bound(block: Block) -> set[str]:
    """Return the names that a block binds at its top level."""
    return {n for tree in _trees(block) for stmt in tree.body for n in names_bound(stmt)}


def names_bound(statement: ast.stmt) -> set[str]:
    """Return the names that a statement binds in the page's namespace."""
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        return {statement.name}
    if isinstance(statement, ast.Import | ast.ImportFrom):
        return {(a.asname or a.name).split(".")[0] for a in statement.names}
    return {
        n.id
        for n in ast.walk(statement)
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    }


# ---------------------------------------------------------------- how each language runs


def run_block(block: Block, namespace: dict, folder: Path, root: Path, target: str) -> dict:
    """Run one block. Returns what is recorded of it: outcome, and output where it printed.

    ``outcome`` is "passed" (it ran), "compiled", "stand-in" (Metal that ran on a CPU) or "written"
    (a file for a later block; Metal and HIP where their compiler is missing).
    Raises ``Failed`` with the source line when it does not do what the page says.
    """
    if "file" in block.options:
        (folder / block.options["file"]).write_text(block.text + "\n", encoding="utf-8")
        if block.language == "cuda":
            compile_cuda(block, block.options.get("arch", "sm_90"))
            return {"outcome": "compiled"}
        if block.language == "python":
            _compile_python(block, root)
        if block.language in ALONE:
            return _prove_alone(block)
        return {"outcome": "written"}
    printed = io.StringIO()
    _opened.clear()
    simulated = _stepping(block) if target == "stepper" else contextlib.nullcontext()
    with contextlib.chdir(folder), contextlib.redirect_stdout(printed), simulated:
        if block.language == "python":
            _run_python(block, namespace, root)
        elif block.language == "pycon":
            _run_doctest(block, namespace)
        else:
            printed.write(_run_bash(block, folder))
        _wait_for_gpu(namespace, block, target)
    opened = sorted(path.name for path in map(Path, _opened) if path.parent == folder.resolve())
    return {"outcome": "passed", "output": printed.getvalue(), "opened": opened}


@contextlib.contextmanager
def _stepping(block: Block) -> Iterator[None]:
    """Run a block with the stepper in Numba's place. What its checks find fails the block.

    Known-wrong kernels are there to be found out, so what is found in those is no failure.
    """
    stepper = _stepper()
    with stepper.installed():
        yield
    found = [f for f in stepper.findings if "/kernels/wrong/" not in f"/{f.filename}"]
    stepper.launches.clear()
    if found:
        raise Failed(f"{block.where}: the stepper finds: {found[0]}")


@functools.cache
def _stepper():
    """The stepper of this process: the blocks of a page share their arrays and kernels."""
    from simulator.stepper import Stepper

    return Stepper(mode="check", raise_findings=False)


_opened: set[str] = set()  # the files that the running block has read


def _note_open(event: str, arguments: tuple) -> None:
    if event == "open" and isinstance(arguments[0], str) and arguments[1] != "w":
        _opened.add(os.path.realpath(arguments[0]))


sys.addaudithook(_note_open)


def _compile_python(block: Block, root: Path):
    """Compile a block under the name and the line numbers of the file that it came from."""
    numbered = [""] * (block.numbers[-1] if block.numbers else 0)
    for number, text in zip(block.numbers, block.text.split("\n"), strict=True):
        numbered[number - 1] = text
    try:
        return compile("\n".join(numbered), str(root / block.path), "exec", dont_inherit=True)
    except SyntaxError as error:
        raise Failed(f"{block.path}:{error.lineno}: {error.msg}") from None


def _run_python(block: Block, namespace: dict, root: Path) -> None:
    code = _compile_python(block, root)
    try:
        exec(code, namespace)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # SystemExit too: a block that ends Python proves nothing
        raise Failed(_explain(error, block, root)) from error


def _explain(error: BaseException, block: Block, root: Path) -> str:
    """Say which line of the sources failed, and what a contributor can do about it."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [f for f in frames if f.filename.startswith(str(root / block.path))]
    where = f"{block.path}:{ours[-1].lineno}" if ours else block.where
    message = f"{where}: {type(error).__name__}: {error}"
    if isinstance(error, ModuleNotFoundError):
        message += f"\nInstall it, for example with: pip install {error.name}"
        if error.name in GPU_MODULES:
            message += "  (or pip install -e '.[gpu]')"
    if isinstance(error, NameError):
        message += "\nThe page must show the block that defines it before this one."
    return message


class _Runner(doctest.DocTestRunner):
    """Collect what differs instead of printing it."""

    def __init__(self, block: Block):
        super().__init__(verbose=False, optionflags=0)
        self.block, self.failures_found = block, []

    def report_failure(self, out, test, example, got):
        line = self.block.numbers[example.lineno]
        self.failures_found.append(
            f"{self.block.path}:{line}: {example.source.rstrip()}\n"
            f"expected: {example.want.rstrip()}\n     got: {got.rstrip()}"
        )

    def report_unexpected_exception(self, out, test, example, exc_info):
        line = self.block.numbers[example.lineno]
        error = "".join(traceback.format_exception_only(*exc_info[:2])).rstrip()
        self.failures_found.append(f"{self.block.path}:{line}: {example.source.rstrip()}\n{error}")


def _run_doctest(block: Block, namespace: dict) -> None:
    examples = doctest.DocTestParser().get_examples(block.text)
    if not examples:
        raise Failed(f"{block.where}: a pycon block without >>> examples")
    test = doctest.DocTest(examples, namespace, block.source, block.path, 0, block.text)
    test.globs = namespace  # not a copy: later blocks see what this one binds
    runner = _Runner(block)
    runner.run(test, out=lambda text: None, clear_globs=False)
    if runner.failures_found:
        raise Failed("\n".join(runner.failures_found))


def _run_bash(block: Block, folder: Path) -> str:
    command = ["bash", "-euo", "pipefail", "-c", block.text]
    # A page's commands call `python`: let it be the one that runs the page.
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    env = {**os.environ, "PATH": path}
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=300)
    if done.returncode:
        tail = (done.stdout + done.stderr)[-2000:]
        raise Failed(f"{block.where}: the command ended with {done.returncode}\n{tail}")
    return done.stdout


def _wait_for_gpu(namespace: dict, block: Block, target: str) -> None:
    """A kernel's fault shows when somebody waits for it: wait here, so that its block fails."""
    if target not in GPU_TARGETS:
        return
    try:
        if "cupy" in sys.modules:
            sys.modules["cupy"].cuda.runtime.deviceSynchronize()
        elif "numba" in sys.modules:
            sys.modules["numba"].cuda.synchronize()
    except Exception as error:
        raise Failed(f"{block.where}: the GPU reports: {error}") from error


def _prove_alone(block: Block) -> dict:
    """Run Metal in its stand-in on a CPU, compile HIP. Without a compiler, it is only written.

    Returns what is recorded of it. Raises ``Failed`` with the source line.
    """
    from simulator import hip, hosts, pairs

    try:
        if block.language == "hip":
            made_for = list(hip.compile(block.path, block.text))
            return {"outcome": "compiled", "for": made_for} if made_for else {"outcome": "written"}
        found = pairs.prove_metal(block.path, block.text) if hosts.compiler() else "written"
        return {"outcome": found}
    except hosts.HostError as error:
        raise Failed(str(error)) from None


def compile_cuda(block: Block, arch: str = "sm_90") -> bytes:
    """Compile CUDA C++ to a cubin, without a GPU. Raises ``Failed`` with the source line."""
    try:
        return _cubin(block.text, arch)
    except ImportError:
        raise Failed(f"{block.where}: cuda-core is not installed: pip install -e .") from None
    except Exception as error:
        raise Failed(f"{block.where}: NVRTC refuses it: {error}") from None


@functools.cache  # several pages and tests compile one file
def _cubin(text: str, arch: str) -> bytes:
    from cuda.core import Program, ProgramOptions

    options = ProgramOptions(arch=arch, std="c++17", include_path=list(_cuda_headers()))
    return bytes(Program(text, "c++", options).compile("cubin").code)


def _cuda_headers() -> Iterator[str]:
    """Find the CUDA headers: of the pip packages (nvidia/cu13/include), and of a toolkit."""
    import nvidia

    for place in nvidia.__path__:
        include = Path(place) / "cu13" / "include"
        if include.is_dir():
            yield str(include)
            if (include / "cccl").is_dir():
                yield str(include / "cccl")
    toolkit = Path(os.environ.get("CUDA_HOME", "/usr/local/cuda")) / "include"
    if toolkit.is_dir():  # it has headers that not every set of packages has, such as crt/mma.h
        yield str(toolkit)

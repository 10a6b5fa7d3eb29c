"""The targets of this site: where its pages run.

=================  ===========================================================
numba-cuda         on a GPU, Numba kernels compiled by numba-cuda
numba-cuda-mlir    on a GPU, the same source compiled by numba-cuda-mlir
cupy               on a GPU, a page without Numba kernels
simulator          on a CPU, Numba kernels in Numba's simulator
stepper            on a CPU, a page with warp operations, in simulator/stepper
cpu                on a CPU, a page that uses no GPU
metal              on a Mac, the Metal blocks of a page and no others: tools/apple.py
=================  ===========================================================
"""

import contextlib
import functools
import json
import os
import queue
import sys
import threading
import types
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from lockstep import targets
from lockstep.block import Block, Page
from lockstep.mistakes import Failed
from lockstep.source import digest, file_digest
from lockstep_site.gpu import machine
from lockstep_site.gpu.needs import (
    gpu_only,
    lacks_package,
    modules,
    simulator_of,
    too_small_for,
    uses_gpu,
)

COMPILERS = ("numba-cuda", "numba-cuda-mlir")
GPU_TARGETS = (*COMPILERS, "cupy")
CPU_TARGETS = ("simulator", "stepper", "cpu")
APPLE = "metal"
NO_GPU = (
    "There is no NVIDIA GPU here (no NVIDIA driver finds one). To run without one: "
    "`make test`, or `python -m lockstep run docs/PAGE.md`, which use Numba's simulator."
)


def _launched(namespace: dict[str, Any]) -> dict[str, bool]:
    """Return Numba's functions of a page, and whether each was ever called."""
    # A dispatcher holds a compiled version for each signature that it was called with. A kernel of
    # Numba's simulator has a stand-in of a dictionary, which stays empty: it cannot tell.
    found = {}
    for name, value in list(namespace.items()):
        versions = getattr(type(value), "overloads", None) and getattr(value, "overloads", None)
        if isinstance(versions, dict) and type(versions).__name__ != "FakeOverloadDict":
            found[name] = bool(versions)
    return found


class Gpu(targets.Target):
    """On a GPU, the kernels compiled by one of Numba's compilers."""

    level = "gpu"
    awaited = "a GPU run"
    later = "a maintainer runs this on the GPU (with one of your own: make gpu)"
    packages = machine.PACKAGES

    def __init__(self, name: str, writes_output: bool = True):
        self.name, self.writes_output = name, writes_output

    def wants(self, page: Page) -> bool:
        kernels = uses_gpu(page) and "numba" in modules(page)
        return kernels and self.name not in page.meta.get("not_on", {})

    def here(self, page: Page) -> str | None:
        if self.wants(page):
            return self.name
        # Pages without Numba run once, beside the first compiler.
        if self.name == COMPILERS[0] and not uses_gpu(page):
            return "cpu"
        if self.name == COMPILERS[0] and "numba" not in modules(page):
            return "cupy"
        return None

    def missing(self) -> str | None:
        if simulated():
            return "NUMBA_ENABLE_CUDASIM is set, and a simulated kernel proves no GPU: unset it"
        return None if machine.gpus() else NO_GPU

    def forks(self) -> bool:
        return not machine.cuda_is_started()

    def can_run(self, page: Page) -> str | None:
        return too_small_for(page) or lacks_package(page)

    def preload(self) -> tuple[str, ...]:
        return ("numpy", "numba", "numba.cuda", "cupy")

    def launched(self, namespace: dict[str, Any]) -> dict[str, bool]:
        return _launched(namespace)

    def after(self, block: Block, namespace: dict[str, Any]) -> None:
        """A kernel's fault shows when somebody waits for it: wait here, so its block fails."""
        try:
            if "cupy" in sys.modules:
                sys.modules["cupy"].cuda.runtime.deviceSynchronize()
            elif "numba" in sys.modules:
                sys.modules["numba"].cuda.synchronize()
            elif "torch" in sys.modules:
                sys.modules["torch"].cuda.synchronize()
        except Exception as error:
            raise Failed(f"{block.where}: the GPU reports: {error}") from error

    def machine(self) -> str:
        return machine.machine()

    def describe(self) -> dict:
        return machine.describe()

    def counts(self, run: dict, page: Page) -> bool:
        device, least = run["device"], float(page.meta.get("compute_capability", "0"))
        enough = device["count"] >= page.meta.get("gpus", 1)
        return enough and float(device["compute_capability"]) >= least

    def mend(self, page: Page) -> str:
        return "make gpu"

    def stand_in(self, page: Page) -> str | None:
        return simulator_of(page)

    def place(self, run: dict, page: Page) -> str:
        name, gpus = run["device"]["name"], page.meta.get("gpus", 1)
        if gpus > 1:
            return f"on {gpus} {name} GPUs"
        return f"on {'an' if name.startswith('NVIDIA') or name[0] in 'AEIO' else 'a'} {name}"

    def tool(self, run: dict, page: Page) -> str:
        return f"{self.name} {run['packages'].get(self.name, '')}".strip()

    def circumstances(self, run: dict) -> list[str]:
        driver = run["device"].get("driver")
        return [f"driver {driver}", f"CUDA {run['device'].get('cuda')}"] if driver else []

    def proof_words(self, runs: list[dict]) -> str:
        names = dict.fromkeys(run["device"]["name"] for run in runs)
        return f"ran on {' and '.join(names)}"


class Mlir(Gpu):
    """The second compiler, in the first one's place."""

    def __init__(self):
        super().__init__(COMPILERS[1], writes_output=False)

    def prepare(self) -> None:
        swap_numba()


class CuPy(Gpu):
    """On a GPU, a page without Numba kernels."""

    def __init__(self):
        super().__init__("cupy")

    def wants(self, page: Page) -> bool:
        return uses_gpu(page) and "numba" not in modules(page)

    def here(self, page: Page) -> str | None:
        return self.name if self.wants(page) else None

    def tool(self, run: dict, page: Page) -> str:
        for word, name, prefix in TOOLS:
            found = [v for k, v in run["packages"].items() if k.startswith(prefix)]
            if found and any(word in block.text for block in page.blocks if block.runs):
                return f"{name} {found[0]}"
        return "CuPy"


# Packages that a stamp names when its page uses them: a word of the code, the name, the package.
PACKAGES = [
    ("cupy", "CuPy", "cupy-cuda"),
    ("numpy", "NumPy", "numpy"),
    ("numba", "Numba", "numba"),
    ("nccl", "NCCL", "nvidia-nccl-cu"),
    ("mpi4py", "mpi4py", "mpi4py"),
    ("torch", "PyTorch", "torch"),
    ("triton", "Triton", "triton"),
    ("mlx", "MLX", "mlx"),
    ("numba_cuda_mlir", "numba-cuda-mlir", "numba-cuda-mlir"),
    ("tvm", "TVM", "apache-tvm"),
]
# What a page without Numba is said to have run with: the first of these that it uses.
TOOLS = [
    row
    for word in ("numba_cuda_mlir", "cupy", "triton", "torch")
    for row in PACKAGES
    if row[0] == word
]


class _Cpu(targets.Target):
    """On this machine's processor, whatever else it has."""

    keeps_output = False
    packages = machine.PACKAGES
    lacks = "needs a GPU"

    def here(self, page: Page) -> str | None:
        return simulator_of(page) if uses_gpu(page) else "cpu"

    def wants(self, page: Page) -> bool:
        return False

    def can_run(self, page: Page) -> str | None:
        return lacks_package(page)

    def skips(self, page: Page) -> dict[int, str]:
        return gpu_only(page)

    def declared(self, page: Page) -> int:
        return page.meta.get("gpu_only", 0)

    def declare(self, count: int) -> str:
        return f"write gpu_only: {count}"

    def preload(self) -> tuple[str, ...]:
        return ("numpy", "numba", "numba.cuda", "simulator.stepper")


class Cpu(_Cpu):
    """A page that uses no GPU."""

    def launched(self, namespace: dict[str, Any]) -> dict[str, bool]:
        return _launched(namespace)

    def wants(self, page: Page) -> bool:
        return not uses_gpu(page)

    def machine(self) -> str:
        return machine.machine()

    def describe(self) -> dict:
        found = machine.describe()
        # A run on a CPU says so, whatever else the machine has.
        return found | {"device": {"name": found["device"]["name"], "count": 0}}

    def where(self, page: Page) -> str:
        metal = any(block.language == "metal" and block.runs for block in page.blocks)
        return "in a CPU stand-in" if metal else "on a CPU"

    def place(self, run: dict, page: Page) -> str:
        return "on a CPU"

    def tool(self, run: dict, page: Page) -> str:
        if "tvm" in modules(page):
            return f"TVM {run['packages'].get('apache-tvm', '')}".strip()
        return super().tool(run, page)


@functools.cache
def _one_shared_array_a_block() -> None:
    """Let one thread at a time ask Numba's simulator for a shared array.

    It makes the array for the first thread that asks. Two that ask at once can get one each, which
    happens on a busy machine, and the block's threads then do not share.
    """
    try:
        kernelapi = import_module("numba.cuda.simulator.kernelapi")
    except ImportError:  # no Numba: nothing here runs in it
        return
    make, lock = kernelapi.FakeCUDAShared.array, threading.Lock()

    def array(self, shape, dtype, alignment=None):
        if shape == 0 or alignment is not None:
            return make(self, shape, dtype, alignment)
        if isinstance(dtype, kernelapi.types.Type):
            dtype = kernelapi.numpy_support.as_dtype(dtype)
        asked = sys._getframe(1)
        place = asked.f_code.co_filename, asked.f_lineno
        with lock:
            if place not in self._allocations:
                self._allocations[place] = kernelapi.np.empty(shape, dtype)
            return self._allocations[place]

    kernelapi.FakeCUDAShared.array = array


@functools.cache
def _no_polling() -> None:
    """Let who launches a block in Numba's simulator sleep until a thread of it waits or has ended.

    It asks them all, again and again, and holds Python's lock while it does: half of the time of a
    kernel with barriers.
    """
    try:
        kernel = import_module("numba.cuda.simulator.kernel")
    except ImportError:
        return

    class Thread(kernel.BlockThread):
        told: queue.SimpleQueue  # where it says that it waits at a barrier, or has ended

        def syncthreads(self):
            self.told.put((self, True))
            super().syncthreads()

        def run(self):
            try:
                super().run()
            finally:
                self.told.put((self, False))

    def run(self, place, *arguments):
        told: queue.SimpleQueue = queue.SimpleQueue()
        threads = []
        for index in kernel.np.ndindex(*self._block_dim):
            thread = Thread(lambda: self._f(*arguments), self, place, index, self._debug)
            thread.told = told
            thread.start()
            threads.append(thread)
        alive, waiting = set(threads), set()
        while alive:
            thread, waits = told.get()
            if thread.exception:
                for other in threads:
                    other.abort = True
                    other.syncthreads_blocked = False
                    other.syncthreads_event.set()
                raise thread.exception[0].with_traceback(thread.exception[1])
            if waits:
                waiting.add(thread)
            else:
                alive.discard(thread)
            if alive and alive == waiting:
                waiting = set()
                for other in alive:
                    other.syncthreads_blocked = False
                    other.syncthreads_event.set()
        for thread in threads:
            thread.join()

    kernel.BlockManager.run = run


class Simulator(_Cpu):
    """Numba kernels in Numba's simulator."""

    name = "simulator"
    variables = ("NUMBA_ENABLE_CUDASIM",)
    level = "simulator"
    compiles = False
    beside = frozenset({"njit", "vectorize", "guvectorize"})
    greeting = "No GPU here: Numba kernels run in Numba's simulator, on the CPU."

    def prepare(self) -> None:
        os.environ["NUMBA_ENABLE_CUDASIM"] = "1"
        _one_shared_array_a_block()
        _no_polling()

    def describe(self) -> dict:
        found = machine.describe()
        return found | {"device": {"name": found["device"]["name"], "count": 0}}

    def where(self, page: Page) -> str:
        return "in Numba's simulator"

    def tool(self, run: dict, page: Page) -> str:
        return f"numba-cuda {run['packages'].get('numba-cuda', '')}".strip()

    def proof_words(self, runs: list[dict]) -> str:
        return "ran in Numba's simulator"


class Stepper(Simulator):
    """A page with warp operations, in this site's own simulator."""

    name = "stepper"
    greeting = ""
    compiles = True
    precedence = 1

    def prepare(self) -> None:
        """Nothing: it takes Numba's place block by block."""

    @contextlib.contextmanager
    def around(self, block: Block) -> Iterator[None]:
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

    def describe(self) -> dict:
        """Its packages and our own: a run is bound to the simulator that it ran in."""
        found = super().describe()
        return found | {"packages": found["packages"] | {STEPPER: stepper_sources()}}

    def outdated(self, run: dict) -> str | None:
        # A run from before this was recorded may be of a machine that few have, with hipcc.
        same = run["packages"].get(STEPPER, stepper_sources()) == stepper_sources()
        return None if same else f"{STEPPER} has changed since"

    def where(self, page: Page) -> str:
        return "in the stepper"

    def place(self, run: dict, page: Page) -> str:
        return "in the stepper (this site's simulator)"

    def tool(self, run: dict, page: Page) -> str:
        return f"Python {run['python']}"

    def proof_words(self, runs: list[dict]) -> str:
        return "ran in the stepper"


class Apple(targets.Target):
    """On a Mac: no page waits for it, and its records come from tools/apple.py."""

    name = APPLE
    level = "gpu"

    def wants(self, page: Page) -> bool:
        return False

    def proof_words(self, runs: list[dict]) -> str:
        names = dict.fromkeys(run["device"]["name"] for run in runs)
        return f"ran on {' and '.join(names)}"


STEPPER = "simulator/stepper"


@functools.cache
def stepper_sources() -> str:
    """Return the hash of the stepper's sources, without its tests."""
    folder = Path(__file__).parents[2] / STEPPER
    files = sorted(folder.glob("*.py"))
    return digest(json.dumps([[file.name, file_digest(file)] for file in files]))[:16]


@functools.cache
def _stepper():
    """The stepper of this process: the blocks of a page share their arrays and kernels."""
    from simulator.stepper import Stepper

    return Stepper(mode="check", raise_findings=False)


def default_target() -> str:
    """Return the target of a process in which nobody named one: what the machine has."""
    return COMPILERS[0] if machine.gpus() and not simulated() else "simulator"


def simulated() -> bool:
    """Whether Numba simulates kernels here: it does for any number but 0."""
    return os.environ.get("NUMBA_ENABLE_CUDASIM", "").strip() not in ("", "0")


SCALARS = ("boolean", "float32", "float64", "int32", "int64", "uint32", "uint64")


def swap_numba() -> None:
    """Make ``from numba import cuda`` give numba-cuda-mlir's.

    A reader changes one line, ``from numba_cuda_mlir import cuda``, and takes scalar types such as
    ``float32`` from ``numba_cuda_mlir.types``; a stand-in module named numba does the same here, so
    that the source that ran is the source on the page.
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
    numba.types = import_module("numba_cuda_mlir.types")
    for name in SCALARS:  # Numba has them at its top as well
        setattr(numba, name, getattr(numba.types, name))
    sys.modules["numba"] = numba
    sys.modules["numba.cuda"], sys.modules["numba.types"] = numba.cuda, numba.types


def every() -> list[targets.Target]:
    """Return the targets, those that prove a page first."""
    return [Gpu(COMPILERS[0]), Mlir(), CuPy(), Simulator(), Stepper(), Cpu(), Apple()]

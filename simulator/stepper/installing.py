"""The stepper in Numba's place for a whole process: ``install()``, and the variable STEPPER.

``STEPPER=check`` (or ``run``) in the environment does what ``install(mode="check")`` does, as soon
as Python starts where the package is installed. Where Numba itself is installed, its ``njit``,
``vectorize`` and types stay as they are; only ``numba.cuda`` is replaced.
"""

import atexit
import importlib.util
import os
import sys
import tempfile

from . import host, types
from .faults import Finding, MissingModule, MissingName
from .source import listen

VARIABLE = "STEPPER"
GATHERED = "STEPPER_GATHERED"  # "process:file": where other processes leave what they find
SUCCESSOR = "numba_cuda_mlir"
_installed = None  # (stepper, what to put back)


class Refusing:
    """Finds no module, and says so for those that the stepper does not have.

    They are those of numba.cuda, and of NumPy where the stand-in has its place.
    """

    @staticmethod
    def find_spec(name, path=None, target=None):
        stands_in = isinstance(sys.modules.get("numpy"), getattr(host.np, "Module", ()))
        if name.startswith(("numba.cuda.", f"{SUCCESSOR}.")):
            raise MissingModule(name)
        if name.startswith("numpy.") and stands_in:
            raise MissingModule(name)


def modules(stepper, beside):
    """What stands in for which module. ``beside``: Numba itself, where it is, or None."""
    cuda = stepper.cuda
    found = {"numba.cuda": cuda, "numba.cuda.random": cuda.random, **parts(cuda)}
    if hasattr(host.np, "modules") and not sys.modules.get("numpy"):
        found |= host.np.modules()  # there is no NumPy: the stand-in is the scripts' as well
    if beside is None:
        found |= {"numba": stepper.numba, "numba.types": stepper.numba.types}
        found |= {"numba.core": stepper.numba.core, "numba.core.errors": stepper.numba.core.errors}
        found["numba.core.config"] = found["numba.config"] = stepper.numba.config
        found["numba.core.types"] = stepper.numba.types
        cuda.types = stepper.numba.types
    else:
        cuda.types = beside.types
        cuda.config = beside.config
    found["numba.cuda.types"] = cuda.types
    successor = host.Module(SUCCESSOR)
    successor.cuda, successor.types, successor.__path__ = cuda, cuda.types, []
    for name, value in vars(stepper.numba).items():
        if isinstance(value, types.Scalar):
            setattr(successor, name, value)
    found[SUCCESSOR] = successor
    found[f"{SUCCESSOR}.types"] = cuda.types
    for name in [n for n in found if n.startswith("numba.cuda")]:
        found[SUCCESSOR + name.removeprefix("numba")] = found[name]
    return found


def parts(cuda):
    """The modules inside numba.cuda from which scripts take names."""
    found = {}

    def module(name, **names):
        made = found[name] = host.Module(name)
        made.__path__ = []
        for key, value in names.items():
            setattr(made, key, value)
        outer, _, last = name.rpartition(".")
        setattr(found.get(outer, cuda), last, made)
        return made

    def failing(name):
        return type(name, (Exception,), {"__doc__": "Never raised: there is no driver here."})

    module("numba.cuda.cudadrv")
    module(
        "numba.cuda.cudadrv.devicearray",
        DeviceNDArray=host.DeviceArray,
        DeviceNDArrayBase=host.DeviceArray,
        is_cuda_ndarray=lambda x: isinstance(x, host.DeviceArray),
    )
    module(
        "numba.cuda.cudadrv.driver",
        CudaAPIError=failing("CudaAPIError"),
        LinkerError=failing("LinkerError"),
        driver=None,
    )
    module(
        "numba.cuda.cudadrv.error",
        CudaSupportError=failing("CudaSupportError"),
        CudaDriverError=failing("CudaDriverError"),
        NvvmError=failing("NvvmError"),
    )
    cuda.CudaSupportError = found["numba.cuda.cudadrv.error"].CudaSupportError
    cuda.devicearray = found["numba.cuda.cudadrv.devicearray"]
    found["numba.cuda.devicearray"] = cuda.devicearray
    return found


def install(stepper=None, **settings):
    """Put the stepper in Numba's place, for the rest of the process; returns the Stepper.

    ``stepper``: one that was made before; else one is made. ``settings`` are those of ``Settings``:
    by default findings are raised at the end of the launch that has them, in mode "check". Modules
    that took ``cuda`` from Numba before keep it, so install first. A second call replaces the
    first.
    """
    from . import Stepper

    global _installed
    uninstall()
    listen()
    settings.setdefault("mode", "check")
    stepper = stepper or Stepper(**settings)
    stepper.tell = leave
    beside = None
    if "numba" in sys.modules or importlib.util.find_spec("numba") is not None:
        import numba as beside
    new = modules(stepper, beside)
    prefixes = ("numba.cuda", SUCCESSOR)
    before = {n: m for n, m in sys.modules.items() if n.startswith(prefixes) or n in new}
    for name in before:
        del sys.modules[name]
    sys.modules.update(new)
    restore = []
    if beside is not None:
        restore.append((beside, "cuda", vars(beside).get("cuda")))
        restore += [(beside, n, getattr(beside, n)) for n in ("vectorize", "guvectorize")]
        beside.cuda = stepper.cuda
        beside.vectorize = for_gpu(beside.vectorize, stepper.cuda.vectorize)
        beside.guvectorize = for_gpu(beside.guvectorize, stepper.cuda.guvectorize)
    sys.meta_path.insert(0, Refusing)
    _installed = stepper, new, before, restore
    return stepper


def for_gpu(on_cpu, on_gpu):
    """``vectorize`` with target "cuda" goes to the stepper, every other to Numba itself."""

    def choose(*args, **options):
        if options.get("target") == "cuda":
            del options["target"]
            return on_gpu(*args, **options)
        return on_cpu(*args, **options)

    return choose


def uninstall():
    """Undo ``install``."""
    global _installed
    if _installed is None:
        return
    _, new, before, restore = _installed
    _installed = None
    sys.meta_path.remove(Refusing)
    for name, made in new.items():
        if sys.modules.get(name) is made:
            del sys.modules[name]
    sys.modules.update(before)
    for owner, name, value in restore:
        if value is None:
            delattr(owner, name)
        else:
            setattr(owner, name, value)


def installed():
    """The Stepper that ``install`` put in Numba's place, or None."""
    return _installed[0] if _installed else None


class Gathered:
    """What processes find that this one starts, by fork or with the variable STEPPER.

    They leave it in a file after each launch, since a process of a pool is ended without notice.
    """

    def __init__(self):
        handle, self.path = tempfile.mkstemp(prefix="stepper-", suffix=".jsonl")
        os.close(handle)
        self.read = 0
        os.environ[GATHERED] = f"{os.getpid()}:{self.path}"
        atexit.register(self.end, os.getpid())

    def new(self):
        """The findings since the last time, each once, however many processes have it."""
        import json

        with open(self.path, encoding="utf-8") as file:
            file.seek(self.read)
            rows = dict.fromkeys(file.readlines())
            self.read = file.tell()
        return [Finding.of(json.loads(row)) for row in rows]

    def end(self, process):
        if os.getpid() == process:
            os.environ.pop(GATHERED, None)
            os.unlink(self.path)


def leave(findings):
    """Leave the findings of a launch for the process that gathers, if it is another one."""
    process, _, path = os.environ.get(GATHERED, "").partition(":")
    if path and int(process) != os.getpid():
        import json  # late, as it is seldom needed and takes memory

        text = "".join(json.dumps(f.as_dict()) + "\n" for f in findings)
        with open(path, "a", encoding="utf-8") as file:
            file.write(text)


def install_from_environment():
    """What the variable STEPPER asks for: at the end, findings are printed and the status is 1."""
    mode = os.environ.get(VARIABLE, "")
    if mode in ("", "0") or installed():
        return installed()
    if mode not in ("run", "check"):
        raise SystemExit(f"{VARIABLE} must be run or check, not {mode!r}")
    stepper = install(mode=mode, raise_findings=False)

    def tell():
        from .report import as_text

        if stepper.findings and GATHERED not in os.environ:
            sys.stdout.flush()
            print(as_text(stepper.findings, sys.stderr.isatty()), file=sys.stderr, flush=True)
            os._exit(1)

    atexit.register(tell)
    return stepper


__all__ = ["MissingName", "install", "install_from_environment", "installed", "uninstall"]

"""Run Numba CUDA kernels thread by thread, in plain Python, without a GPU, Numba or NumPy.

    from stepper import run_script

    result = run_script(source, mode="check")
    print(result.output)
    for finding in result.findings:
        print(finding)

``python -m stepper script.py``, ``stepper.install()``, the environment variable STEPPER, ``pytest
--stepper`` and ``%load_ext stepper`` run programs as they are: README.md shows each. From Python:

* ``Stepper().installed()`` puts a stand-in for ``numba`` in its place while a block of code
  imports and runs: unchanged scripts and pages run on it.
* ``run_script(source, mode="record")`` runs a whole script under limits and returns what it
  printed, what is wrong with it, its counts, and recordings that play forwards and back.
* ``mode="check"`` looks for races and the like and counts memory traffic, without a recording;
  ``mode="run"`` only runs, as fast as this can.

What is checked is listed in ``faults.KINDS``; what is counted is defined in ``counts``. What cannot
be run is refused with ``Unsupported``, by name and line. README.md holds the rules that it follows.
"""

import contextlib
import io
import sys
import traceback
from dataclasses import dataclass, field

from .faults import (
    KINDS,
    Finding,
    KernelFault,
    LaunchError,
    LimitReached,
    OutOfBounds,
    TypeRefused,
    Unsupported,
)
from .host import DeviceArray, Kernel, Launch, Settings, cuda_module, numba_module
from .installing import Refusing, install, install_from_environment, installed, uninstall
from .installing import modules as stand_ins
from .source import remember
from .trace import Player
from .ufuncs import add_to

__all__ = [
    "KINDS",
    "DeviceArray",
    "Finding",
    "Kernel",
    "KernelFault",
    "Launch",
    "LaunchError",
    "LimitReached",
    "OutOfBounds",
    "Player",
    "Result",
    "Settings",
    "Stepper",
    "TypeRefused",
    "Unsupported",
    "install",
    "install_from_environment",
    "installed",
    "remember",
    "run_script",
    "uninstall",
]

__version__ = "0.1.0"


def load_ipython_extension(shell):
    """``%load_ext stepper``."""
    from .magic import load_ipython_extension

    load_ipython_extension(shell)


class Stepper:
    """A simulated GPU: ``cuda`` is what ``from numba import cuda`` gives on it.

    Takes what Settings takes. ``launches`` lists every launch that was made, with its findings,
    counts and recording.
    """

    def __init__(self, **settings):
        self.settings = Settings(**settings)
        self.launches = []
        self.tell = None  # called with the findings of each launch that has some
        self.cuda = cuda_module(self)
        add_to(self.cuda, self)
        self.numba = numba_module(self.cuda)

    @property
    def findings(self):
        """All findings of all launches."""
        return [finding for launch in self.launches for finding in launch.findings]

    @property
    def notes(self):
        """What is worth a look in all launches and no fault, each place once."""
        notes = {(n.filename, n.line, n.other_line): n for x in self.launches for n in x.notes}
        return list(notes.values())

    def modules(self):
        """What stands in for which module, by name."""
        return stand_ins(self, None)

    @contextlib.contextmanager
    def installed(self):
        """Within this block, ``import numba`` finds the stand-in; afterwards all is as before."""
        before = {
            name: module
            for name, module in sys.modules.items()
            if name.split(".")[0] in ("numba", "numba_cuda", "numba_cuda_mlir")
        }
        new = self.modules()
        try:
            for name in before:
                del sys.modules[name]
            sys.modules.update(new)
            sys.meta_path.insert(0, Refusing)
            yield self
        finally:
            if Refusing in sys.meta_path:
                sys.meta_path.remove(Refusing)
            for name in new:
                if sys.modules.get(name) is new[name]:
                    del sys.modules[name]
            sys.modules.update(before)

    def execute(self, source, namespace, filename="script.py"):
        """Run a piece of a script in a namespace; errors pass through."""
        remember(filename, source)
        code = compile(source, filename, "exec")
        with self.installed():
            exec(code, namespace)


@dataclass
class Result:
    """What came of a script.

    ``output``: what it printed. ``error``: the exception that ended it, or None; ``line`` its line
    in the script, ``message`` a text for the reader. ``findings``: what is wrong with its kernels.
    ``launches``: each with counts and recording. ``namespace``: the script's variables.
    """

    output: str
    error: BaseException | None
    line: int | None
    message: str
    launches: list
    namespace: dict = field(repr=False)

    @property
    def findings(self):
        return [finding for launch in self.launches for finding in launch.findings]

    def as_dict(self, most_steps=200_000):
        """The result as plain data, for JSON: without what cannot be sent to another thread."""
        launches = []
        for launch in self.launches:
            data = {
                "kernel": launch.kernel,
                "grid": list(launch.grid),
                "block": list(launch.block),
                "line": launch.line,
                "seconds": launch.seconds,
                "steps": launch.steps,
                "findings": [f.as_dict() for f in launch.findings],
                "counts": None,
                "lines": None,
                "trace": None,
            }
            if launch.counts:
                data["counts"] = launch.counts.summary()
                data["lines"] = {
                    str(line): {
                        **row,
                        "instructions": dict(row["instructions"]),
                        "accesses": [a.as_dict() for a in row["accesses"]],
                    }
                    for line, row in launch.counts.by_line().items()
                }
            if launch.trace and len(launch.trace.steps) <= most_steps:
                data["trace"] = launch.trace.as_dict()
            launches.append(data)
        return {
            "output": self.output,
            "error": None if self.error is None else type(self.error).__name__,
            "line": self.line,
            "message": self.message,
            "launches": launches,
        }


def run_script(source, *, namespace=None, filename="script.py", **settings):
    """Run a script that launches Numba CUDA kernels; returns a Result and raises nothing.

    ``settings`` are those of Settings; findings do not end the script unless
    ``raise_findings=True`` is given.
    """
    settings.setdefault("raise_findings", False)
    stepper = Stepper(**settings)
    namespace = {"__name__": "__main__"} if namespace is None else namespace
    output = io.StringIO()
    error = line = None
    message = ""
    try:
        with contextlib.redirect_stdout(output):
            stepper.execute(source, namespace, filename)
    except BaseException as caught:  # the script's own errors, whatever they are
        error = caught
        line = line_of(caught, filename)
        message = str(caught) if isinstance(caught, KernelFault | Unsupported) else ""
        message = message or "".join(traceback.format_exception_only(caught)).strip()
    return Result(output.getvalue(), error, line, message, stepper.launches, namespace)


def line_of(error, filename):
    """The line of the script at which an error arose: in the kernel, if it was there."""
    if isinstance(error, KernelFault) and error.finding.line:
        return error.finding.line
    if isinstance(error, Unsupported) and error.line and error.filename in (None, filename):
        return error.line
    if isinstance(error, SyntaxError):
        return error.lineno
    line, frame = None, error.__traceback__
    while frame is not None:
        if frame.tb_frame.f_code.co_filename == filename:
            line = frame.tb_lineno
        frame = frame.tb_next
    return line

"""Kernels that others wrote, as WGSL: the launches of numba-cuda's own tests, and of scripts.

Each file runs in a process of its own with the stepper in Numba's place. Every kernel that it
launches is compiled to WGSL for that launch, and kept with what the stepper left in memory, so that
a browser can run it and compare (``tests/test_wgsl_foreign.py``). Nothing of the code is kept here.
"""

import contextlib
import io
import os
import pickle
import resource
import runpy
import signal
import sys
import tempfile
from multiprocessing import get_context
from pathlib import Path
from types import SimpleNamespace

from .suite import tests_folder

EACH = 4  # launches of a kernel that are tried: its first types may be those that WGSL has not
STEPS, SECONDS = 300_000, 12


def of_tests(path, names):
    """{name: launches} of files of numba-cuda's tests, "cudapy/test_x.py"."""
    folder = tests_folder(Path(path))
    return {name: apart(run_tests, folder, folder / name) for name in names}


def of_script(file, arguments=()):
    """The launches of a script."""
    return apart(run_script, file, list(arguments))


def apart(run, *given):
    """What ``run`` captures, in a process of its own."""
    with tempfile.TemporaryDirectory() as place:
        out = Path(place) / "out"
        child = get_context("fork").Process(target=kept, args=(out, run, *given))
        child.start()
        child.join()
        if not out.is_file():
            raise RuntimeError(f"{given[-1] if run is run_tests else given[0]}: the process ended")
        return pickle.loads(out.read_bytes())


def kept(out, run, *given):
    """Run in the stepper, write the launches to the file ``out``, and end."""
    from .. import stepper
    from ..wgsl import captured

    sys.modules["stepper"] = stepper
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 30))
    signal.signal(signal.SIGXCPU, signal.default_int_handler)  # no test catches that
    stepper.install(mode="run", raise_findings=False, max_steps=STEPS)
    found, quiet = [], io.StringIO()
    with contextlib.redirect_stdout(quiet), contextlib.redirect_stderr(quiet):
        with (
            captured(found, each=EACH),
            contextlib.suppress(Exception, KeyboardInterrupt, SystemExit),
        ):
            run(*given)
    out.write_bytes(pickle.dumps([slim(r) for r in found]))
    os._exit(0)


def slim(record):
    """A launch without its arrays and its code, and with words for its faults."""
    record.function = None
    if record.shader:
        record.shader.launch = ()
        for b in record.shader.bindings:
            b.memory = SimpleNamespace(written=b.memory.written is not None or None)
    record.error = record.error and f"{type(record.error).__name__}: {record.error}"
    return record


def run_tests(folder, file):
    """The tests of one file, as the suite's own runner does it."""
    import unittest

    from . import stand_ins

    stand_ins.put(folder)
    name = f"numba.cuda.tests.{file.parent.name}.{file.stem}"
    __import__(name)
    unittest.defaultTestLoader.loadTestsFromModule(sys.modules[name]).run(unittest.TestResult())


def run_script(file, arguments):
    os.chdir(Path(file).parent)
    sys.argv = [str(file), *arguments]
    sys.path.insert(0, str(Path(file).parent))
    runpy.run_path(str(file), run_name="__main__")

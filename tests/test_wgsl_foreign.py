"""Kernels of others as WGSL: those of Numba's own tests, as numba-cuda installs them.

Each test file runs with the stepper in Numba's place; every kernel that it launches is compiled to
WGSL at its first launch, run in headless Chromium and compared with the stepper. What its tests say
of Numba's insides is left to Numba.
"""

import contextlib
import io
import re
import sys
import types
import unittest
from pathlib import Path

import numba_cuda

from simulator.stepper import Stepper, remember
from simulator.wgsl import captured, unlike
from tests import webgpu, wgsl_cases

FOLDER = Path(numba_cuda.__file__).parent / "numba/cuda/tests"
FILES = [
    *(f"doc_examples/test_{n}.py" for n in ("vecadd", "matmul", "reduction", "sessionize")),
    *(f"doc_examples/test_{n}.py" for n in ("laplace", "montecarlo")),
    *(f"cudapy/test_{n}.py" for n in ("sm", "sync", "warp_ops", "intrinsics", "idiv", "mandel")),
    *(f"cudapy/test_{n}.py" for n in ("transpose", "localmem", "constmem", "nondet", "matmul")),
]
SUPPORT = re.compile(r"^from numba(\.cuda)?\.(testing|tests\.support) import", re.M)


def plain(*args, **options):
    """A decorator of Numba's test tools: the test as it is."""
    return args[0] if args and callable(args[0]) and not options else lambda test: test


def launches(file, monkeypatch):
    """The first launch of each kernel in a file of tests, compiled."""
    tools = types.ModuleType("numbas_test_tools")
    tools.CUDATestCase = unittest.TestCase
    tools.__getattr__ = lambda name: plain
    source = (FOLDER / file).read_text(encoding="utf-8")
    source = SUPPORT.sub(f"from {tools.__name__} import", source)
    module, found = types.ModuleType(f"foreign_{Path(file).stem}"), []
    module.__file__ = str(FOLDER / file)
    monkeypatch.setitem(sys.modules, tools.__name__, tools)
    monkeypatch.setitem(sys.modules, module.__name__, module)
    remember(file, source)
    stepper = Stepper(mode="run", raise_findings=False, max_steps=300_000)
    quiet = contextlib.redirect_stdout(io.StringIO())
    with stepper.installed(), quiet, captured(found, each=1):
        try:
            exec(compile(source, file, "exec"), vars(module))
        except ImportError:  # of Numba's insides, which the stepper has not
            return found
        for case in list(vars(module).values()):
            if isinstance(case, type) and issubclass(case, unittest.TestCase):
                for name in unittest.TestLoader().getTestCaseNames(case):
                    case(name).run(unittest.TestResult())
    return found


def test_foreign_kernels_are_right_or_refused(monkeypatch, playwright):
    found = [(file, r) for file in FILES for r in launches(file, monkeypatch)]
    todo = [(f, r) for f, r in found if wgsl_cases.runs(r) and r.after and not r.error]
    with webgpu.page(playwright) as tab:
        results = webgpu.run(tab, [r for _, r in todo])
    faults = [
        f"{f} {r.kernel}: {w}"
        for (f, r), x in zip(todo, results, strict=True)
        if (w := str(x if isinstance(x, str) else unlike(r, x, 2e-5)[:3] or ""))
    ]
    assert not faults, "\n".join(faults)
    assert all(r.shader or r.refused.what for _, r in found)
    print(f"{len(todo)} of {len(found)} foreign kernels compile and are right")
    assert len(todo) >= 25

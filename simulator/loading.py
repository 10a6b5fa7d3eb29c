"""Modules of the repository with the stepper in Numba's place."""

import contextlib
import sys
from importlib import import_module
from types import ModuleType

FOLDERS = ("kernels", "simulator.hardware.probes")


@contextlib.contextmanager
def stepping(stepper):
    """Within this block, kernels are imported afresh, with ``stepper`` as their Numba.

    Copies that were there before are back afterward.
    """

    def ours():
        return [n for n in sys.modules if any(n == f or n.startswith(f"{f}.") for f in FOLDERS)]

    before = {name: sys.modules.pop(name) for name in ours()}
    try:
        with stepper.installed():
            yield import_module
    finally:
        for name in ours():
            del sys.modules[name]
        sys.modules.update(before)


@contextlib.contextmanager
def standing_in():
    """Within this block, what drives a GPU can be imported, and is good for nothing."""

    class Nothing(ModuleType):
        def __getattr__(self, name):
            if name.startswith("__"):
                raise AttributeError(name)
            return self

        def __call__(self, *args, **options):
            return self

    names = ["numba.cuda.extending", "cupy", "torch", "triton", "triton.language"]
    before = {n: sys.modules.get(n) for n in names}
    sys.modules.update({n: Nothing(n) for n in names})
    try:
        yield
    finally:
        for n, module in before.items():
            del sys.modules[n]
            if module:
                sys.modules[n] = module

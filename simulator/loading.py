"""Modules of the repository with the stepper in Numba's place."""

import contextlib
import sys
from importlib import import_module

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

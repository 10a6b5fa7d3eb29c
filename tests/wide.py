"""Kernels with 16-byte loads on a CPU: in the stepper, with stand-ins for the instructions.

The stand-ins are plain device functions with the results of ``kernels/patterns/wide.py``. They
show that a kernel's indices and arithmetic are right; that the instructions do the same is shown
on a GPU, where the same tests run the kernels as they are.
"""

import contextlib
import os
import sys
import types
from importlib import import_module
from pathlib import Path

from simulator.loading import stepping
from simulator.stepper import Stepper, remember

SIMULATOR = os.environ.get("NUMBA_ENABLE_CUDASIM") == "1"

STAND_INS = """
from numba import cuda, float32

@cuda.jit(device=True)
def load4(array, index):
    assert index % 4 == 0
    return array[index], array[index + 1], array[index + 2], array[index + 3]

@cuda.jit(device=True)
def load2(array, index):
    assert index % 2 == 0
    return array[index], array[index + 1]

@cuda.jit(device=True)
def store2(array, index, values):
    assert index % 2 == 0
    array[index] = values[0]
    array[index + 1] = values[1]

@cuda.jit(device=True)
def store4(array, index, values):
    assert index % 4 == 0
    array[index] = values[0]
    array[index + 1] = values[1]
    array[index + 2] = values[2]
    array[index + 3] = values[3]

@cuda.jit(device=True)
def exp2(x):
    return float32(2) ** x
""".replace("    assert", "    #")  # Numba's asserts need debug=True; a bad index shows anyway


def launch(kernel, blocks, threads, shared, *arguments):
    """What ``kernels/patterns/shared.py`` does, where nothing has to be allowed."""
    kernel[blocks, threads, 0, shared](*arguments)


@contextlib.contextmanager
def loading():
    """Within this block, ``load(name)`` imports a module of kernels/ to run here.

    Yields ``(load, cuda)``. On a GPU both are Numba's. On a CPU the stepper is in Numba's place,
    and what its checks find raises.
    """
    if not SIMULATOR:
        from numba import cuda

        yield import_module, cuda
        return
    stepper = Stepper(mode="check")
    with stepping(stepper) as load:
        file = str(Path(__file__))
        remember(file + ":stand-ins", STAND_INS)
        module = types.ModuleType("kernels.patterns.wide")
        exec(compile(STAND_INS, file + ":stand-ins", "exec"), vars(module))
        load("kernels.patterns")
        sys.modules["kernels.patterns.wide"] = module
        launcher = types.ModuleType("kernels.patterns.shared")
        launcher.launch = launch
        sys.modules["kernels.patterns.shared"] = launcher
        yield load, stepper.cuda

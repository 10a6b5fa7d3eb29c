"""What the tests of the parallel patterns share: the stepper with stand-ins, and poisoned outputs.

The fast rungs have instructions of their own, made with llvmlite. Without a GPU they run in the
stepper, where a few device functions do the same, slower.
"""

import contextlib
import functools
import importlib
import math
import os
import sys
import types

import numpy as np

from simulator.loading import stepping
from simulator.stepper import Stepper

SIMULATOR = os.environ.get("NUMBA_ENABLE_CUDASIM") == "1"
SIZES = [0, 1, 31, 32, 33, 127, 128, 129, 1023, 1024, 1025]
SIZES += [2003] if SIMULATOR else [4099, 1_000_003]
GUARD = 37
# module -> device functions in its place
STAND_INS = {
    "kernels.elementwise.vectors": """
from numba import cuda

@cuda.jit(device=True)
def load4(array, i):
    return array[i], array[i + 1], array[i + 2], array[i + 3]

@cuda.jit(device=True)
def store4(array, i, values):
    for j in range(4):
        array[i + j] = values[j]
""",
    "kernels.scan.relaxed": """
from numba import cuda

@cuda.jit(device=True)
def load_relaxed(array, i):
    return cuda.atomic.add(array, i, 0)
""",
}


@contextlib.contextmanager
def running(**settings):
    """Yield an ``import_module`` for kernels: on a GPU of Python's own, else in the stepper.

    What makes kernels makes each once: the host functions of the pages do so in every call.
    """
    if not SIMULATOR:
        yield lambda name: _made_once(importlib.import_module(name))
        return
    with in_stepper(**settings) as (_, import_module):
        yield lambda name: _made_once(import_module(name))


def _made_once(module):
    for name, make in list(vars(module).items()):
        if name.startswith("make_") and not hasattr(make, "cache_info"):
            setattr(module, name, functools.cache(make))
    return module


@contextlib.contextmanager
def in_stepper(mode="run", **settings):
    """Within this block kernels are imported afresh and run in the stepper.

    Yields it and its ``import_module``.
    """
    stepper = Stepper(mode=mode, **settings)
    with stepping(stepper) as import_module:
        for name, text in STAND_INS.items():
            module = types.ModuleType(name)
            stepper.execute(text, module.__dict__, f"{name}.py")
            sys.modules[name] = module
        yield stepper, import_module


def poisoned(cuda, shape, dtype=np.float32):
    """Return a device array of this shape, and the longer poisoned one that it begins."""
    value = np.nan if np.dtype(dtype).kind == "f" else np.iinfo(dtype).min
    size = math.prod(shape) if isinstance(shape, tuple) else shape
    whole = cuda.to_device(np.full(size + GUARD, value, dtype))
    return whole[:size].reshape(*shape) if isinstance(shape, tuple) else whole[:size], whole


def written(whole, shape, spare=0):
    """Return what a kernel wrote, after a look at what it should not have written.

    ``spare``: how many elements at the end of the output it need not write.
    """
    host = whole.copy_to_host()
    size = math.prod(shape) if isinstance(shape, tuple) else shape
    spared = np.isnan(host) if host.dtype.kind == "f" else host == host[-1]
    assert spared[size - spare :].all(), "written past the end"
    return host[:size].reshape(shape)

"""Kernels of this repository once more, from the same files, compiled by numba-cuda-mlir.

What differs is no kernel's text: the bridge to PTX is ptx.py beside this file, wgmma's target is
named, and a launch needs no limit raised for its shared memory, as numba-cuda-mlir does that.
"""

import functools
import importlib
import sys
import types

from numba_cuda_mlir import cuda
from numba_cuda_mlir import types as numba_types
from numba_cuda_mlir.numba_cuda.typing.typeof import typeof

from kernels.mlir_bridge import ptx, words

SCALARS = "boolean float32 float64 int32 int64 uint32 uint64".split()


@functools.cache
def hopper(kernel, lto=True):
    """Return a kernel compiled for sm_90a, which wgmma and setmaxnreg need.

    Without ``lto`` it is linked from PTX, and ptxas ignores setmaxnreg and makes each wgmma wait.
    """
    bounds = kernel.targetoptions.get("launch_bounds")
    options = {"chip": "sm_90a", "lto": lto} | ({"launch_bounds": bounds} if bounds else {})
    return cuda.jit(**options)(kernel.py_func)


def launch(kernel, blocks, threads, shared, *arguments):
    """Launch a kernel with dynamic shared memory, given in bytes."""
    hopper(kernel)[blocks, threads, 0, shared](*arguments)


def again(*names):
    """Import modules such as ``kernels.tensor_cores.wgmma`` again, on numba-cuda-mlir."""
    numba = types.ModuleType("numba")
    numba.__path__ = []
    numba.cuda, numba.types, numba.typeof = cuda, numba_types, typeof
    for name in SCALARS:
        setattr(numba, name, getattr(numba_types, name))
    extending = types.ModuleType("numba.cuda.extending")
    extending.intrinsic = words.by_name
    ours = {"numba": numba, "numba.cuda": cuda, "numba.types": numba_types}
    ours |= {"numba.cuda.extending": extending, "kernels.tensor_cores.ptx": ptx}
    ours[f"{cuda.__name__}.cgutils"] = types.ModuleType("cgutils")  # named, and never called
    kept = {
        name: module
        for name, module in sys.modules.items()
        if name.partition(".")[0] in {"numba", "kernels"}
    }
    for name in kept:
        del sys.modules[name]
    sys.modules.update(ours)
    try:
        modules = [importlib.import_module(name) for name in names]
        for name, module in list(sys.modules.items()):
            if name.startswith("kernels.") and hasattr(module, "launch"):
                module.launch = launch
    finally:
        for name in [n for n in sys.modules if n.partition(".")[0] in {"numba", "kernels"}]:
            del sys.modules[name]
        sys.modules.update(kept)
    return modules

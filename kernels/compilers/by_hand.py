"""A program in MLIR, written, optimized, lowered and run from Python: on a CPU and on a GPU."""

# --8<-- [start:imports]
import ctypes
import re

import llvmlite.binding as llvm
from numba_cuda_mlir._mlir import ir
from numba_cuda_mlir._mlir.dialects.gpu import ObjectAttr
from numba_cuda_mlir._mlir.passmanager import PassManager
from numba_cuda_mlir.lowering_utilities.llvm_utils import translate_to_llvmir_text

# --8<-- [end:imports]

# --8<-- [start:program]
PROGRAM = """
func.func @to_fahrenheit(%c: memref<?xf32>, %f: memref<?xf32>) {
  linalg.generic {
    indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
    iterator_types = ["parallel"]
  } ins(%c : memref<?xf32>) outs(%f : memref<?xf32>) {
    ^bb0(%x: f32, %old: f32):
      %nine = arith.constant 9.0 : f32
      %five = arith.constant 5.0 : f32
      %ratio = arith.divf %nine, %five : f32
      %again = arith.divf %nine, %five : f32
      %unused = arith.mulf %again, %x : f32
      %scaled = arith.mulf %ratio, %x : f32
      %shift = arith.constant 32.0 : f32
      %y = arith.addf %scaled, %shift : f32
      linalg.yield %y : f32
  }
  return
}
"""
# --8<-- [end:program]


# --8<-- [start:run]
def run(passes, text):
    """Parse a module, run passes over it in order, and return it."""
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(text)
        PassManager.parse(f"builtin.module({passes})").run(module.operation)
        return module


def to_llvm(module):
    """Translate a module of the llvm dialect to LLVM's own text, without its comments."""
    with module.context:
        return re.sub(r" *; preds.*", "", translate_to_llvmir_text(module.operation))


# --8<-- [end:run]


# --8<-- [start:cpu]
def on_cpu(llvm_ir, name):
    """Compile LLVM IR for this machine's processor, and return the function and what was made."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    module = llvm.parse_assembly(llvm_ir)
    machine = llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=llvm.get_host_cpu_features().flatten(), opt=3
    )
    builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=3))
    builder.getModulePassManager().run(module, builder)
    optimized = str(module)
    engine = llvm.create_mcjit_compiler(module, machine)
    engine.finalize_object()
    # A memref of one dimension is five arguments: pointer, aligned pointer, offset, size, stride.
    pointer, number = ctypes.c_void_p, ctypes.c_int64
    memref = [pointer, pointer, number, number, number]
    function = ctypes.CFUNCTYPE(None, *memref * 2)(engine.get_function_address(name))
    function.engine = engine  # lives as long as the function
    return function, optimized


def memref(array):
    return array.ctypes.data, array.ctypes.data, 0, array.size, 1


# --8<-- [end:cpu]


# --8<-- [start:gpu]
def ptx_of(module):
    """Return the PTX that the pass gpu-module-to-binary left in a module."""
    with module.context:
        for operation in module.body:
            if operation.operation.name == "gpu.binary":
                return ObjectAttr(operation.operation.attributes["objects"][0]).object.decode()
    raise ValueError("no gpu.binary in this module: run gpu-module-to-binary first")


# --8<-- [end:gpu]

# --8<-- [start:solution]
BACK = """
func.func @to_celsius(%f: memref<?xf32>, %c: memref<?xf32>) {
  %shift = arith.constant 32.0 : f32
  %ratio = arith.constant 1.8 : f32
  linalg.generic {
    indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
    iterator_types = ["parallel"]
  } ins(%f : memref<?xf32>) outs(%c : memref<?xf32>) {
    ^bb0(%x: f32, %old: f32):
      %above = arith.subf %x, %shift : f32
      %y = arith.divf %above, %ratio : f32
      linalg.yield %y : f32
  }
  return
}
"""
# --8<-- [end:solution]

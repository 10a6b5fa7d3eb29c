"""The worklog's instructions of 16 bytes and its asynchronous copies, from the bridge to PTX.

Its modules define them with llvmlite. ``by_name`` stands in for numba-cuda's ``intrinsic`` while
such a module is imported again, and gives each of its functions what is below.
"""

from numba_cuda_mlir import cuda
from numba_cuda_mlir.types import uint32, uint64

from kernels.mlir_bridge.ptx import ptx

# --8<-- [start:words]
load_16 = ptx("ld.v4.f32 %0, [%1];", "=f4 l")
store_16 = ptx("st.v4.f32 [%0], %1;", "l f4")
to_shared = ptx("{ .reg .u64 a; cvta.to.shared.u64 a, %1; cvt.u32.u64 %0, a; }", "=r l")


@cuda.jit(device=True, forceinline=True)
def place(array, row, column):
    """Return the address of ``array[row, column]``, whose rows follow one another."""
    at = uint64(row) * uint64(array.shape[1]) + uint64(column)
    return uint64(array.ctypes.data) + uint64(4) * at


@cuda.jit(device=True, forceinline=True)
def load4(array, row, column):
    return load_16(place(array, row, column))


@cuda.jit(device=True, forceinline=True)
def store4(array, row, column, values):
    store_16(place(array, row, column), values)


def make_copy(size, cache):
    """Return what ``make_copy`` of gemm/pipeline.py does: a copy to tile[y, x] is started."""
    start = ptx(f"cp.async.{cache}.shared.global [%0], [%1], {size}, %2;", "r l r")

    @cuda.jit(device=True, forceinline=True)
    def copy(tile, y, x, source, at, inside):
        address = uint64(source.ctypes.data) + uint64(4) * uint64(at)
        start(to_shared(place(tile, y, x)), address, uint32(size) if inside else uint32(0))

    return copy


# --8<-- [end:words]


def by_name(function):
    """Return the device function that an intrinsic of this name and text is here."""
    names = function.__code__.co_freevars
    held = dict(zip(names, (c.cell_contents for c in function.__closure__ or ()), strict=True))
    if function.__name__ == "copy":
        return make_copy(held["size"], "cg" if ".cg." in held["text"] else "ca")
    if function.__name__ == "instruction":
        return ptx(held["text"])
    return {"load4": load4, "store4": store4}[function.__name__]

"""A 16-byte store of what nobody reads again soon."""

# --8<-- [start:imports]
from numba import cuda, uint64

# --8<-- [end:imports]
from kernels.tensor_cores.ptx import ptx

# --8<-- [start:once]
# Write the four floats %1 at %0. cs: streaming, the first line to leave the caches.
write_once = ptx("st.global.cs.v4.f32 [%0], %1;", "l f4")


@cuda.jit(device=True, forceinline=True)
def store4_once(out, i, four):
    """Write ``out[i]`` to ``out[i + 3]``. i counts elements and is a multiple of four."""
    write_once(uint64(out.ctypes.data) + uint64(4) * uint64(i), four)


# --8<-- [end:once]

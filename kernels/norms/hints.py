"""16-byte loads that say what L1 shall do with what they read."""

# --8<-- [start:imports]
from numba import cuda, uint64

# --8<-- [end:imports]
from kernels.tensor_cores.ptx import ptx


# --8<-- [start:loads]
def hinted(load):
    """Return a device function that reads ``x[i]`` to ``x[i + 3]`` by this kind of load."""
    instruction = ptx(load + ".v4.f32 {%0[0], %0[1], %0[2], %0[3]}, [%1];", "=f4 l")

    @cuda.jit(device=True, forceinline=True)
    def load4(x, i):
        return instruction(uint64(x.ctypes.data) + uint64(4) * uint64(i))

    return load4


load4_once = hinted("ld.global.nc.L1::no_allocate")  # pass L1 by
load4_first = hinted("ld.global.L1::evict_first")  # the first to leave L1
load4_shared = hinted("ld.global.nc")  # nobody writes it: may come before an earlier store
load4_kept = hinted("ld.global.nc.L1::evict_last")  # the same, and the last to leave L1
ask_line = ptx("prefetch.global.L2 [%0];", "l")


@cuda.jit(device=True, forceinline=True)
def ask(x, i):
    """Have the line of ``x[i]``, 32 float32, brought into L2."""
    ask_line(uint64(x.ctypes.data) + uint64(4) * uint64(i))


# --8<-- [end:loads]

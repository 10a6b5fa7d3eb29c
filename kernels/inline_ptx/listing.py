"""One kernel as PTX and as SASS, as the compiler made it."""

from kernels.tensor_cores.ptx import ptx

# --8<-- [start:kernel]
import re  # isort: skip

from numba import cuda, uint32, void  # isort: skip

warp_sum = ptx("redux.sync.add.u32 %0, %1, 0xffffffff;", "=r r")


@cuda.jit(void(uint32[::1], uint32[::1]))
def warp_sums_kernel(x, out):
    i = uint32(cuda.grid(1))
    out[i] = warp_sum(x[i])


# --8<-- [end:kernel]


def _example():
    """
    --8<-- [start:example]
    >>> out = cuda.device_array(64, np.uint32)
    >>> warp_sums_kernel[2, 32](cuda.to_device(np.arange(64, dtype=np.uint32)), out)
    >>> out.copy_to_host()[[0, 31, 32, 63]]  # 0 + ... + 31, and 32 + ... + 63
    array([ 496,  496, 1520, 1520], dtype=uint32)

    --8<-- [end:example]
    """


# --8<-- [start:ptx]
(made,) = warp_sums_kernel.inspect_asm().values()
for line in made[made.index("{", made.index(".entry")) :].splitlines():
    line = line.strip()
    if line and not line.startswith((".reg", "//", "{", "}", "ld.param")):
        print(re.sub(r"\s+", " ", line))
# --8<-- [end:ptx]

# --8<-- [start:sass]
(machine_code,) = warp_sums_kernel.inspect_sass().values()
for address, instruction in re.findall(r"/\*([0-9a-f]{4})\*/\s+(.*?);", machine_code):
    if instruction != "NOP":
        print(address, re.sub(r"\s+", " ", instruction).strip())
# --8<-- [end:sass]

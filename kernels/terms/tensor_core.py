"""One tensor-core product on its way down: CUDA C++, PTX, machine code. It is compiled, not run.

Source: https://docs.nvidia.com/cuda/parallel-thread-execution/
"""

# --8<-- [start:imports]
import re
import subprocess
from pathlib import Path

from cuda.bindings import nvrtc
from cuda.pathfinder import find_nvidia_binary_utility

# --8<-- [end:imports]

# --8<-- [start:source]
SOURCE = """
extern "C" __global__
void one_product(const unsigned *a, const unsigned *b, float *d)
{
    unsigned A[4], B[2], lane = threadIdx.x;   // two bfloat16 in each
    float D[4] = {0, 0, 0, 0};                 // this lane's part of the sums
    for (int i = 0; i < 4; ++i) A[i] = a[32 * i + lane];
    for (int i = 0; i < 2; ++i) B[i] = b[32 * i + lane];
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32"
        "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(D[0]), "+f"(D[1]), "+f"(D[2]), "+f"(D[3])
        : "r"(A[0]), "r"(A[1]), "r"(A[2]), "r"(A[3]),
          "r"(B[0]), "r"(B[1]));
    for (int i = 0; i < 4; ++i) d[32 * i + lane] = D[i];
}
"""
# --8<-- [end:source]


# --8<-- [start:compile]
def compiled(source, arch="sm_90"):
    """Return the PTX and the machine code of CUDA C++, line by line."""

    def done(status, *results):
        if status != nvrtc.nvrtcResult.NVRTC_SUCCESS:
            raise RuntimeError(status)
        return results[0] if results else None

    program = done(*nvrtc.nvrtcCreateProgram(source.encode(), b"", 0, [], []))
    done(*nvrtc.nvrtcCompileProgram(program, 1, [f"-arch={arch}".encode()]))
    ptx = bytes(done(*nvrtc.nvrtcGetPTXSize(program)))
    done(*nvrtc.nvrtcGetPTX(program, ptx))
    code = bytes(done(*nvrtc.nvrtcGetCUBINSize(program)))
    done(*nvrtc.nvrtcGetCUBIN(program, code))
    Path("one_product.cubin").write_bytes(code)
    tool = find_nvidia_binary_utility("nvdisasm")
    command = [tool, "-c", "one_product.cubin"]
    listing = subprocess.check_output(command, text=True)
    sass = re.findall(r"/\*[0-9a-f]{4}\*/\s+(.*?) ;", listing)
    return [line.strip() for line in ptx.decode().split("\n")], sass


# --8<-- [end:compile]


def examples():
    """The line of PTX, the instruction that it becomes, and what stands around that.

    --8<-- [start:example]
    >>> ptx, sass = compiled(SOURCE)
    >>> product = next(line for line in ptx if line.startswith("mma"))
    >>> for part in product.split():
    ...     print(part)
    mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32{%f1,%f2,%f3,%f4},
    {%r1,%r2,%r3,%r4},
    {%r5,%r6},
    {%f1,%f2,%f3,%f4};
    >>> for line in sass:
    ...     if re.match("LDG|HMMA|STG", line):
    ...         print(line)
    LDG.E R12, desc[UR4][R4.64]
    LDG.E R13, desc[UR4][R4.64+0x80]
    LDG.E R8, desc[UR4][R2.64]
    LDG.E R9, desc[UR4][R2.64+0x80]
    LDG.E R10, desc[UR4][R2.64+0x100]
    LDG.E R11, desc[UR4][R2.64+0x180]
    HMMA.16816.F32.BF16 R8, R8, R12, RZ
    STG.E desc[UR4][R6.64], R8
    STG.E desc[UR4][R6.64+0x80], R9
    STG.E desc[UR4][R6.64+0x100], R10
    STG.E desc[UR4][R6.64+0x180], R11

    --8<-- [end:example]
    """

"""CUDA C++ and PTX that the toolkit's compilers refuse, without a GPU."""

# --8<-- [start:compile]
import textwrap
from pathlib import Path

from cuda.bindings import nvjitlink, nvrtc


def compiled(name, *options, arch="compute_90"):
    """Compile a file of CUDA C++; print what NVRTC said, or return the PTX."""
    _, program = nvrtc.nvrtcCreateProgram(Path(name).read_bytes(), name.encode(), 0, [], [])
    given = [f"--gpu-architecture={arch}".encode(), *options]
    (result,) = nvrtc.nvrtcCompileProgram(program, len(given), given)
    if result != nvrtc.nvrtcResult.NVRTC_SUCCESS:
        _, size = nvrtc.nvrtcGetProgramLogSize(program)
        nvrtc.nvrtcGetProgramLog(program, log := bytearray(size))
        print(result.name, textwrap.fill(log.decode().splitlines()[0], 90), sep="\n")
        return None
    _, size = nvrtc.nvrtcGetPTXSize(program)
    nvrtc.nvrtcGetPTX(program, ptx := bytearray(size))
    return bytes(ptx)


def linked(ptx):
    """Turn PTX into machine code for an H200; print what nvJitLink said."""
    linker = nvjitlink.create(1, ["-arch=sm_90"])
    try:
        nvjitlink.add_data(linker, nvjitlink.InputType.PTX, ptx, len(ptx), "kernel.ptx")
        nvjitlink.complete(linker)
        print("no error")
    except nvjitlink.nvJitLinkError as error:
        nvjitlink.get_error_log(linker, log := bytearray(nvjitlink.get_error_log_size(linker)))
        first = log.decode().splitlines()[0]
        print(error, first.partition("; current version")[0], sep="\n")  # each linker has its own


# --8<-- [end:compile]

"""Count instructions in what the CUDA compiler makes of a source."""

# --8<-- [start:count]
import subprocess

from cuda.core import Program, ProgramOptions
from cuda.pathfinder import find_nvidia_binary_utility


def count(source, *words):
    """Compile CUDA C++ for an H200, without one, and count words in the machine code."""
    code = Program(source, "c++", ProgramOptions(arch="sm_90")).compile("cubin").code
    with open("kernel.cubin", "wb") as file:
        file.write(bytes(code))
    command = [find_nvidia_binary_utility("nvdisasm"), "-c", "kernel.cubin"]
    listing = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return [listing.count(word) for word in words]


# --8<-- [end:count]

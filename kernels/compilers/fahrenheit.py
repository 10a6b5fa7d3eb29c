"""One kernel to follow from Python to machine code, and what prints its stages."""

# --8<-- [start:imports]
import re
import subprocess

import numpy as np
from numba_cuda_mlir import cuda
from numba_cuda_mlir.types import boolean, float32

# --8<-- [end:imports]


# --8<-- [start:kernel]
@cuda.jit
def to_fahrenheit(c, f):
    i = cuda.grid(1)
    if i < c.size:
        f[i] = 1.8 * c[i] + 32.0


# --8<-- [end:kernel]


# --8<-- [start:excerpt]
def excerpt(text, first, last):
    """Print the lines of a stage from one that holds ``first`` to one that holds ``last``."""
    lines = text.expandtabs(8).splitlines()
    start = next(n for n, line in enumerate(lines) if first in line)
    end = next(n for n, line in enumerate(lines) if last in line and n >= start)
    margin = len(lines[start]) - len(lines[start].lstrip())
    for line in lines[start : end + 1]:
        print(line[margin:])


# --8<-- [end:excerpt]


# --8<-- [start:single]
@cuda.jit
def to_fahrenheit_single(c, f):
    i = cuda.grid(1)
    if i < c.size:
        f[i] = np.float32(1.8) * c[i] + np.float32(32.0)


# --8<-- [end:single]


# --8<-- [start:nan]
@cuda.jit
def is_nan(x, out):
    i = cuda.grid(1)
    if i < x.size:
        out[i] = x[i] != x[i]


# --8<-- [end:nan]


# --8<-- [start:half]
@cuda.jit
def half_fixed(c, f):
    i = cuda.grid(1)
    if i < c.size:
        f[i] = np.float32(1.8) * c[i] + 32.0


# --8<-- [end:half]

# --8<-- [start:sass]
from cuda.pathfinder import find_nvidia_binary_utility  # noqa: E402

VECTORS, TRUTHS = (float32[::1], float32[::1]), (float32[::1], boolean[::1])
with open("to_fahrenheit.cubin", "wb") as file:
    file.write(cuda.compile_cubin(to_fahrenheit.py_func, VECTORS))
command = [find_nvidia_binary_utility("nvdisasm"), "-c", "to_fahrenheit.cubin"]
listing = subprocess.run(command, capture_output=True, text=True, check=True).stdout
for address, instruction in re.findall(r"/\*([0-9a-f]{4})\*/ +(.*?) *;", listing):
    if instruction != "NOP":
        print(address, instruction)
# --8<-- [end:sass]

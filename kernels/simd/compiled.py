"""The same loops in C++: what g++ reports, and intrinsics for AVX2 and AVX-512."""

# --8<-- [start:imports]
import ctypes
import re
import subprocess
from pathlib import Path

# --8<-- [end:imports]


# --8<-- [start:report]
def compile_cpp(source, *flags):
    """Run g++ on a file, and return what it printed and what it reported."""
    command, text = ["g++", *flags, "-x", "c++", "-"], Path(source).read_text()
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True)


def report(source, *flags):
    """Return the loops that g++ has vectorized: line, and how many floats go into a register."""
    flags += ("-fopt-info-vec-optimized", "-c", "-o", "/dev/null")
    said = compile_cpp(source, *flags).stderr
    loops = re.findall(r":(\d+):\d+: optimized: +loop vectorized using (\d+) byte vectors", said)
    return {int(line): int(width) // 4 for line, width in reversed(loops)}


# --8<-- [end:report]


# --8<-- [start:assembly]
def assembly(source, function, *flags):
    """Return what g++ makes of one function."""
    text = compile_cpp(source, *flags, "-S", "-o", "-").stdout
    return text.partition(f"\n{function}:")[2].partition(f".size\t{function},")[0]


# --8<-- [end:assembly]


# --8<-- [start:load]
def load(source, *flags):
    """Compile C++ to a library, and load it into this process."""
    library = "./" + source.replace(".cpp", ".so")
    compile_cpp(source, *flags, "-shared", "-fPIC", "-o", library)
    return ctypes.CDLL(library)


# --8<-- [end:load]


# --8<-- [start:callable]
def takes_floats(function):
    """Say that a function of C++ takes a pointer to floats and a length, and returns a float."""
    function.argtypes, function.restype = [ctypes.c_void_p, ctypes.c_size_t], ctypes.c_float
    return function


# --8<-- [end:callable]


def example():
    """Run in a folder that has the files.

    --8<-- [start:report_example]
    >>> report("track.cpp", "-O3")
    {16: 4, 10: 4, 4: 4}
    >>> report("track.cpp", "-O3", "-mavx2", "-mfma")
    {16: 8, 10: 8, 4: 8}
    >>> report("track.cpp", "-O3", "-mavx512f", "-mprefer-vector-width=512")
    {16: 16, 10: 16, 4: 16}

    --8<-- [end:report_example]

    --8<-- [start:assembly_example]
    >>> packed(assembly("track.cpp", "energy", "-O3"))
    ['mulps']
    >>> packed(assembly("track.cpp", "energy", "-O3", "-ffast-math"))
    ['addps', 'mulps']
    >>> packed(assembly("track.cpp", "echo", "-O3", "-ffast-math"))
    []

    --8<-- [end:assembly_example]

    --8<-- [start:energy_example]
    >>> library = load("energy.cpp", "-O3")
    >>> ways = {256: takes_floats(library.energy_avx2), 512: takes_floats(library.energy_avx512)}
    >>> track = np.random.default_rng(2).standard_normal(100_003, dtype=np.float32)
    >>> right = np.sum(track.astype(np.float64) ** 2)
    >>> sums = [
    ...     way(track.ctypes.data, track.size)
    ...     for bits, way in ways.items() if bits <= library.widest()
    ... ]
    >>> bool(np.allclose(sums, right, rtol=1e-5))
    True
    >>> "zmm" in assembly("energy.cpp", "energy_avx512", "-O3")
    True

    --8<-- [end:energy_example]
    """

"""Compile the C++ that prefetches, and compare its sums."""

# --8<-- [start:imports]
import ctypes
import subprocess
from pathlib import Path

# --8<-- [end:imports]


# --8<-- [start:load]
def load(source):
    """Compile C++ to a library, and load it into this process."""
    command = ["g++", "-O2", "-shared", "-fPIC", "-x", "c++", "-", "-o", "./library.so"]
    subprocess.run(command, input=Path(source).read_text(), text=True, check=True)
    return ctypes.CDLL("./library.so")


# --8<-- [end:load]


def example():
    """Goes on with ``x`` and ``following`` of memory.py.

    --8<-- [start:example]
    >>> library = load("prefetch.cpp")
    >>> library.visit_ahead.restype = ctypes.c_int64
    >>> pointers = [ctypes.c_void_p(array.ctypes.data) for array in (x, following)]
    >>> n, ahead = ctypes.c_size_t(1003), ctypes.c_size_t(32)
    >>> library.visit_ahead(*pointers, n, ahead) == x.sum()
    np.True_

    --8<-- [end:example]
    """

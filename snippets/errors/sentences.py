"""The driver's and the runtime's own sentences for their error numbers, asked without a GPU."""

# --8<-- [start:sentences]
import ctypes
import importlib.util
from pathlib import Path

folders = importlib.util.find_spec("nvidia").submodule_search_locations
runtime = ctypes.CDLL(str(next(p for f in folders for p in Path(f).glob("cu*/lib/libcudart.so.*"))))
runtime.cudaGetErrorString.restype = runtime.cudaGetErrorName.restype = ctypes.c_char_p


def sentence(number):
    name, text = runtime.cudaGetErrorName(number), runtime.cudaGetErrorString(number)
    return f"{name.decode()}: {text.decode()}"


# --8<-- [end:sentences]

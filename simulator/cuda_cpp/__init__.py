"""Run CUDA C++ kernels on a CPU: the CUDA half of ``simulator.hosts``.

    from simulator import cuda_cpp

    source = cuda_cpp.read("snippets/pairs/add/kernel.cu")
    cuda_cpp.launch(source, "add", grid=4, block=256, arguments=[a, b, out, np.int32(a.size)])

It runs what the kernel pairs use, so that the suite can compare them without a GPU. It is no
compiler for CUDA: NVRTC compiles the same files in the suite, and a GPU runs them in `make gpu`.
"""

import re
from pathlib import Path

import numpy as np

from simulator import hosts
from simulator.hosts import ROOT, HostError, Kernel, Unit, blanked, line_of, parameters

HERE = Path(__file__).resolve().parent
KERNEL = re.compile(
    r"(?:template\s*<(?P<template>[^>]*)>\s*)?(?:extern\s+\"C\"\s+)?__global__\s+void\s+"
    r"(?:__launch_bounds__\s*\([^)]*\)\s*)?(?P<name>\w+)\s*\("
)
VARIABLE = re.compile(
    r"(?<!extern )\b__shared__\s+(?P<type>[\w:<>]+(?:\s+[\w:<>]+)*?)\s+(?P<name>\w+)\s*"
    r"(?P<dims>(?:\[[^\[\]]*\]\s*)*);"
)
TYPES = {
    "float": np.float32,
    "double": np.float64,
    "__half": np.float16,
    "half": np.float16,
    "int": np.int32,
    "unsigned": np.uint32,
    "unsigned int": np.uint32,
    "long long": np.int64,
    "unsigned char": np.uint8,
}


def read(file: str | Path, text: str | None = None, instances: tuple[str, ...] = ()) -> Unit:
    """Make a CUDA C++ source ready. ``instances``: of templates, such as ``"f<3, true>"``."""
    file = Path(file)
    text = file.read_text(encoding="utf-8") if text is None else text
    path = file.resolve()
    name = path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else str(file)
    code = blanked(text.replace('extern "C"', "extern C  "))
    code = code.replace("extern C  ", 'extern "C"')
    kernels, launchers = [], []
    for found in KERNEL.finditer(code):
        line = line_of(code, found.start("name"))
        inside = code[found.end() : code.index(")", found.end())]
        symbols = [found["name"]]
        if found["template"]:
            symbols = [i for i in instances if i.split("<")[0] == found["name"]]
        for symbol in symbols:
            kernel = Kernel(symbol, line)
            arguments = []
            for index, parameter in enumerate(parameters(inside)):
                arguments.append(_argument(name, line, kernel, index, parameter))
            launchers.append(
                f"HOST_QUIET static void host_{len(kernels)}() {{ "
                f"{symbol}({', '.join(arguments)}); }}\n"
            )
            kernels.append(kernel)
    if not kernels:
        raise HostError(f"{name}:1: there is no kernel")
    rewritten = VARIABLE.sub(
        lambda m: f"HOST_SHARED({m['type']}, {m['name']}, {m['dims'].strip()});", text
    ).replace('extern "C"', "")
    if "__shared__" in (left := blanked(rewritten)):
        line = line_of(left, left.index("__shared__"))
        raise HostError(f"{name}:{line}: one __shared__ variable a declaration, of a known size")
    table = ", ".join(f'{{"{k.name}", host_{i}}}' for i, k in enumerate(kernels))
    main = f"int main() {{ static const host::Kernel all[] = {{{table}}}; host::serve(all); }}\n"
    head = '#include "cuda_cpu.h"\n'
    cpp = f'{head}#line 1 "{name}"\n{rewritten}\n#line 1 "launcher"\n{"".join(launchers)}{main}'
    return Unit(name, cpp, HERE, kernels)


def _argument(path: str, line: int, kernel: Kernel, index: int, parameter: str) -> str:
    found = re.fullmatch(r"(?P<type>.*?)\s*(?P<pointer>\*?)\s*(?:__restrict__\s+)?\w+", parameter)
    plain = re.sub(r"\bconst\b", "", found["type"]).strip()
    kernel.bindings.append(("buffer", index, plain, not found["pointer"]))
    call = "pointer" if found["pointer"] else "reference"
    const = "const " if re.search(r"\bconst\b", found["type"]) else ""
    return f'host::{call}<{const}{plain}>({index}, "{path}", {line})'


def launch(unit: Unit, name: str, grid, block, arguments: list, **options) -> None:
    """Run one kernel: arrays for its pointers, which it may change, NumPy scalars for its values.

    ``options``: check, backwards, seconds, as in ``simulator.hosts.launch``.
    """
    kernel = unit.kernel(name)
    where = f"{unit.path}:{kernel.line}: {name}"
    if len(arguments) != len(kernel.bindings):
        raise HostError(f"{where} takes {len(kernel.bindings)} arguments, {len(arguments)} given")
    buffers = {}
    for (_, index, plain, by_value), value in zip(kernel.bindings, arguments, strict=True):
        array = value if isinstance(value, np.ndarray) else np.array(value).reshape(1)
        if by_value and isinstance(value, np.ndarray):
            raise HostError(f"{where}: argument {index} is a {plain}, an array was given")
        if plain in TYPES and array.dtype != TYPES[plain]:
            raise HostError(f"{where}: argument {index} is {plain}, {array.dtype} was given")
        buffers[index] = array
    hosts.launch(unit, name, buffers, grid, block, exact=False, **options)

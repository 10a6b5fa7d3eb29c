"""Run CUDA C++ kernels on a CPU: the CUDA half of ``simulator.hosts``.

    from simulator import cuda_cpp

    source = cuda_cpp.read("snippets/pairs/add/kernel.cu")
    cuda_cpp.launch(source, "add", grid=4, block=256, arguments=[a, b, out, np.int32(a.size)])

It takes kernels with shared memory (dynamic, too), warp shuffles and votes, atomics, templates (of
which the instances are named), and what cuda_runtime.h and cooperative_groups.h give within a
block. Where a kernel has a barrier it is run twice by default: first under ThreadSanitizer, for
races, then for accesses outside of buffers. It is no compiler for CUDA: NVRTC compiles the site's
files in the suite, and a GPU runs them in `make gpu`.
"""

import re
from pathlib import Path

import numpy as np

from simulator import hosts
from simulator.hosts import ROOT, HostError, Kernel, Unit, blanked, line_of, parameters

HERE = Path(__file__).resolve().parent
KERNEL = re.compile(
    r"(?:template\s*<(?P<template>[^>]*)>\s*)?(?:extern\s+\"C\"\s+)?__global__\s+void\s+"
    r"(?:__launch_bounds__\s*\((?:[^()]|\([^()]*\))*\)\s*)?(?P<name>\w+)\s*\("
)
ALIGN = r"(?:(?:__align__|alignas)\s*\([^)]*\)\s*)?"
DYNAMIC = re.compile(
    rf"\bextern\s+__shared__\s+{ALIGN}(?P<type>[\w:<>]+(?:\s+[\w:<>]+)*?)\s+(?P<name>\w+)\s*"
    r"\[\s*\]\s*;"
)
VARIABLE = re.compile(
    rf"(?<!extern )\b__shared__\s+{ALIGN}(?P<type>[\w:<>]+(?:\s+[\w:<>]+)*?)\s+"
    r"(?P<all>\w+\s*(?:\[[^\[\]]*\]\s*)*(?:,\s*\w+\s*(?:\[[^\[\]]*\]\s*)*)*);"
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
    **{"signed char": np.int8, "char": np.int8, "short": np.int16, "unsigned short": np.uint16},
    **{"bool": np.bool_, "long": np.int64, "unsigned long": np.uint64, "size_t": np.uint64},
    **{"unsigned long long": np.uint64, "long long int": np.int64, "uint": np.uint32},
    **{"unsigned long long int": np.uint64, "signed int": np.int32, "uchar": np.uint8},
    **{f"{t}_t": np.dtype(t).type for t in ("int8", "int16", "int32", "int64")},
    **{f"u{t}_t": np.dtype(f"u{t}").type for t in ("int8", "int16", "int32", "int64")},
}
VECTORS = {"float": np.float32, "double": np.float64, "int": np.int32, "uint": np.uint32}
VECTORS |= {"uchar": np.uint8, "half": np.float16, "__half": np.float16}
TYPES |= {f"{name}{n}": dtype for name, dtype in VECTORS.items() for n in (2, 3, 4)}


def read(file: str | Path, text: str | None = None, instances: tuple[str, ...] = ()) -> Unit:
    """Make a CUDA C++ source ready. ``instances``: of templates, such as ``"f<3, true>"``."""
    file = Path(file)
    text = file.read_text(encoding="utf-8") if text is None else text
    path = file.resolve()
    name = path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else str(file)
    code = blanked(text.replace('extern "C"', "extern C  "))
    code = code.replace("extern C  ", 'extern "C"')
    if "<<<" in code:
        line = line_of(code, code.index("<<<"))
        raise HostError(
            f"{name}:{line}: a launch (<<<...>>>) is host code, and only kernels run here. To "
            "mend: give the kernels and device functions alone, and launch from Python"
        )
    kernels, launchers, templates = [], [], []
    for found in KERNEL.finditer(code):
        line = line_of(code, found.start("name"))
        inside = code[found.end() : code.index(")", found.end())]
        symbols = [found["name"]]
        if found["template"]:
            symbols = [i for i in instances if i.split("<")[0] == found["name"]]
            templates.append(f"{name}:{line}: {found['name']} is a template")
        for symbol in symbols:
            kernel = Kernel(symbol, line)
            arguments = []
            given = _given(found["template"], symbol)
            for index, parameter in enumerate(parameters(inside)):
                for formal, actual in given.items():
                    parameter = re.sub(rf"\b{formal}\b", actual, parameter, count=1)
                arguments.append(_argument(name, line, kernel, index, parameter))
            launchers.append(
                f"HOST_QUIET static void host_{len(kernels)}() {{ "
                f"{symbol}({', '.join(arguments)}); }}\n"
            )
            kernels.append(kernel)
    if not kernels and templates:
        raise HostError(
            f"{templates[0]}: read(..., instances=('{templates[0].split()[1]}<...>',)) says which "
            "of its instances to make"
        )
    if not kernels:
        raise HostError(f"{name}:1: there is no kernel (a `__global__ void` function)")
    for found in (*DYNAMIC.finditer(code), *VARIABLE.finditer(code)):
        before = code[: found.start()]
        if before.count("{") == before.count("}"):
            raise HostError(
                f"{name}:{line_of(code, found.start())}: a __shared__ variable outside of every "
                "function. To mend: declare it in the kernel"
            )
    rewritten = DYNAMIC.sub(r"HOST_DYNAMIC(\g<type>, \g<name>);", text)
    rewritten = VARIABLE.sub(_shared, rewritten).replace('extern "C"', "")
    rewritten = re.sub(r"\bstruct\s+__align__", "struct alignas", rewritten)
    if "__shared__" in (left := blanked(rewritten)):
        line = line_of(left, left.index("__shared__"))
        raise HostError(
            f"{name}:{line}: this __shared__ declaration is not understood: write `__shared__ TYPE "
            "NAME[SIZE];`, or `extern __shared__ TYPE NAME[];` for dynamic memory"
        )
    table = ", ".join(f'{{"{k.name}", host_{i}}}' for i, k in enumerate(kernels))
    main = f"int main() {{ static const host::Kernel all[] = {{{table}}}; host::serve(all); }}\n"
    head = '#include "cuda_cpu.h"\n'
    cpp = f'{head}#line 1 "{name}"\n{rewritten}\n#line 1 "launcher"\n{"".join(launchers)}{main}'
    return Unit(name, cpp, HERE, kernels)


def _shared(found: re.Match) -> str:
    """A declaration of one or more shared variables, as the header's macro takes them."""
    made = []
    for one in parameters(found["all"]):
        name = re.match(r"\w+", one)[0]
        made.append(f"HOST_SHARED({found['type']}, {name}, {one[len(name) :].strip()});")
    return " ".join(made)


def _given(template: str | None, symbol: str) -> dict[str, str]:
    """What an instance such as ``f<float, 3>`` gives for a template's type parameters."""
    if not template or "<" not in symbol:
        return {}
    formal = [p.split("=")[0].split() for p in parameters(template)]
    actual = parameters(symbol[symbol.index("<") + 1 : symbol.rindex(">")])
    pairs = zip(formal, actual, strict=False)
    return {f[-1]: a for f, a in pairs if f[0] in ("typename", "class")}


def _argument(path: str, line: int, kernel: Kernel, index: int, parameter: str) -> str:
    found = re.fullmatch(r"(?P<type>.*?)\s*(?P<pointer>\*?)\s*(?:__restrict__\s+)?\w+", parameter)
    plain = re.sub(r"\bconst\b", "", found["type"]).strip()
    kernel.bindings.append(("buffer", index, plain, not found["pointer"]))
    call = "pointer" if found["pointer"] else "reference"
    const = "const " if re.search(r"\bconst\b", found["type"]) else ""
    return f'host::{call}<{const}{plain}>({index}, "{path}", {line})'


def launch(unit: Unit, name: str, grid, block, arguments: list, shared: int = 0, **options) -> None:
    """Run one kernel: arrays for its pointers, which it may change, NumPy scalars for its values.

    ``shared``: bytes of dynamic shared memory. ``options``: check, backwards, seconds, as in
    ``simulator.hosts.launch``; without ``check``, a kernel with a barrier is looked at for races,
    too, as far as its blocks are small enough.
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
        if plain not in TYPES and array.dtype.kind != "V":
            raise HostError(
                f"{where}: argument {index} is {plain}, which NumPy does not know: give an array "
                f"of a structured dtype, not of {array.dtype}"
            )
        buffers[index] = array
    if shared:
        options["threadgroup_memory"] = {0: int(shared)}
    hosts.launch_checked(unit, name, buffers, grid, block, exact=False, **options)

"""What a Numba kernel became: its machine code for sm_90, made without a GPU.

``python -m benchmarks.sass MODULE:EXPRESSION ...`` prints the facts of kernels as JSON. It is a
process of its own because the suite runs in Numba's simulator, where there is no compiler.
"""

import collections
import json
import re
import subprocess
import sys
import tempfile
from importlib import import_module
from types import SimpleNamespace


def cubin(kernel, signature, bounds=None) -> bytes:
    """Return the machine code of a kernel. ``bounds``: its launch_bounds."""
    import numba.cuda.dispatcher
    from cuda.core import Linker, LinkerOptions, ObjectCode
    from numba import cuda

    # Device functions are compiled for the GPU at hand; there is none.
    here = SimpleNamespace(compute_capability=(9, 0))
    numba.cuda.dispatcher.get_current_device = lambda: here
    ptx, _ = cuda.compile_ptx(kernel.py_func, signature, cc=(9, 0), launch_bounds=bounds)
    linked = Linker(ObjectCode.from_ptx(ptx.encode()), options=LinkerOptions(arch="sm_90")).link(
        "cubin"
    )
    return bytes(linked.code)


def disassemble(code: bytes) -> str:
    """Return the listing of nvdisasm, of a CUDA toolkit or of the package nvidia-cuda-nvdisasm."""
    from cuda.pathfinder import find_nvidia_binary_utility

    tool = find_nvidia_binary_utility("nvdisasm")
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(code)
        file.flush()
        done = subprocess.run([tool, "-c", file.name], capture_output=True, text=True, check=True)
    return done.stdout


def part(listing: str, kernel: str) -> str:
    """Return what a listing has of one kernel. Raises ``KeyError`` where there is no such."""
    _, *parts = re.split(r"^//-+ \.text\.(\w+)", listing, flags=re.M)
    return dict(zip(parts[::2], parts[1::2], strict=True))[kernel]


def facts(listing: str) -> dict:
    """Return registers, local memory instructions, and what the loop with most FFMA holds.

    The loop is a stretch of code from a label to a jump back to it, with every path in it.
    """
    found = re.findall(r"^(\.L\w+):|^\s+/\*([0-9a-f]{4,})\*/\s+(.*?);", listing, re.M)
    labels, code = {}, []
    for label, _, text in found:
        if label:
            labels[label] = len(code)
        else:
            code.append(re.sub(r"^@!?U?P\w+\s+", "", text.strip()))
    loops = []
    for i, text in enumerate(code):
        back = re.search(r"BRA\S* .*`\((\.L\w+)\)", text)
        if back and labels.get(back[1], i) < i:
            loops.append(code[labels[back[1]] : i + 1])
    inner = max(loops, key=lambda loop: sum(t.startswith("FFMA") for t in loop))
    names = collections.Counter(text.split()[0] for text in inner)
    everywhere = collections.Counter(text.split()[0] for text in code)
    registers = {int(n) for text in code for n in re.findall(r"\bR(\d+)\b", text)}
    return {
        "registers": max(registers) + 1,
        "local": sum(n for name, n in everywhere.items() if name.startswith(("LDL", "STL"))),
        "loop": len(inner),
        "FFMA": sum(n for name, n in names.items() if name.startswith("FFMA")),
        # Before asynchronous copies the assembler puts reads that read nothing.
        "LDS": sum(text.startswith("LDS") and "[RZ]" not in text for text in inner),
        "LDS.128": names["LDS.128"],
        "LDG.E.128": everywhere["LDG.E.128"],
        "STG.E.128": everywhere["STG.E.128"],
        "LDGSTS": sum(n for name, n in everywhere.items() if name.startswith("LDGSTS")),
    }


def main(*expressions):
    from numba import float32, types

    matrix = float32[:, ::1]
    result = {}
    for named in expressions:
        module, expression = named.split(":", 1)
        kernel = eval(expression, dict(vars(import_module(module))))
        bounds = kernel.targetoptions.get("launch_bounds")
        code = cubin(kernel, types.void(*[matrix] * kernel.py_func.__code__.co_argcount), bounds)
        result[named] = facts(disassemble(code))
    print(json.dumps(result))


if __name__ == "__main__":
    main(*sys.argv[1:])

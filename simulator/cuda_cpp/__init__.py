"""Run CUDA C++ kernels on a CPU: the CUDA half of ``simulator.hosts``.

    from simulator import cuda_cpp

    source = cuda_cpp.read("snippets/pairs/add/kernel.cu")
    cuda_cpp.launch(source, "add", grid=4, block=256, arguments=[a, b, out, np.int32(a.size)])

It takes kernels with shared memory (dynamic, too), warp shuffles and votes, atomics, templates (of
which the instances are named), launches from a kernel, and what cuda_runtime.h and
cooperative_groups.h give within a block. Where a kernel has a barrier it is run twice by default:
first under ThreadSanitizer, for races, then for accesses outside of buffers. It is no compiler for
CUDA: NVRTC compiles the site's files in the suite, and a GPU runs them in `make gpu`.
"""

import re
from pathlib import Path

import numpy as np

from simulator import hosts
from simulator.hosts import ROOT, HostError, Kernel, Unit, blanked, line_of, parameters, pieces

HERE = Path(__file__).resolve().parent
BOUNDS = r"(?:__launch_bounds__\s*\((?:[^()]|\([^()]*\))*\)\s*)"
KERNEL = re.compile(
    rf"{BOUNDS}?__global__\s+(?:(?:static|inline)\s+|{BOUNDS})*void\s+{BOUNDS}?(?P<name>\w+)\s*\("
)
TEMPLATE = re.compile(
    r"template\s*<(?P<formal>(?:[^<>]|<(?:[^<>]|<[^<>]*>)*>)*)>\s*"
    rf"(?:(?:static|inline|extern\s+\"C\")\s+|{BOUNDS})*$"
)
ALIGN = r"(?:(?:__align__|alignas)\s*\([^)]*\)\s*)?"
TYPE = r"(?P<type>[\w:]+(?:<[^;(){}]*?>)?(?:\s+[\w:]+(?:<[^;(){}]*?>)?)*?(?:\s*\*)*)"
EXTERN = r"(?:extern\s+__shared__|__shared__\s+extern|extern\s+(?P<early>\w+)\s+__shared__)"
DYNAMIC = re.compile(rf"\b{EXTERN}\s+{ALIGN}(?:{TYPE}\s*\b)??{ALIGN}(?P<name>\w+)\s*\[\s*\]\s*;")
VARIABLE = re.compile(
    rf"(?<!extern )\b(?:static\s+)?__shared__\s+{ALIGN}{TYPE}\s*"
    r"(?P<all>\b\w+\s*(?:\[[^\[\]]*\]\s*)*(?:,\s*\w+\s*(?:\[[^\[\]]*\]\s*)*)*);"
)
SYMBOL = re.compile(
    r"(?:__constant__|__device__|__managed__)\s+(?:static\s+)?(?:const\s+)?"
    r"[\w:]+(?:\s+[\w:]+)*\s+(?P<name>\w+)\s*(?:\[[^\[\]]*\]\s*)*[;={]"
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
    # NumPy has no bfloat16: its 16 bits
    **{t: np.uint16 for t in ("__nv_bfloat16", "nv_bfloat16", "__nv_bfloat162", "nv_bfloat162")},
    **{"ptrdiff_t": np.int64, "ushort": np.uint16, "half2": np.float16, "__half2": np.float16},
}
VECTORS = {"float": np.float32, "double": np.float64, "int": np.int32, "uint": np.uint32}
VECTORS |= {"uchar": np.uint8, "half": np.float16, "__half": np.float16}
TYPES |= {f"{name}{n}": dtype for name, dtype in VECTORS.items() for n in (2, 3, 4)}


# What nvcc defines for a program.
DEFINES = {"__CUDACC__": "1", "__CUDA_ARCH__": "800", "__CUDACC_VER_MAJOR__": "12",
           "CUDART_VERSION": "12080", "__NVCC__": "1"}  # fmt: skip


def read(
    file: str | Path,
    text: str | None = None,
    instances: tuple[str, ...] = (),
    kernels: tuple[str, ...] = (),
    include: tuple[str | Path, ...] = (),
    defines: dict[str, str] | None = None,
    wave: int = 32,
) -> Unit:
    """Make a CUDA C++ source ready. ``instances``: of templates, such as ``"f<3, true>"``.

    ``kernels``: of a whole program's file take these (templates with their arguments) and what they
    use, without its host code; its own headers are looked for beside it and in ``include``.
    ``wave``: the lanes of a warp, which AMD's GPUs call a wave, and of which some have 64.
    """
    file = Path(file)
    path = file.resolve()
    name = path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else str(file)
    if kernels:
        plain = tuple(k.split("<")[0] for k in kernels)
        instances = (*instances, *(k for k in kernels if "<" in k))
        text = pieces.gather(file, plain, include, {**DEFINES, **(defines or {})})
    elif text is None:
        text = file.read_text(encoding="utf-8")
    code = blanked(text.replace('extern "C"', "extern C  "))
    code = code.replace("extern C  ", 'extern "C"')
    given_text, text = text, _launches(name, code, text)
    made, launchers, templates, known = [], [], [], hosts.aliases(code)
    for found in KERNEL.finditer(code):
        line = line_of(code, found.start("name"))
        inside = hosts.between(code, found.end())
        symbols = [found["name"]]
        template = TEMPLATE.search(code, 0, found.start())
        if template:
            symbols = [i for i in instances if i.split("<")[0].strip() == found["name"]]
            templates.append(f"{name}:{line}: {found['name']} is a template")
        for symbol in symbols:
            kernel = Kernel(symbol, line)
            given = {}
            if template and "<" in symbol:
                actual = symbol[symbol.index("<") + 1 : symbol.rindex(">")]
                given = hosts.instance(template["formal"], actual)
            arguments = [
                _argument(name, line, kernel, index, hosts.substituted(p, given), known)
                for index, p in enumerate(parameters(inside))
            ]
            launchers.append(
                f"HOST_QUIET static void host_{len(made)}() {{ "
                f"{symbol}({', '.join(arguments)}); }}\n"
            )
            made.append(kernel)
    if not made and templates:
        raise HostError(
            f"{templates[0]}: read(..., instances=('{templates[0].split()[1]}<...>',)) says which "
            "of its instances to make"
        )
    if not made:
        raise HostError(f"{name}:1: there is no kernel (a `__global__ void` function)")
    for found in (*DYNAMIC.finditer(code), *VARIABLE.finditer(code)):
        before = code[: found.start()]
        if before.count("{") == before.count("}"):
            raise HostError(
                f"{name}:{line_of(code, found.start())}: a __shared__ variable outside of every "
                "function. To mend: declare it in the kernel"
            )
    _check_calls(name, code)
    rewritten = DYNAMIC.sub(
        lambda m: f"HOST_DYNAMIC({m['early'] or m['type']}, {m['name']});", text
    )
    rewritten = VARIABLE.sub(_shared, rewritten).replace('extern "C"', "")
    rewritten = re.sub(r"\bstruct\s+__align__", "struct alignas", rewritten)
    if "__shared__" in (left := blanked(rewritten)):
        line = line_of(left, left.index("__shared__"))
        raise HostError(
            f"{name}:{line}: this __shared__ declaration is not understood: write `__shared__ TYPE "
            "NAME[SIZE];`, or `extern __shared__ TYPE NAME[];` for dynamic memory"
        )
    outside = [m["name"] for m in SYMBOL.finditer(code) if _at_top(code, m.start())]
    launchers += [
        f'static host::Named host_named_{n}("{n}", (void *)&{n}, sizeof {n});\n'
        for n in dict.fromkeys(outside)
    ]
    table = ", ".join(f'{{"{k.name}", host_{i}}}' for i, k in enumerate(made))
    main = f"int main() {{ static const host::Kernel all[] = {{{table}}}; host::serve(all); }}\n"
    grid = "cooperative_groups" in code and re.search(r"\b(?:this_grid|grid_group)\b", code)
    head = "#define HOST_COOPERATIVE 1\n" if grid else ""
    head += f"#define HOST_WIDTH {wave}\n" if wave != 32 else ""
    head += '#include "cuda_cpu.h"\n'
    wanted = "".join(f"#include <{h}>\n" for h, word in HEADERS.items() if re.search(word, code))
    cpp = (
        f'{head}{wanted}#line 1 "{name}"\n{rewritten}\n#line 1 "launcher"\n'
        f"{''.join(launchers)}{main}"
    )
    return Unit(name, cpp, HERE, made, given_text)


DEVICE = re.compile(r"\b__(?:global|device)__\b[^;{}]*(?=\{)")
LAUNCH = re.compile(r"\b(?P<kernel>\w+)\s*<<<(?P<how>.*?)>>>\s*(?=\()", re.DOTALL)


def _launches(name: str, code: str, text: str) -> str:
    """Return a text whose launches from kernels are calls that C++ knows."""
    inside = [range(m.end(), _closed(code, m.end())) for m in DEVICE.finditer(code)]
    for found in reversed(list(LAUNCH.finditer(code))):
        if not any(found.start() in body for body in inside):
            raise HostError(
                f"{name}:{line_of(code, found.start('how'))}: a launch (<<<...>>>) is host code, "
                "and only kernels run here. To mend: name the kernels, read(..., "
                "kernels=('NAME',)), or give them and the device functions alone; launch from "
                "Python"
            )
        start, end = found.span("how")
        call = f"host::child({found['kernel']}, {text[start:end]})"
        text = text[: found.start()] + call + text[found.end() :]
    return text


def _closed(code: str, start: int) -> int:
    """Return where the block ends whose bracket opens at ``start``."""
    depth = 0
    for found in re.compile("[{}]").finditer(code, start):
        depth += 1 if found[0] == "{" else -1
        if depth == 0:
            return found.end()
    return len(code)


# The language's own headers, which pieces of a program do not bring along.
HEADERS = {
    "cooperative_groups.h": r"\bcooperative_groups\b",
    "cooperative_groups/reduce.h": r"\bcooperative_groups\b",
    "cuda_fp16.h": r"\b(?:__)?half2?\b",
    "cuda_bf16.h": r"\b(?:__)?nv_bfloat16",
}
# What no stand-in has.
REFUSED = (
    (r"\basm\b", "inline PTX (asm)"),
    (r"\b(?:nvcuda::)?wmma::|\bwmma::", "tensor cores (wmma)"),
    (r"\b(?:tex1D|tex2D|tex3D|tex1Dfetch|surf2Dread|cudaTextureObject_t)\b", "textures"),
    (r"\bcub::", "the library CUB"),
    (r"\bcurand\w*\b", "the library cuRAND"),
    (r"\bcuda::(?:pipeline|barrier|memcpy_async)\b", "cuda::barrier and asynchronous copies"),
)


def _check_calls(name: str, code: str) -> None:
    for pattern, what in REFUSED:
        if found := re.search(pattern, code):
            raise HostError(
                f"{name}:{line_of(code, found.start())}: {what}: not simulated here. To mend: run "
                "this kernel on a GPU"
            )


def _at_top(code: str, at: int) -> bool:
    return code.count("{", 0, at) == code.count("}", 0, at)


def _shared(found: re.Match) -> str:
    """A declaration of one or more shared variables, as the header's macro takes them."""
    made = []
    for one in parameters(found["all"]):
        name = re.match(r"\w+", one)[0]
        kind = found["type"] if "," not in found["type"] else f"HOST_TYPE({found['type']})"
        made.append(f"HOST_SHARED({kind}, {name}, {one[len(name) :].strip()});")
    return " ".join(made)


WORDS = {"unsigned", "signed", "int", "long", "short", "char", "float", "double", "bool"}


def _argument(
    path: str, line: int, kernel: Kernel, index: int, parameter: str, known: dict[str, str]
) -> str:
    parameter = re.split(r"(?<![=!<>])=(?!=)", parameter)[0]
    parameter = re.sub(
        r"\b(?:__restrict__|__restrict|restrict|__grid_constant__)\b", " ", parameter
    )
    parameter = re.sub(
        r"\[\s*\]\s*$", "", re.sub(r"(\w+)\s*\[\s*\]\s*$", r"* \1", parameter.strip())
    )
    pointer = "*" in parameter
    if pointer:
        kind, after = parameter.rsplit("*", 1)
        if "*" in kind:
            raise HostError(
                f"{path}:{line}: {kernel.name}: parameter {index} is a pointer to pointers, and a "
                "buffer holds none. To mend: pass one buffer and offsets"
            )
    else:
        # Without a name, the last word belongs to the type.
        found = re.fullmatch(r"(.*[\w>])\s*(?<![:<,])\s(\w+)|(.*>)\s*(\w+)", parameter, re.DOTALL)
        kind = parameter
        if found and (found[2] or found[4]) not in WORDS:
            kind = found[1] or found[3]
    constant = "const " if re.search(r"\bconst\b", kind) else ""
    plain = " ".join(re.sub(r"\b(?:const|volatile)\b", "", kind).split())
    shown = plain
    for _ in range(8):
        shown = known.get(shown, shown)
    kernel.bindings.append(("buffer", index, shown, not pointer))
    call = "nullable" if pointer else "reference"
    return f'host::{call}<{constant}{plain}>({index}, "{path}", {line})'


def launch(unit: Unit, name: str, grid, block, arguments: list, shared: int = 0, **options) -> list:
    """Run one kernel: arrays for its pointers, which it may change, NumPy scalars for its values.

    ``None`` for a pointer is the null pointer. ``shared``: bytes of dynamic shared memory.
    ``options``: symbols (``__constant__`` variables and their values), check, backwards, seconds,
    as in ``simulator.hosts.launch``; without ``check``, a kernel with a barrier is looked at for
    races, too, as far as its blocks are small enough. Returns notes: where several threads write
    the same value with no order.
    """
    kernel = unit.kernel(name)
    where = f"{unit.path}:{kernel.line}: {name}"
    if len(arguments) != len(kernel.bindings):
        raise HostError(f"{where} takes {len(kernel.bindings)} arguments, {len(arguments)} given")
    buffers = {}
    for (_, index, plain, by_value), value in zip(kernel.bindings, arguments, strict=True):
        if value is None and not by_value:
            continue
        array = value if isinstance(value, np.ndarray) else np.array(value).reshape(1)
        if by_value and isinstance(value, np.ndarray) and not re.search(r"\w[234]$", plain):
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
    return hosts.launch_checked(unit, name, buffers, grid, block, exact=False, **options)

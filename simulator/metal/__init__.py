"""Run Metal kernels on a CPU: the Metal half of ``simulator.hosts``.

    from simulator import metal

    source = metal.read("snippets/pairs/add/kernel.metal")
    metal.dispatch_threads(source, "add", [a, b, out], threads=a.size, group=256)

README.md says what is checked, what is missing, and what a result here does not prove.
"""

import re
from pathlib import Path

import numpy as np

from simulator.hosts import (
    ROOT,
    HostError,
    Kernel,
    Unit,
    aliases,
    between,
    blanked,
    build,
    instance,
    launch_checked,
    line_of,
    parameters,
    pieces,
    substituted,
)

HERE = Path(__file__).resolve().parent

# Attribute of a parameter -> what the machinery knows. Sizes are of three numbers, the rest of one.
POSITIONS = {
    "thread_position_in_grid": (
        "{host_w.x * host_f.x + host_p.x, host_w.y * host_f.y + host_p.y, "
        "host_w.z * host_f.z + host_p.z}",
        3,
    ),
    "thread_position_in_threadgroup": ("host_p", 3),
    "threadgroup_position_in_grid": ("host_w", 3),
    "threads_per_threadgroup": ("host::launch.group", 3),
    "dispatch_threads_per_threadgroup": ("host_f", 3),
    "threadgroups_per_grid": ("host::launch.groups", 3),
    "threads_per_grid": ("host::launch.grid", 3),
    "thread_index_in_threadgroup": ("host::current->number", 1),
    "thread_index_in_simdgroup": ("host::current->lane", 1),
    "simdgroup_index_in_threadgroup": ("host::current->number / host::WIDTH", 1),
    "simdgroups_per_threadgroup": (
        "(host::launch.group.count() + host::WIDTH - 1) / host::WIDTH",
        1,
    ),
    "threads_per_simdgroup": ("host::WIDTH", 1),
    "thread_execution_width": ("host::WIDTH", 1),
}
SCALARS = {
    "float": np.float32,
    "half": np.float16,
    "int": np.int32,
    "uint": np.uint32,
    "short": np.int16,
    "ushort": np.uint16,
    "char": np.int8,
    "uchar": np.uint8,
    "bool": np.bool_,
    "atomic_uint": np.uint32,
    "atomic_int": np.int32,
    "atomic_float": np.float32,
    "atomic_bool": np.bool_,
    **{"long": np.int64, "ulong": np.uint64, "size_t": np.uint64, "ptrdiff_t": np.int64},
    **{f"{t}_t": np.dtype(t).type for t in ("int8", "int16", "int32", "int64")},
    **{f"u{t}_t": np.dtype(f"u{t}").type for t in ("int8", "int16", "int32", "int64")},
    "bfloat": np.uint16,  # NumPy has no bfloat16: its 16 bits
}
# What Apple's compiler refuses and a C++ compiler takes.
REFUSED = (
    (r"\bdouble\b", "Metal has no double. To mend: use float"),
    (r"\bgoto\b", "Metal has no goto"),
    (r"\b(?:try|throw|catch)\b", "Metal has no exceptions"),
    (r"\bvirtual\b", "Metal has no virtual functions"),
    (r"\bthread_local\b", "Metal has no thread_local"),
    (r"\b(?:std::|printf\s*\()", "Metal has no C++ standard library"),
)
KERNEL = re.compile(r"(?:\bkernel|\[\[\s*kernel\b[^\[\]]*\]\])\s+void\s+(\w+)\s*\(")
# An instance of a template under a name of its own: `void f<float>(...)`, `some_t f<float>`.
INSTANCE = re.compile(
    r"\btemplate\s*\[\[\s*host_name\s*\((?P<name>(?:\s*\"[^\"]*\")+)\s*\)\s*\]\]\s*"
    r"(?:\[\[\s*kernel\s*\]\]|kernel)\s+(?P<rest>[^;]*);"
)
TEMPLATE = re.compile(r"template\s*<(?P<formal>(?:[^<>]|<(?:[^<>]|<[^<>]*>)*>)*)>\s*$")
SWIZZLE = re.compile(r"\.(?P<letters>[xyzw]{2,4}|[rgba]{2,4})\b(?P<after>\s*(?:[-+*/]?=(?!=))?)")
ATTRIBUTE = re.compile(
    r"\[\[\s*(\w+)\s*(?:\(\s*(\w+)\s*\))?\s*"
    r"(?:,\s*(?P<optional>function_constant)\s*\(\s*\w+\s*\)\s*)?\]\]"
)
VARIABLE = re.compile(
    r"\bthreadgroup\s+(?P<type>[\w:]+(?:<[^;(){}]*?>)?(?:::\w+)*"
    r"(?:\s+[\w:]+(?:<[^;(){}]*?>)?(?:::\w+)*)*?)\s+(?P<name>\w+)\s*"
    r"(?P<dims>(?:\[[^\[\]]*\]\s*)*);"
)
CONSTANT = re.compile(
    r"\bconstant\s+(?P<type>\w+)\s+(?P<name>\w+)\s*\[\[\s*function_constant\s*\("
    r"\s*(?P<index>\d+(?:\s*\+\s*\d+)*)\s*\)\s*\]\]\s*;"
)
SPACES = ("device", "constant", "thread", "threadgroup")
# A number with a point or an exponent. In Metal it is a float without a suffix, too, and h makes it
# a half; in C++ it would be a double.
NUMBER = re.compile(
    r"(?<![\w.])(?P<digits>(?:\d+\.\d*|\.\d+)(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+)"
    r"(?P<suffix>[hH]?)(?![\w.])"
)
# A threadgroup variable that is initialized, and two of them in one declaration.
INITIALIZED = re.compile(VARIABLE.pattern.removesuffix(";") + r"(?:=|\{)")
TOGETHER = re.compile(VARIABLE.pattern.removesuffix(";") + r",[^(){};]*;")
# What stands outside of all braces and lives there: a declaration with const, or of a plain type.
PLAIN = "|".join([*SCALARS, *(f"{t}[234]" for t in SCALARS if not t.startswith("atomic"))])
GLOBAL = re.compile(
    r"(?:^|(?<=[;}]))\s*(?P<all>(?:(?:static|inline)\s+)*"
    rf"(?:(?:const|constexpr)\s+(?!constant\b)[\w:<>]+|(?:{PLAIN})(?:\s+const)?)"
    r"\s+(?P<name>(?!constant\b)\w+)\s*(?:\[[^\[\]]*\]\s*)*[=;,{])"
)


# What Apple's compiler defines.
DEFINES = {"__METAL__": "1", "__METAL_VERSION__": "310", "__HAVE_BFLOAT__": "1",
           "__METAL_MACOS__": "1"}  # fmt: skip


def read(
    file: str | Path,
    text: str | None = None,
    kernels: tuple[str, ...] = (),
    include: tuple[str | Path, ...] = (),
    defines: dict[str, str] | None = None,
) -> Unit:
    """Make a Metal source ready. ``text``: what to read instead of the file.

    ``kernels``: of a file with macros and headers of its own take these and what they use; the
    headers are looked for beside it and in ``include``. Raises ``HostError`` for what Apple's
    compiler would refuse, as far as it is seen here.
    """
    file = Path(file)
    path = file.resolve()
    name = path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else str(file)
    if kernels:
        text = pieces.gather(file, kernels, include, {**DEFINES, **(defines or {})}, SPACES)
        text = f"#include <metal_stdlib>\n{text}"
    elif text is None:
        text = file.read_text(encoding="utf-8")
    code = blanked(text)
    if "#include <metal_stdlib>" not in text:
        raise HostError(f"{name}:1: no #include <metal_stdlib>. To mend: begin the file with it")
    for pattern, why in REFUSED:
        if found := re.search(pattern, code):
            raise HostError(f"{name}:{line_of(code, found.start())}: {why}")
    instances = [_instance(found) for found in INSTANCE.finditer(text)]
    text = INSTANCE.sub(lambda m: _empty(m[0]), text)  # C++ has another way to say it
    code = blanked(text)
    made, launchers, known = [], [], aliases(code)
    for found in KERNEL.finditer(code):
        line = line_of(code, found.start())
        inside = between(code, found.end())
        variants = [(found[1], found[1], {})]
        if template := TEMPLATE.search(code, 0, found.start()):
            variants = [
                (symbol, f"{found[1]}<{given}>", instance(template["formal"], given))
                for symbol, function, given in instances
                if function == found[1]
            ]
        for symbol, called, given in variants:
            kernel = Kernel(symbol, line)
            wide: dict[int, str] = {}
            arguments = []
            for parameter in parameters(inside):
                parameter = substituted(parameter, given)
                arguments.append(_argument(name, line, kernel, parameter, wide, known))
            launchers.append(
                f"HOST_QUIET static void host_{len(made)}() {{\n"
                "  const host::Size &host_p = host::current->position, "
                "&host_w = host::launch.where, &host_f = host::launch.full;\n"
                f"  {called}({', '.join(arguments)});\n}}\n"
            )
            made.append(kernel)
    if not made and TEMPLATE.search(code, 0, (KERNEL.search(code) or re.match("", code)).start()):
        raise HostError(
            f"{name}:1: the kernels are templates, and none has an instance. To mend: add "
            '`template [[host_name("f_float")]] kernel void f<float>(...);`'
        )
    if not made:
        raise HostError(f"{name}:1: there is no kernel")
    _check_spaces(name, code)
    rewritten = _swizzles(_numbers(text, code))
    rewritten = CONSTANT.sub(r"METAL_CONSTANT(\g<index>, \g<type>, \g<name>);", rewritten)
    rewritten = VARIABLE.sub(_shared, rewritten)
    rewritten = _objects(_members(rewritten, known))
    # Metal allows both words; to C++ they are one, said twice.
    rewritten = re.sub(r"\bconst(\s+)constant\b|\bconstant(\s+)const\b", r"constant\1\2", rewritten)
    rewritten = re.sub(r"\b(constexpr|const)\s+constant\b|\bconstant\s+(constexpr)\b",
                       lambda m: f"{m[1] or m[2]} ", rewritten)  # fmt: skip
    # The other attributes have been read. C++ would stumble over [[threadgroup(0)]].
    rewritten = re.sub(r"\[\[[^\[\]]*\]\]", lambda m: _empty(m[0]), rewritten)
    table = ", ".join(f'{{"{k.name}", host_{i}}}' for i, k in enumerate(made))
    main = f"int main() {{ static const host::Kernel all[] = {{{table}}}; host::serve(all); }}\n"
    # The launcher is C++ and not Metal: the words mean nothing there.
    undo = "".join(f"#undef {word}\n" for word in ("kernel", *SPACES))
    head = "#define HOST_UNION 1\n" if re.search(r"\bunion\b", code) else ""
    cpp = (
        f'{head}#line 1 "{name}"\n{rewritten}\n#line 1 "launcher"\n{undo}{"".join(launchers)}{main}'
    )
    return Unit(name, cpp, HERE, made, text)


def _instance(found: re.Match) -> tuple[str, str, str]:
    """The host's name of an instance, its template and what it is made with."""
    rest = found["rest"].strip()
    if rest.endswith(")"):  # the parameters, which say nothing new
        depth, at = 0, len(rest)
        while at and (depth or at == len(rest)):
            at -= 1
            depth += {")": 1, "(": -1}.get(rest[at], 0)
        rest = rest[:at].strip()
    depth, at = 0, len(rest)
    while at and (depth or at == len(rest)):
        at -= 1
        depth += {">": 1, "<": -1}.get(rest[at], 0)
    name = re.search(r"(\w+)\s*$", rest[:at])
    symbol = "".join(re.findall(r'"([^"]*)"', found["name"]))
    return symbol, name[1] if name else "", rest[at + 1 : -1].strip()


def _numbers(text: str, code: str) -> str:
    """Return a source whose numbers have in C++ the types that they have in Metal."""
    parts, at = [], 0
    for found in NUMBER.finditer(code):  # code has no comments and strings, at the same places
        digits = found["digits"]
        number = f"half({digits}f)" if found["suffix"] else f"{digits}f"
        parts += [text[at : found.start()], number]
        at = found.end()
    return "".join([*parts, text[at:]])


def _swizzles(text: str) -> str:
    """``v.xyz`` as a call of the stand-in's: C++ has no such members."""

    def call(found):
        alphabet = "xyzw" if found["letters"][0] in "xyzw" else "rgba"
        places = ", ".join(str(alphabet.index(c)) for c in found["letters"])
        name = "part" if found["after"].strip() else "swizzle"
        return f".template {name}<{places}>(){found['after']}"

    code = blanked(text)
    parts, at = [], 0
    for found in SWIZZLE.finditer(code):
        parts += [text[at : found.start()], call(found)]
        at = found.end()
    return "".join([*parts, text[at:]])


QUALIFIED = re.compile(
    rf"\)(\s*const)?\s*\b({'|'.join(SPACES)})\b(?=\s*(?:\{{|:(?!:)|=\s*default|;))"
)


def _objects(text: str) -> str:
    """Without what member functions say of the memory in which their object is.

    Where one is written for several, the first of them is kept: C++ has one memory.
    """
    code, found = blanked(text), []
    for match in QUALIFIED.finditer(code):
        depth, at = 1, match.start()
        while depth and at:  # to the bracket that opens the parameters
            at -= 1
            depth += {")": 1, "(": -1}.get(code[at], 0)
        start = max(code.rfind(c, 0, at) for c in ";{}") + 1
        end = match.end()
        while end < len(code) and code[end] not in ";{":
            end += 1
        if end < len(code) and code[end] == "{":
            depth, end = 1, end + 1
            while depth and end < len(code):
                depth += {"{": 1, "}": -1}.get(code[end], 0)
                end += 1
        signature = re.sub(r"\s+|#line[^\n]*", "", code[start : match.start(2)])
        found.append((match, start, end, signature, code.rfind("struct", 0, start)))
    plain = re.sub(r"\s+|#line[^\n]*", "", code)
    seen, parts, at = set(), [], 0
    for match, start, end, signature, owner in found:
        if start < at:
            continue
        same = sum(f[3] == signature for f in found)
        twice = (signature, owner) in seen or plain.count(signature) > same
        seen.add((signature, owner))
        if twice:
            parts += [text[at:start], _empty(text[start:end])]
            at = end
        else:
            parts += [text[at : match.start(2)], " " * len(match[2])]
            at = match.end(2)
    return "".join([*parts, text[at:]])


ANONYMOUS = re.compile(r"\bstruct\s*\{([^{}]*)\}\s*;")


def _members(text: str, known: dict[str, str]) -> str:
    """Halves in anonymous structs as what C++ takes there."""
    halves = [name for name in ("half", *known) if _resolved(name, known) == "half"]
    word = re.compile(rf"\b(?:{'|'.join(halves)})\b(?!\s*;)")
    return ANONYMOUS.sub(
        lambda m: m[0] if re.search(r"typedef\s*$", text[: m.start()]) else
        m[0].replace(m[1], word.sub("host::half_member", m[1])), text
    )  # fmt: skip


def _resolved(name: str, known: dict[str, str]) -> str:
    for _ in range(8):
        name = known.get(name, name)
    return name


def compile(unit: Unit) -> None:
    """Compile a source and run nothing. Raises ``HostError`` with the compiler's words."""
    build(unit)


def _shared(found: re.Match) -> str:
    lines = "\n" * found[0].count("\n")  # a declaration over several lines keeps its lines
    dims = re.sub(r"\s+", " ", found["dims"]).strip()
    return f"HOST_SHARED({found['type']}, {found['name']}, {dims});{lines}"


def _argument(
    path: str,
    line: int,
    kernel: Kernel,
    parameter: str,
    sizes: dict[int, str],
    known: dict[str, str],
) -> str:
    """Return the C++ that hands one parameter over, and note what is bound.

    ``sizes``: of the positions read before, the name of one for each number of components.
    ``known``: the other names of types.
    """
    attribute = ATTRIBUTE.search(parameter)
    declared = ATTRIBUTE.sub("", parameter).strip()
    here = f"{path}:{line}: {kernel.name}: parameter '{' '.join(declared.split())}'"
    if attribute is None:
        if not re.search(r"\b(?:device|constant)\b", declared):
            raise HostError(f"{here} has no attribute. To mend: add [[buffer(n)]] or a position")
        # Metal numbers buffers without an attribute itself: by the first index that is free.
        taken = {b[1] for b in kernel.bindings if b[0] == "buffer"}
        kind, index = "buffer", next(n for n in range(31) if n not in taken)
    else:
        if attribute[2] and not attribute[2].isdigit():
            raise HostError(f"{here}: the index {attribute[2]} is no number. To mend: write one")
        kind, index = attribute[1], int(attribute[2] or 0)
    if kind == "texture":
        found = re.fullmatch(
            r"(?:metal::)?texture2d\s*<\s*(\w+)\s*,\s*access::(?:read|write|read_write)\s*>\s*\w+",
            declared,
        )
        if not found or index > 7:
            raise HostError(
                f"{here}: of textures, those of two dimensions are simulated that are read or "
                "written, not sampled, with the indices 0 to 7. To mend: pass a buffer"
            )
        kernel.bindings.append(("texture", index, found[1], False))
        whole = re.sub(r"\s+\w+$", "", declared).removeprefix("metal::")
        whole = f"metal::{whole.replace('access::', 'metal::access::')}"
        return f'metal::bound_texture<{whole}, {found[1]}>({index}, "{path}", {line})'
    if kind in {"buffer", "threadgroup"}:
        space = next((s for s in SPACES if re.search(rf"\b{s}\b", declared)), None)
        wanted = ("device", "constant") if kind == "buffer" else ("threadgroup",)
        if space not in wanted:
            raise HostError(f"{here} is not in {' or '.join(wanted)} memory. To mend: say which")
        declared = re.sub(r"(\w+)\s*\[\s*\w*\s*\]$", r"*\1", declared)
        found = re.fullmatch(r"(.*?)\s*([*&])\s*(?:const\s+|restrict\s+)*\w+", declared, re.DOTALL)
        if not found:
            raise HostError(f"{here} is neither a pointer nor a reference")
        if index > 30:
            raise HostError(f"{here}: the last index is 30")
        if any(b[:2] == (kind, index) for b in kernel.bindings):
            raise HostError(f"{here}: {kind}({index}) is taken by another parameter")
        plain = re.sub(r"\b(?:device|constant|threadgroup|volatile|const)\b", "", found[1]).strip()
        kernel.bindings.append((kind, index, _resolved(plain, known), found[2] == "&"))
        typed = ("const " if space == "constant" or "const" in found[1].split() else "") + plain
        if kind == "threadgroup":
            size = f"host::dynamic_shared[{index}]"
            place = f'"threadgroup({index})", {size}, 16, "{path}", {line}'
            return f"({typed} *)host::shared_place({place})"
        call = "reference" if found[2] == "&" else "pointer"
        if attribute is not None and attribute["optional"]:  # there only if a constant says so
            call = "optional" if found[2] == "&" else "nullable"
        return f'host::{call}<{typed}>({index}, "{path}", {line})'
    if kind not in POSITIONS:
        known = ", ".join(["buffer", "threadgroup", *POSITIONS])
        raise HostError(f"{here}: unknown attribute {kind}. To mend: use one of {known}")
    value, most = POSITIONS[kind]
    declared = re.sub(r"^const\s+", "", declared)
    declared = re.sub(r"^uint(16|32)_t\b", lambda m: {"16": "ushort", "32": "uint"}[m[1]], declared)
    found = re.fullmatch(r"(?:uint|ushort)([23]?)\s+\w+", declared)
    wide = int(found[1] or 1) if found else 0
    if not wide or wide > most:
        kinds = "uint or ushort" + (", of one, two or three" if most == 3 else "")
        raise HostError(f"{here}: {kind} is a {kinds}")
    if most == 1:
        return value
    sizes.setdefault(wide, declared.split()[-1])
    if len(sizes) > 1:
        other = next(name for number, name in sizes.items() if number != wide)
        raise HostError(
            f"{here} has another number of components than {other}, and Metal wants one for all "
            "positions and sizes of a kernel. To mend: write uint for all of them, or uint2, or "
            "uint3"
        )
    size = f"host::Size{value}" if value.startswith("{") else value
    scalar = declared.split()[0].rstrip("23")
    members = ", ".join(f"({scalar})({size}).{axis}" for axis in "xyz"[:wide])
    return f"metal::v{wide}<{scalar}>({members})" if wide > 1 else members


def _check_spaces(path: str, code: str) -> None:
    """Refuse what does not say in which memory it is, and what may not be there."""
    for pattern, why in (
        (INITIALIZED, "is in threadgroup memory and has an initial value, which is not read here. "
         "To mend: let the threads write it, then a threadgroup_barrier"),
        (TOGETHER, "shares its declaration in threadgroup memory with another one, which is not "
         "read here. To mend: write a declaration for each"),
    ):  # fmt: skip
        if found := pattern.search(code):
            where = f"{path}:{line_of(code, found.start())}"
            raise HostError(f"{where}: '{found['name']}' {why}")
    # Lines of the preprocessor, and what is inside of braces or brackets, are no declarations here.
    outside = re.sub(r"(?m)^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", lambda m: _empty(m[0]), code)
    outside = _outside(re.sub(r"\[\[[^\[\]]*\]\]", lambda m: _empty(m[0]), outside))
    if found := GLOBAL.search(outside):
        where = f"{path}:{line_of(code, found.start('all'))}"
        raise HostError(
            f"{where}: '{found['name']}' is outside of all functions and not in constant memory. "
            "To mend: write constant in place of const"
        )
    types = "|".join([PLAIN, *re.findall(r"\bstruct\s+(\w+)", code)])
    for found in re.finditer(rf"\b(?:{types})\s*(?:const\s*)?[*&]\s*\w+\s*[,)=;]", code):
        start = max(code.rfind(c, 0, found.start()) for c in ",(;{}")
        before = code[start + 1 : found.start()]
        if "=" not in before and not re.search(rf"\b(?:{'|'.join(SPACES)})\b", before):
            where, what = f"{path}:{line_of(code, found.start())}", found[0].rstrip(",);= ")
            raise HostError(
                f"{where}: '{what}' has no address space. To mend: write device, constant, "
                "threadgroup or thread before it"
            )


def _empty(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)


def _outside(code: str) -> str:
    """Return a source without what is inside of braces and round brackets, at the same places."""
    found, depth = [], 0
    for character in code:
        depth -= character in ")}"
        found.append(character if depth == 0 or character == "\n" else " ")
        depth += character in "({"
    return "".join(found)


# ---------------------------------------------------------------- dispatch


def dispatch_threads(unit: Unit, name: str, arguments: list, threads, group, **options) -> list:
    """Run a grid of exactly so many threads: groups at its end may be smaller.

    ``arguments``: for ``[[buffer(0)]]``, ``[[buffer(1)]]`` and so on, arrays, which the kernel may
    change, or NumPy scalars. ``options``: constants, threadgroup_memory, check, backwards, seconds.
    Returns notes, as ``simulator.hosts.launch``.
    """
    return _launch(unit, name, arguments, threads, group, exact=True, **options)


def dispatch_threadgroups(unit: Unit, name: str, arguments: list, groups, group, **options) -> list:
    """Run so many whole groups."""
    return _launch(unit, name, arguments, groups, group, exact=False, **options)


def _launch(unit: Unit, name: str, arguments, grid, group, textures=None, **options) -> list:
    """``textures``: by index, arrays of height, width and four components."""
    buffers = _buffers(unit, name, arguments)
    kernel, pictures = unit.kernel(name), {}
    for kind, index, scalar, _ in kernel.bindings:
        if kind != "texture":
            continue
        picture = (textures or {}).get(index)
        if picture is None or picture.ndim != 3 or picture.shape[2] != 4:
            raise HostError(
                f"{unit.path}:{kernel.line}: {name} takes a texture({index}): give "
                "textures={INDEX: ARRAY} of height, width and four components"
            )
        if picture.dtype != SCALARS.get(scalar):
            raise HostError(
                f"{unit.path}:{kernel.line}: {name}: texture({index}) is of {scalar}, the array "
                f"holds {picture.dtype}"
            )
        head = np.array([picture.shape[1], picture.shape[0], 0, 0], np.uint32).view(np.uint8)
        whole = np.ascontiguousarray(picture).reshape(-1).view(np.uint8)
        pictures[index] = buffers[31 + index] = np.concatenate([head, whole])
    notes = launch_checked(unit, name, buffers, grid, group, **options)
    for index, whole in pictures.items():
        picture = textures[index]
        if picture.flags.writeable:
            picture[...] = whole[16:].view(picture.dtype).reshape(picture.shape)
    return notes


def _buffers(unit: Unit, name: str, arguments) -> dict[int, np.ndarray]:
    """Bind the arguments by index, and compare their types with what the kernel declares."""
    kernel = unit.kernel(name)
    given = dict(enumerate(arguments)) if isinstance(arguments, list | tuple) else dict(arguments)
    declared = {i: (t, ref) for kind, i, t, ref in kernel.bindings if kind == "buffer"}
    where = f"{unit.path}:{kernel.line}: {name}"
    for index in sorted(given.keys() - declared.keys()):
        raise HostError(f"{where} has no buffer({index}): its indices are {sorted(declared)}")
    buffers = {}
    for index, value in given.items():
        array = value if isinstance(value, np.ndarray) else np.array(value).reshape(1)
        kind, _ = declared[index]
        scalar = re.sub(r"^(?:metal::)?(?:packed_)?|[234]$", "", kind)
        if scalar in SCALARS and array.dtype != SCALARS[scalar]:
            raise HostError(f"{where}: buffer({index}) is {kind}, the array holds {array.dtype}")
        if scalar not in SCALARS and array.dtype.kind != "V":
            raise HostError(
                f"{where}: buffer({index}) is {kind}, which NumPy does not know: give an array of "
                f"a structured dtype, not of {array.dtype}"
            )
        buffers[index] = array
    return buffers


__all__ = ["HostError", "compile", "dispatch_threadgroups", "dispatch_threads", "read"]

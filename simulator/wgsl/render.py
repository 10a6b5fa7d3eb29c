"""The text of a module: declarations where they belong, predicates as branches, comments kept."""

import math
import re

from .compiler import Line, comments_of
from .names import WORD, words
from .order import fold
from .values import BARRIER, real_text
from .wide import ALIAS, wide_literal

OWN = re.compile(r"([+*/-]|[|&^]) (.+)$")
ROW = 65535  # workgroups that a dispatch has along an axis
FOUR = 4  # blocks of a workgroup, where it may do several


def body_of(function, comments=None, barrier="workgroupBarrier();"):
    """The finished lines of a function's body."""
    lines = predicated(fold([x for x in function.lines if x.text != ""], function.module))
    for x in lines:
        if x.text == BARRIER:
            x.text = barrier
    return [*declared(lines, comments or {}, function)]


def predicated(lines):
    """Runs of lines under one predicate, each as one branch."""
    done, at = [], 0
    while at < len(lines):
        predicate = lines[at].predicate
        if predicate is None:
            done.append(lines[at])
            at += 1
            continue
        run = []
        while at < len(lines) and lines[at].predicate == predicate:
            run.append(lines[at])
            at += 1
        least = min(x.indent for x in run)
        done.append(Line(least, f"if ({predicate}) {{", run[0].line))
        done += [Line(x.indent + 1, x.text, x.line, x.name, x.rep) for x in run]
        done.append(Line(least, "}", run[-1].line))
    return done


def declared(lines, comments, function):
    """The lines with each variable declared where it is first assigned, or at the top."""
    used = [set(WORD.findall(x.text)) | ({x.name} if x.name else set()) for x in lines]
    places = {}
    for k, found in enumerate(used):
        for w in found:
            places.setdefault(w, []).append(k)
    in_place, top = {}, {}
    for k, x in enumerate(lines):
        if x.name is None or x.name in in_place or x.name in top:
            continue
        where = places[x.name]
        end = next((j for j in range(k, len(lines)) if lines[j].indent < x.indent), len(lines))
        inside = all(k <= j < end for j in where) and x.name not in WORD.findall(x.text)
        # `} else {` ends a block too, with the indent of its branch
        once = sum(1 for y in lines if y.name == x.name) == 1
        if inside:
            in_place[x.name] = k, "let" if once else "var", x.rep
        else:
            top[x.name] = x.rep
    for text, name in function.prologue.items():
        yield f"  let {name} = {text};"
    for name, rep in top.items():
        yield f"  var {name}: {rep};"
    told = function.source.node.lineno
    for k, x in enumerate(lines):
        pad = "  " * x.indent
        after = ""
        if x.line > told:
            for n in range(told + 1, x.line + 1):
                said = comments.get(n)
                if said and (said[1] or n == x.line):
                    if said[1]:
                        yield f"{pad}// {said[0]}"
                    else:
                        after = f"  // {said[0]}"
            told = x.line
        yield pad + written(k, x, in_place) + after


def written(k, x, in_place):
    if x.name is None:
        return x.text
    first = in_place.get(x.name)
    if first and first[0] == k:
        kind = f": {x.rep}" if re.fullmatch(r"-?[\d.]+(e[+-]?\d+)?|i32\(.*\)", x.text) else ""
        kind = "" if x.text.startswith("i32(") else kind
        return f"{first[1]} {x.name}{kind} = {x.text};"
    if x.text.startswith(x.name + " "):
        own = OWN.match(x.text[len(x.name) + 1 :])
        if own and not re.search(r" [+*/%&|^-] | << | >> ", without_brackets(own[2])):
            return f"{x.name} {own[1]}= {own[2]};"
    return f"{x.name} = {x.text};"


def without_brackets(text):
    old = None
    while old != text:
        old, text = text, re.sub(r"\([^()]*\)|\[[^\[\]]*\]", "", text)
    return text


def function_text(f, module, comments, barrier):
    """A device function."""
    lines = body_of(f, comments.get(f.source.filename), barrier)
    result = f" -> {f.rep}" if f.rep else ""
    return f"fn {f.name}({', '.join(f.signature)}){result} {{\n" + "\n".join(lines) + "\n}"


def module_text(module, entry, texts, threads=0):
    """The whole module as WGSL. ``threads``: of a workgroup at most, where that is given."""
    launch = module.launch
    comments = {name: comments_of(text) for name, text in texts.items()}
    both = any(b.space == "storage" and b.read and b.written for b in module.buffers)
    barrier = "storageBarrier(); workgroupBarrier();" if both else "workgroupBarrier();"
    main = "\n".join(body_of(entry, comments.get(entry.source.filename), barrier))
    made = {f.name: function_text(f, module, comments, barrier)
            for f in module.functions.values() if f.done}  # fmt: skip
    needed, left = {}, [main]
    while left:
        called = words(left.pop())
        for name, text in made.items():
            if name in called and name not in needed:
                needed[name] = text
                left.append(text)
    functions = [made[n] for n in made if n in needed]
    helpers = [*module.helpers.values(), *(h for _, h in module.atomic_helpers.values())]
    used = words("\n".join([main, *functions]))
    told = set(WORD.findall("\n".join([main, *functions])))  # a comment may speak of a constant
    own = used | {b for name, (b, _) in module.atomic_helpers.items() if name in used}
    kept = []
    for _ in range(12):
        kept = [h for h in helpers if re.search(r"fn (\w+)", h)[1] in used]
        used |= {w for h in kept for w in words(h)}
    order = sorted(kept, key=lambda h: "fn atomic_" in h)
    out = [f"// {entry.source.name}, compiled from Python for {said(launch.grid)} blocks of "
           f"{said(launch.block)} threads."]  # fmt: skip
    if module.enables:
        off = ["diagnostic(off, subgroup_uniformity);"] if "subgroups" in module.enables else []
        out = [f"enable {', '.join(sorted(module.enables))};", *off, *out]
    constants = [
        f"const {n}: {rep} = {v};" for n, (rep, v) in module.constants.items() if n in used | told
    ]
    if constants:
        out += ["", *constants]
    params = [n for n, _ in module.params if "params" in used]
    own |= {"trap"} & module.arrays.keys()
    bindings = [b for b in module.buffers if b.space == "storage" and b.name in own]
    module.bound = bindings
    out.append("")
    for k, b in enumerate(bindings):
        access = "read_write" if b.written else "read"
        rep = element(b)
        out.append(f"@group(0) @binding({k}) var<storage, {access}> {b.name}: array<{rep}>;")
    module.has_params = bool(params)
    if params:
        fields = ", ".join(f"{n}: f32" for n in params)
        out += [f"struct Params {{ {fields} }}",
                f"@group(0) @binding({len(bindings)}) var<uniform> params: Params;"]  # fmt: skip
    for b in module.buffers:
        if b.name not in own or b.space == "storage":
            continue
        if b.space == "const":
            data = ", ".join(constant(b, x) for x in b.data)
            out.append(f"const {b.name} = array<{b.rep}, {b.size}>({data});")
        else:
            kind = element(b)
            for n in reversed(b.sizes):
                kind = f"array<{kind}, {n}>"
            out.append(f"var<{b.space}> {b.name}: {kind};")
    structs = [t for n, t in module.structs.items() if n in used]
    for part in [*structs, *order, *functions]:
        out += ["", part]
    module.block, parts, along = launch.block, 1, int(launch.block[1] > 1)
    many = threads and math.prod(launch.block) > threads and launch.grid[0] <= ROW
    if many and apart(module, entry):
        beside = math.prod(launch.block[:along])
        length = launch.block[along]
        most = (n for n in range(threads // beside, 0, -1) if length % n == 0)
        parts = length // next(most, length)
        if launch.grid[along] * parts > ROW or length // parts * beside < 32:
            parts = 1
        if parts > 1:
            module.block = (*launch.block[:along], length // parts, 1, 1)[:3]
    size = ", ".join(str(n) for n in module.block)
    folded = launch.grid[0] > ROW
    names = words(main) | entry.uses
    module.groups = launch.grid
    builtins = []
    place = module.fresh("place") if parts > 1 else "threadIdx"
    if "threadIdx" in names:
        builtins.append(f"@builtin(local_invocation_id) {place}: vec3u")
    if "blockIdx" in names or folded or parts > 1:
        name = "group" if folded or parts > 1 else "blockIdx"
        builtins.append(f"@builtin(workgroup_id) {name}: vec3u")
    head = f"@compute @workgroup_size({size})\nfn {entry.name}({', '.join(builtins)}) {{"
    if folded and parts == 1:
        module.groups, main = in_rows(module, entry, main)
    if parts > 1:
        axis, length = "xy"[along], module.block[along]
        module.groups = tuple(n * (parts if k == along else 1) for k, n in enumerate(launch.grid))
        first = [f"  // A block is {parts} workgroups: this adapter takes no larger one."]
        if "threadIdx" in names:
            at = f"({'group.' + axis} % {parts}u) * {length}u + {place}.{axis}"
            at = f"{at}, 0u, 0u" if axis == "x" else f"{place}.x, {at}, 0u"
            first.append(f"  let threadIdx = vec3u({at});")
        if "blockIdx" in names:
            at = f"group.{axis} / {parts}u"
            at = f"{at}, group.yz" if axis == "x" else f"group.x, {at}, group.z"
            first.append(f"  let blockIdx = vec3u({at});")
        main = "\n".join([*first, main])
    out += ["", head, main, "}"]
    if found := aliases(out):
        place = 1 + next(k for k, line in enumerate(out) if line.startswith("// "))
        out[place:place] = found
    return "\n".join(out) + "\n"


def in_rows(module, entry, main):
    """(workgroups, text) of a kernel whose grid has more blocks than a dispatch has along x.

    Where the kernel lets it, a workgroup does four blocks side by side: it costs time to start, and
    one load a thread does not fill the memory's pipe. A loop over more blocks would be slower.
    """
    blocks = module.launch.grid[0]
    several = may_do_several(module, entry, main) and FOUR * (main.count("\n") + 1) <= module.unroll
    groups = -(-blocks // FOUR) if several else blocks
    least = -(-groups // ROW)
    rows = next((n for n in range(least, 2 * least) if groups % n == 0), least)
    shape = -(-groups // rows), rows, 1
    place = f"group.x + group.y * {shape[0]}u"
    exact = shape[0] * rows * (FOUR if several else 1) == blocks
    said = "// More blocks than a dispatch has along x: "
    if not several:
        first = [f"  {said}they lie in rows of {shape[0]}.",
                 f"  let blockIdx = vec3u({place}, 0u, 0u);"]  # fmt: skip
        if not exact:
            first.append(f"  if (blockIdx.x >= {blocks}u) {{ return; }}")
        return shape, "\n".join([*first, main])

    def one(at, deep):
        pad = "  " * deep
        lines = [f"{pad}  let blockIdx = vec3u({at}, 0u, 0u);", *main.split("\n")]
        lines[1:] = [pad + line for line in lines[1:]]
        return "\n".join([f"{pad}{{", *lines, f"{pad}}}"])

    parts = [f"  {said}a workgroup does four, side by side.",
             f"  let block = ({place}) * {FOUR}u;"]  # fmt: skip
    if not exact:
        parts.append(f"  if (block + {FOUR - 1}u < {blocks}u) {{")
    parts += [one(f"block + {k}u" if k else "block", 1 if exact else 2) for k in range(FOUR)]
    if not exact:
        parts += ["    return;", "  }", f"  for (var rest = block; rest < {blocks}u; rest++) {{",
                  one("rest", 2), "  }"]  # fmt: skip
    return shape, "\n".join(parts)


def may_do_several(module, entry, main):
    """Whether a workgroup may do several blocks: no thread waits for others or leaves."""
    shared = any(b.space != "storage" and b.space != "const" for b in module.buffers)
    return not shared and not module.barrier and not entry.prologue and "return;" not in main


def apart(module, entry):
    """Whether the threads of a block, a row or a square, are apart."""
    shared = any(b.space == "workgroup" for b in module.buffers)
    return not shared and not module.barrier and module.launch.block[2] == 1


def constant(b, x):
    """An element of a constant array."""
    if b.wide:
        return wide_literal(b.rep, x)
    if not b.dtype.whole:
        return real_text(x)
    return f"{int(x)}u" if b.rep == "u32" else str(x)


def element(b):
    if b.atomic:
        return f"atomic<{'u32' if b.rep == 'f32' else b.rep}>"
    return "f16" if b.half else b.rep


def aliases(out):
    """The types of 64 bits that the lines of a module name."""
    used = words("\n".join(out))
    found = [text for name, text in ALIAS.items() if name in used]
    return ["", "// Numbers of 64 bits: the low half, and the high one.", *found] if found else []


def said(size):
    """A launch's shape in words."""
    while len(size) > 1 and size[-1] == 1:
        size = size[:-1]
    return " x ".join(str(n) for n in size)

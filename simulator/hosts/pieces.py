"""What a kernel needs of a program's source, and nothing else of it.

Kernels of real programs stand in files with host code, behind headers and macros. ``gather`` puts a
file's own headers in, runs the C++ preprocessor over it, and keeps of what stands outside of all
functions only what the kernels named use: functions, types, constants, and what those use in turn.
Headers that are not found beside the file or in ``include`` are those of the language, which the
stand-ins replace. Each piece keeps its file and its line.
"""

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from simulator.hosts import ROOT, WHY_NOT, HostError, blanked, compiler

INCLUDE = re.compile(
    r'^[ \t]*#[ \t]*(?:include|import)[ \t]*[<"]([^>"\n]+)[>"][^\n]*', re.MULTILINE
)
LINEMARK = re.compile(r'^# (\d+) "((?:\\.|[^"\\])*)"[^\n]*\n', re.MULTILINE)
WORD = re.compile(r"(?<![\w.])(?<!->)[A-Za-z_]\w*")
ASIDE = re.compile(
    r"\[\[.*?\]\]|\b(?:alignas|__align__|__launch_bounds__|__attribute__|__declspec)\s*"
    r"\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)",
    re.DOTALL,
)
TYPE = re.compile(r"\b(?:struct|class|union|enum(?:\s+(?:class|struct))?)\b\s*(\w+)?")


KNOWN = ("std", "metal", "cooperative_groups")  # namespaces that the stand-ins have


@dataclass
class Piece:
    """One declaration outside of all functions."""

    text: str
    line: int
    path: str
    spaces: tuple[str, ...]  # the namespaces that it stands in
    names: set[str]
    words: set[str]
    kind: str  # function, operator, type, variable, instance, always


def gather(
    file: str | Path,
    kernels: tuple[str, ...],
    include: tuple[str | Path, ...] = (),
    defines: dict[str, str] | None = None,
    spaces: tuple[str, ...] = (),
) -> str:
    """Return the source of the kernels named and of what they use, with ``#line`` directives.

    ``kernels``: names of functions, or of instances that ``[[host_name("...")]]`` names.
    ``spaces``: words that C++ does not know; of functions that differ in them alone one is kept.
    """
    file = Path(file)
    text = _preprocessed(_inlined(file, [Path(d) for d in include], set()), defines or {}, file)
    pieces = list(_pieces(text))
    wanted = [p for p in pieces if p.names & set(kernels)]
    missing = set(kernels) - {n for p in wanted for n in p.names}
    if missing:
        raise HostError(f"{_shown(file)}: there is no kernel {', '.join(sorted(missing))}")
    kept = _used(pieces, wanted)
    made, heads = [], set()
    for piece in pieces:
        if id(piece) not in kept:
            continue
        if spaces and piece.kind in ("function", "operator") and "{" in piece.text:
            head = re.sub(rf"\b(?:{'|'.join(spaces)})\b|\s", "", piece.text.split("{")[0])
            if (piece.spaces, head) in heads:
                continue
            heads.add((piece.spaces, head))
        made.append(_rendered(piece))
    return "".join(made)


def _shown(path: Path) -> str:
    path = path.resolve()
    return path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else str(path)


def _inlined(file: Path, include: list[Path], seen: set[Path]) -> str:
    """A file with its own headers in it, each once."""
    seen.add(file.resolve())
    text = file.read_text(encoding="utf-8", errors="replace")
    parts, at, line = [f'#line 1 "{_shown(file)}"\n'], 0, 1
    code = re.sub(r"/\*.*?\*/", lambda m: re.sub(r"[^\n]", " ", m[0]), text, flags=re.DOTALL)
    for found in INCLUDE.finditer(code):
        line += text.count("\n", at, found.start())
        parts.append(text[at : found.start()])
        at = found.end()
        there = next((f for d in (file.parent, *include) if (f := d / found[1]).is_file()), None)
        if there is not None and there.resolve() not in seen:
            parts.append("\n" + _inlined(there, include, seen))
            parts.append(f'\n#line {line} "{_shown(file)}"\n')
    parts.append(text[at:])
    return "".join(parts)


def _preprocessed(text: str, defines: dict[str, str], file: Path) -> str:
    if compiler() is None:
        raise HostError(WHY_NOT)
    command = [compiler(), "-E", "-x", "c++", "-std=c++17", "-w"]
    command += [f"-D{k}={v}" for k, v in defines.items()]
    done = subprocess.run([*command, "-"], input=text, capture_output=True, text=True)
    if done.returncode:
        errors = [line for line in done.stderr.splitlines() if "error:" in line]
        raise HostError("\n".join(errors[:5]) or f"{_shown(file)}: {done.stderr[-500:]}")
    return done.stdout


def _pieces(text: str):
    """The declarations of a preprocessed source."""
    marks = [(m.end(), int(m[1]), m[2]) for m in LINEMARK.finditer(text)]
    text = LINEMARK.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), text)
    text = re.sub(r"^[ \t]*#[ \t]*pragma[^\n]*", lambda m: " " * len(m[0]), text, flags=re.M)
    code = blanked(text)
    spaces: list[str] = []
    at, mark = 0, 0
    while at < len(code):
        while at < len(code) and (code[at].isspace() or code[at] == ";"):
            at += 1
        if at >= len(code):
            return
        if code[at] == "}":  # a namespace ends
            if spaces:
                spaces.pop()
            at += 1
            continue
        while mark + 1 < len(marks) and marks[mark + 1][0] <= at:
            mark += 1
        start, line, path = marks[mark] if marks else (0, 1, "source")
        line += text.count("\n", start, at)
        opened = re.compile(
            r'(?:inline\s+)?namespace\s*([\w:]*)\s*\{|extern\s+"?[C ]*"?\s*\{'
        ).match(code, at)
        if opened and path != "<built-in>":
            spaces.append(opened[1] if opened[1] is not None else "")
            at = opened.end()
            continue
        end = _end(code, at)
        piece = _piece(text[at:end], code[at:end], line, path, tuple(s for s in spaces if s))
        if path not in ("<built-in>", "<command-line>"):
            yield piece
        at = end


def _end(code: str, at: int) -> int:
    """Where a declaration ends: after its semicolon, or after a function's closing brace."""
    depth, k, body = 0, at, None
    while k < len(code):
        character = code[k]
        if character in "({[":
            if character == "{" and depth == 0 and body is None:
                body = k
            depth += 1
        elif character in ")}]":
            depth -= 1
            if depth == 0 and character == "}" and body is not None:
                head = ASIDE.sub("", code[at:body])
                if "(" in head and not re.search(r"(?<![=!<>])=(?!=)[^,()]*$", head):
                    return k + 1
        elif character == ";" and depth == 0:
            return k + 1
        k += 1
    return len(code)


def _piece(text: str, code: str, line: int, path: str, spaces: tuple[str, ...]) -> Piece:
    words = set(WORD.findall(code))
    body = code.find("{")
    head = ASIDE.sub(" ", code if body < 0 else code[:body])
    plain = _without_template(head)

    def made(kind, names):
        return Piece(text, line, path, spaces, {n for n in names if n}, words, kind)

    if found := re.match(r"\s*using\s+(?:namespace\s+)?(?:::)?(\w+)[\w:]*\s*;", code):
        return made("always", [found[1]])
    if found := re.match(r"\s*namespace\s+\w+\s*=\s*(?:::)?(\w+)", code):
        return made("always", [found[1]])
    if re.match(r"\s*(?:static_assert|asm)\b", code):
        return made("dropped", [])
    if found := re.search(r"\bhost_name\s*\(\s*((?:\"[^\"]*\"\s*)+)\)", text):
        return made("instance", ["".join(re.findall(r'"([^"]*)"', found[1]))])
    if found := re.match(r"\s*using\s+(\w+)", plain):
        return made("type", [found[1]])
    if re.match(r"\s*typedef\b", plain):
        tail = code[code.rfind("}") + 1 :] if body >= 0 else code
        found = re.search(r"\(\s*\*\s*(\w+)\s*\)|(\w+)\s*(?:\[[^\]]*\]\s*)*;", tail)
        tag = TYPE.search(plain)
        return made("type", [found[1] or found[2] if found else "", tag[1] if tag else ""])
    if "operator" in plain:
        return made("operator", [])
    first = re.search(r"(\w+)\s*(?:<[^;{}]*?>)?\s*\(", plain)
    before = re.split(r"(?<![=!<>])=(?!=)", plain)[0]
    if TYPE.match(plain.strip()) and not ("(" in before and body >= 0 and first):
        found = TYPE.match(plain.strip())
        names = [found[1]]
        if plain.strip().startswith("enum"):
            names += WORD.findall(code[body:]) if body >= 0 else []
        return made("type", names)
    if "(" in before and first:
        return made("function", [first[1]])
    found = re.search(r"(\w+)\s*(?:\[[^\]]*\]\s*)*[=;{]?\s*$", before.rstrip().rstrip(";{"))
    return made("variable", [found[1]] if found else [])


def _without_template(head: str) -> str:
    """A declaration's head without ``template <...>`` before it."""
    head = head.strip()
    while found := re.match(r"template\s*<", head):
        depth, k = 1, found.end()
        while depth and k < len(head):
            depth += {"<": 1, ">": -1}.get(head[k], 0)
            k += 1
        head = head[k:].strip()
    return head


def _used(pieces: list[Piece], wanted: list[Piece]) -> set[int]:
    """The pieces that the wanted ones need, by identity."""
    by_name: dict[str, list[Piece]] = {}
    for p in pieces:
        if p.kind not in ("instance", "dropped", "always") and "<<<" not in p.text:
            for name in p.names:
                by_name.setdefault(name, []).append(p)
    types = {n for p in pieces if p.kind == "type" for n in p.names}
    spaces = {*KNOWN, *(s for p in pieces for part in p.spaces for s in part.split("::"))}
    kept, names = {id(p) for p in pieces if p.kind == "always" and p.names <= spaces}, set()
    stack = list(wanted)
    while stack:
        while stack:
            piece = stack.pop()
            if id(piece) in kept:
                continue
            kept.add(id(piece))
            for word in piece.words - names:
                names.add(word)
                stack += by_name.get(word, [])
        for p in pieces:  # operators on types that are there
            if p.kind == "operator" and id(p) not in kept:
                head = p.text.split("{")[0]
                if (used := types & set(WORD.findall(head))) and used <= names:
                    stack.append(p)
    return kept


def _rendered(piece: Piece) -> str:
    opens = "".join(f"namespace {s} {{ " for s in piece.spaces)
    return f'#line {piece.line} "{piece.path}"\n{opens}{piece.text}{" }" * len(piece.spaces)}\n'

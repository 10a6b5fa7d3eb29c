"""Compile GPU code as C++ and run it on the CPU, with checks. The languages build on this.

``core.h`` runs the threads; ``simulator.metal`` and ``simulator.cuda_cpp`` read a source, rewrite
what C++ does not know and make a launcher; here it is compiled, cached and run in a process of its
own, under a time limit. Two builds of each source exist:

* ``"bounds"``, with AddressSanitizer and UndefinedBehaviorSanitizer: an access outside a buffer, a
  misaligned vector, a shift too far;
* ``"races"``, with ThreadSanitizer: two threads that touch the same memory, at least one of them
  writing, with no barrier between and no atomics. Two that write the same value are noted.

Needed: g++ 11 or newer, or clang++ with llvm-symbolizer, and ``setarch`` (util-linux) for
ThreadSanitizer. ``$CXX`` names the compiler.
"""

import functools
import hashlib
import os
import re
import shutil
import struct
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
CHECKS = {"bounds": "-fsanitize=address,undefined", "races": "-fsanitize=thread"}
# -w: the words of the language that C++ takes for attributes would each bring a warning.
FLAGS = ("-std=c++17", "-O0", "-g1", "-ffp-contract=off", "-fno-omit-frame-pointer", "-w")
MOST_RACING = 128  # threads of a group that ThreadSanitizer surely keeps apart: it has 255 slots
SECONDS = 60.0  # until a launch counts as hanging


class HostError(Exception):
    """What is wrong with a source or a launch: file, line, what happened, how to mend it."""


@dataclass
class Kernel:
    """One kernel of a source, as its launcher needs it."""

    name: str
    line: int
    # What is bound: ("buffer", index, type, is a reference) or ("threadgroup", index, type, False).
    bindings: list[tuple[str, int, str, bool]] = field(default_factory=list)


@dataclass
class Unit:
    """A source made ready for the compiler."""

    path: str  # as messages name it
    text: str  # C++
    include: Path  # where the stand-in header lies
    kernels: list[Kernel]
    source: str = ""  # as it was given, where it is in no file

    def kernel(self, name: str) -> Kernel:
        for kernel in self.kernels:
            if kernel.name == name:
                return kernel
        there = ", ".join(k.name for k in self.kernels) or "none"
        raise HostError(f"{self.path}: there is no kernel {name} (there are: {there})")


@functools.cache
def compiler() -> str | None:
    """Return the C++ compiler to use, or None where there is none."""
    names = [os.environ["CXX"]] if "CXX" in os.environ else ["g++", "clang++"]
    return next(filter(None, map(shutil.which, names)), None)


WHY_NOT = "no C++ compiler here (Debian: apt install g++): Metal and CUDA C++ on a CPU cannot run"


def cache() -> Path:
    """Return the folder of compiled launchers: in the repository, ignored by git."""
    return ROOT / ".cache" / "hosts"


def build(unit: Unit, check: str = "bounds") -> Path:
    """Compile a source, or find what an earlier call compiled. Returns the program.

    Raises ``HostError`` with the compiler's words, which name file and line.
    """
    cxx = compiler()
    if cxx is None:
        raise HostError(WHY_NOT)
    headers = [*sorted(HERE.glob("*.h")), *sorted(f for f in unit.include.iterdir() if f.is_file())]
    options = [*FLAGS, CHECKS[check], "-I", str(unit.include), "-I", str(HERE)]
    parts = [*options, _version(cxx), *(f.read_text(encoding="utf-8") for f in headers)]
    key = _key(unit.text, *parts)
    program = cache() / key
    if program.exists():
        return program
    cache().mkdir(parents=True, exist_ok=True)
    source, made = cache() / f"{key}.{os.getpid()}.cpp", cache() / f"{key}.{os.getpid()}"
    source.write_text(unit.text, encoding="utf-8")
    compiled = _precompiled(cxx, unit, options, cache() / _key(*parts))
    command = [cxx, *compiled, *options, str(source), "-o", str(made)]
    done = subprocess.run(command, capture_output=True, text=True)
    source.unlink()
    if done.returncode:
        errors = [line for line in done.stderr.splitlines() if ": error: " in line]
        raise HostError("\n".join(errors[:5]) or done.stderr[-2000:])
    os.replace(made, program)  # another process may have made the same: either will do
    return program


FIRST = re.compile(r'^#include [<"](\S+)[>"]', re.MULTILINE)


def _key(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:24]


def _precompiled(cxx: str, unit: Unit, options: list[str], folder: Path) -> list[str]:
    """Return what makes g++ take its stand-in header compiled: that is most of a small source."""
    header = unit.include / FIRST.search(unit.text)[1]
    if "clang" in _version(cxx) or not header.is_file():
        return []
    compiled, made = folder / f"{header.name}.gch", folder / f"{os.getpid()}.gch"
    if not compiled.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        command = [cxx, *options, "-x", "c++-header", str(header), "-o", str(made)]
        if subprocess.run(command, capture_output=True).returncode:
            return []  # the source's own build says what is wrong
        os.replace(made, compiled)
    return ["-I", str(folder)]


@functools.cache
def _version(cxx: str) -> str:
    return subprocess.run([cxx, "--version"], capture_output=True, text=True).stdout


def size3(size) -> tuple[int, int, int]:
    """Return an integer or up to three of them as x, y, z."""
    values = (size,) if isinstance(size, int | np.integer) else tuple(size)
    return (*map(int, values), 1, 1)[:3]


def launch(
    unit: Unit,
    name: str,
    buffers: dict[int, np.ndarray],
    grid,
    group,
    *,
    exact: bool,
    constants: dict[int, np.generic] | None = None,
    threadgroup_memory: dict[int, int] | None = None,
    symbols: dict[str, np.ndarray] | None = None,
    check: str = "bounds",
    backwards: bool = False,
    seconds: float = SECONDS,
) -> list[str]:
    """Run one kernel and write what it left in the buffers back into the arrays.

    Returns notes: of each place where several threads write the same value with no order.

    ``grid`` is a number of threads where ``exact``, or else of groups. ``symbols``: what variables
    outside of all functions hold, such as ``__constant__`` ones. Raises ``HostError`` where
    the launch is wrong, where the kernel breaks a rule, and where it does not end.
    """
    kernel = unit.kernel(name)
    which = unit.kernels.index(kernel)
    group, grid = size3(group), size3(grid)
    if min(*group, *grid) < 1:
        raise HostError(f"{unit.path}: {name} is launched with a size below 1: {grid}, {group}")
    if group[0] * group[1] * group[2] > 1024:
        raise HostError(f"{unit.path}: {name} has {group} threads in a group; 1024 is the most")
    if check == "races" and group[0] * group[1] * group[2] > MOST_RACING:
        raise HostError(
            f"{unit.path}: {name} has {group} threads in a group; ThreadSanitizer keeps "
            f"{MOST_RACING} apart. To mend: look for races with smaller groups"
        )
    parts = [struct.pack("<9I", which, exact, backwards, *grid, *group)]
    constants, dynamic = constants or {}, threadgroup_memory or {}
    parts.append(struct.pack("<I", len(constants)))
    for index, value in constants.items():
        data = np.asarray(value).tobytes()
        parts += [struct.pack("<2I", index, len(data)), data]
    parts.append(struct.pack("<I", len(dynamic)))
    parts += [struct.pack("<2I", index, size) for index, size in dynamic.items()]
    parts.append(struct.pack("<I", len(symbols or {})))
    for symbol, value in (symbols or {}).items():
        data = np.ascontiguousarray(value).tobytes()
        parts += [struct.pack("<2I", len(symbol), len(data)), symbol.encode(), data]
    parts.append(struct.pack("<I", len(buffers)))
    for index, array in buffers.items():
        parts += [struct.pack("<IQ", index, array.nbytes), np.ascontiguousarray(array).tobytes()]
    command = [str(build(unit, check))]
    if check == "races" and (setarch := shutil.which("setarch")):
        command = [setarch, "-R", *command]  # g++ 12's ThreadSanitizer wants the old address layout
    # core.h ends the launch at a race; equal writes are reported one by one, and it goes on.
    options = "halt_on_error=0:exitcode=0:atexit_sleep_ms=0"
    options += ":suppress_equal_stacks=0:suppress_equal_addresses=0"
    env = {
        **os.environ,
        "ASAN_OPTIONS": "detect_leaks=0:detect_stack_use_after_return=0:exitcode=66",
        "UBSAN_OPTIONS": "halt_on_error=1:exitcode=66:print_stacktrace=0",
        "TSAN_OPTIONS": options,
    }
    try:
        done = subprocess.run(
            command, input=b"".join(parts), capture_output=True, timeout=seconds, env=env
        )
    except subprocess.TimeoutExpired:
        raise HostError(
            f"{unit.path}:{kernel.line}: {name} did not end in {seconds:g} s. To mend: look for a "
            "loop that waits for another thread; threads run one after the other here, and a GPU "
            "does not promise more"
        ) from None
    said = done.stderr.decode(errors="replace").replace(f"{ROOT}/", "")  # clang's are absolute
    if done.returncode:
        raise HostError(_explain(unit, kernel, done.returncode, said))
    at = 0
    for array in buffers.values():
        data = np.frombuffer(done.stdout, array.dtype, array.size, at).reshape(array.shape)
        if array.flags.writeable:
            array[...] = data
        at += array.nbytes
    return _equal_writes(unit, kernel, said)


BARRIER = re.compile(
    r"__syncthreads|__syncwarp|threadgroup_barrier|simdgroup_barrier|\bsync\s*\(|\.sync\(\)"
    r"|HOST_SHARED|HOST_DYNAMIC|shared_place"  # or where one may be missing
)


def launch_checked(unit: Unit, name: str, buffers: dict, grid, group, *, check=None, **options):
    """``launch``, and before it one for races where the source has a barrier or shared memory.

    That is the default, where no ``check`` is asked for. Groups that ThreadSanitizer cannot keep
    apart, and grids of more than RACING_THREADS threads, are not looked at for races. Returns the
    notes of both.
    """
    notes = []
    if check is None:
        size = np.prod(size3(group))
        threads = np.prod(size3(grid)) * (1 if options.get("exact") else size)
        # Groups that wait for each other cannot share ThreadSanitizer's threads.
        few = threads if "HOST_COOPERATIVE" in unit.text else size
        if BARRIER.search(unit.text) and few <= MOST_RACING and threads <= RACING_THREADS:
            copies = {index: array.copy() for index, array in buffers.items()}
            notes = launch(unit, name, copies, grid, group, check="races", **options)
        check = "bounds"
    return notes + launch(unit, name, buffers, grid, group, check=check, **options)


RACING_THREADS = 4096
# A frame in a kernel's source, and in none of the stand-ins.
FRAME = re.compile(
    r"#\d+ .*? ((?!\S*simulator/(?:hosts|cuda_cpp|metal)/)[^\s:]+\.(?:metal|cuh?|h)):(\d+)"
)
MEND = {
    "bounds": "To mend: guard the index, or correct the number of threads or the buffer's size",
    "races": "To mend: put a barrier between the two, or use atomics",
}


MARKED = "same-value"  # in a comment of the line: it is meant


def _reports(text: str) -> list[str]:
    """ThreadSanitizer's reports of races, in order."""
    return text.split("WARNING: ThreadSanitizer: data race")[1:]


def _places(report: str) -> list[tuple[str, str]]:
    """("reads" | "writes", file:line) of the two accesses: the first frame in a kernel's file."""
    places = []
    for part in re.split(r"\n\n", report)[:3]:
        if (found := FRAME.search(part)) and re.search(r"(?:Read|Write|read|write) of", part):
            kind = "writes" if re.search(r"[Ww]rite of", part) else "reads"
            places.append((kind, f"{found[1]}:{found[2]}"))
    return places


def _equal_writes(unit: Unit, kernel: Kernel, text: str) -> list[str]:
    """A note for each pair of lines that write one value to one place, unless both are marked."""
    pairs = dict.fromkeys(tuple(p for _, p in _places(r)) for r in _reports(text))
    return [
        f"{pair[0]}: note: several threads of {kernel.name} write one place here"
        + (f" and at {pair[1]}" if len(set(pair)) > 1 else "")
        + ", and nothing orders them. They write the same value, so the result is the same "
        f"whichever comes last. If that is meant, say so: // {MARKED}"
        for pair in pairs
        if pair and not all(_marked(unit, place) for place in pair)
    ]


def _marked(unit: Unit, place: str) -> bool:
    """Whether a line says in a comment that equal writes are meant."""
    name, _, number = place.rpartition(":")
    file = ROOT / name
    text = file.read_text(encoding="utf-8", errors="replace") if file.is_file() else unit.source
    lines = text.splitlines()
    return int(number) <= len(lines) and MARKED in lines[int(number) - 1].partition("//")[2]


def _explain(unit: Unit, kernel: Kernel, code: int, text: str) -> str:
    """Say in one line, file and line first, what a sanitizer or the machinery found."""
    for line in text.splitlines():
        if line.startswith("HOST "):
            return line.removeprefix("HOST ")
    if which := re.search(r"^HOST-RACE (\d+)$", text, re.MULTILINE):
        places = _places(_reports(text)[int(which[1]) - 1])
        if not places:
            return f"{unit.path}:{kernel.line}: a data race in {kernel.name}\n{text[:1500]}"
        first = f"{places[0][1]}: data race in {kernel.name}: one thread {places[0][0]} here"
        second = f", another {places[1][0]} the same memory at {places[1][1]}" if places[1:] else ""
        return f"{first}{second}, and nothing orders them. {MEND['races']}"
    if "AddressSanitizer" in text:
        found = FRAME.search(text)
        where = f"{found[1]}:{found[2]}" if found else f"{unit.path}:{kernel.line}"
        access = re.search(r"(READ|WRITE) of size (\d+)", text)
        what = f"{access[1].lower()}s {access[2]} bytes" if access else "touches memory"
        near = re.search(r"located (\d+) bytes (?:to the right|after|to the left|before)", text)
        away = f", {near[1]} bytes from it" if near else ""
        return f"{where}: {kernel.name} {what} outside of every buffer{away}. {MEND['bounds']}"
    if found := re.search(r"^(\S+?):(\d+):\d+: runtime error: (.*)$", text, re.MULTILINE):
        return f"{found[1]}:{found[2]}: {kernel.name}: {found[3]}"
    return f"{unit.path}:{kernel.line}: {kernel.name} ended with {code}\n{text[-1500:]}"


# ---------------------------------------------------------------- reading a source


def blanked(text: str) -> str:
    """Return a source with its comments and strings blanked out, each line where it was."""
    pattern = r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"'
    return re.sub(pattern, lambda m: re.sub(r"[^\n]", " ", m[0]), text, flags=re.DOTALL)


MARK = re.compile(r"^#line (\d+)[^\n]*\n", re.MULTILINE)


def line_of(text: str, at: int) -> int:
    """The line of a place in a source, as its ``#line`` directives have it."""
    marks = list(MARK.finditer(text, 0, at))
    if not marks:
        return text.count("\n", 0, at) + 1
    return text.count("\n", marks[-1].end(), at) + int(marks[-1][1])


def between(text: str, start: int) -> str:
    """Return what stands between a bracket, which ends at ``start``, and the one that closes it."""
    depth, at = 1, start
    while depth and at < len(text):
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        at += 1
    return text[start : at - 1]


ALIAS = re.compile(
    r"\btypedef\s+(?P<old>[\w:]+(?:\s+[\w:]+)*?)\s+(?P<name>\w+)\s*;"
    r"|\busing\s+(?P<to>\w+)\s*=\s*(?P<from>[\w:]+(?:\s+[\w:]+)*?)\s*;"
)


def aliases(code: str) -> dict[str, str]:
    """The other names that a source gives to types."""
    return {m["name"] or m["to"]: m["old"] or m["from"] for m in ALIAS.finditer(code)}


def instance(formal: str, actual: str) -> dict[str, str]:
    """What ``actual`` (``float, 3``) gives for a template's parameters (``class T, int N = 2``)."""
    given, wanted = parameters(actual), parameters(formal)
    found = {}
    for k, parameter in enumerate(wanted):
        left, _, default = parameter.partition("=")
        name = re.search(r"(\w+)\s*$", left)
        value = given[k] if k < len(given) else default.strip()
        if name and value:
            found[name[1]] = value
    return found


def substituted(text: str, given: dict[str, str]) -> str:
    """A type with the parameters of a template replaced."""
    for formal, actual in given.items():
        text = re.sub(rf"(?<![\w.]){formal}\b", lambda m, a=actual: a, text)
    return text


def parameters(text: str) -> list[str]:
    """Split a list of parameters at its commas, but not inside brackets."""
    found, depth, start = [], 0, 0
    for at, character in enumerate(text):
        depth += character in "([{<"
        depth -= character in ")]}>"
        if character == "," and depth == 0:
            found.append(text[start:at])
            start = at + 1
    last = text[start:]
    return [p.strip() for p in (*found, last) if p.strip()]

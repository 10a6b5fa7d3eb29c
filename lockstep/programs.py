"""Programs that run others out of sight, and what puts another one in the place that a page names.

A trace names the commands that a shell runs. What a program runs by itself, of a text among its
words or of what is typed into it, no trace names: a reader could take it for what ran.
"""

import ast
import os.path
import re
from collections.abc import Sequence

SHELLS = set("bash sh dash zsh ksh mksh csh tcsh fish ash rbash busybox".split())
RUNNERS = set("xargs parallel setsid screen tmux at batch watch script ssh".split())
PYTHON = re.compile(r"python[\d.]*")
INTERPRETERS = re.compile(r"(?:perl|ruby|node|lua|php|Rscript|julia|expect|tclsh|gdb|bc|dc)[\d.]*")
# What starts the program that its words name.
STARTS = set("timeout env nice nohup sudo command builtin stdbuf ionice taskset numactl".split())
STARTS |= set("mpirun mpiexec srun torchrun ncu nsys strace perf flock unshare chroot".split())
STARTS |= {"compute-sanitizer", "xvfb-run"}
OPTIONS = {"find": {"-exec", "-execdir", "-ok", "-okdir"}, "env": {"-S", "--split-string"}}
# What a text among the words of these asks them to run.
INSIDE = {
    "awk": re.compile(r"\bsystem\s*\(|\|\s*getline\b|\|&?\s*\""),
    "sed": re.compile(r"(?:^|[;{}\n]|[\d$/])\s*e(?:\s|$)|[/|,#]\w*e\w*$"),
}
NAMING = set("echo printf grep which type command".split())  # what may say a shell's name
# Where a program is looked for, and what a compiler is told behind the back of its command line.
ELSEWHERE = re.compile(
    r"(?:PATH|C_INCLUDE_PATH|CPLUS_INCLUDE_PATH|CPATH|NVCC_\w+_FLAGS|CCC_OVERRIDE_OPTIONS"
    r"|PYTHON(?:PATH|HOME|STARTUP|OPTIMIZE|USERBASE)|LD_\w+|GIT_\w+)"
)
COPIES = set("cp ln mv install".split())
MACHINE = re.compile(r"/(?:usr/(?:local/)?)?s?bin/.+|/opt/.+")
NOTHING = {"true", "false", ":"}
COMMANDS = re.compile(r"[;\n]|&&|\|\|")  # of a text that is one, or looks like some
TEXTS = set("echo printf grep egrep sed awk gawk mawk tr cut python python3".split())
COMPILERS = re.compile(r"(?:\w+-)*(?:n?v?cc|gcc|g\+\+|c\+\+|clang(?:\+\+)?|hipcc)(?:-\d+)?")
SOURCE = re.compile(
    r".*\.(?:py|sh|bash|c|cc|cpp|cu|cuh|h|hpp|hip|metal|js|pl|rb|mk|sql)|.*[Mm]akefile"
)
SETS = set("export read readonly declare typeset local printf unset for".split())
SETS |= set("mapfile readarray getopts select".split())
LEAVES = set("exit quit _exit abort kill system popen exec eval SystemExit".split())

TRACELESS = "runs commands that no trace shows"
WRITTEN = "written by a command, and nobody sees what of it runs"


def elsewhere(name: str) -> str | None:
    """Return what is wrong with setting a variable, or None."""
    if ELSEWHERE.fullmatch(name):
        return f"{name} is set, which puts another program or file in its place"
    return None


# Options of pytest, make and their like with which nothing runs.
ONLY_SAYS = {"--collect-only", "--co", "--setup-only", "--setup-plan", "--dry-run", "--just-print"}

CHOOSES = {"-k", "--deselect", "--ignore", "--lf", "--last-failed", "--sw", "--maxfail"}


def hides(words: Sequence[str | None]) -> str | None:
    """Return what is wrong with a command that runs others out of sight, or another in its place.

    ``words``: those of the command, None for one that is not known.
    """
    starts = os.path.basename(words[0] or "") if words else ""
    texts = (word for word in words[1:] if word and COMMANDS.search(word))
    if next(texts, None) is not None and starts not in TEXTS:
        return f"{starts} {TRACELESS}: a text of several"
    if starts in COPIES and any(MACHINE.fullmatch(word) for word in words[1:] if word):
        return f"{starts} puts a program of the machine in another's place"
    if idle := next((word for word in words[1:] if word in ONLY_SAYS), None):
        return f"{starts} {idle} says what it would run, and runs nothing"
    if "pytest" in words and (chosen := next((w for w in words if w in CHOOSES), None)):
        return f"pytest {chosen} leaves tests out"
    if "pytest" in words and any(word and "::" in word for word in words):
        return "pytest runs one test of a file, and leaves the others out"
    if any(word.startswith("#!") for word in words[1:] if word):
        return f"a program is {WRITTEN}"
    if starts == "tee" and (
        written := next((w for w in words[1:] if w and SOURCE.fullmatch(w)), None)
    ):
        return f"{written} is {WRITTEN}"
    for at, word in enumerate(words):
        if word is None:
            continue
        name, rest = os.path.basename(word), words[at + 1 :]
        variable, equals, _ = word.rstrip("\x00").partition("=")
        if (equals or starts in SETS) and (what := elsewhere(variable.rstrip("+"))):
            return what
        first = not at or starts in STARTS
        if first and name in NOTHING and rest:
            return f"{name} does nothing with its words"
        if name in SHELLS and starts not in NAMING or first and name in RUNNERS:
            return f"{name} {TRACELESS}"
        if OPTIONS.get(name, set()) & {w.split("=")[0] for w in rest if w}:
            return f"{name} {TRACELESS}"
        inside = INSIDE.get(re.sub(r"^[gmn](?=awk|sed)", "", name))
        if first and inside and any(inside.search(w) for w in rest if w):
            return f"{name} {TRACELESS}"
        if first and PYTHON.fullmatch(name) and (what := _python(rest)):
            return what
        if first and INTERPRETERS.fullmatch(name) and not _file(rest):
            return f"{name} runs a text of which no trace shows what ran"
    return None


def _file(words: Sequence[str | None]) -> bool:
    """Whether an interpreter gets a file, and no text among its options."""
    return bool(words) and (words[0] is None or not words[0].startswith("-"))


def _python(words: Sequence[str | None]) -> str | None:
    """Return what is wrong where Python gets its program in a text, of which parts may not run."""
    options = [w for w in words if w is not None]
    if options and re.fullmatch(r"-[a-zA-Z]*O+[a-zA-Z]*", options[0]):
        return "Python takes the assertions out"
    if len(options) > 1 and {"-h", "--help", "-V", "--version"} & {*options[:1]}:
        return "Python runs nothing of what stands there"
    if "-c" in words:
        text = next(iter(words[words.index("-c") + 1 :]), "")
        if text is None or straight(text):
            return None
        return "Python runs a text with parts that may not run"
    script = next((w for w in words if w is None or w == "-" or not w.startswith("-")), "-")
    if script not in {"-", "/dev/stdin"} or {"-m", "-V", "--version"} & {*options}:
        return None
    return "Python runs what is typed into it, of which no trace shows what ran"


RUNS = (ast.Import, ast.ImportFrom, ast.Assign, ast.Expr, ast.Assert, ast.Pass)
MAY = (ast.BoolOp, ast.IfExp, ast.Lambda, ast.comprehension)


def straight(text: str) -> bool:
    """Whether all of a piece of Python runs, if it ends without an error."""
    try:
        nodes = list(ast.walk(ast.parse(text)))
    except (SyntaxError, ValueError, RecursionError):
        return False
    if any(
        isinstance(n, MAY) or isinstance(n, ast.stmt) and not isinstance(n, RUNS) for n in nodes
    ):
        return False
    return not {getattr(n, "id", None) or getattr(n, "attr", None) for n in nodes} & LEAVES

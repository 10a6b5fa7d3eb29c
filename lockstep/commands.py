"""The commands of a shell block, and which of them a trace says were run.

Bash names each command that it runs, with the line it stands on (``set -x``). Here is the other
half: what stands on those lines. A line whose commands are not all in the trace did not run. What a
failure alone reaches, ``|| { cat log; exit 1; }``, is no such command: it is there not to run.
"""

import functools
import os.path
import re
import shlex
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from lockstep import programs
from lockstep.programs import elsewhere, hides

# Words that stand before a command and are none.
LEADING = {"if", "then", "elif", "else", "while", "until", "do", "!", "time", "{", "coproc"}
ALONE = {"fi", "done", "esac", "}", "in"}
HEADS = {"for", "case", "select", "function", "[["}
ASSIGNMENT = re.compile(r"[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=")
CONDITIONS = {"if", "elif", "while", "until", "!", "coproc"}
FILE = 'show it as a block of its own, file="name"'
ALONE_MEND = "show the commands that run"
ANY = "[^\x1f]*\x1f"
EXPLAINS = {"cat", "echo", "printf", "head", "tail", "exit"}  # what says why a command failed
OPERATORS = ("&&", "||", ";;&", ";;", ";&", "|&", ";", "|", "&", "\n", "(", ")")
REDIRECT = re.compile(r"(?:\d+|\{\w+\})?(?:<<<|<<-?|>>|<>|>&|<&|&>>|&>|>\||[<>])")
# What would change what is noted, or who notes it: none of them may be run.
TAMPER = {"eval", "exec", "trap", "alias", "shopt", "enable", "hash", "source", ".", "bind"}
PLAIN = {"-e", "-u", "-eu", "-ue", "-euo", "-ueo", "-o", "pipefail", "errexit", "nounset"}
NAMES = re.compile(
    r"\b(?:PS4|BASH_\w+|SHELLOPTS|BASHOPTS|LINENO|FUNCNAME|BASHPID|xtrace|functrace)\b|/dev/fd\b"
    r"|/proc/(?:self|\$|\d|\*|thread-self)|\$\{!|\b(?:declare|local|typeset)\s+-\w*[np]"
    r"|(?:^|[\s;&|(])set\s*(?:$|[;&|)]|[-+]\w*x)|(?:^|[\s;&|(])(?:compgen|caller)\b"
    r"|[<>]&\s*\$|\{\w+\}[<>]|[<>]&\s*\d{2,}|\s\d{2,}[<>]"
)


@dataclass
class Command:
    """A simple command: the lines that it begins and ends on, and a pattern of its words."""

    first: int
    last: int
    words: list[str | None] = field(default_factory=list)  # None: what it is, its run decides
    spare: bool = False  # a failure alone reaches it

    @property
    def pattern(self) -> str:
        return "".join(map(_pattern, self.words))


def _pattern(word: str | None) -> str:
    if word is None:
        return f"(?:{ANY})*"
    if word.endswith("\x00"):  # the name of a variable, and whatever it becomes
        return f"{re.escape(word[:-1])}{ANY}"
    return f"{re.escape(word)}\x1f"


@functools.lru_cache(maxsize=512)
def commands(text: str) -> tuple[Command, ...]:
    """Return the commands of a text, by the lines of it, from 1."""
    reader = _Reader(text)
    reader.read(0, len(text), 1)
    return tuple(reader.found)


def executable(text: str) -> set[int]:
    """Return the lines on which a command begins."""
    return {command.first for command in commands(text) if not command.spare}


def executed(text: str, trace: Iterable[tuple[int, str]]) -> set[int]:
    """Return those lines whose commands all ran, by what a trace says: line and command."""
    seen = [(line, _words(said)) for line, said in trace]
    missed: set[int] = set()
    wanted = Counter((c.first, c.last, c.pattern) for c in commands(text) if not c.spare)
    for (first, last, pattern), times in wanted.items():
        fits = re.compile(pattern)
        found = sum(first <= line <= last and bool(fits.fullmatch(said)) for line, said in seen)
        if found < times:
            missed.add(first)
    return executable(text) - missed


def _words(said: str) -> str:
    try:
        words = shlex.split(said.replace("$'", "'"))
    except ValueError:
        words = said.split()
    return "".join(f"{word}\x1f" for word in words)


def tampers(trace: Iterable[tuple[int, str]]) -> tuple[int, str] | None:
    """Return the first command of a trace that changes what is traced, with its line."""
    for line, said in trace:
        words = _words(said).split("\x1f")[:-1]
        while words and words[0] in {"command", "builtin"}:
            words.pop(0)
        odd = words[:1] == ["set"] and words[1:2] != ["--"] and not {*words[1:]} <= PLAIN
        if words[:1] == ["set"] and len(words) == 1:
            odd = True
        if odd or (words and words[0] in TAMPER) or hides(words):
            return line, said.split("\n")[0]
    return None


MEND = "run the command itself, or put its text into a file that the page shows"


FAILS = "let it fail: write the command on a line of its own"


def look(text: str) -> Iterator[tuple[int, str, str]]:
    """Yield (line from 0, what, how to mend it) of commands that may run unseen, or not at all."""
    reader = _Reader(text)
    reader.read(0, len(text), 1)
    yield from reader.wrong
    for command in reader.found:
        if command.words[0] in TAMPER:
            changes = f"{command.words[0]} changes what the other commands are, or hides what runs"
            yield command.first - 1, changes, "take it out: write the commands by their own names"
        elif what := hides(command.words):
            yield command.first - 1, what, MEND


class _Reader:
    """Finds the simple commands of a text. What it cannot read counts as a command of any words."""

    def __init__(self, text: str):
        self.text = text
        self.found: list[Command] = []
        self.documents: list[tuple[str, bool]] = []  # the ends of here documents to come
        self.wrong: list[tuple[int, str, str]] = []  # line from 0, what, how to mend it
        self.writes: str | None = None  # the source file that the command's output goes to
        self.inner: list[int] = []  # where a command begins inside of another's words

    def line(self, at: int) -> int:
        return self.text.count("\n", 0, at) + 1

    def refuse(self, at: int, what: str, mend: str) -> None:
        self.wrong.append((self.line(at) - 1, what, mend))

    def read(self, at: int, end: int, depth: int) -> None:
        """Read commands from a place to another one."""
        text = self.text
        words: list[tuple[int, int, str | None]] = []
        guards: list[int] = []  # depth of braces in which what is read is spare
        braces, spare = 0, False

        def close() -> None:
            nonlocal braces, spare
            row = list(words)
            words.clear()
            while row and row[0][2] in LEADING:
                if row[0][2] in CONDITIONS:
                    self.refuse(
                        row[0][0],
                        f"a command after {row[0][2]}, whose failure is swallowed",
                        ALONE_MEND,
                    )
                if row[0][2] == "{":
                    braces += 1
                    if spare:
                        guards.append(braces)
                row.pop(0)
            if row and row[0][2] == "}":
                if guards and guards[-1] == braces:
                    guards.pop()
                braces -= 1
                spare = False
                return
            named = row and (row[0][2] is None or row[0][2] not in ALONE)
            if named:
                self._command(row, (bool(guards) or spare) and row[0][2] in EXPLAINS)
            if row or not guards:
                spare = False

        while at < end:
            here = text[at]
            if text.startswith("\\\n", at):
                at += 2
            elif here in " \t":
                at += 1
            elif here == "#" and (at == 0 or text[at - 1] in " \t\n;&|("):
                at = _until(text, at, "\n", end)
            elif (redirect := REDIRECT.match(text, at)) and text[at : at + 2] not in {"<(", ">("}:
                at = self._redirected(redirect, end, depth)
            elif text.startswith("((", at) and (not words or words[-1][2] == "for"):
                stop = _closing(text, at, end)
                words[:] = [(at, stop, None)]  # Bash names its parts, each by itself
                at = stop
            elif operator := next((o for o in OPERATORS if text.startswith(o, at)), None):
                at += len(operator)
                if operator == "(" and words and words[-1][2] and text[at:end].lstrip()[:1] == ")":
                    self.refuse(
                        at,
                        "a function in a shell block",
                        "show the commands themselves, one on each line",
                    )
                    at = text.index(")", at) + 1  # the head of a function
                    words.clear()
                    continue
                close()
                if operator == "||":
                    spare = self._ends(at, end)
                    if not spare:
                        self.refuse(at, "a command whose failure is swallowed", FAILS)
                elif operator == "&":
                    self.refuse(
                        at - 1,
                        "a command in the background, whose failure is swallowed",
                        f"{FAILS}, without the &",
                    )
                if operator == "\n":
                    at = self._document(at, end)
            else:
                stop, value = self._word(at, end, depth)
                words.append((at, stop, value))
                at = max(stop, at + 1)
                if words[-1][2] in {"}", "fi", "done"} and len(words) == 1:
                    close()
        close()

    def _command(self, row: list[tuple[int, int, str | None]], spare: bool) -> None:
        start, stop = row[0][0], row[-1][1]
        alone = len(row) == 1 and ASSIGNMENT.match(self.text, start)
        if not (alone or _compared(row, self.text)) and any(
            start <= at < stop for at in self.inner
        ):
            self.refuse(
                start,
                "a command inside of another, whose failure is swallowed",
                "run it alone: name=$(command) on a line of its own",
            )
        for at, _, _ in row:
            name = ASSIGNMENT.match(self.text, at)
            if not name:
                break
            if what := elsewhere(name[0].rstrip("+=")):
                self.refuse(at, what, "take it out: what the page shows runs as it is shown")
        values = [value for *_, value in row]
        if values[0] in HEADS:
            values = [values[0], None]
        else:
            while values and (row[0][2] is None or ASSIGNMENT.match(row[0][2])):
                if not ASSIGNMENT.match(self.text[row[0][0] : row[0][1]]):
                    break
                if len(row) == 1:
                    name = ASSIGNMENT.match(self.text[row[0][0] :])
                    assert name
                    values = [row[0][2] if row[0][2] is not None else f"{name[0]}\x00"]
                    break
                row, values = row[1:], values[1:]
        if values[0] and programs.COMPILERS.fullmatch(os.path.basename(values[0])):
            for at, to, value in row:
                if self.text[at] == "@" or (value is None and self.text[at] == "-"):
                    what = f"an option that nobody sees: {self.text[at:to]}"
                    self.refuse(at, what, "write it out, as the compiler gets it")
        if values[0] in {"echo", "printf"} and self.writes:
            self.refuse(start, f"{self.writes} is {programs.WRITTEN}", FILE)
        self.writes = None
        if len(row) == 1 and "\n" in self.text[start:stop].strip("\n") and values[0] not in HEADS:
            self.refuse(start, "a text over several lines, of which nobody sees what ran", FILE)
        self.found.append(Command(self.line(start), self.line(stop), values, spare))

    def _ends(self, at: int, end: int) -> bool:
        """Whether what stands behind an "or" ends the block as a failure does."""
        rest = self.text[at:end].lstrip(" \t\n\\")
        if rest.startswith("{"):
            inside = rest[1 : _until(rest, 0, "}", len(rest))]
            return re.search(r"(?:^|[;\n])\s*exit [1-9]\d*\s*[;\n]?\s*$", inside) is not None
        return re.match(r"exit [1-9]\d*\s*(?:$|[;\n#])", rest) is not None

    def _redirected(self, found: re.Match, end: int, depth: int) -> int:
        text, at = self.text, found.end()
        while at < end and text[at] in " \t":
            at += 1
        stop, value = self._word(at, end, depth)
        if re.fullmatch(r"\d*<<-?", found[0]):
            what = "a text among the commands, of which nobody sees what ran"
            self.refuse(found.start(), what, FILE)
            self.documents.append((text[at:stop].strip("'\"\\"), found[0].endswith("-")))
        elif (
            found[0].endswith(">")
            and value
            and programs.SOURCE.fullmatch(value)
            and value[0] != "/"
        ):
            self.writes = value
        return max(stop, at)

    def _document(self, at: int, end: int) -> int:
        """Skip the here documents that begin on the line before."""
        while self.documents:
            name, tabs = self.documents.pop(0)
            while at < end:
                row = self.text[at : _until(self.text, at, "\n", end)]
                at = min(end, at + len(row) + 1)
                if (row.lstrip("\t") if tabs else row) == name:
                    break
        return at

    def _word(self, at: int, end: int, depth: int) -> tuple[int, str | None]:
        """Return where a word ends and what it is, or None where a run decides that."""
        text, value, open_ = self.text, "", False
        while at < end:
            here = text[at]
            if text.startswith("\\\n", at):
                at += 2
            elif here == "\\":
                value, at = value + text[at + 1 : at + 2], at + 2
            elif here == "'":
                stop = _until(text, at + 1, "'", end)
                value, at = value + text[at + 1 : stop], stop + 1
            elif here == '"':
                at, inside = self._quoted(at + 1, end, depth)
                open_, value = open_ or inside is None, value + (inside or "")
            elif here in "$`" or text[at : at + 2] in {"<(", ">("}:
                at, open_ = self._expansion(at, end, depth), True
            elif here in " \t\n;&|()<>":
                break
            else:
                open_ = open_ or here in "*?[~" or (here == "{" and text[at + 1 : at + 2] > " ")
                value, at = value + here, at + 1
        return at, None if open_ else value

    def _quoted(self, at: int, end: int, depth: int) -> tuple[int, str | None]:
        value, open_ = "", False
        while at < end and self.text[at] != '"':
            if self.text[at] == "\\":
                value, at = value + self.text[at + 1 : at + 2], at + 2
                open_ = True
            elif self.text[at] in "$`":
                at, open_ = self._expansion(at, end, depth), True
            else:
                value, at = value + self.text[at], at + 1
        return at + 1, None if open_ else value

    def _expansion(self, at: int, end: int, depth: int) -> int:
        """Skip an expansion, and read the commands in it."""
        text = self.text
        if text[at] == "`":
            stop = _until(text, at + 1, "`", end)
            self.inner.append(at)
            self.read(at + 1, stop, depth + 1)
            return stop + 1
        if text[at : at + 3] == "$((":
            return _closing(text, at + 1, end)
        if text[at + 1 : at + 2] == "(":
            stop = _closing(text, at + 1, end)
            self.inner.append(at)
            self.read(at + 2, stop - 1, depth + 1)
            return stop
        if text[at + 1 : at + 2] == "{":
            return _until(text, at, "}", end) + 1
        if text[at + 1 : at + 2] == "'":
            return _until(text, at + 2, "'", end) + 1
        return at + 1


def _compared(row: list[tuple[int, int, str | None]], text: str) -> bool:
    """Whether a test says which text one command prints: nothing, as of a failure, is another."""
    words = [value for *_, value in row]
    if words[-1:] == ["]"] and text[row[0][0] : row[0][1]] == "[":
        words = ["test", *words[1:-1]]
    return (
        len(words) == 4
        and words[0] == "test"
        and words[2] in {"=", "=="}
        and (words[1] is None and bool(words[3]))
    )


def _until(text: str, at: int, mark: str, end: int) -> int:
    found = text.find(mark, at, end)
    return end if found < 0 else found


def _closing(text: str, at: int, end: int) -> int:
    """Return the place behind the parenthesis that closes the one at a place."""
    open_ = 0
    while at < end:
        if text[at] == "\\":
            at += 1
        elif text[at] in "'\"":
            at = _until(text, at + 1, text[at], end)
        else:
            open_ += {"(": 1, ")": -1}.get(text[at], 0)
            if not open_:
                return at + 1
        at += 1
    return end

"""Which lines of C++ and its like the preprocessor takes out before a compiler sees them.

It is asked of the text alone, on any machine: a line under ``#if`` counts where the condition holds
by what the text itself defines. A name that a compiler or a header may define decides nothing, so
neither side of it counts. A macro nobody names, one that eats what it is given, and one that takes
the name of a word of the language hide code as well.
"""

import functools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

Found = tuple[int, str, str]  # the line of the text (from 0), what, how to mend it
WORD = re.compile(r"[A-Za-z_]\w*")
DIRECTIVE = re.compile(r"\s*#\s*(\w*)(.*)", re.DOTALL)
DEFINE = re.compile(r"\s*([A-Za-z_]\w*)(?:\(([^)]*)\))?(.*)", re.DOTALL)
RAW = re.compile(r'(?:u8|[uUL])?R"([^()\\\s]{0,16})\(')
INCLUDE = re.compile(r'\s*(?:<[^>]*>|"([^"]*)")\s*$')
KNOWN = set("define undef include if ifdef ifndef elif elifdef elifndef else endif pragma".split())
KNOWN |= {"error", "warning", ""}
# Words of the language, and those with which code begins: a macro may be none of them.
KEYWORDS = set(
    "alignas alignof and asm auto bool break case catch char class const constexpr consteval "
    "constinit const_cast continue co_await co_return co_yield decltype default delete do double "
    "dynamic_cast else enum explicit export extern false float for friend goto if inline int long "
    "mutable namespace new noexcept not nullptr operator or private protected public register "
    "reinterpret_cast requires return short signed sizeof static static_assert static_cast struct "
    "switch template this throw true try typedef typeid typename union unsigned using virtual "
    "void volatile wchar_t while kernel device threadgroup constant thread half".split()
)
# What looks at its operand and does not compute it; what stands behind it does not run.
UNEVALUATED = re.compile(
    r"\b(?:sizeof|alignof|decltype|noexcept|typeid|__?typeof\w*)\s*(?:\.\.\.)?"
)


@dataclass
class Macro:
    line: int
    last: int
    parameters: list[str] | None
    body: str
    literal: bool
    ours: bool = True  # and not that of a file that is included


@dataclass
class Seen:
    """What a text is after its preprocessor: the lines that are gone, and what is wrong with it."""

    dropped: set[int] = field(default_factory=set)
    unnamed: set[int] = field(default_factory=set)  # of macros that nobody names
    asked: set[str] = field(default_factory=set)  # names that its conditions look at
    words: dict[str, int] = field(default_factory=dict)  # of what is left, and the line of each
    wrong: list[Found] = field(default_factory=list)
    code: set[int] = field(default_factory=set)  # lines with more than comments


def look(text: str, files: Mapping[str, str] | None = None) -> Seen:
    """Return what the preprocessor makes of a text. ``files``: those that it may include."""
    return _look(text, tuple(sorted((files or {}).items())))


@functools.lru_cache(maxsize=1024)
def _look(text: str, files: tuple[tuple[str, str], ...]) -> Seen:
    reader = _Reader(dict(files))
    reader.read(text)
    return reader.end()


def embedded(text: str) -> bool:
    """Whether a text in quotes is C++ for a GPU, or has directives of its preprocessor."""
    if not re.search(r"^[ \t]*(?:#|%:|\?\?=)\s*(?:if|define|undef|line|else)", text, re.MULTILINE):
        return False
    return re.search(r"__global__|__device__|#\s*include\b|\bkernel void\b", text) is not None


# ---------------------------------------------------------------- comments and texts


def _clean(text: str) -> tuple[list[str], list[int]]:
    """Return the lines without comments and without what texts hold, and comments that go on."""
    out: list[str] = []
    longer: list[int] = []
    at, line = 0, 0

    def skip(end: int, keep: str = "") -> int:
        nonlocal line
        out.append(keep + "\n" * text.count("\n", at, end))
        line += text.count("\n", at, end)
        return end

    while at < len(text):
        here = text[at]
        if text.startswith("//", at):
            found = re.compile(r"[^\n]*").match(text, at)
            assert found
            if re.search(r"\\[ \t]*$", found[0]):
                longer.append(line)
            at = skip(found.end())
        elif text.startswith("/*", at):
            end = text.find("*/", at + 2)
            at = skip(len(text) if end < 0 else end + 2, " ")
        elif (
            here in "uULR"
            and (at == 0 or not re.match(r"\w", text[at - 1]))
            and (raw := RAW.match(text, at))
        ):
            end = text.find(f'){raw[1]}"', raw.end())
            at = skip(len(text) if end < 0 else end + len(raw[1]) + 2, '""')
        elif here == '"' or (here == "'" and not _separates(text, at)):
            found = re.compile(rf"{here}(?:[^{here}\\\n]|\\.|\\\n)*{here}?", re.DOTALL).match(
                text, at
            )
            assert found
            # What is included keeps its name; no other text has a meaning here.
            row = text[text.rfind("\n", 0, at) + 1 : at]
            named = here == '"' and re.search(r"(?:#|%:)\s*include\s*$", row)
            at = skip(found.end(), found[0] if named else here * 2)
        else:
            if here == "\n":
                line += 1
            out.append(here)
            at += 1
    return "".join(out).split("\n"), longer


def _separates(text: str, at: int) -> bool:
    """Whether a quote stands between the digits of a number: 1'000."""
    before = re.search(r"(?<![\w'])\d[\w']*$", text[max(0, at - 40) : at])
    return before is not None and text[at + 1 : at + 2].isalnum()


def _logical(lines: list[str]) -> Iterator[tuple[int, int, str]]:
    """Yield first and last line of what one directive may be, and its text."""
    at = 0
    while at < len(lines):
        first, parts = at, [lines[at]]
        while re.search(r"\\[ \t]*$", parts[-1]) and at + 1 < len(lines):
            parts[-1] = re.sub(r"\\[ \t]*$", "", parts[-1])
            at += 1
            parts.append(lines[at])
        yield first, at, "".join(parts) if len(parts) > 1 else parts[0]
        at += 1


# ---------------------------------------------------------------- directives


class _Reader:
    def __init__(self, files: dict[str, str]):
        self.files, self.seen = files, Seen()
        self.words, self.at = self.seen.words, 0  # the line that includes what is read
        self.macros: dict[str, Macro] = {}
        self.old: list[tuple[str, Macro]] = []  # all that were defined, the same name again too
        self.groups: list[list] = []  # of each #if: its state, and whether a branch has held
        self.depth = 0

    def wrong(self, line: int, what: str, mend: str) -> None:
        self.seen.wrong.append((self.at if self.depth else line, what, mend))

    def read(self, text: str) -> None:
        lines, longer = _clean(text)
        for line in longer:
            mend = "take the backslash at its end out"
            self.wrong(line, "a comment that goes on, and takes the next line with it", mend)
        for first, last, row in _logical(lines):
            row = re.sub(r"^(\s*)%:", r"\1#", row)
            if not row.strip():
                continue
            found = DIRECTIVE.match(row)
            if not self.depth:
                self.seen.code |= {n for n in range(first, last + 1) if lines[n].strip()}
            if found and found[1] in {*"if ifdef ifndef elif elifdef elifndef else endif".split()}:
                self._condition(found[1], found[2].strip(), first)
                continue
            if any(state is not True for state, _ in self.groups):
                if not self.depth:
                    self.seen.dropped |= {n for n in range(first, last + 1) if lines[n].strip()}
                if all(state is not False for state, _ in self.groups) and found is None:
                    self._words(row, first)
                continue
            if found:
                self._directive(found[1], found[2], first, last)
            else:
                self._words(row, first)

    def _words(self, row: str, line: int) -> None:
        for word in WORD.findall(row):
            self.words.setdefault(word, line)

    def _condition(self, name: str, said: str, line: int) -> None:
        if name in {"if", "ifdef", "ifndef"}:
            truth = self._truth(name, said)
            self.groups.append([truth, truth])
        elif not self.groups:
            return  # the compiler says so
        elif name == "endif":
            self.groups.pop()
        else:  # it holds where none before it did
            group = self.groups[-1]
            before = group[1]
            truth = (
                True if name == "else" else self._truth(name[2:] if name != "elif" else "if", said)
            )
            if before is True:
                group[0] = False
            elif before is None:
                group[0] = None if truth is not False else False
            else:
                group[0] = group[1] = truth

    def _truth(self, name: str, said: str) -> bool | None:
        """Return whether a condition holds by the text alone, or None."""
        self.seen.asked |= set(WORD.findall(said))
        if name in {"ifdef", "ifndef"}:
            return (
                (name == "ifdef") if said.split()[:1] and said.split()[0] in self.macros else None
            )
        said = re.sub(
            r"\bdefined\s*(?:\(\s*(\w+)\s*\)|(\w+))",
            lambda m: " 1 " if (m[1] or m[2]) in self.macros else " unknown ",
            said,
        )
        for _ in range(9):
            said = WORD.sub(self._value, said)
        words = re.sub(r"\bunknown\b", "", said)
        if re.search(r"[^\d\s()<>=!&|+-]|<<|>>", words) or len(said) > 200:
            return None
        said = said.replace("&&", " and ").replace("||", " or ")
        said = re.sub(r"!(?!=)", " not ", said)
        said = re.sub(r"\b0+(\d)", r"\1", said).strip()
        try:  # with either value of what is not known
            values = {
                bool(eval(said.replace("unknown", value), {"__builtins__": {}}))
                for value in ("0", "1")
            }
        except Exception:
            return None
        return values.pop() if len(values) == 1 else None

    def _value(self, word: re.Match) -> str:
        macro = self.macros.get(word[0])
        if macro is None or macro.parameters is not None:
            return word[0] if word[0] == "unknown" else "unknown@"
        return f" ({macro.body}) " if macro.body.strip() else "unknown@"

    def _directive(self, name: str, said: str, first: int, last: int) -> None:
        if name not in KNOWN:
            mend = "write #define, #if and #include alone"
            self.wrong(first, f"a directive that moves or brings lines: #{name}", mend)
        elif name == "define":
            self._define(said, first, last)
        elif name == "undef":
            self.macros.pop(said.strip(), None)
        elif name == "pragma" and re.search(r"\b(?:push|pop)_macro\b|\bpoison\b", said):
            self.wrong(
                first, "a pragma that changes macros", "take it out: write what it stands for"
            )
        elif name == "include":
            included = INCLUDE.match(said)
            if not included:
                self.wrong(
                    first, "a file that is included by a macro", "name it in the #include itself"
                )
            elif included[1] in self.files and self.depth < 9:
                self.at = self.at if self.depth else first
                self.depth += 1
                self.read(self.files[included[1]])
                self.depth -= 1

    def _define(self, said: str, first: int, last: int) -> None:
        found = DEFINE.match(said)
        if not found:
            return
        name, inside, body = found[1], found[2], found[3].strip()
        parameters = None
        if inside is not None:
            named = [p.strip() for p in inside.split(",") if p.strip()]
            parameters = [
                "__VA_ARGS__" if p == "..." else p.removesuffix("...").strip() for p in named
            ]
        literal = parameters is None and re.fullmatch(r"[\w.\s'\"<>()*+-]*", body) is not None
        at = (self.at, self.at) if self.depth else (first, last)
        macro = Macro(*at, parameters, body, literal, not self.depth)
        if name in KEYWORDS or name.startswith("__"):
            what = f"a macro in the place of a word of the language: {name}"
            self.wrong(first, what, "take it out, and write what is compiled")
        elif name in self.words:
            what = f"a macro that takes the name of what stands above it: {name}"
            self.wrong(first, what, "give it a name of its own")
        if name == "NDEBUG":
            self.wrong(first, "assertions that are taken out", "take #define NDEBUG out")
        if "__VA_OPT__" in body:
            self.wrong(
                first,
                "code that a macro brings for some arguments alone",
                "take it out: write what the macro gives here",
            )
        computed = _computed(body)
        for parameter in parameters or ():
            if not re.search(
                rf"(?<!#)\b{re.escape(parameter)}\b|##\s*{re.escape(parameter)}\b", computed
            ):
                what = f"a macro that eats what it is given: {name} drops {parameter}"
                self.wrong(first, what, "use each of its parameters, or take the macro out")
                break
        self.macros[name] = macro
        self.old.append((name, macro))

    def end(self) -> Seen:
        """Look at the macros once all is read: at those that erase, and those nobody names."""
        used = {name for name, _ in self.old if name in self.words}
        more = set(used)
        while more:
            inside = {w for n, m in self.old if n in more for w in WORD.findall(m.body)}
            more = {name for name, _ in self.old if name in inside} - used
            used |= more
        for name, macro in self.old:
            if name in used and not macro.body:
                what = f"a macro that takes code out: {name} is nothing"
                self.wrong(macro.line, what, "take it out, and what it hides")
            elif name not in used and macro.body and not macro.literal and macro.ours:
                self.seen.unnamed |= set(range(macro.line, macro.last + 1)) & self.seen.code
        return self.seen


def _computed(body: str) -> str:
    """Return the body of a macro without what is looked at and not computed."""
    found = UNEVALUATED.search(body)
    while found:
        end, open_ = found.end(), 0
        if body[end : end + 1] != "(":
            return body
        while end < len(body):
            open_ += {"(": 1, ")": -1}.get(body[end], 0)
            end += 1
            if not open_:
                break
        body = body[: found.start()] + body[end:]
        found = UNEVALUATED.search(body)
    return body


# ---------------------------------------------------------------- the blocks of a page

OPTION = re.compile(
    r"(?<![\w-])(?:[-/][DU]|--(?:define|undefine)-macro)[\s\"',=+()]*([A-Za-z_]\w*)(\()?"
    r"|(?:define|undef)_macros\W+([A-Za-z_]\w*)()"
)
# A text without one of these has none of them.
OPTIONS = ("-D", "-U", "/D", "/U", "macro")
# What a compiler reads before the text, or in its place.
BEFORE = re.compile(
    r"(?<![\w-])(?:--?(?:pre-?)?include|-imacros|/FI|-Xpreprocessor|-Wp,|-specs|-wrapper)(?![\w-])"
    r"|(?<![\w-])-include(?=\w+\.)|\b(?:NVCC_\w+_FLAGS|C(?:PLUS)?_INCLUDE_PATH|CPATH)\b"
)
BEFORES = "-include preinclude -imacros /FI -Xpreprocessor -Wp, -specs -wrapper".split()
BEFORES += "NVCC_ INCLUDE_PATH CPATH".split()
MEND = 'show what is compiled; or say on its fence when it is: unrun="reason"'


def left_out(text: str, files: Mapping[str, str]) -> list[int]:
    """Return the lines of a text that no compiler gets by the text alone, from 0.

    ``files``: those of its page by name, which may include it and use its macros.
    """
    seen = look(text, files)
    name = next((name for name, other in files.items() if other == text), None)
    used = name and any(re.search(rf'include\s*"{re.escape(name)}"', t) for t in files.values())
    return sorted(seen.dropped | (set() if used else seen.unnamed))


def ranges(lines: list[int]) -> Iterator[int]:
    """Yield the first of each row of neighbors."""
    yield from (line for line in lines if line - 1 not in lines)


def check(text: str, files: Mapping[str, str], others: str, says: bool) -> Iterator[Found]:
    """Yield what is wrong with a block that is compiled.

    ``others``: the text of the page's other blocks, with the options of its compilers. ``says``:
    its fence says why a part of it is left out.
    """
    seen = look(text, files)
    yield from seen.wrong
    for line in () if says else ranges(left_out(text, files)):
        yield line, "code that the preprocessor takes out, or may", MEND
    asks = any(map(others.__contains__, BEFORES))
    if before := BEFORE.search(others) if asks else None:
        what = f"an option that puts a file or words before what is shown: {before[0]}"
        yield 0, what, "include it in the text, where a reader sees it"
    asks = any(map(others.__contains__, OPTIONS))
    for option in OPTION.findall(others) if asks else ():
        name, called = option[0] or option[2], option[1]
        there = name in seen.words and name not in seen.asked
        if name == "NDEBUG" and "assert" in seen.words:
            what = "an option that takes the assertions out: NDEBUG"
            yield seen.words["assert"], what, "take the option out, and let them hold"
        if name in KEYWORDS or (there and (called or name in seen.words)):
            what = f"an option of a compiler that puts something else in its place: -D{name}"
            yield seen.words.get(name, 0), what, "take the option out, and write what is compiled"


def quoted(text: str, says: bool) -> Iterator[Found]:
    """Yield the same of a source in quotes, in a block of another language."""
    if embedded(text):
        yield from check(text, {}, "", says)

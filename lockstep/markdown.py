"""Python-Markdown extension: the stamp of a page, the proof of each block, measured numbers.

It is handed a page's text and nothing else, so it finds the page among those of docs/ by that
text, and asks evidence/ for runs of exactly these blocks. It runs nothing.

* Before the site's own extensions see a fence, our options are taken off its header.
* ``[[roadmap:...]]``, ``[[glossary:...]]``, ``[[mapping:...]]``, ``[[plot:...]]`` and
  ``[[evidence:summary]]``, each on a line of its own, become Markdown.
* ``[[bench:ID.FIELD]]`` and ``[[micro:ID]]`` become figures, with device and date.
* ``lockstep.lesson`` adds what stands around a lesson: facts, quizzes, exercises, the tick.
* ``lockstep.glossary`` adds what stands around a term, and links the words of terms.
* In the finished HTML each code block must be a block of the page, in order. It gets a line that
  says how far it is proved, and the page gets a stamp below its title.

With LOCKSTEP_DRAFT=1 in the environment an unknown figure, and a page that breaks the rules, are
shown as such instead of ending the build. A draft is for previews and is never published.
"""

import html
import logging
import os
import posixpath
import re
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from xml.etree.ElementTree import Element

from markdown import Extension
from markdown.inlinepatterns import InlineProcessor
from markdown.postprocessors import Postprocessor
from markdown.preprocessors import Preprocessor
from markdown.treeprocessors import Treeprocessor

from lockstep import (
    evidence,
    figures,
    glossary,
    languages,
    lesson,
    markers,
    run_here,
)
from lockstep.page import (
    ALONE,
    FENCE,
    SOURCES,
    Block,
    Mistake,
    Page,
    PageError,
    digest,
    find_root,
    paths,
    read,
    read_blocks,
)

try:
    from mkdocs.exceptions import BuildError
except ImportError:  # another engine

    class BuildError(Exception):
        pass


log = logging.getLogger("mkdocs.lockstep")

RECHECK = 1.0  # seconds until the files are looked at again: once or so in a build
# What pymdownx.highlight makes of a fence.
CODE = re.compile(
    r'<div class="(?P<classes>[^"]*\bhighlight\b[^"]*)">'
    r'(?P<inner>(?:<span class="filename">.*?</span>)?<pre\b[^>]*>(?P<code>.*?)</pre>)</div>',
    re.DOTALL,
)
TAG = re.compile(r"<[^>]*>")


class BadPage(PageError, BuildError):
    """A page that must not be published. MkDocs prints its lines and stops."""


def draft() -> bool:
    return os.environ.get("LOCKSTEP_DRAFT") == "1"


# ---------------------------------------------------------------- pages and evidence, read once


class Site:
    """Every page of docs/ and every record of evidence/, as they were at one moment."""

    def __init__(self, root: Path):
        self.root = root
        self.records = evidence.Evidence(root)
        self.pages: list[Page] = []
        mistakes: list[Mistake] = []
        for file in paths(root):
            try:
                self.pages.append(_unchanged(file, root) or _read(file, root))
            except PageError as error:
                mistakes += error.mistakes
        self.glossary = glossary.Glossary(root, self.pages)
        mistakes += self.glossary.mistakes
        if mistakes and not draft():
            raise BadPage(mistakes)
        for mistake in mistakes:
            log.warning("%s", mistake)
        self._by_text = {digest(page.body.strip()): page for page in self.pages}

    def find(self, text: str) -> Page | None:
        """Return the page whose body is this text, or None."""
        return self._by_text.get(digest(text.strip()))


_sites: dict[Path, tuple[float, int, Site]] = {}
# Pages as they were read, each with its files: of a preview's pages, most have not changed.
_known: dict[Path, tuple[dict[Path, tuple[int, int]], Page]] = {}


def _state(file: Path) -> tuple[int, int]:
    stat = file.stat()
    return stat.st_mtime_ns, stat.st_size


def _unchanged(file: Path, root: Path) -> Page | None:
    states, page = _known.get(file, ({}, None))
    try:
        same = states and all(_state(path) == state for path, state in states.items())
    except OSError:  # one of them is gone
        return None
    return page if same and page.root == root else None


def _read(file: Path, root: Path) -> Page:
    before = _state(file)
    page = read(file, root)
    places = {root / block.path for block in page.blocks}
    _known[file] = {file: before} | {path: _state(path) for path in places}, page
    return page


def site(root: Path) -> Site:
    """Return the pages and evidence of a repository, read again when a file has changed."""
    now = time.monotonic()
    looked, state, known = _sites.get(root, (0.0, None, None))
    if known and now - looked < RECHECK:
        return known
    files = [
        (entry.path, entry.stat().st_mtime_ns, entry.stat().st_size)
        for folder in ("docs", "evidence", *SOURCES)
        for entry in _walk(root / folder)
    ]
    found = hash((draft(), *sorted(files)))
    if known is None or found != state:
        known = Site(root)
    _sites[root] = (now, found, known)
    return known


def forget() -> None:
    """Let the next look at the files be a real one, however soon it comes."""
    for root, (_, state, known) in _sites.items():
        _sites[root] = (-RECHECK, state, known)


def _walk(folder: Path) -> Iterator[os.DirEntry]:
    if folder.is_dir():
        for entry in os.scandir(folder):
            if entry.is_dir():
                yield from _walk(Path(entry.path))
            else:
                yield entry


# ---------------------------------------------------------------- words


def device_words(run: dict, gpus: int) -> str:
    """Name where a run was: "an NVIDIA H200", "2 NVIDIA H200 GPUs", "a CPU"."""
    if run["target"] == "simulator":
        return "Numba's simulator"
    if run["target"] == "stepper":
        return "the stepper (this site's simulator)"
    if run["target"] == "cpu":
        return "a CPU"
    name = run["device"]["name"]
    if gpus > 1:
        return f"{gpus} {name} GPUs"
    return f"{'an' if name.startswith('NVIDIA') or name[0] in 'AEIO' else 'a'} {name}"


NOT_ON_APPLE = "not yet run on Apple hardware"
# How a stamp names blocks that were compiled and not run.
COMPILED = {
    "cuda": "compiled for sm_90",
    "metal": "compiled as C++ by a CPU stand-in",
    "hip": "compiled for an AMD GPU",
}


def proof_words(proof: evidence.Proof, needs_gpu: bool, block: Block | None = None) -> str:
    """Say in a few words, which follow the name of the level, how far a block is proved."""
    language = block.language if block else None
    if language == "metal" and proof.level == "cpu":
        return f"ran in a CPU stand-in, {NOT_ON_APPLE}"
    if language == "metal" and proof.level == "compiled":
        return "as C++ by a CPU stand-in, not by Apple's compiler"
    if language == "hip" and proof.level == "compiled":
        targets = proof.runs[0]["blocks"][block.index].get("for", ["an AMD GPU"])
        return f"for {' and '.join(targets)}, not run"
    if language in ALONE and proof.level == "awaiting":
        return "a run with its compiler"
    if proof.level == "shown":
        return f"only: {proof.reason}"
    if proof.level == "compiled":
        return "for sm_90, not run"
    if proof.level == "simulator":
        stepped = any(run["target"] == "stepper" for run in proof.runs)
        return "ran in the stepper" if stepped else "ran in Numba's simulator"
    if proof.level == "cpu":
        return "ran on a CPU"
    if proof.level == "gpu":
        names = sorted({run["device"]["name"] for run in proof.runs})
        return f"ran on {' and '.join(names)}"
    return "a GPU run" if needs_gpu else "a run"


# Packages that a stamp names when its page uses them: a word of the code, the name, the package.
PACKAGES = (
    ("cupy", "CuPy", "cupy-cuda"),
    ("numpy", "NumPy", "numpy"),
    ("numba", "Numba", "numba"),
    ("nccl", "NCCL", "nvidia-nccl-cu"),
    ("mpi4py", "mpi4py", "mpi4py"),
    ("torch", "PyTorch", "torch"),
    ("triton", "Triton", "triton"),
    ("mlx", "MLX", "mlx"),
)


def versions(run: dict, page: Page) -> str:
    """List what a reader needs to repeat a run, apart from what ``compiler`` names."""
    parts = []
    for word, name, package in PACKAGES:
        used = any(word in block.text for block in page.blocks if block.runs)
        for key, version in run["packages"].items():
            if used and re.fullmatch(re.escape(package) + r"(\d+x?)?", key):
                parts.append(f"{name} {version}")
    parts.append(f"Python {run['python']}")
    parts = [part for part in parts if part != compiler(run, page)]
    if driver := run["device"].get("driver"):
        parts += [f"driver {driver}", f"CUDA {run['device'].get('cuda')}"]
    return ", ".join(parts)


def compiler(run: dict, page: Page) -> str:
    """Name what compiled or ran the page's kernels in a run, with its version."""
    package = {"simulator": "numba-cuda"}.get(run["target"], run["target"])
    if package in {"cpu", "stepper"}:
        return f"Python {run['python']}"
    if package == "cupy":  # a page without Numba: the first of these that it uses
        known = {word: (name, prefix) for word, name, prefix in PACKAGES}
        for word in ("cupy", "triton", "torch"):
            name, prefix = known[word]
            found = [v for k, v in run["packages"].items() if k.startswith(prefix)]
            if found and any(word in block.text for block in page.blocks if block.runs):
                return f"{name} {found[0]}"
        return "CuPy"
    return f"{package} {run['packages'].get(package, '')}".strip()


def stamp(
    page: Page, proofs: list[evidence.Proof], records: evidence.Evidence
) -> tuple[str, str, str]:
    """Return a page's stamp: its level, what counts most, and the rest."""
    total, counts = len(proofs), Counter(proof.level for proof in proofs)
    runs, wanted = records.runs(page), languages.targets(page)
    kinds = {block.language for block in page.blocks if block.runs}
    if not any(block.runs for block in page.blocks):
        return "shown", f"Nothing on this page runs: {_blocks(total)} only shown.", ""
    on_gpu = [run for run in runs if run["target"] in languages.GPU_TARGETS]
    needs_gpu = bool(set(wanted) & set(languages.GPU_TARGETS))
    target = languages.simulator_of(page) if needs_gpu else "cpu"
    told = on_gpu or [run for run in runs if run["target"] == target]
    level = "gpu" if on_gpu else "cpu" if told and not needs_gpu else "awaiting"
    rest = []
    if told:
        best = "gpu" if on_gpu else "simulator" if needs_gpu else "cpu"
        lead, more = _ran(counts[best], total, told, page)
        if level == "awaiting":
            lead, more = "Awaiting a GPU run.", f"{lead} {more}" if counts[best] else ""
        if more:
            rest.append(more)
        compiled = Counter(
            COMPILED[block.language]
            for block, proof in zip(page.blocks, proofs, strict=True)
            if proof.level == "compiled"
        )
        simulator = "the stepper" if target == "stepper" else "Numba's simulator"
        words = {
            "simulator": ("ran", "ran", f"in {simulator}"),
            "cpu": ("ran", "ran", "in a CPU stand-in" if "metal" in kinds else "on a CPU"),
            **{how: ("is", "are", f"{how} and not run") for how in compiled},
            "shown": ("is", "are", "only shown"),
            "awaiting": ("awaits", "await", "a GPU run"),
        }
        counts.update(compiled)
        others = [
            f"{counts[k]} {one if counts[k] == 1 else many} {what}"
            for k, (one, many, what) in words.items()
            if counts[k] and k != best
        ]
        if others:
            rest.append(f"Of the others, {', '.join(others)}.")
    else:
        lead = "Awaiting a GPU run." if needs_gpu else "Awaiting a run."
    if on_gpu:
        missing = [t for t in wanted if t not in {run["target"] for run in on_gpu}]
        if missing:
            rest.append(f"Awaiting a run with {' and '.join(missing)}.")
    if "metal" in kinds:
        on_apple = [run for run in runs if run["target"] == languages.APPLE]
        rest += [f"The Metal code ran on {r['device']['name']} on {r['date']}." for r in on_apple]
        if not on_apple:
            rest.append(f"Metal: {NOT_ON_APPLE}.")
    for refused, reason in page.meta.get("not_on", {}).items():
        rest.append(f"Not with {refused}: {str(reason).rstrip('.')}.")
    if told and (listed := versions(told[0], page)):
        rest.append(f"{listed}.")
    return level, lead, " ".join(rest)


def _blocks(number: int) -> str:
    return "its block is" if number == 1 else f"its {number} blocks are"


def _ran(number: int, total: int, runs: list[dict], page: Page) -> tuple[str, str]:
    """Say how many blocks ran where; and when and with what. One place and day is said once."""
    places: dict[tuple[str, str], list[str]] = {}
    for run in runs:
        preposition = "in" if run["target"] in {"simulator", "stepper"} else "on"
        place = f"{preposition} {device_words(run, page.meta.get('gpus', 1))}"
        places.setdefault((place, run["date"]), []).append(compiler(run, page))
    who = "Every block of this page" if number == total else f"{number} of {total} blocks"
    first, *others = places
    named = {key: " and ".join(dict.fromkeys(with_what)) for key, with_what in places.items()}
    more = f"on {first[1]} with {named[first]}"
    for place, date in others:
        more += f"; {place} on {date} with {named[place, date]}"
    return f"{who} ran {first[0]}", f"{more}."


# ---------------------------------------------------------------- the extension


class Pass:
    """One page on its way through the converter."""

    def __init__(self, root: Path):
        self.root = root
        self.page: Page | None = None
        self.first = 1  # the line of the file of the first line of the text
        self.whole = False  # whether the next text to finish is the page and not a heading

    def begin(self, lines: list[str]) -> None:
        """Find the page of these lines. Text that is no page of docs/ is read as it is.

        Raises ``PageError`` when it breaks the rules of a page.
        """
        text = "\n".join(lines)
        self.whole = False
        self.site = site(self.root)
        self.page = self.site.find(text)
        if self.page:
            body = self.page.body  # the engine may have taken empty lines off the top
            taken = len(body) - len(body.lstrip("\n")) - (len(text) - len(text.lstrip("\n")))
            self.first = self.page.body_line + taken
            return
        mistakes: list[Mistake] = []
        blocks, expanded = read_blocks("this text", text, 1, self.root, mistakes)
        self.first = 1
        self.page = Page(self.root, "this text", {}, blocks, text, 1, expanded)
        if mistakes:
            raise PageError(mistakes)

    @property
    def folder(self) -> str | None:
        """The folder of the page below docs/, to which links in generated text are relative."""
        if not self.page.path.startswith("docs/"):
            return None
        return posixpath.dirname(self.page.path.removeprefix("docs/")) or "."

    def check_figures(self, lines: list[str]) -> None:
        """Look up every measured number of the page, so that all unknown keys are named at once."""
        mistakes = []
        for number, line in enumerate(lines, start=self.first):
            for piece, is_prose in figures.outside_code(line):
                for key in figures.KEY.finditer(piece) if is_prose else ():
                    try:
                        self.site.records.figure(key["kind"], key["key"])
                    except KeyError as error:
                        mend = "correct the key, or measure it on a GPU: make bench"
                        mistakes.append(Mistake(self.page.path, number, error.args[0], mend))
        if mistakes and not draft():
            raise PageError(list(dict.fromkeys(mistakes)))


@contextmanager
def stopping():
    """Turn a page's mistakes into the error that ends the site's build without a traceback."""
    try:
        yield
    except BadPage:
        raise
    except PageError as error:
        raise BadPage(error.mistakes) from None


class Before(Preprocessor):
    """Runs before the site's snippet and fence extensions."""

    def __init__(self, md, state: Pass):
        super().__init__(md)
        self.state = state

    def run(self, lines: list[str]) -> list[str]:
        with stopping():
            try:
                self.state.begin(lines)
                self.state.check_figures(lines)
                return self._rewritten(list(lines))
            except PageError as error:
                if not draft():
                    raise
                self.state.page = None
                text = [f"    - {html.escape(str(mistake))}" for mistake in error.mistakes]
                return ['!!! failure "This page cannot be shown"', "", *text]

    def _rewritten(self, lines: list[str]) -> list[str]:
        state = self.state
        for block in state.page.blocks:
            at = block.page_line - state.first
            fence = FENCE.match(lines[at])
            # Pygments has no lexer for Metal or HIP, and both are C++ with a few more words.
            language = {"output": "text"} | dict.fromkeys(ALONE, "cpp")
            language = language.get(block.language, block.language)
            title = block.options.get("title") or block.options.get("file")
            title = f' title="{title}"' if title else ""
            lines[at] = f"{fence['indent']}{fence['fence']}{language}{title}"
        text: list[str] = []
        for line in lines:
            part = markers.render(line, state.site, state.folder or ".")
            text += [line] if part is None else ["", *part.split("\n"), ""]
        return text


class Measured(InlineProcessor):
    """A figure from the evidence, with what it was measured on."""

    def __init__(self, md, state: Pass):
        super().__init__(figures.KEY.pattern, md)
        self.state = state

    def handleMatch(self, m, data):
        element = Element("span", {"class": "measured"})
        try:
            row, name = self.state.site.records.figure(m["kind"], m["key"])
        except KeyError as error:
            if not draft():  # text that another extension made: it was not looked up before
                raise BadPage(
                    [Mistake(self.state.page.path, self.state.first, error.args[0], "mend the key")]
                ) from None
            element.set("class", "measured measured--missing")
            element.text = f"⟨{m['key']}⟩ not measured"
            return element, m.start(0), m.end(0)
        if row["fresh"]:
            element.text = figures.quantity(row[name], figures.unit_of(row, name))
            element.set("title", figures.circumstances(row))
        else:
            element.set("class", "measured measured--stale")
            element.text = figures.AWAITING
            element.set("title", "The code was changed after it was measured")
        element.set("tabindex", "0")  # the title is for the keyboard, too
        return element, m.start(0), m.end(0)


class Between(Treeprocessor):
    """Notes that the tree is done: until then, only headings go through the postprocessors."""

    def __init__(self, md, state: Pass):
        super().__init__(md)
        self.state = state

    def run(self, root):
        self.state.whole = True


class After(Postprocessor):
    """Puts the proofs and the stamp into the finished HTML."""

    def __init__(self, md, state: Pass):
        super().__init__(md)
        self.state = state

    def run(self, text: str) -> str:
        page = self.state.page
        if not self.state.whole or page is None:  # a heading; a draft that cannot be shown
            return text
        found = list(CODE.finditer(text))
        with stopping():
            self._check(page, text, found)
        if not page.blocks:
            return text
        records = self.state.site.records
        proofs = records.proofs(page)
        needs_gpu = bool(set(languages.targets(page)) & set(languages.GPU_TARGETS))
        can_run = {program.block.index for program in run_here.programs(page)}
        parts, end = [], 0
        for match, block, proof in zip(found, page.blocks, proofs, strict=True):
            copy = ""
            if block.copied != _shown(match):
                # Material's copy button prefers this to the text that it finds.
                copy = f' data-copy="{_attribute(block.copied)}"'
            kind = " output" if block.language == "output" else ""
            parts += [
                text[end : match.start()],
                f'<div class="{match["classes"]}{kind}"{copy}>{match["inner"]}</div>',
                _proof_html(block, proof, needs_gpu, block.index in can_run),
            ]
            end = match.end()
        text = "".join([*parts, text[end:]])
        mark = _stamp_html(*stamp(page, proofs, records))
        title = text.find("</h1>")
        at = title + len("</h1>") if title >= 0 else 0
        return f"{text[:at]}\n{mark}{text[at:]}"

    @staticmethod
    def _check(page: Page, text: str, found: list[re.Match]) -> None:
        """Refuse a page whose rendered code is not its blocks, in their order."""
        shown = [_shown(match) for match in found]
        blocks = [block.text.expandtabs(4) for block in page.blocks]
        if shown == blocks and text.count("<pre") == len(blocks):
            return
        for block, rendered in zip(page.blocks, shown, strict=False):
            if rendered != block.text.expandtabs(4):
                what = f"{block.source} is not what is shown here"
                mend = "indented text and HTML render as code, too: include it from a file"
                raise PageError([Mistake(page.path, block.page_line, what, mend)])
        what = (
            f"{max(len(shown), text.count('<pre'))} code blocks are shown, {len(blocks)} are proved"
        )
        mend = "indented text and HTML render as code, too; a fence must not stand in a footnote"
        raise PageError([Mistake(page.path, page.body_line, what, mend)])


def _shown(match: re.Match) -> str:
    """Return the text of a code block of HTML."""
    return html.unescape(TAG.sub("", match["code"])).strip("\n")


def _attribute(text: str) -> str:
    return html.escape(text).replace("\n", "&#10;").replace("\t", "&#9;")


def _proof_html(block: Block, proof: evidence.Proof, needs_gpu: bool, can_run: bool) -> str:
    """Return the line below a block. Where its reader can run it, a script adds a button there."""
    source = f"<code>{html.escape(block.path)}</code>"
    if block.section:
        source += f" · {html.escape(block.section)}"
    words = html.escape(proof_words(proof, needs_gpu, block))
    run = f' data-run="{block.index}"' if can_run else ""
    return (
        f'\n<p class="proof proof--{proof.level}" data-search-exclude{run}>'
        f'<span class="proof__level">{proof.level}</span> '
        f'<span class="proof__words">{words}</span> '
        f'<span class="proof__source">{source}</span></p>'
    )


def _stamp_html(level: str, lead: str, rest: str) -> str:
    return (
        f'<div class="stamp stamp--{level}" data-search-exclude>'
        f"<p><strong>{html.escape(lead)}</strong> {html.escape(rest)}</p></div>"
    )


class LockstepExtension(Extension):
    def __init__(self, **options):
        self.config = {"root": ["", "the folder of mkdocs.yml; empty: found from where you are"]}
        super().__init__(**options)

    def extendMarkdown(self, md):
        root = self.getConfig("root")
        state = Pass(Path(root).resolve() if root else find_root())
        # pymdownx.snippets has 32 and pymdownx.superfences 25: both read the fence after us.
        md.preprocessors.register(Before(md, state), "lockstep", 40)
        # Before links (170) and after code spans (190).
        md.inlinePatterns.register(Measured(md, state), "lockstep-measured", 175)
        # Before task lists (25) and inline text (20).
        md.treeprocessors.register(lesson.Lesson(md, state, stopping), "lockstep-lesson", 30)
        md.treeprocessors.register(glossary.Parts(md, state), "lockstep-term", 29)
        # After inline text (20) and attributes (8), whose text is no prose; before anchors (5) and
        # the rewriting of links (0).
        md.treeprocessors.register(glossary.Marks(md, state), "lockstep-marks", 7)
        md.treeprocessors.register(Between(md, state), "lockstep", -100)
        # After everything has been put back into the text.
        md.postprocessors.register(After(md, state), "lockstep", 0)


def makeExtension(**options):
    return LockstepExtension(**options)

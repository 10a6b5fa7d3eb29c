"""What the built site holds for machines and for taking away.

* ``data/*.json``: pages, roadmap, benchmarks, microbenchmarks, glossary, mapping, each with a JSON
  schema, and ``data/index.json``, which lists them and says their version;
* beside each page its Markdown and, where it has Python, its script and its notebook;
* in the folder of a page whose kernels run in the browser, ``run.json``: their programs;
* ``llms.txt``, the list of pages, and ``llms-full.txt``, their text.

Nothing here runs code or asks the network; everything comes from docs/, the sources and evidence/.
"""

import doctest
import functools
import html
import io
import json
import posixpath
import re
import tokenize
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from lockstep import (
    figures,
    glossary,
    languages,
    mapping,
    markers,
    quiz,
    roadmap,
    run_here,
    tables,
)
from lockstep.evidence import Evidence
from lockstep.page import Block, Mistake, Page, PageError, read_all

SCHEMAS = Path(__file__).parent / "schemas"
LICENSE = "Text: CC BY 4.0. Code: Apache-2.0."
PYTHON = {"python", "pycon"}
# Of the data files. Raised when a column is renamed, removed or changes its meaning.
VERSION = 1

BENCHMARK = (
    "id title kernel sha256 size dtype ours reference unit ratio spread error"
    " device date fresh history again"
).split()
MICROBENCHMARK = (
    "id title value unit spread method kernel device date fresh terms history again"
).split()

ADMONITION = re.compile(
    r'(?:\?\?\?\+?|!!!|===[!+]?)\s+(?P<kind>[\w -]+?)?\s*(?:"(?P<title>.*)")?\s*$'
)
HEADING = re.compile(r"(?P<level>#{1,6})\s+(?P<text>.*?)\s*#*\s*$")
ATTRIBUTES = re.compile(r'\s*\{:?\s*(?:[.#]|[a-z-]+=")[^{}]*\}')
ROW = re.compile(r"\s*\[[^\[\]]*\]\([^()]*\)\{ \.map__id \}")
RAISED = re.compile(r"\^([^\s^\[\]]+)\^")
TAG = re.compile(r"<[a-z]+\s[^<>]*>")
CLASS = re.compile(r'\s+(?:class|markdown)(?:="[^"]*")?(?=[\s>])')
CHIP = re.compile(r'<span class="chip">(.*?)</span>')
BOX_TAG = re.compile(r"<a\b[^>]*\shidden></a>|</?(?:div|span|figure)\b[^>]*>")
# In the simulator Numba stands on a CPU, and what needs a GPU would stop a script.
ON_GPU = 'ON_GPU = os.environ.get("NUMBA_ENABLE_CUDASIM", "0") == "0"'
NO_CODE = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.ENDMARKER}
# JupyterLab and Colab each have their own word for a cell whose code is folded.
FOLDED = {"jupyter": {"source_hidden": True}, "cellView": "form", "tags": ["solution"]}
LINK = re.compile(r"(?P<open>!?\[[^\[\]]*\]\()(?P<target>[^()\s]+)(?P<close>[^()]*\))")


@dataclass
class Source:
    """What is exported: the pages and evidence, and how the site names itself."""

    root: Path
    pages: list[Page]
    records: Evidence
    name: str = "Lockstep"
    description: str = ""
    url: str = "/"  # of the site's root, with a slash at the end
    draft: bool = False  # say "not measured" where a figure is unknown

    @functools.cached_property
    def glossary(self) -> glossary.Glossary:
        return glossary.Glossary(self.root, self.pages)

    @classmethod
    def of(cls, root: Path, **more) -> "Source":
        return cls(root, read_all(root), Evidence(root), **more)


def address(page: Page) -> str:
    """Return a page's address below the site's root. The root itself is "./"."""
    folder, name = posixpath.split(page.name)
    path = folder if name == "index" else page.name
    return f"{path}/" if path else "./"


def has_python(page: Page) -> bool:
    return any(b.language in PYTHON and "shown" not in b.options for b in page.blocks)


def downloads(page: Page) -> list[dict]:
    """Return what a reader can take away of a page: label, href from the site's root, file name."""
    kinds = [("Markdown", "md")]
    if has_python(page):
        kinds += [("Python script", "py"), ("Notebook", "ipynb")]
    name = posixpath.basename(page.name)
    return [
        {"label": label, "href": f"{page.name}.{suffix}", "download": f"{name}.{suffix}"}
        for label, suffix in kinds
    ]


def write(source: Source, site_dir: Path, only: set[str] | None = None) -> None:
    """Write every file below a built site; or those of ``only`` some pages, for a preview.

    Raises ``PageError`` for a figure that is not there.
    """
    for page in source.pages:
        if only is None or page.path in only:
            _write_page(page, source, site_dir)
    if only is not None:
        return
    index = {"version": VERSION, "url": source.url, "license": LICENSE, "files": []}
    for name, rows in data(source).items():
        places = {"file": f"data/{name}.json", "schema": f"data/schemas/{name}.json"}
        index["files"].append(places | {"rows": len(rows)})
        _write(site_dir / "data" / f"{name}.json", _json(rows))
        schema = (SCHEMAS / f"{name}.json").read_text(encoding="utf-8")
        _write(site_dir / "data" / "schemas" / f"{name}.json", schema)
    _write(site_dir / "data/index.json", _json(index))
    _write(site_dir / "llms.txt", llms(source))
    _write(site_dir / "llms-full.txt", llms_full(source))


def _write_page(page: Page, source: Source, site_dir: Path) -> None:
    _write(site_dir / f"{page.name}.md", markdown(page, source))
    if has_python(page):
        _write(site_dir / f"{page.name}.py", script(page, source))
        _write(site_dir / f"{page.name}.ipynb", _json(notebook(page, source)))
    if programs := run_here.data(page):
        _write(site_dir / address(page) / "run.json", _json(programs))


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _json(data: object) -> str:
    return json.dumps(data, indent=1, ensure_ascii=False) + "\n"


# ---------------------------------------------------------------- data


def data(source: Source) -> dict[str, list[dict]]:
    """Return the rows of each data file, by its name without the suffix."""
    records = source.records
    return {
        "pages": [_page_row(page, records) for page in source.pages],
        "roadmap": _roadmap_rows(source),
        "benchmarks": _rows(records.benchmarks, BENCHMARK),
        "microbenchmarks": _rows(_with_terms(source), MICROBENCHMARK),
        "glossary": glossary.rows(source.glossary, records, address),
        "mapping": mapping.rows(source.root),
        "hardware": tables.rows(source.root),
    }


def _page_row(page: Page, records: Evidence) -> dict:
    blocks = [
        {
            "source": block.path,
            "section": block.section,
            "language": block.language,
            "sha256": block.sha256,
            "proof": proof.level,
            "reason": proof.reason,
        }
        for block, proof in zip(page.blocks, records.proofs(page), strict=True)
    ]
    # Runs of other text under this page's path are told, too: they are not fresh.
    runs = [(run, True) for run in records.runs(page) if page.blocks]
    for record in records.pages.get(page.path, []):
        if record["sha256"] != page.sha256:
            runs += [(run, False) for run in record["runs"]]
    return {
        "url": address(page),
        "title": page.title,
        "kind": page.meta["kind"],
        "roadmap": page.meta.get("roadmap", []),
        "blocks": blocks,
        "runs": [
            {
                "target": run["target"],
                "device": run["device"]["name"],
                "date": run["date"],
                "outcome": run["outcome"],
                "fresh": fresh,
            }
            for run, fresh in runs
        ],
    }


def _roadmap_rows(source: Source) -> list[dict]:
    if not (source.root / roadmap.DATA).is_file():
        return []
    pages = {page.path: page for page in source.pages}
    rows = []
    for item in roadmap.items(source.root):
        page = pages.get(f"docs/{item['page']}")
        row = {key: item[key] for key in ("id", "title", "phase")}
        rows.append(row | {"url": address(page) if page else None, "state": item["state"]})
    return rows


def _with_terms(source: Source) -> dict[str, dict]:
    """Return the microbenchmarks, each with the terms that cite it beside those of its record."""
    cited: dict[str, list[str]] = {}
    for term in sorted(source.glossary.terms.values(), key=lambda term: term.id):
        for row_id in term.measured:
            cited.setdefault(row_id, []).append(term.id)
    return {
        row_id: row | {"terms": list(dict.fromkeys([*row["terms"], *cited.get(row_id, [])]))}
        for row_id, row in source.records.microbenchmarks.items()
    }


def _rows(table: dict[str, dict], columns: list[str]) -> list[dict]:
    started = {"history": [], "again": []}  # what a row of a first run has
    return [
        {c: (started | row)[c] for c in columns}
        | {"device": row["device"]["name"], "unit": row["unit"] or "1"}  # 1: a ratio, an error
        for _, row in sorted(table.items())
    ]


# ---------------------------------------------------------------- text


def _parts(page: Page) -> Iterator[tuple[int, str | Block, str]]:
    """Yield (line of the file, line of prose or block, its indent), in the order of the page."""
    blocks = {block.page_line: block for block in page.blocks}
    lines = enumerate(page.body.splitlines(), start=page.body_line)
    for number, line in lines:
        if block := blocks.get(number):
            yield number, block, line[: len(line) - len(line.lstrip())]
            next(lines), next(lines)  # the include and the end of the fence
        else:
            yield number, line, ""


def _prose(source: Source, number: int, page: Page, line: str) -> str:
    """Put the measured numbers into a line of prose."""

    def figure(match: re.Match) -> str:
        try:
            return figures.text(source.records, match["kind"], match["key"])
        except KeyError as error:
            if source.draft:
                return f"⟨{match['key']}⟩ not measured"
            mend = "correct the key, or measure it on a GPU: make bench"
            raise PageError([Mistake(page.path, number, error.args[0], mend)]) from None

    pieces = figures.outside_code(line)
    return "".join(figures.KEY.sub(figure, p) if is_prose else p for p, is_prose in pieces)


def _told(page: Page, cells: bool = False) -> Iterator[tuple[int, str | Block, str]]:
    """Yield the parts of a page as ``_parts`` does, for a reader who is to think first.

    Hints and solutions are folded, and the answers of all questions stand at the end. With
    ``cells``, code stays outside what is folded: a notebook has it in cells of its own.
    """
    quizzes, exercises = quiz.read(page.body, page.body_line, page.blocks)
    questions = {asked.line: n for n, asked in enumerate(quizzes, start=1)}
    titles = {box.line: "Solution" for exercise in exercises for box in exercise.solutions}
    for hints in (exercise.hints for exercise in exercises):
        titles |= {box.line: f"Hint {n} of {len(hints)}" for n, box in enumerate(hints, start=1)}
    answers: list[tuple[int, str | Block, str]] = []
    parts, at = list(_parts(page)), 0
    while at < len(parts):
        number, part, indent = parts[at]
        at += 1
        if number not in questions and number not in titles:
            yield number, part, indent
            continue
        start = at
        while at < len(parts) and _is_inside(parts[at]):
            at += 1
        inside = [
            (n, p[4:], i) if isinstance(p, str) else (n, p, i[4:]) for n, p, i in parts[start:at]
        ]
        while inside and isinstance(inside[-1][1], str) and not inside[-1][1].strip():
            inside.pop()
        own = quiz.BOX.fullmatch(part)["title"]
        if number in titles:
            title = f"{titles[number]}: {own}" if own else titles[number]
            yield from _folded(html.escape(title), number, inside, cells)
        else:
            place = f"Question {questions[number]} of {len(quizzes)}"
            yield number, f"**{place}.** {own}", ""
            yield number, "", ""
            yield from _asked(place, number, inside, answers)
    if answers:
        line = answers[0][0]
        yield from ((line, text, "") for text in ("", "## Answers"))
        yield from answers


def _is_inside(part: tuple[int, str | Block, str]) -> bool:
    """Whether a part belongs to the box above it."""
    _, what, indent = part
    text = indent if isinstance(what, Block) else what
    return text.startswith("    ") or (isinstance(what, str) and not what.strip())


def _folded(title: str, line: int, inside: list, cells: bool) -> Iterator[tuple]:
    """Yield a hint or a solution in ``details``, which GitHub, Jupyter and Colab fold."""
    opened = False
    for number, part, indent in inside:
        if cells and isinstance(part, Block) and _notebook_codes(part):
            if opened:
                yield number, "</details>", ""
            else:
                yield number, f"*{title}: open the next cell to read it.*", ""
            opened = False
            yield number, part, indent
        elif opened or isinstance(part, Block) or part.strip():
            if not opened:
                head = ("<details>", f"<summary>{title}</summary>", "")
                yield from ((number, text, "") for text in head)
            opened = True
            yield number, part, indent
    if opened:
        yield from ((line, text, "") for text in ("", "</details>"))
    yield line, "", ""


def _asked(place: str, line: int, inside: list, answers: list) -> Iterator[tuple]:
    """Yield the answers of a question to choose from, and put what is said of each elsewhere."""
    rows: list[tuple[str, bool]] = []  # letter, right
    said: list[tuple] = []
    waits = False  # for the explanation of an answer
    for number, part, _ in inside:
        choice = isinstance(part, str) and quiz.ANSWER.fullmatch(f"    {part}")
        if choice:
            letter = chr(ord("A") + len(rows))
            rows.append((letter, choice["mark"] == "x"))
            yield number, f"- {letter}. {choice['text']}", ""
            waits, begun = True, False
        elif isinstance(part, Block):
            said.append((number, part, "  "))
        elif not part.strip():
            begun = True
            if not waits:
                said.append((number, "", ""))
        elif not begun:  # the answer goes on
            yield number, f"  {part.strip()}", ""
        else:
            letter, right = rows[-1]
            verdict = f"- **{letter}** is {'right' if right else 'wrong'}. " if waits else "  "
            said.append((number, verdict + part.removeprefix("    "), ""))
            waits = False
    yield line, "", ""
    while said and said[-1][1] == "":
        said.pop()
    right = "".join(letter for letter, is_right in rows if is_right)
    answers += [(line, "", ""), (line, f"**{place}: {right}**", ""), (line, "", ""), *said]


def _plain(page: Page, source: Source, cells: bool = False) -> Iterator[tuple[str | Block, str]]:
    """Yield the parts of ``_told``, and their indents, in Markdown that needs no MkDocs.

    The titles of admonitions and tabs become bold text, and what is below them moves to the left.
    """
    folder = posixpath.dirname(page.name) or "."
    margins: list[int] = []
    fence = ""  # of code that the page itself holds

    def left(line: str) -> str:
        while margins and line.strip() and len(line) - len(line.lstrip()) < margins[-1]:
            margins.pop()
        return line[margins[-1] :] if margins else line

    for number, part, indent in _told(page, cells):
        if isinstance(part, Block):
            yield part, left(indent + "|")[:-1]
            continue
        generated = markers.render(part, source, folder, plain=True)
        for line in (part if generated is None else generated).split("\n"):
            line = left(line)
            text = line.strip()
            if fence or re.fullmatch(r"`{3,}[^`]*", text):
                fence = "" if text == fence else fence or re.match("`+", text)[0]
                yield line, ""
            elif found := ADMONITION.fullmatch(text):
                title = found["title"] or (found["kind"] or "").capitalize()
                yield _prose(source, number, page, f"**{title}**"), ""
                yield "", ""
                indented = len(line) - len(line.lstrip())
                margins.append((margins[-1] if margins else 0) + indented + 4)
            else:
                yield _prose(source, number, page, _bare(line)), ""


def _bare(line: str) -> str:
    """Return a line of prose without what only this site's Markdown and style sheets know."""

    def bare(text: str) -> str:
        text = CHIP.sub(r"(\1)", ATTRIBUTES.sub("", ROW.sub("", text)))
        text = TAG.sub(lambda tag: CLASS.sub("", tag[0]), BOX_TAG.sub("", text))
        return RAISED.sub(r"<sup>\1</sup>", text)

    pieces = (
        (text, is_prose and not text.startswith("$"))
        for piece, is_prose in figures.outside_code(line)
        for text in (re.split(r"(\$[^$]+\$)", piece) if is_prose else [piece])
    )
    return "".join(bare(text) if is_prose else text for text, is_prose in pieces)


def _fence(block: Block, indent: str = "") -> list[str]:
    marks = "`" * max(3, *(len(run) + 1 for run in re.findall(r"`{3,}", block.text)), 3)
    title = block.options.get("title") or block.options.get("file")
    language = "text" if block.language == "output" else block.language
    opening = f'{marks}{language} title="{title}"' if title else f"{marks}{language}"
    return [indent + line if line else "" for line in (opening, *block.text.split("\n"), marks)]


def markdown(page: Page, source: Source) -> str:
    """Return a page as Markdown with every block and figure in place."""
    lines = ["---"]
    for key in ("title", "description"):
        lines.append(f"{key}: {json.dumps(page.meta[key], ensure_ascii=False)}")
    lines += [f"url: {source.url}{address(page).removeprefix('./')}", "---"]
    for part, indent in _plain(page, source):
        if isinstance(part, Block):
            lines += _fence(part, indent)
        elif part.strip() or lines[-1]:  # one blank line is enough
            lines.append(part)
    if term := source.glossary.of(page):
        lines += glossary.markdown(term, source.glossary)
    return "\n".join(lines).rstrip() + "\n"


# ---------------------------------------------------------------- script


def _comment(text: str, mark: str = "") -> str:
    return "\n".join(f"# {mark}{line}".rstrip() for line in text.split("\n"))


def _examples(block: Block) -> list[doctest.Example]:
    return doctest.DocTestParser().get_examples(block.text)


def _literal(text: str) -> str:
    """Return a text as Python source, raw where that is possible."""
    if '"""' in text or text.endswith(('"', "\\")) or "\r" in text:
        return repr(text)
    return f'r"""{text}"""'


def script(page: Page, source: Source, skip: set[int] | frozenset[int] = frozenset()) -> str:
    """Return the Python of a page, in order, as one script. ``skip``: blocks to leave out."""
    needs_gpu = languages.gpu_only(page, languages.SIMULATOR_LACKS)
    parts = [
        "\n".join(
            [
                f"# {page.title}",
                f"# {source.url}{address(page).removeprefix('./')}",
                f"# {LICENSE}",
                *_needs(page, len(needs_gpu)),
            ]
        )
    ]
    guarded = needs_gpu if _also_simulated(page, needs_gpu) else {}
    files = any("file" in block.options and block.runs for block in page.blocks)
    imports = ["import os"] * bool(guarded) + ["from pathlib import Path"] * files
    parts.append("\n".join(imports))
    parts.append(ON_GPU if guarded else "")
    solutions = _solutions(page)
    headings: dict[int, str] = {}  # those that no block has followed yet, by level
    for _, part, _ in _parts(page):
        if not isinstance(part, Block):
            if heading := HEADING.match(part):
                level = len(heading["level"])
                text = ATTRIBUTES.sub("", heading["text"])
                headings = {n: h for n, h in headings.items() if n < level}
                if level > 1:  # the title stands above
                    headings[level] = f"# {heading['level']} {text}"
        elif part.index not in skip:
            text = _script_block(part)
            if part.index in guarded:
                text = _guarded(text, guarded[part.index])
            if part.index in solutions:
                text = f"# (the solution)\n{text}"
            parts += [*headings.values(), text]
            headings = {}
    return "\n\n".join(part for part in parts if part) + "\n"


def _also_simulated(page: Page, needs_gpu: dict[int, str]) -> bool:
    """Whether some of a page's blocks run in Numba's simulator, and some do not."""
    total = sum(block.runs for block in page.blocks)
    return "cupy" not in languages.targets(page) and 0 < len(needs_gpu) < total


def _solutions(page: Page) -> set[int]:
    """Return the blocks of a page that solve its exercises."""
    _, exercises = quiz.read(page.body, page.body_line, page.blocks)
    boxes = [box for exercise in exercises for box in exercise.solutions]
    return {b.index for b in page.blocks for x in boxes if x.line <= b.page_line <= x.end}


def _guarded(text: str, reason: str) -> str:
    """Return code that runs on a GPU alone, and says elsewhere why it did not."""
    tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    if all(t.type in NO_CODE for t in tokens):
        return text
    inside: set[int] = set()  # lines that go on with a string: more spaces would change it
    for token in tokens:
        if token.type not in NO_CODE and "STRING" in tokenize.tok_name[token.type]:
            inside.update(range(token.start[0] + 1, token.end[0] + 1))
    lines = enumerate(text.split("\n"), start=1)
    body = "\n".join(f"    {line}" if line and n not in inside else line for n, line in lines)
    why = f"Not run without a GPU: {reason.partition(':')[0]}."
    return f'if ON_GPU:\n{body}\nelse:\n    print("{why}")'


def _needs(page: Page, needs_gpu: int, cells: bool = False) -> list[str]:
    """Say what a script, or a notebook, needs to run."""
    wanted = languages.targets(page)
    if wanted == ("cpu",):
        return []
    gpus = page.meta.get("gpus", 1)
    lines = ["#", f"# Needs {'an NVIDIA GPU' if gpus == 1 else f'{gpus} NVIDIA GPUs'}."]
    total = sum(block.runs for block in page.blocks)
    if "cupy" in wanted or needs_gpu == total:
        return lines
    start = "set NUMBA_ENABLE_CUDASIM=1" + (" before the first cell" if cells else "")
    if not needs_gpu:
        return [*lines, f"# Without one it runs in Numba's simulator: {start}."]
    those = "The cells of the others are marked." if cells else "The others say that they did not."
    lines.append(f"# {total - needs_gpu} of its {total} blocks also run in Numba's simulator,")
    return [*lines, f"# on any computer: {start}. {those}"]


def _script_block(block: Block) -> str:
    if "shown" in block.options:
        return f"# (shown only: {block.options['shown']})\n{_comment(block.text, '  ')}"
    if block.language == "output":
        return f"# It printed, on the machine of the record:\n{_comment(block.text, '  ')}"
    if name := block.options.get("file"):
        return f'Path({name!r}).write_text({_literal(block.text + chr(10))}, encoding="utf-8")'
    if block.language == "python":
        return block.text
    if block.language == "pycon":
        lines = []
        for example in _examples(block):
            lines.append(example.source.rstrip("\n"))
            if example.want:
                lines.append(_comment(example.want.rstrip("\n")))
        return "\n".join(lines)
    return _comment(block.text, "$ ")


# ---------------------------------------------------------------- notebook


def notebook(page: Page, source: Source) -> dict:
    """Return a page as a notebook (nbformat 4.5): prose, code, and files by %%writefile.

    What a cell printed when the page ran on a GPU is its output there.
    """
    cells: list[dict] = []
    prose: list[str] = []

    def add(kind: str, text: str, metadata: dict | None = None) -> None:
        cell = {"cell_type": kind, "id": f"cell-{len(cells)}", "metadata": metadata or {}}
        cell["source"] = text.splitlines(keepends=True)
        if kind == "code":
            cell |= {"execution_count": None, "outputs": []}
        cells.append(cell)

    def flush() -> None:
        text = "\n".join(prose).strip("\n")
        if text:
            add("markdown", text)
        prose.clear()

    needs_gpu = languages.gpu_only(page, languages.SIMULATOR_LACKS)
    needs = [line.removeprefix("#").strip() for line in _needs(page, len(needs_gpu), cells=True)]
    url = source.url + address(page).removeprefix("./")
    add("markdown", " ".join([f"From [{page.title}]({url}). {LICENSE}", *needs]).replace("  ", " "))
    marked = needs_gpu if _also_simulated(page, needs_gpu) else {}
    solutions = _solutions(page)
    proofs = source.records.proofs(page)
    absolute = _absolute_links(page, source)
    for part, _ in _plain(page, source, cells=True):
        if not isinstance(part, Block):
            prose.append(absolute(part))
            continue
        codes = _notebook_codes(part)
        if not codes:
            if _printed(part, cells, prose, proofs):
                text = f"{part.text}\n".splitlines(keepends=True)
                stream = {"output_type": "stream", "name": "stdout", "text": text}
                cells[-1]["outputs"] = [stream]
                prose.clear()
            else:
                prose.extend(_fence(part))
            continue
        if part.index in marked:
            prose.extend(["", f"*GPU only: {marked[part.index]}.*"])
        flush()
        for code in codes:
            add("code", code, FOLDED if part.index in solutions else None)
    flush()
    return {
        "cells": cells,
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def _printed(block: Block, cells: list[dict], prose: list[str], proofs: list) -> bool:
    """Whether a block is what the last code cell printed on a GPU, by the record of the run."""
    recorded = block.language == "output" and proofs[block.index].level == "gpu"
    return recorded and not "".join(prose).strip() and cells[-1]["cell_type"] == "code"


def _notebook_codes(block: Block) -> list[str]:
    """Return the code cells of a block; none for what is only read."""
    if "shown" in block.options or block.language == "output":
        return []
    if name := block.options.get("file"):
        return [f"%%writefile {name}\n{block.text}"]
    if block.language == "python":
        return [block.text]
    if block.language == "pycon":  # a cell prints its last value, so each value ends a cell
        codes, lines = [], []
        for example in _examples(block):
            lines.append(example.source.rstrip("\n"))
            if example.want:
                codes.append("\n".join(lines))
                lines = []
        return codes + (["\n".join(lines)] if lines else [])
    return [f"%%bash\n{block.text}"]


def _absolute_links(page: Page, source: Source) -> Callable[[str], str]:
    """Return a function that points the links of a line at the site: a notebook travels alone."""
    pages = {other.path: other for other in source.pages}

    def target(link: re.Match) -> str:
        path, _, anchor = link["target"].partition("#")
        if anchor == "only-dark":
            return ""
        if re.match(r"[a-z][a-z0-9+.-]*:", path) or path.startswith("/"):
            return link[0]
        anchor = "" if not anchor or anchor.startswith("only-") else f"#{anchor}"
        place = posixpath.normpath(posixpath.join(posixpath.dirname(page.path), path))
        other = page if not path else pages.get(place)
        below = address(other).removeprefix("./") if other else place.removeprefix("docs/")
        return f"{link['open']}{source.url}{below}{anchor}{link['close']}"

    def absolute(line: str) -> str:
        pieces = figures.outside_code(line)
        return "".join(LINK.sub(target, p) if is_prose else p for p, is_prose in pieces)

    return absolute


# ---------------------------------------------------------------- llms.txt


def llms(source: Source) -> str:
    """Return llms.txt (https://llmstxt.org): the pages by section, each with its description."""
    titles = {page.name: page.title for page in source.pages}
    sections: dict[str, list[Page]] = {}
    for page in sorted(source.pages, key=lambda page: "/" in page.name):
        top, slash, _ = page.name.partition("/")
        name = titles.get(f"{top}/index", top.capitalize()) if slash else source.name
        sections.setdefault(name, []).append(page)
    lines = [f"# {source.name}", "", f"> {source.description}", ""]
    lines.append(f"All pages in one file: [llms-full.txt]({source.url}llms-full.txt)")
    for name, pages in sections.items():
        lines += ["", f"## {name}", ""]
        for page in sorted(pages, key=_reading_order):
            link = f"{source.url}{page.name}.md"
            lines.append(f"- [{page.title}]({link}): {page.meta['description']}")
    return "\n".join(lines) + "\n"


def llms_full(source: Source) -> str:
    """Return the Markdown of every page, one after the other."""
    pages = sorted(source.pages, key=_reading_order)
    return "\n".join(markdown(page, source) for page in pages)


def _reading_order(page: Page) -> list[tuple[bool, str]]:
    """Sort a folder's index before the other pages of the folder."""
    return [(part != "index", part) for part in page.name.split("/")]

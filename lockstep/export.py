"""What the built site holds for machines and for taking away.

* ``data/*.json``: pages, benchmarks, microbenchmarks and what the project's parts add, each with a
  JSON schema, and ``data/index.json``, which lists them and says their version;
* beside each page its Markdown and, where it has Python, its script and its notebook;
* ``llms.txt``, the list of pages, and ``llms-full.txt``, their text.

Nothing here runs code or asks the network; it is all made of the pages, the sources and evidence/.
"""

import ast
import doctest
import functools
import io
import json
import posixpath
import re
import tokenize
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lockstep import bound, figures, markers, numbers, project, records, replayed, stamps
from lockstep.block import RECORDED, Block, Page
from lockstep.evidence import Evidence
from lockstep.evidence.records import FIGURES
from lockstep.mistakes import Mistake, PageError
from lockstep.page import read_all
from lockstep.parts import Guard, Part

SCHEMAS = Path(__file__).parent / "schemas"
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
# Columns of the rows that have them: of a benchmark that counts bytes, of the least of several.
MORE = "copy_share", "mean"

ADMONITION = re.compile(
    r'(?:\?\?\?\+?|!!!|===[!+]?)\s+(?P<kind>[\w -]+?)?\s*(?:"(?P<title>.*)")?\s*$'
)
HEADING = re.compile(r"(?P<level>#{1,6})\s+(?P<text>.*?)\s*#*\s*$")
ATTRIBUTES = re.compile(r'\s*\{:?\s*(?:[.#]|[a-z-]+=")[^{}]*\}')
RAISED = re.compile(r"\^([^\s^\[\]]+)\^")
TAG = re.compile(r"<[a-z]+\s[^<>]*>")
CLASS = re.compile(r'\s+(?:class|markdown)(?:="[^"]*")?(?=[\s>])')
BOX_TAG = re.compile(r"<a\b[^>]*\shidden></a>|</?(?:div|span|figure)\b[^>]*>")
NO_CODE = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.ENDMARKER}
# JupyterLab and Colab each have their own word for a cell whose code is folded.
FOLDED = {"jupyter": {"source_hidden": True}, "cellView": "form", "tags": ["solution"]}
LINK = re.compile(r"(?P<open>!?\[[^\[\]]*\]\()(?P<target>[^()\s]+)(?P<close>[^()]*\))")


@dataclass(eq=False)  # one is itself alone, so that what was found out of it can be kept
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
    def parts(self) -> dict[str, Any]:
        """What each of the project's parts knows of all pages, by its name."""
        ours = project.of(self.root)
        return {part.name: part.state(self.root, self.pages) for part in ours.parts}

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
    rows = [
        {"label": label, "href": f"{page.name}.{suffix}", "download": f"{name}.{suffix}"}
        for label, suffix in kinds
    ]
    for part in project.of(page.root).parts:
        for file, label in part.downloads(page).items():
            rows.append({"label": label, "href": f"{address(page)}{file}", "download": file})
    return rows


def write(source: Source, site_dir: Path, only: set[str] | None = None) -> None:
    """Write every file below a built site; or those of ``only`` some pages, for a preview.

    Raises ``PageError`` for a figure that is not there.
    """
    told = {
        page.name: _write_page(page, source, site_dir)
        for page in source.pages
        if only is None or page.path in only
    }
    if only is not None:
        return
    ours = project.of(source.root)
    index: dict[str, Any] = {
        "version": VERSION,
        "url": source.url,
        "license": ours.license,
        "files": [],
    }
    for name, rows in data(source).items():
        places = {"file": f"data/{name}.json", "schema": f"data/schemas/{name}.json"}
        index["files"].append(places | {"rows": len(rows)})
        _write(site_dir / "data" / f"{name}.json", _json(rows))
        _write(site_dir / places["schema"], _json(schema(source.root, name)))
    _write(site_dir / "data/index.json", _json(index))
    _write(site_dir / "llms.txt", llms(source))
    _write(site_dir / "llms-full.txt", llms_full(source, told))


def schema(root: Path, name: str) -> dict:
    """Return the JSON schema of a data file, with this project's kinds, levels and targets."""
    ours = project.of(root)
    folders = [SCHEMAS, *(part.schemas for part in ours.parts if part.schemas)]
    file = next(at for folder in folders if (at := folder / f"{name}.json").is_file())
    found = json.loads(file.read_text(encoding="utf-8"))
    if name == "pages":
        page = found["items"]["properties"]
        page["kind"]["enum"] = list(ours.kinds)
        page["blocks"]["items"]["properties"]["proof"]["enum"] = list(ours.levels)
        also = page["blocks"]["items"]["properties"]["also"]
        also["items"]["enum"] = list(ours.beside)
        page["runs"]["items"]["properties"]["target"]["enum"] = list(ours.targets)
    return found


def _write_page(page: Page, source: Source, site_dir: Path) -> str:
    """Write the files of one page, and return its Markdown."""
    told = markdown(page, source)
    _write(site_dir / f"{page.name}.md", told)
    if has_python(page):
        _write(site_dir / f"{page.name}.py", script(page, source))
        write_notebook(page, source, site_dir)
    if page.blocks:
        hashes = [block.sha256 for block in page.blocks]
        _write(site_dir / address(page) / records.HASHES, _json(hashes))
    for part in project.of(page.root).parts:
        for name, data in part.files(page).items():
            _write(site_dir / address(page) / name, _json(data))
    return told


def write_notebook(page: Page, source: Source, site_dir: Path) -> None:
    _write(site_dir / f"{page.name}.ipynb", _json(notebook(page, source)))


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _json(data: object) -> str:
    return json.dumps(data, indent=1, ensure_ascii=False) + "\n"


# ---------------------------------------------------------------- data


def data(source: Source) -> dict[str, list[dict]]:
    """Return the rows of each data file, by its name without the suffix."""
    records = source.records
    rows = {
        "pages": [_page_row(page, source) for page in source.pages],
        "benchmarks": _rows(records.benchmarks, BENCHMARK, records),
        "microbenchmarks": _rows(_with_terms(source), MICROBENCHMARK, records),
    }
    for part in project.of(source.root).parts:
        rows |= part.data(source)
    return rows


def _page_row(page: Page, source: Source) -> dict:
    records = source.records
    also = stamps.beside(page, records)
    blocks = [
        {
            "source": block.path,
            "section": block.section,
            "language": block.language,
            "sha256": block.sha256,
            "proof": proof.level,
            "reason": proof.reason,
            "also": [mark for mark, _ in also.get(block.index, ())],
        }
        for block, proof in zip(page.blocks, records.proofs(page), strict=True)
    ]
    # Runs of other text under this page's path are told, too: they are not fresh.
    runs = [(run, True) for run in records.runs(page) if page.blocks]
    for record in records.pages.get(page.path, []):
        if record["sha256"] != page.sha256:
            runs += [(run, False) for run in record["runs"]]
    more: dict[str, Any] = {}
    for part in project.of(source.root).parts:
        more |= part.row(page, source)
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
        **more,
    }


def _with_terms(source: Source) -> dict[str, dict]:
    """Return the microbenchmarks, each with the terms that cite it beside those of its record."""
    cited: dict[str, list[str]] = {}
    for part in project.of(source.root).parts:
        for row_id, name in part.cited(source):
            cited.setdefault(row_id, []).append(name)
    return {
        row_id: row | {"terms": list(dict.fromkeys([*row["terms"], *cited.get(row_id, [])]))}
        for row_id, row in source.records.microbenchmarks.items()
    }


def _rows(table: dict[str, dict], columns: list[str], records: Evidence) -> list[dict]:
    started: dict[str, list] = {"history": [], "again": []}  # what a row of a first run has

    def others(row: dict) -> dict:
        """What other devices measured of the same, where some did."""
        columns = ("ours", "reference", "value", "date", "fresh")
        found = [
            {c: r[c] for c in columns if c in r}
            | {"device": r["device"]["name"], "unit": r["unit"] or "1"}
            for r in records.elsewhere.get(row["id"], ())
            if ("ours" in r) == ("ours" in row)
        ]
        return {"others": found} if found else {}

    return [
        {c: (started | row)[c] for c in columns}
        # Pages load this; the code of each point stands in the repository.
        | {"history": [{k: p[k] for k in ("date", *FIGURES) if k in p} for p in points]}
        | {c: row[c] for c in MORE if c in row}
        | others(row)
        | {"device": row["device"]["name"], "unit": row["unit"] or "1"}  # 1: a ratio, an error
        for _, row in sorted(table.items())
        for points in [row.get("history", [])]
    ]


# ---------------------------------------------------------------- text


def parts(page: Page) -> Iterator[tuple[int, str | Block, str]]:
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
    usual, says = figures.usual(source.records, page.body)

    def figure(match: re.Match) -> str:
        try:
            return figures.text(source.records, match["kind"], match["key"], usual)
        except KeyError:
            if source.draft:
                return f"⟨{match['key']}⟩ not measured"
            raise

    def plain(piece: str) -> str:
        piece = bound.plain(source.records, piece, usual, source.draft)
        return figures.KEY.sub(figure, numbers.unmarked(piece))

    pieces = figures.outside_code(line)
    try:
        told = "".join(plain(piece) if is_prose else piece for piece, is_prose in pieces)
    except (KeyError, bound.Uncomputed) as error:
        mend = f"correct the key, or {project.of(source.root).measure}"
        raise PageError([Mistake(page.path, number, error.args[0], mend)]) from None
    return f"{told}\n\n{says}" if says and line.startswith("# ") else told


def _plain(page: Page, source: Source, cells: bool = False) -> Iterator[tuple[str | Block, str]]:
    """Yield a page as a download tells it, and the indents, in Markdown that needs no MkDocs.

    The titles of admonitions and tabs become bold text, and what is below them moves to the left.
    """
    folder = posixpath.dirname(page.name) or "."
    margins: list[int] = []
    fence = ""  # of code that the page itself holds

    def left(line: str) -> str:
        while margins and line.strip() and len(line) - len(line.lstrip()) < margins[-1]:
            margins.pop()
        return line[margins[-1] :] if margins else line

    told: Any = parts(page)
    ours = project.of(page.root).parts
    for adds in ours:
        told = adds.told(told, page, cells)
    for number, part, indent in told:
        if isinstance(part, Block):
            yield part, left(indent + "|")[:-1]
            continue
        generated = markers.render(part, source, folder, plain=True)
        for line in (part if generated is None else generated).split("\n"):
            line = left(line)
            text = line.strip()
            if fence or re.fullmatch(r"`{3,}[^`]*", text):
                marks = text[: len(text) - len(text.lstrip("`"))]
                fence = "" if text == fence else fence or marks
                yield line, ""
            elif found := ADMONITION.fullmatch(text):
                title = found["title"] or (found["kind"] or "").capitalize()
                yield _prose(source, number, page, bare_line(f"**{title}**", ours)), ""
                yield "", ""
                indented = len(line) - len(line.lstrip())
                margins.append((margins[-1] if margins else 0) + indented + 4)
            else:
                yield _prose(source, number, page, bare_line(line, ours)), ""


def bare_line(line: str, ours: Sequence[Part]) -> str:
    """Return a line of prose without what only a site's Markdown and style sheets know.

    ``ours`` are the project's parts.
    """

    def bare(text: str) -> str:
        for part in ours:
            text = part.bare(text)
        text = ATTRIBUTES.sub("", text)
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
    language = "text" if block.language in RECORDED else block.language
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
    for adds in project.of(page.root).parts:
        lines += adds.after(page, source)
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
    license = project.of(page.root).license
    head = [f"# {page.title}", f"# {source.url}{address(page).removeprefix('./')}"]
    lines = ["\n".join([*head, *[f"# {license}"] * bool(license), *_needs(page)])]
    guard = _guard(page)
    files = any("file" in block.options and block.runs for block in page.blocks)
    imports = [*guard.imports, *["from pathlib import Path"] * files]
    lines.append("\n".join(imports))
    lines.append(guard.setup)
    shown = [b for b in page.blocks if b.language == "pycon" and "shown" not in b.options]
    compares = any(e.want for b in shown if b.index not in skip for e in _examples(b))
    if compares:
        lines.append(replayed.source())
    solutions = _solutions(page)
    headings: dict[int, str] = {}  # those that no block has followed yet, by level
    for _, part, _ in parts(page):
        if not isinstance(part, Block):
            if heading := HEADING.match(part):
                level = len(heading["level"])
                text = ATTRIBUTES.sub("", heading["text"])
                headings = {n: h for n, h in headings.items() if n < level}
                if level > 1:  # the title stands above
                    headings[level] = f"# {heading['level']} {text}"
        elif part.index not in skip:
            text = _script_block(part)
            if part.index in guard.reasons:
                text = guarded(text, guard, guard.reasons[part.index])
            if part.index in solutions:
                text = f"# (the solution)\n{text}"
            lines += [*headings.values(), text]
            headings = {}
    if compares:
        lines.append("end_of_record()")
    return "\n\n".join(line for line in lines if line) + "\n"


def _guard(page: Page) -> Guard:
    """Return which blocks of a page run on some machines alone."""
    guards = (part.guard(page) for part in project.of(page.root).parts)
    return next((guard for guard in guards if guard), Guard())


def _needs(page: Page, cells: bool = False) -> list[str]:
    """Say what a script, or a notebook, needs to run: lines of comment."""
    return [line for part in project.of(page.root).parts for line in part.needs(page, cells)]


def _solutions(page: Page) -> set[int]:
    """Return the blocks of a page that a download folds."""
    return {index for part in project.of(page.root).parts for index in part.folded(page)}


def guarded(text: str, guard: Guard, reason: str) -> str:
    """Return code that runs where its guard holds, and says elsewhere why it did not."""
    tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    if all(t.type in NO_CODE for t in tokens):
        return text
    why = f"{guard.says}: {reason.partition(':')[0]}."
    return f'if {guard.condition}:\n{_indented(text)}\nelse:\n    print("{why}")'


def _indented(text: str) -> str:
    """Return code one level deeper."""
    inside: set[int] = set()  # lines that go on with a string: more spaces would change it
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in NO_CODE and "STRING" in tokenize.tok_name[token.type]:
            inside.update(range(token.start[0] + 1, token.end[0] + 1))
    lines = enumerate(text.split("\n"), start=1)
    return "\n".join(f"    {line}" if line and n not in inside else line for n, line in lines)


def _script_block(block: Block) -> str:
    if "shown" in block.options:
        return f"# (shown only: {block.options['shown']})\n{_comment(block.text, '  ')}"
    if block.language in RECORDED:
        return f"# It printed, on the machine of the record:\n{_comment(block.text, '  ')}"
    if name := block.options.get("file"):
        return f'Path({name!r}).write_text({_literal(block.text + chr(10))}, encoding="utf-8")'
    if block.language == "python":
        return block.text
    if block.language == "pycon":
        return "\n".join(map(_compared, _examples(block)))
    return _comment(block.text, "$ ")


def _compared(example: doctest.Example) -> str:
    """Return an example as code that prints its result and compares it: ``lockstep.replayed``."""
    code, want = example.source.rstrip("\n"), example.want.rstrip("\n")
    if not want:
        return code
    body = ast.parse(code).body
    if len(body) == 1 and isinstance(body[0], ast.Expr) and not _prints(body[0].value):
        code = _value_shown(code, body[0].value)
    if example.exc_msg:
        said = _quoted(example.exc_msg.rstrip("\n"))
        return f"with error_as_recorded({said}):\n{_indented(code)}"
    return f"with as_recorded({_quoted(want)}):\n{_indented(code)}"


def _prints(value: ast.expr) -> bool:
    """Return whether an expression is a call of ``print``."""
    name = value.func if isinstance(value, ast.Call) else None
    return isinstance(name, ast.Name) and name.id == "print"


def _value_shown(code: str, value: ast.expr) -> str:
    """Return code that shows an expression's value; a comment behind it stays there."""
    lines = code.encode().splitlines(keepends=True)  # Python counts columns in bytes
    end = sum(map(len, lines[: (value.end_lineno or 1) - 1])) + (value.end_col_offset or 0)
    text, rest = code.encode()[:end].decode(), code.encode()[end:].decode()
    while rest.startswith(")"):  # of an expression in parentheses
        text, rest = text + ")", rest[1:]
    bare = isinstance(value, ast.Tuple) and not text.startswith("(")
    return f"show_value({f'({text})' if bare else text}){rest}"


def _quoted(text: str) -> str:
    plain = "\n" not in text and '"' not in text and "\\" not in text
    return f'"{text}"' if plain else _literal(text)


# ---------------------------------------------------------------- notebook


def notebook(page: Page, source: Source) -> dict:
    """Return a page as a notebook (nbformat 4.5): prose, code, and files by %%writefile.

    What a cell printed when the page ran is its output there.
    """
    cells: list[dict] = []
    prose: list[str] = []

    def add(kind: str, text: str, metadata: dict | None = None) -> None:
        cell: dict[str, Any] = {
            "cell_type": kind,
            "id": f"cell-{len(cells)}",
            "metadata": metadata or {},
        }
        cell["source"] = text.splitlines(keepends=True)
        if kind == "code":
            cell |= {"execution_count": None, "outputs": []}
        cells.append(cell)

    def flush() -> None:
        text = "\n".join(prose).strip("\n")
        if text:
            add("markdown", text)
        prose.clear()

    needs = [line.removeprefix("#").strip() for line in _needs(page, cells=True)]
    url, license = source.url + address(page).removeprefix("./"), project.of(page.root).license
    add("markdown", " ".join([f"From [{page.title}]({url}). {license}", *needs]).replace("  ", " "))
    guard = _guard(page)
    solutions = _solutions(page)
    proofs = source.records.proofs(page)
    absolute = _absolute_links(page, source)
    for part, _ in _plain(page, source, cells=True):
        if not isinstance(part, Block):
            prose.append(absolute(part))
            continue
        codes = notebook_codes(part)
        if not codes:
            if _printed(part, cells, prose, proofs):
                text = f"{part.text}\n".splitlines(keepends=True)
                stream = {"output_type": "stream", "name": "stdout", "text": text}
                cells[-1]["outputs"] = [stream]
                prose.clear()
            else:
                prose.extend(_fence(part))
            continue
        if part.index in guard.reasons:
            prose.extend(["", f"*{guard.mark}: {guard.reasons[part.index]}.*"])
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
    """Whether a block is what the last code cell printed, by the record of a run."""
    recorded = block.language in RECORDED and bool(proofs[block.index].runs)
    return recorded and not "".join(prose).strip() and cells[-1]["cell_type"] == "code"


def notebook_codes(block: Block) -> list[str]:
    """Return the code cells of a block; none for what is only read."""
    if "shown" in block.options or block.language in RECORDED:
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
        below = address(other).removeprefix("./") if other else place.removeprefix(f"{page.docs}/")
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


def llms_full(source: Source, told: dict[str, str] | None = None) -> str:
    """Return the Markdown of every page, one after the other; ``told`` has it already, by name."""
    pages = sorted(source.pages, key=_reading_order)
    return "\n".join(told[page.name] if told else markdown(page, source) for page in pages)


def _reading_order(page: Page) -> list[tuple[bool, str]]:
    """Sort a folder's index before the other pages of the folder."""
    return [(part != "index", part) for part in page.name.split("/")]

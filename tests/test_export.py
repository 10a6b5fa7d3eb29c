"""What the site holds for machines and for taking away: checked against schemas, and run."""

import ast
import json
import os
import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import jsonschema
import nbformat
import pytest

from lockstep import evidence, export, project, replayed
from lockstep.figures import outside_code
from lockstep.page import digest, find_root, read
from lockstep.parts import Guard
from lockstep_site import lesson, roadmap
from lockstep_site.gpu.part import ON_GPU
from tests.houses import settle

ROOT = find_root(Path(__file__).parent)
FILES = (
    *("pages", "roadmap", "benchmarks", "microbenchmarks"),
    *("glossary", "mapping", "hardware", "library", "webgpu"),
)
DEVICE = {"name": "NVIDIA H200", "count": 1}
MACHINE = {"device": DEVICE, "packages": {}, "python": "3.12.3", "date": "2026-11-20"}
URL = "https://example.org/learn/"


def schema(name: str) -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator(export.schema(ROOT, name))


def complaints(name: str, rows: list[dict]) -> list[str]:
    return [f"{error.json_path}: {error.message}" for error in schema(name).iter_errors(rows)]


@pytest.fixture(scope="module")
def real():
    """This repository, as it is. Figures that no GPU run has measured yet are no mistake here."""
    return export.Source.of(ROOT, url=URL, draft=True)


@pytest.fixture
def tiny(tmp_path):
    """One page with everything a page may hold, a run of it, an older run, and figures."""

    def put(path, text):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")

    settle(tmp_path)
    put("snippets/load.py", 'with open("data.txt") as file:\n    text = file.read()\n')
    put("snippets/data.txt", 'a "quoted" \\ line\nand """three"""\n')
    put("snippets/say.txt", ">>> n = len(text)\n>>> n\n34\n>>> print(n + 1)\n35\n")
    put("snippets/list.sh", "ls\n")
    put("snippets/install.sh", "pip install x\n")
    put("snippets/output/lessons/first/out.txt", "data.txt\n")
    head = "---\ntitle: {}\ndescription: About it.\nkind: lesson\n---\n\n# {}\n\n"
    put("docs/index.md", head.format("Home", "Home") + "See [the first](lessons/first.md).\n")
    put("docs/lessons/index.md", head.format("Lessons", "Lessons") + "[[evidence:summary]]\n")
    body = """## Load it { #load }

It took [[micro:launch]], and `[[micro:launch]]` is a key. See [home](../index.md#top),
[above](#load) and ![a picture](../assets/a-light.svg#only-light)
![a picture](../assets/a-dark.svg#only-dark)

```text file="data.txt"
--8<-- "snippets/data.txt"
```

```python
--8<-- "snippets/load.py"
```

## Nothing to run

??? tip "A hint"
    Indented prose.

    ```pycon title="In a hint"
    --8<-- "snippets/say.txt"
    ```

    More of it.

Not indented.

```bash run="cpu"
--8<-- "snippets/list.sh"
```

```output
--8<-- "snippets/output/lessons/first/out.txt"
```

```bash shown="it installs"
--8<-- "snippets/install.sh"
```

??? hint
    Think of [[micro:launch]].

??? hint "Look back"
    At `n`.

??? solution
    ```pycon
    --8<-- "snippets/solved.txt"
    ```

    It is one less.

??? quiz "What is `n`?"
    - [ ] 35

        One too many.

    - [x] 34,
      as it says

        So it printed.

        Twice.

## Sources
"""
    put("snippets/solved.txt", ">>> n - 1\n33\n")
    put("docs/lessons/first.md", head.format("First", "First") + body)
    page = read(tmp_path / "docs/lessons/first.md", tmp_path)
    blocks = [
        {"outcome": "passed", "language": block.language, "sha256": block.sha256}
        for block in page.blocks
    ]
    run = MACHINE | {"target": "cpu", "outcome": "passed", "blocks": blocks}
    new = {"schema": 1, "page": page.path, "sha256": page.sha256, "runs": [run]}
    old = run | {"device": {"name": "Old", "count": 1}}
    old = new | {"sha256": digest("other"), "runs": [old]}
    evidence.write(tmp_path / "evidence/nvidia-h200/pages/lessons/first.json", new)
    evidence.write(tmp_path / "evidence/old/pages/lessons/first.json", old)
    record = MACHINE | {"schema": 1, "script": "benchmarks/x.py"}
    put("benchmarks/x.py", "it measures\n")
    measured = ("snippets/load.py", "benchmarks/x.py")
    record["sources"] = {path: digest((tmp_path / path).read_text()) for path in measured}
    row = {"id": "launch", "title": "A launch", "unit": "us", "spread": 0.01, "repeats": 25}
    row |= {"kernel": "snippets/load.py", "sha256": record["sources"]["snippets/load.py"]}
    micro = row | {"value": 8.61, "method": "events", "terms": [], "mean": 9.0}
    bench = row | {"size": 7, "dtype": "float32", "ours": 2.0, "reference": 1.0, "ratio": 0.5}
    bench |= {"error": 0.0, "reference_name": "a copy", "us": 2.0}
    bench |= {"bytes": 8, "gbps": 0.004, "copy_gbps": 0.016, "copy_share": 0.25}
    folder = tmp_path / "evidence/nvidia-h200"
    evidence.write(folder / "microbenchmarks/x.json", record | {"rows": [micro]})
    evidence.write(folder / "benchmarks/x.json", record | {"rows": [bench]})
    return export.Source.of(tmp_path, name="Tiny", description="A site.", url=URL)


@pytest.fixture
def first(tiny):
    return next(page for page in tiny.pages if page.name == "lessons/first")


# ---------------------------------------------------------------- data


@pytest.mark.parametrize("name", FILES)
def test_a_schema_is_a_schema(name):
    jsonschema.Draft202012Validator.check_schema(schema(name).schema)


@pytest.mark.parametrize("name", FILES)
def test_the_data_of_this_repository_fits_its_schema(name, real):
    rows = export.data(real)[name]
    assert complaints(name, json.loads(json.dumps(rows))) == []


def test_a_microbenchmark_names_the_terms_that_cite_it(real):
    data = export.data(real)
    named = {row["id"]: row["terms"] for row in data["microbenchmarks"]}
    cited = [(i, term["id"]) for term in data["glossary"] for i in term["measured"] if i in named]
    assert cited and [(i, term) for i, term in cited if term not in named[i]] == []


def test_the_data_holds_every_page_and_every_block(real):
    rows = export.data(real)["pages"]
    assert len(rows) == len({row["url"] for row in rows}) == len(real.pages)
    for page, row in zip(real.pages, rows, strict=True):
        assert [b["sha256"] for b in row["blocks"]] == [b.sha256 for b in page.blocks]
    claimed = {ident for page in real.pages for ident in page.meta.get("roadmap", [])}
    items = export.data(real)["roadmap"]
    assert {item["id"] for item in items if item["state"] == "written"} == claimed
    urls = {row["url"] for row in rows}
    assert all(item["url"] in urls for item in items if item["state"] == "written")


def test_the_data_of_a_tiny_site(tiny):
    data = export.data(tiny)
    for name in FILES:
        assert complaints(name, json.loads(json.dumps(data[name]))) == []
    pages = {row["url"]: row for row in data["pages"]}
    assert list(pages) == ["./", "lessons/first/", "lessons/"]
    row = pages["lessons/first/"]
    assert [(b["language"], b["proof"], b["reason"]) for b in row["blocks"]] == [
        ("text", "read", None),
        ("python", "cpu", None),
        ("pycon", "cpu", None),
        ("bash", "cpu", None),
        ("output", "awaiting", None),  # no GPU run printed it
        ("bash", "shown", "it installs"),
        ("pycon", "cpu", None),
    ]
    assert [(run["target"], run["fresh"]) for run in row["runs"]] == [("cpu", True), ("cpu", False)]
    (micro,), (bench,) = data["microbenchmarks"], data["benchmarks"]
    assert (micro["value"], micro["device"], micro["fresh"]) == (8.61, "NVIDIA H200", True)
    assert set(micro) == {*export.MICROBENCHMARK, "mean"} and micro["mean"] == 9.0
    assert set(bench) == {*export.BENCHMARK, "copy_share"} and bench["copy_share"] == 0.25


@pytest.mark.parametrize(
    "change, complaint",
    [
        (lambda row: row.pop("kind"), "'kind' is a required property"),
        (lambda row: row.update(url="/lessons/"), "does not match"),
        (lambda row: row.update(more=1), "Additional properties"),
        (lambda row: row["blocks"][0].update(proof="seen"), "is not one of"),
        (lambda row: row["blocks"][0].update(reason="none"), "is not of type 'null'"),
        (lambda row: row["blocks"][5].update(reason=None), "is not of type 'string'"),
        (lambda row: row["blocks"][0].update(sha256="0"), "does not match"),
        (lambda row: row["runs"][0].update(fresh="yes"), "is not of type 'boolean'"),
    ],
)
def test_the_schema_refuses_what_is_wrong(tiny, change, complaint):
    rows = json.loads(json.dumps(export.data(tiny)["pages"]))
    change(next(row for row in rows if row["blocks"]))
    found = complaints("pages", rows)
    assert len(found) == 1 and complaint in found[0]


def test_the_list_of_the_data_says_its_version_and_leads_to_files(tiny, tmp_path):
    export.write(tiny, tmp_path / "site")
    index = json.loads((tmp_path / "site/data/index.json").read_text(encoding="utf-8"))
    assert index["version"] == export.VERSION and index["url"] == URL
    for row in index["files"]:
        assert (tmp_path / "site" / row["schema"]).is_file()
        assert len(json.loads((tmp_path / "site" / row["file"]).read_text())) == row["rows"]


def test_a_built_site_holds_the_files(tiny, tmp_path):
    site = tmp_path / "site"
    export.write(tiny, site)
    files = {path.relative_to(site).as_posix() for path in site.rglob("*") if path.is_file()}
    assert files == {
        *(f"data/{name}.json" for name in FILES),
        *(f"data/schemas/{name}.json" for name in FILES),
        "data/index.json",
        "index.md",
        "lessons/index.md",
        "lessons/first/blocks.json",
        *(f"lessons/first.{suffix}" for suffix in ("md", "py", "ipynb")),
        "llms.txt",
        "llms-full.txt",
    }
    for row in export.downloads(next(p for p in tiny.pages if p.name == "lessons/first")):
        assert (site / row["href"]).name == row["download"]
    (row,) = export.downloads(next(p for p in tiny.pages if p.name == "index"))
    assert row == {"label": "Markdown", "href": "index.md", "download": "index.md"}


# ---------------------------------------------------------------- Markdown, script, notebook


def test_the_markdown_has_its_blocks_and_figures(tiny, first):
    text = export.markdown(first, tiny)
    assert text.startswith(
        '---\ntitle: "First"\ndescription: "About it."\n'
        "url: https://example.org/learn/lessons/first/\n---\n"
    )
    assert "It took 8.61\u202fµs, and `[[micro:launch]]` is a key." in text
    assert '```text title="data.txt"\na "quoted" \\ line\nand """three"""\n```\n' in text
    assert '**A hint**\n\nIndented prose.\n\n```pycon title="In a hint"\n>>> n =' in text
    assert "\nMore of it.\n\nNot indented." in text
    assert "--8<--" not in text and "shown=" not in text


def test_no_markdown_needs_mkdocs(real):
    for page in real.pages:
        fence = ""
        for line in export.markdown(page, real).split("\n"):
            mark = re.match(r"\s*(`{3,})", line)
            if fence or mark:
                fence = "" if line.strip() == fence else fence or mark[1]
                continue
            assert not line.strip().startswith(('=== "', "??? ", "!!! ")), f"{page.path}: {line}"
            prose = "".join(text for text, is_prose in outside_code(line) if is_prose)
            assert not re.search(r'\{ \.|markdown="1"| class="|\w\^\w+\^', prose), page.path
        assert not fence, page.path


@pytest.mark.parametrize(
    ("line", "plain"),
    [
        ('# Patterns <span class="chip">planned</span>', "# Patterns (planned)"),
        ("| none [row](map.md#row){ .map__id } |", "| none |"),
        ("[Map](map.md){ .md-button } of `{ .x }`", "[Map](map.md) of `{ .x }`"),
        ("2^28^ and $x^2y^2$ and `a^b^`", "2<sup>28</sup> and $x^2y^2$ and `a^b^`"),
        ('<details class="note" markdown="1"><summary>A: 1', "<details><summary>A: 1"),
        ("A class of 3 > 2[^1][^2]", "A class of 3 > 2[^1][^2]"),
    ],
)
def test_a_line_without_the_marks_of_mkdocs(line, plain):
    assert export.bare_line(line, project.of(ROOT).parts) == plain


def test_the_markdown_of_a_marker_is_its_table(tiny):
    page = next(page for page in tiny.pages if page.name == "lessons/index")
    text = export.markdown(page, tiny)
    assert (
        "| 4 cpu, 1 read, 1 shown, 1 awaiting |" in text
        and "<span" not in text
        and "<svg" not in text
    )
    assert ".venv/bin/python -m lockstep run docs/lessons/first.md" in text
    assert "make bench NAME=x" in text


def test_a_sanitizer_run_of_older_code_claims_nothing(tiny):
    record = {"device": DEVICE, "date": "2026-11-20", "findings": ["0 errors"], "tests_passed": 7}
    tiny.records.others["sanitizer"] |= {"a/memcheck": record | {"fresh": True}}
    tiny.records.others["sanitizer"] |= {"a/racecheck": record | {"fresh": False}}
    text = export.markdown(next(p for p in tiny.pages if p.name == "lessons/index"), tiny)
    assert "| memcheck | 7 | 0 errors | NVIDIA H200 | 2026-11-20 |" in text
    late = "| awaiting a GPU run | NVIDIA H200 | last run 2026-11-20, for older code |"
    assert f"| racecheck |  {late}" in text


TOLD = """\
<details>
<summary>Hint 1 of 2</summary>

Think of 8.61\u202fµs.

</details>

<details>
<summary>Hint 2 of 2: Look back</summary>

At `n`.

</details>

<details>
<summary>Solution</summary>

```pycon
>>> n - 1
33
```

It is one less.

</details>

**Question 1 of 1.** What is `n`?

- A. 35
- B. 34,
  as it says

## Sources

## Answers

**Question 1 of 1: B**

- **A** is wrong. One too many.

- **B** is right. So it printed.

  Twice.
"""


def test_the_markdown_asks_before_it_answers(tiny, first):
    text = export.markdown(first, tiny)
    assert text.endswith(TOLD)
    assert TOLD in export.llms_full(tiny) and "[x]" not in export.llms_full(tiny)


def test_the_notebook_asks_before_it_answers(tiny, first):
    cells = export.notebook(first, tiny)["cells"]
    texts = ["".join(cell["source"]) for cell in cells]
    solved = texts.index("n - 1")
    assert texts[solved - 1].endswith("*Solution: open the next cell to read it.*")
    assert cells[solved]["metadata"]["jupyter"] == {"source_hidden": True}
    assert all(not cell["metadata"] for n, cell in enumerate(cells) if n != solved)
    assert texts[solved + 1].startswith("<details>\n<summary>Solution</summary>\n\nIt is one less.")
    assert TOLD.partition("## Sources")[2] in texts[-1] + "\n" and "[x]" not in "".join(texts)


def test_no_download_shows_the_answer_beside_its_question(real):
    for page in real.pages:
        if page.meta["kind"] == "lesson":
            text, book = export.markdown(page, real), export.notebook(page, real)
            prose = "".join("".join(c["source"]) for c in book["cells"] if c["cell_type"][0] == "m")
            assert "- [x]" not in text + prose and "??? quiz" not in text, page.path
            assert text.index("**Question 1 of") < text.index("## Answers")


def test_an_unknown_figure_is_refused(tiny):
    tiny.records.microbenchmarks.clear()
    page = next(page for page in tiny.pages if page.name == "lessons/first")
    with pytest.raises(export.PageError, match=r"docs/lessons/first\.md:11: no micro row launch"):
        export.markdown(page, tiny)


def test_the_script_runs_and_writes_the_files_that_it_needs(tiny, first, tmp_path):
    text = export.script(first, tiny)
    assert text.startswith(f"# First\n# {URL}lessons/first/\n# {project.of(ROOT).license}\n")
    assert (
        "# ## Load it\n" in text
        and 'n = len(text)\nwith as_recorded("34"):\n    show_value(n)\n' in text
    )
    assert 'with as_recorded("35"):\n    print(n + 1)\n' in text
    assert "# $ ls" in text and "# (shown only: it installs)\n#   pip install x" in text
    assert "# ## Nothing to run" in text and "Sources" not in text, "a heading needs a block"
    folder = tmp_path / "fresh"
    folder.mkdir()
    said = run(text, folder)
    assert said == "34\n35\n33\n3 of 3 results are as recorded.\n"
    assert (folder / "data.txt").read_text() == (tmp_path / "snippets/data.txt").read_text()


def test_a_script_says_where_a_result_is_another(tmp_path):
    session = """>>> x = 2  # nothing to show
>>> x + 1, "é"  # both
(4, 'é')
>>> (x
...     * 3)
6
>>> for i in range(2):
...     print("a  b",
...           i)
a  b 0
a  b 1
>>> int("no")
Traceback (most recent call last):
ValueError: invalid literal for int() with base 10: 'no'
>>> print("one") or x
one
2
>>> len([1])
Traceback (most recent call last):
TypeError: none
"""
    block = SimpleNamespace(language="pycon", options={}, text=session)
    text = f"{replayed.source()}\n\n{export._script_block(block)}\nend_of_record()\n"
    assert run(text, tmp_path).splitlines() == [
        "(3, 'é')",
        "    (the record has: (4, 'é'))",
        "6",
        "a  b 0",
        "a  b 1",
        "ValueError: invalid literal for int() with base 10: 'no'",
        "one",
        "2",
        "1",
        "no error",
        "    (the record has: TypeError: none)",
        "4 of 6 results are as recorded.",
    ]


def test_no_page_has_the_names_of_what_prints_its_results(real):
    for page in real.pages:
        code = "\n".join(block.text for block in page.blocks if block.language in export.PYTHON)
        words = set(re.findall(r"[A-Za-z_]\w*", code))
        assert not words & replayed.NAMES, page.path
        modules = "|".join(module.__name__ for module in replayed.MODULES)
        assert not re.search(rf"^(?:>>> )?(?:{modules}) =", code, re.MULTILINE), page.path


def run(text: str, folder: Path) -> str:
    """Run a script in a fresh Python that knows nothing of this repository."""
    (folder / "page.py").write_text(text, encoding="utf-8")
    env = {k: v for k, v in os.environ.items() if k not in {"PYTHONPATH", "LOCKSTEP_TARGET"}}
    done = subprocess.run(
        [sys.executable, "page.py"],
        cwd=folder,
        env=env | {"NUMBA_ENABLE_CUDASIM": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_script_of_vector_addition_runs_to_its_end_in_the_simulator(real, tmp_path):
    page = next(page for page in real.pages if page.name == "roadmap/foundation/vector-add")
    text = export.script(page, real)
    total, needs = sum(block.runs for block in page.blocks), page.meta["gpu_only"]
    assert f"# {total - needs} of its {total} blocks also run in Numba's simulator" in text
    check = "\nassert add([1, 2, 3], [4, 5, 6], threads=2).tolist() == [5, 7, 9]\n"
    said = run(text + check, tmp_path)
    assert said.count("Not run without a GPU: it ") == needs


def test_a_guard_changes_no_string():
    code = 'text = """a\n  b\n"""\nif text:\n    print(text)'
    guard = Guard({}, (), ON_GPU, "ON_GPU", "Not run without a GPU", "GPU only")
    guarded = export.guarded(code, guard, "it uses cp: x.py:4 needs a GPU")
    names = {"ON_GPU": True, "print": lambda text: None}
    exec(guarded, names)
    assert names["text"] == "a\n  b\n"
    assert guarded.endswith('else:\n    print("Not run without a GPU: it uses cp.")')
    assert export.guarded("# $ ls", guard, "x") == "# $ ls"  # nothing there to guard


def test_every_script_is_python_and_every_file_of_a_page_is_in_it(real):
    pages = [page for page in real.pages if export.has_python(page)]
    assert pages
    for page in pages:
        text = export.script(page, real)
        tree = ast.parse(text, filename=f"{page.name}.py")
        written = re.findall(r"^Path\('([^']+)'\)\.write_text", text, re.MULTILINE)
        assert written == [b.options["file"] for b in page.blocks if "file" in b.options and b.runs]
        strings = {n.value for n in ast.walk(tree) if isinstance(n, ast.Constant)}
        for block in page.blocks:
            if "file" in block.options and block.runs:
                assert block.text + "\n" in strings


def test_the_notebook_has_prose_code_and_files(tiny, first):
    book = export.notebook(first, tiny)
    cells = [(cell["cell_type"], "".join(cell["source"])) for cell in book["cells"]]
    code = [text for kind, text in cells if kind == "code"]
    assert code == [
        '%%writefile data.txt\na "quoted" \\ line\nand """three"""',
        'with open("data.txt") as file:\n    text = file.read()',
        "n = len(text)\nn",
        "print(n + 1)",
        "%%bash\nls",
        "n - 1",
    ]
    prose = "\n".join(text for kind, text in cells if kind == "markdown")
    assert "[home](https://example.org/learn/#top)" in prose
    assert "[above](https://example.org/learn/lessons/first/#load)" in prose
    assert "![a picture](https://example.org/learn/assets/a-light.svg)" in prose
    assert "a-dark" not in prose and "{ #load }" not in prose
    assert "**A hint**\n\nIndented prose." in prose and "\nMore of it.\n\nNot indented." in prose
    assert "```bash\npip install x\n```" in prose and "```text\ndata.txt\n```" in prose


def test_every_notebook_is_of_format_4_5(real):
    for page in real.pages:
        if not export.has_python(page):
            continue
        book = export.notebook(page, real)
        assert (book["nbformat"], book["nbformat_minor"]) == (4, 5)
        nbformat.validate(nbformat.from_dict(book))
        ids = [cell["id"] for cell in book["cells"]]
        assert len(set(ids)) == len(ids)
        assert all("".join(cell["source"]).strip() for cell in book["cells"])


# ---------------------------------------------------------------- llms.txt


def test_llms_txt_lists_every_page(tiny):
    text = export.llms(tiny)
    assert text.startswith("# Tiny\n\n> A site.\n\n")
    assert re.findall(r"^(?:## (.*)|- \[(.*?)\]\((.*?)\): About it\.)$", text, re.MULTILINE) == [
        ("Tiny", "", ""),
        ("", "Home", f"{URL}index.md"),
        ("Lessons", "", ""),
        ("", "Lessons", f"{URL}lessons/index.md"),
        ("", "First", f"{URL}lessons/first.md"),
    ]
    full = export.llms_full(tiny)
    assert [full.index(f"\n# {title}\n") for title in ("Home", "Lessons", "First")] == sorted(
        full.index(f"\n# {title}\n") for title in ("Home", "Lessons", "First")
    )


def test_the_documentation_names_every_file_and_column():
    text = (ROOT / "docs/evidence/data.md").read_text(encoding="utf-8")
    for name in FILES:
        assert f"`data/{name}.json`" in text and f"`data/schemas/{name}.json`" in text
        for column in schema(name).schema["items"]["properties"]:
            assert f"`{column}`" in text, f"data.md does not explain {column} of {name}.json"


def test_a_lesson_says_where_it_stands_and_what_there_is_to_do(real):
    told = export.data(real)["pages"]
    rows = sorted((row for row in told if "order" in row), key=lambda row: row["order"])
    assert {row["url"] for row in told if row["kind"] == "lesson"} <= {row["url"] for row in rows}
    assert [row["order"] for row in rows] == list(range(1, len(rows) + 1))
    pages = {export.address(page): page for page in real.pages}
    items = {row["id"]: row for row in roadmap.items(ROOT)}
    for row in rows:
        page = pages[row["url"]]
        claimed = [items[id] for id in page.meta["roadmap"]]
        box = lesson.tick(page, claimed, items, ".", lesson.follows_of(real, page.uri))
        assert pages[row["next"]].uri == box.find(".//a[@class='tick__next']").get("href")
    order = {row["url"]: row["order"] for row in rows}
    for row, after in pairwise(rows):  # the next lesson, or what ends a phase or a group of it
        assert order.get(row["next"], after["order"]) == after["order"], row["url"]
    for row in rows:
        assert all(order[url] < row["order"] for url in row["requires"]), row["url"]
        assert row["bets"] >= (row["kind"] == "lesson")
        assert row["exercises"]["with_par"] <= row["exercises"]["graded"]
    assert sum(row["recordings"] > 0 for row in rows) >= 8
    played = sum(len(re.findall(r"(?m)^\[\[play:", pages[row["url"]].body)) for row in rows)
    assert sum(row["recordings"] for row in rows) == played

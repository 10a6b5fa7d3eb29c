"""Stamps, proofs and measured numbers: what a page says of itself, and what ends the build."""

import html
import re
from pathlib import Path
from types import SimpleNamespace

import markdown
import pytest
from mkdocs.config import load_config
from mkdocs.exceptions import BuildError

from lockstep import collect, evidence, figures, fitting, project, site
from lockstep.evidence import agreement
from lockstep.mkdocs import preview
from lockstep.page import digest, find_root, read
from lockstep_site.gpu.targets import CuPy
from tests.houses import settle

ROOT = find_root(Path(__file__).parent)
IMPORTS = '```python\n--8<-- "kernels/double.py:imports"\n```\n'
META = "---\ntitle: A page\ndescription: It has code.\nkind: other\n{more}---\n\n# A page\n\n"
SOURCE = '''"""A module."""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]
# --8<-- [start:kernel]
@cuda.jit
def double_kernel(a):
    i = cuda.grid(1)
    if i < a.size:
        a[i] = 2 * a[i] & 0xFF
# --8<-- [end:kernel]
# --8<-- [start:example]
# --8<-- [end:example]
'''
EXAMPLE = ">>> a = np.arange(3)\n>>> double_kernel[1, 4](a)\n>>> a\narray([0, 2, 4])\n"
BODY = """```python
--8<-- "kernels/double.py:imports"
```

Its kernel:

```python
--8<-- "kernels/double.py:kernel"
```

??? success "Solution"
    ```pycon
    --8<-- "snippets/example.txt"
    ```
"""
CUDA = '\n```cuda file="add.cu"\n--8<-- "snippets/add.cu"\n```\n\n'
CUDA += '```python\n--8<-- "snippets/load.py"\n```\n'
SHOWN = '\n```bash shown="it installs <packages>"\n--8<-- "snippets/install.sh"\n```\n'
OUTPUT = '\n```output\n--8<-- "snippets/output/page/out.txt"\n```\n'
H200 = {
    "name": "NVIDIA H200",
    "compute_capability": "9.0",
    "driver": "580.1",
    "cuda": "13.0",
    "count": 1,
}
H100 = H200 | {"name": "NVIDIA H100 80GB HBM3"}
FOLDERS = {H200["name"]: "nvidia-h200", H100["name"]: "nvidia-h100"}
CPU = {"name": "CPU (x86_64, Linux)", "count": 0}
PACKAGES = {
    "numba": "0.68.1",
    "numba-cuda": "0.30.4",
    "numba-cuda-mlir": "0.6.0",
    "cupy-cuda13x": "14.2.0",
    "numpy": "2.4.6",
}
BOTH = ("numba-cuda", "numba-cuda-mlir")


@pytest.fixture(scope="module")
def settings():
    """The extensions of the real site, with ours."""
    config = load_config(str(ROOT / "mkdocs.yml"))
    assert "lockstep.markdown" in config.markdown_extensions
    return {
        "extensions": config.markdown_extensions,
        "extension_configs": config.mdx_configs,
    }


class House:
    """A tiny repository with one page."""

    def __init__(self, root: Path, settings: dict):
        self.root, self.settings, self.text = root, settings, ""

    def put(self, path: str, text: str) -> None:
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text, encoding="utf-8")

    def page(self, body: str, more: str = ""):
        self.text = META.format(more=more) + body
        self.put("docs/page.md", self.text)
        return read(self.root / "docs/page.md", self.root)

    def ran(self, page, target: str, outcomes: dict | None = None, **more) -> None:
        """Record a run of a page, as lockstep.collect does."""
        blocks = [
            {
                "sha256": b.sha256,
                "language": b.language,
                "outcome": (outcomes or {}).get(b.index, "passed"),
            }
            for b in page.blocks
        ]
        run = {
            "target": target,
            "outcome": "passed",
            "device": H200 if target in BOTH or target == "cupy" else CPU,
            "packages": PACKAGES,
            "python": "3.12.3",
            "date": "2026-11-20",
            "blocks": blocks,
            "outputs": {b.path: b.sha256 for b in page.blocks if b.language == "output"},
        } | more
        machine = FOLDERS.get(run["device"]["name"], "cpu")
        file = self.root / "evidence" / machine / "pages" / "page.json"
        record = {"schema": 1, "page": page.path, "sha256": page.sha256, "runs": [run]}
        if file.is_file():
            record["runs"] = evidence.load(file, file.name)["runs"] + [run]
        evidence.write(file, record)

    def measured(self, kind: str = "benchmarks", device=H200, source=SOURCE, **row) -> None:
        row = {"id": "double", "title": "Double", "unit": "GB/s", "spread": 0.0123} | row
        row |= {"kernel": "kernels/double.py", "sha256": digest(source)}
        self.put("benchmarks/double.py", "pass\n")
        record = {
            "schema": 1,
            "script": "benchmarks/double.py",
            "sources": {
                "kernels/double.py": digest(source),
                "benchmarks/double.py": digest("pass\n"),
            },
            "rows": [row | {"repeats": 25}],
            "device": device,
            "packages": PACKAGES,
            "python": "3.12.3",
            "date": "2026-11-20",
        }
        folder = self.root / "evidence" / FOLDERS[device["name"]]
        evidence.write(folder / kind / "double.json", record)

    def html(self, text: str | None = None) -> str:
        """Convert the page as MkDocs does: without its front matter."""
        text = self.text if text is None else text
        body = re.sub(r"\A---\n.*?\n---\n", "", text, flags=re.DOTALL).lstrip("\n")
        return markdown.Markdown(**self.settings).convert(body)


@pytest.fixture
def house(tmp_path, monkeypatch, settings):
    house = House(tmp_path, settings)
    settle(house.root)
    house.put("kernels/double.py", SOURCE)
    house.put("snippets/example.txt", EXAMPLE)
    house.put("snippets/add.cu", 'extern "C" __global__ void add() {}\n')
    house.put("snippets/load.py", 'source = open("add.cu").read()\n')
    house.put("snippets/install.sh", "pip install numpy\n")
    house.put("snippets/output/page/out.txt", "[0 2 4]\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(site, "RECHECK", 0)
    monkeypatch.delenv("LOCKSTEP_DRAFT", raising=False)
    return house


def plain(text: str) -> str:
    return html.unescape(re.sub(r"<[^>]*>", "", text)).strip()


def proofs(rendered: str) -> list[str]:
    found = re.findall(r'<p class="proof proof--(\w+)"[^>]*>(.*?)</p>', rendered)
    assert all(plain(text).split()[0] == level for level, text in found)
    return [plain(text) for _, text in found]


def stamp(rendered: str) -> tuple[str, str]:
    (found,) = re.findall(r'<div class="stamp stamp--(\w+)"[^>]*>(.*?)</div>', rendered)
    return found[0], plain(found[1].partition("</summary>")[2])


def seal(rendered: str) -> str:
    """Return the line that stands for a stamp until it is opened."""
    return plain(re.findall(r'<div class="stamp.*?<summary>(.*?)</summary>', rendered)[0])


# ---------------------------------------------------------------- stamp and proofs


def test_a_page_that_ran_on_a_gpu_says_where_when_and_with_what(house):
    page = house.page(BODY)
    for target in BOTH:
        house.ran(page, target)
    rendered = house.html()
    assert proofs(rendered) == [
        "gpu ran on NVIDIA H200 kernels/double.py · imports",
        "gpu ran on NVIDIA H200 kernels/double.py · kernel",
        "gpu ran on NVIDIA H200 snippets/example.txt",
    ]
    assert stamp(rendered) == (
        "gpu",
        "Every block of this page ran on an NVIDIA H200 on 2026-11-20 with numba-cuda 0.30.4 and "
        "numba-cuda-mlir 0.6.0. NumPy 2.4.6, Numba 0.68.1, Python 3.12.3, driver 580.1, CUDA 13.0.",
    )
    assert re.search(r"</h1>\s*<div class=\"stamp", rendered), "the stamp is below the title"
    assert seal(rendered) == "Ran on an NVIDIA H200 · 2026-11-20"
    # Each proof stands right behind its block, and its mark is seen before it is opened.
    acts, opens = r'(?:<div class="proof__acts"[^>]*></div>\s*)?', r"<summary[^>]*>(.*?)</summary>"
    marked = rf'</pre></div>\s*{acts}<details class="record proof--gpu"[^>]*>{opens}'
    assert [plain(mark) for mark in re.findall(marked, rendered)] == ["gpu"] * 3


def test_an_example_that_the_next_block_shows_is_folded_and_neighbors_are_one(house):
    example = '''

# --8<-- [start:host]
def twice(x):
    """Return twice x.

    --8<-- [start:twice]
    >>> twice(2)
    4

    --8<-- [end:twice]
    """
    return 2 * x
# --8<-- [end:host]
'''
    house.put("kernels/double.py", SOURCE + example)
    fence = '```{}\n--8<-- "kernels/double.py:{}"\n```\n\n'
    page = house.page(f"{fence.format('python', 'host')}{fence.format('pycon', 'twice')}")
    rendered = house.html()
    assert rendered.count('class="proof__block"') == 1
    assert rendered.count('class="proof__block proof__block--joined"') == 1
    (folded,) = re.findall(r'<span class="proof__again">(.*?)\n</span>', rendered, re.DOTALL)
    assert plain(folded).split("\n") == [">>> twice(2)", "    4"]
    # What is compared and copied is the whole block.
    code = re.findall(r"<code>(.*?)</code></pre>", rendered, re.DOTALL)[0]
    assert html.unescape(re.sub(r"<[^>]*>", "", code)).strip("\n") == page.blocks[0].text
    assert html.unescape(re.search(r'data-copy="([^"]*)"', rendered)[1]) == page.blocks[0].text
    # With prose between them nothing is joined; the example is still shown once.
    house.page(f"{fence.format('python', 'host')}Call it:\n\n{fence.format('pycon', 'twice')}")
    assert "--joined" not in house.html() and "proof__again" in house.html()


def test_a_compiler_that_has_not_run_and_one_that_cannot_are_named(house):
    page = house.page(BODY)
    house.ran(page, "numba-cuda")
    assert "Awaiting a run with numba-cuda-mlir." in stamp(house.html())[1]
    page = house.page(BODY, more="not_on: {numba-cuda-mlir: it has no double}\n")
    text = stamp(house.html())[1]
    assert "Not with numba-cuda-mlir: it has no double." in text and "Awaiting" not in text


def test_without_a_record_everything_waits(house):
    house.page(BODY)
    rendered = house.html()
    assert stamp(rendered) == ("awaiting", "Awaiting a GPU run.")
    assert seal(rendered) == "Awaiting a GPU run"
    assert all(text.startswith("awaiting a GPU run kernels") for text in proofs(rendered)[:2])


@pytest.mark.parametrize("path", ["kernels/double.py", "snippets/example.txt"])
def test_a_changed_character_takes_the_proof_away(house, path):
    page = house.page(BODY)
    for target in BOTH:
        house.ran(page, target)
    assert stamp(house.html())[0] == "gpu"
    old = (house.root / path).read_text()
    house.put(path, old.replace("2", "3"))
    rendered = house.html()
    assert stamp(rendered) == ("awaiting", "Awaiting a GPU run.")
    assert {text.split()[0] for text in proofs(rendered)} == {"awaiting"}
    house.put(path, old)
    assert stamp(house.html())[0] == "gpu"


def test_the_simulator_proves_what_it_can_and_the_page_still_waits(house):
    page = house.page(BODY + CUDA)
    house.ran(page, "simulator", {2: "not run", 3: "compiled", 4: "not run"})
    rendered = house.html()
    assert [text.split(" snippets")[0].split(" kernels")[0] for text in proofs(rendered)] == [
        "simulator ran in Numba's simulator",
        "simulator ran in Numba's simulator",
        "awaiting a GPU run",
        "compiled for sm_90, not run",
        "awaiting a GPU run",
    ]
    level, text = stamp(rendered)
    assert level == "awaiting"
    assert text.startswith(
        "Awaiting a GPU run. 2 of 5 blocks ran in Numba's simulator on 2026-11-20 with "
        "numba-cuda 0.30.4. Of the others, 1 is compiled for sm_90 and not run, 2 await a GPU run."
    )
    assert '<span class="filename">add.cu</span>' in rendered


def test_a_stamp_says_who_compiled_what(house):
    """A page with Metal and no CUDA is not compiled for sm_90; one with both says both."""
    house.put("snippets/add.metal", "kernel void add() {}\n")
    metal = '\n```metal file="add.metal"\n--8<-- "snippets/add.metal"\n```\n'
    page = house.page(BODY + metal)
    for target in BOTH:
        house.ran(page, target, {3: "compiled"})
    expected = "Of the others, 1 is compiled as C++ by a CPU stand-in and not run. Metal: not yet"
    text = stamp(house.html())[1]
    assert expected in text and "sm_90" not in text
    page = house.page(BODY + metal + CUDA)
    house.ran(page, "simulator", {3: "compiled", 4: "compiled", 5: "not run"})
    text = stamp(house.html())[1]
    assert "1 is compiled as C++ by a CPU stand-in and not run, 1 is compiled for sm_90 and" in text


def test_a_stamp_names_each_compiler_once_and_no_count_of_nothing(house):
    page = house.page(BODY)
    for target in ("numba-cuda", *BOTH):
        house.ran(page, target)
    text = stamp(house.html())[1]
    assert "with numba-cuda 0.30.4 and numba-cuda-mlir 0.6.0. NumPy" in text
    page = house.page(BODY + SHOWN)
    house.ran(page, "simulator", dict.fromkeys(range(3), "not run") | {3: "shown"})
    text = stamp(house.html())[1]
    assert text.startswith("Awaiting a GPU run. Of the others, 1 is only shown, 3 await a GPU run.")


def test_a_block_that_is_only_shown_says_why(house):
    page = house.page(BODY + SHOWN)
    for target in BOTH:
        house.ran(page, target, {3: "shown"})
    rendered = house.html()
    assert proofs(rendered)[3] == "shown only: it installs <packages> snippets/install.sh"
    assert "3 of 4 blocks ran on an NVIDIA H200" in stamp(rendered)[1]
    assert "Of the others, 1 is only shown." in stamp(rendered)[1]


def test_a_page_without_gpu_code_waits_for_a_cpu_only(house):
    house.put("snippets/load.py", "x = 1\n")
    page = house.page('```python\n--8<-- "snippets/load.py"\n```\n')
    assert stamp(house.html()) == ("awaiting", "Awaiting a run.")
    house.ran(page, "cpu")
    rendered = house.html()
    assert proofs(rendered) == ["cpu ran on a CPU snippets/load.py"]
    expected = "Every block of this page ran on a CPU on 2026-11-20 with Python 3.12.3."
    assert stamp(rendered)[1].startswith(expected)


def test_a_page_for_two_gpus_says_so(house):
    house.put("snippets/load.py", "import cupy\n")
    page = house.page('```python\n--8<-- "snippets/load.py"\n```\n', more="gpus: 2\n")
    house.ran(page, "cupy")
    assert stamp(house.html())[0] == "awaiting", "one GPU is not two"
    house.ran(page, "cupy", device=H200 | {"count": 2})
    text = stamp(house.html())[1]
    expected = "Every block of this page ran on 2 NVIDIA H200 GPUs on 2026-11-20 with CuPy 14.2.0."
    assert text.startswith(expected) and text.count("CuPy") == 1


def test_recorded_output_counts_only_as_long_as_it_is_what_was_printed(house):
    page = house.page(BODY + OUTPUT)
    for target in BOTH:
        house.ran(page, target)
    assert proofs(house.html())[3] == "gpu ran on NVIDIA H200 snippets/output/page/out.txt"
    house.put("snippets/output/page/out.txt", "[9 9 9]\n")
    rendered = house.html()
    assert proofs(rendered)[3].startswith("awaiting a GPU run")
    assert proofs(rendered)[2].startswith("gpu"), "the code itself has not changed"
    assert '<div class="language-text highlight output">' in rendered


@pytest.mark.parametrize(
    ("where", "device", "writes"),
    [
        ("nvidia-h200", H200, True),
        ("nvidia-h100", H200, False),  # the first one's output stays
        ("nvidia-h100", H100, True),
        ("nvidia-h100", None, True),  # whose page was changed: the file is of older code
        ("nvidia-t4", H100, False),
    ],
)
def test_a_gpu_leaves_the_output_of_one_before_it(house, where, device, writes):
    page = house.page(BODY + OUTPUT)
    if device:
        house.ran(page, "numba-cuda", device=device)
    place = SimpleNamespace(writes_output=True, machine=lambda: where)
    document = SimpleNamespace(page=page, place=place, project=project.of(house.root))
    document.results = {block.index: {"output": "[1 1 1]\n"} for block in page.blocks}
    outputs = collect.PageDocument._write_outputs(document)
    now = (house.root / "snippets/output/page/out.txt").read_text()
    assert (now == "[1 1 1]\n", bool(outputs)) == (writes, writes)


def test_a_page_without_blocks_has_no_stamp(house):
    house.page("Prose.\n")
    assert "stamp" not in house.html() and "proof" not in house.html()


def test_a_corner_without_a_name_is_no_head_of_a_column(house):
    house.page("| | a |\n|---|---|\n| one | 1 |\n")
    assert house.html().count("<th>") == 1 and "<td></td>\n<th>a</th>" in house.html()


# ---------------------------------------------------------------- what is copied, what is refused


def test_the_copy_button_gives_statements_without_prompts(house):
    house.page(BODY)
    copies = re.findall(r'data-copy="([^"]*)"', house.html())
    assert [html.unescape(copy) for copy in copies] == [
        "a = np.arange(3)\ndouble_kernel[1, 4](a)\na"
    ]


def test_the_copy_button_keeps_tabs(house):
    house.put("snippets/load.py", "for x in (1,):\n\tx = 1\n")
    house.page('```python\n--8<-- "snippets/load.py"\n```\n')
    assert [html.unescape(copy) for copy in re.findall(r'data-copy="([^"]*)"', house.html())] == [
        "for x in (1,):\n\tx = 1"
    ]


@pytest.mark.parametrize(
    "typed",
    [
        "\nProse.\n\n    x = indented()\n",
        "\n- item\n\n        x = indented_in_a_list()\n",
    ],
)
def test_code_that_is_not_a_block_ends_the_build(house, typed):
    house.page(BODY + typed)
    with pytest.raises(BuildError, match=r"^docs/page\.md:\d+: 4 code blocks are shown, 3 are"):
        house.html()


def test_code_before_a_block_ends_the_build_and_is_not_stamped(house):
    house.page("    x = indented()\n\n" + BODY)
    with pytest.raises(BuildError, match=r"docs/page\.md:11: kernels/double\.py:imports is not"):
        house.html()


def test_every_mistake_of_a_page_is_named_at_once(house):
    house.put("docs/page.md", META.format(more="") + "```python\nx = 1\n```\n\n```ruby\n```\n")
    with pytest.raises(BuildError) as error:
        house.html("# Any\n")
    assert re.findall(r"^docs/page\.md:\d+", str(error.value), re.MULTILINE) == [
        "docs/page.md:10",
        "docs/page.md:13",
    ]


# ---------------------------------------------------------------- measured numbers


def test_a_measured_number_has_its_unit_device_and_date(house):
    house.measured(gbps=3071.8, ratio=0.7261, ours=3071.8, reference=4230.5)
    house.page(
        "It moved [[bench:double.gbps]], **[[bench:double.ratio]]** of [[bench:double.ours]]."
    )
    rendered = house.html()
    title = "Double: NVIDIA H200, 2026-11-20, median of 25, spread 1.23\u202f%"
    expected = f'<span class="measured" tabindex="0" title="{title}">3.07\u202fTB/s</span>'
    assert rendered.count(expected) == 2
    assert plain(rendered).endswith("It moved 3.07\u202fTB/s, 0.726 of 3.07\u202fTB/s.")


def test_the_second_gpus_figure_stands_beside_the_first_ones(house):
    for device, gbps in ((H200, 4000.0), (H100, 3000.0)):
        house.measured(device=device, gbps=gbps, ours=gbps)
    house.page("It moved [[bench:double.gbps]].")
    rendered = house.html()
    assert plain(rendered).endswith("It moved 4.00\u202fTB/s.")
    assert "; NVIDIA H100 80GB HBM3, 2026-11-20: 3.00\u202fTB/s" in rendered


def test_an_edited_figure_of_the_second_gpu_is_seen(house):
    house.measured(ours=4000.0)
    house.measured(device=H100, ours=3000.0, gbps=3000.0, bytes=8_000_000, us=2.6667)
    assert list(agreement.check(house.root, [])) == []
    house.measured(device=H100, ours=3900.0, gbps=3000.0, bytes=8_000_000, us=2.6667)
    (wrong,) = agreement.check(house.root, [])
    assert wrong.path == "evidence/nvidia-h100/benchmarks/double.json"
    assert "ours is 3900 GB/s, and its gbps 3000" in wrong.what


def test_where_only_the_second_gpu_has_run_todays_code_its_figure_says_so(house):
    house.measured(source="other", gbps=4000.0, ours=4000.0)
    page = house.page("It moved [[bench:double.gbps]].")
    (old,) = evidence.Evidence(house.root).problems([])
    assert old.what == "benchmarks of benchmarks/double.py"
    house.measured(device=H100, gbps=3000.0, ours=3000.0)
    rendered = house.html()
    assert plain(rendered).endswith("It moved 3.00\u202fTB/s (H100).") and "4.00" not in rendered
    house.page("It moved" + " [[bench:double.gbps]]" * 4 + ".")
    said = plain(house.html())
    assert (
        "where no other gpu is named, a number of this page is from an nvidia h100" in said.lower()
    )
    assert said.count("3.00\u202fTB/s") == 4 and "(H100)" not in said
    records = evidence.Evidence(house.root)
    assert records.problems([]) == []
    assert records.older([page]) == ["evidence/nvidia-h200/benchmarks/double.json"]
    (wrong,) = fitting.check(
        house.page("The H200, on double, moved [[bench:double.gbps]]."), records
    )
    assert "measured on NVIDIA H100 80GB HBM3, and the sentence says H200" in wrong.what


def test_a_number_of_code_on_another_page_links_there(house):
    house.measured(gbps=3071.8)
    house.put("docs/there.md", META.format(more="") + IMPORTS)
    key = "[[bench:double.gbps]]"
    house.page(f"It moved {key}, and [a link keeps its own {key}](there.md).\n\n## Of {key}")
    found = re.findall(r'<(span|a) class="measured"(?: href="([^"]*)")?', house.html())
    assert found == [("a", "there.md"), ("span", ""), ("span", "")]
    house.page(f"It moved {key}.\n\n{IMPORTS}")  # the page that shows the code links nowhere
    assert '<span class="measured" tabindex="0"' in house.html()


def test_a_given_number_has_a_sign_that_says_so(house):
    house.page("It moves [4.8 TB/s](https://nvidia.com/h200), see [them](https://nvidia.com).")
    rendered = house.html()
    assert rendered.count('class="given"') == 1
    sign = re.search(r'<span aria-label="([^"]*)" class="given__sign" role="img">', rendered)
    assert sign and "not measured here" in sign[1]
    # HTML gets no sign, so it is no way to give a number.
    house.page('It moves <a href="https://nvidia.com">4.8 TB/s</a>.')
    with pytest.raises(BuildError, match="typed"):
        house.html()


def test_a_microbenchmark_is_named_by_its_id_alone(house):
    house.measured("microbenchmarks", value=8.61, unit="us")
    house.page("A launch takes [[micro:double]].")
    assert ">8.61\u202fµs</span>" in house.html()


def test_a_number_of_changed_code_is_not_shown(house):
    house.measured(gbps=3071.8)
    house.page("It moved [[bench:double.gbps]].")
    house.put("kernels/double.py", SOURCE + "# changed\n")
    rendered = house.html()
    assert 'class="measured measured--stale"' in rendered and "3.07" not in rendered
    assert plain(rendered).endswith("It moved awaiting a GPU run.")


def test_an_unknown_number_ends_the_build_with_file_line_and_what_there_is(house):
    house.measured(gbps=3071.8)
    house.page("Known: [[bench:double.gbps]].\n\n[[bench:double.gbsp]] and [[micro:tripel]]\n")
    with pytest.raises(BuildError) as error:
        house.html()
    first, second = str(error.value).splitlines()
    assert first.startswith("docs/page.md:11: bench row double has no number gbsp (it has: ")
    assert "gbps" in first
    assert second.startswith("docs/page.md:11: no micro row tripel (near it: none). To mend: ")


def test_a_number_that_a_benchmark_will_measure_is_awaited(house):
    house.put("benchmarks/new.py", 'def run(bench):\n    bench.micro("new-row", "title")\n')
    house.page("It moved [[bench:new-row.gbps]].")
    rendered = house.html()
    assert 'class="measured measured--stale"' in rendered and "Not measured yet" in rendered
    assert plain(rendered).endswith("It moved awaiting a GPU run.")
    house.page("It moved [[bench:other-row.gbps]].")
    with pytest.raises(BuildError, match="no bench row other-row"):
        house.html()


def test_a_draft_shows_what_is_not_measured(house, monkeypatch):
    house.page("It moved [[bench:double.gbps]].")
    monkeypatch.setenv("LOCKSTEP_DRAFT", "1")
    rendered = house.html()
    assert "⟨double.gbps⟩ not measured" in rendered and "measured--missing" in rendered


def test_a_draft_shows_the_mistakes_of_a_page_and_the_other_pages(house, monkeypatch):
    house.page(BODY)
    broken = META.format(more="") + "```python\nx = 1\n```\n"
    house.put("docs/broken.md", broken)
    with pytest.raises(BuildError, match=r"docs/broken\.md:10"):
        house.html()
    monkeypatch.setenv("LOCKSTEP_DRAFT", "1")
    assert len(proofs(house.html())) == 3
    assert "a fence holds one include line" in plain(house.html(broken))


def test_a_key_inside_code_is_text(house):
    house.page("Write `[[bench:ID.FIELD]]` or ``[[micro:ID]]``.")
    assert plain(house.html()).endswith("Write [[bench:ID.FIELD]] or [[micro:ID]].")


@pytest.mark.parametrize(
    "value, unit, expected",
    [
        (3071.8, "GB/s", "3.07 TB/s"),
        (391.2, "GB/s", "391 GB/s"),
        (999.6, "GB/s", "1.00 TB/s"),
        (0.5, "GB/s", "500 MB/s"),
        (50.52, "TFLOP/s", "50.5 TFLOP/s"),
        (1234.0, "us", "1.23 ms"),
        (0.0351, "ms", "35.1 µs"),
        (0.71, "%", "71.0 %"),
        (2.304, None, "2.30"),
        (0.0, None, "0"),
        (132, None, "132"),
        (65536, "B", "65,536 B"),
        (30733900000.0, "B", "30.7 GB"),  # counted by a profiler, in more digits than it knows
        (412.7, "cycles", "413 cycles"),
        (2.314e-7, None, "2.31 × 10⁻⁷"),
    ],
)
def test_three_digits_and_a_unit_that_fits(value, unit, expected):
    assert figures.quantity(value, unit).replace("\u202f", " ") == expected


# ---------------------------------------------------------------- a preview


def test_a_range_is_printed_with_one_unit():
    plain = [
        figures.quantity((25.3, 32.1), "us"),
        figures.quantity((0.34, 1.34), "us"),
        figures.quantity((999.0, 1001.0), "GB/s"),
        figures.quantity((2.0, 2.0), "ms"),
    ]
    assert [text.replace("\u202f", " ") for text in plain] == [
        "25.3 to 32.1 µs",
        "340 ns to 1.34 µs",
        "999 GB/s to 1.00 TB/s",
        "2.00 ms",
    ]


def test_a_preview_builds_what_a_change_shows_on(house):
    house.page(BODY)
    other = META.format(more="").replace("A page", "Another")
    house.put("docs/other.md", other + "Text.\n")
    house.put("docs/evidence/index.md", META.format(more="") + "[[evidence:summary]]\n")
    first = preview.Seen(house.root)
    assert first.since(None) is None and first.since(first) == set()

    house.put("docs/other.md", other + "Other text.\n")
    second = preview.Seen(house.root)
    assert second.since(first) == {"other.md"}

    house.put("kernels/double.py", SOURCE.replace("2 * a[i]", "a[i] + a[i]"))
    third = preview.Seen(house.root)
    assert third.since(second) == {"page.md", "evidence/index.md"}

    # The navigation of every page has its title.
    house.put("docs/other.md", other.replace("title: Another", "title: Zebra") + "Other text.\n")
    assert preview.Seen(house.root).since(third) is None


# ---------------------------------------------------------------- markers


def test_the_summary_of_the_evidence_lists_what_ran_and_what_did_not(house):
    page = house.page(BODY + SHOWN)
    house.ran(page, "numba-cuda", {3: "shown"})
    house.measured(ours=3071.8, reference=4231.0, reference_name="copy | x", ratio=0.726)
    shown = META.format(more="").replace("A page", "Shown")
    house.put("docs/shown.md", shown + SHOWN)
    index = META.format(more="").replace("A page", "Evidence") + "[[evidence:summary]]\n"
    house.put("docs/evidence/index.md", index)
    rendered = house.html(index)
    assert rendered.count('<a href="../page.md">A page</a>') == 3
    cells = [plain(cell) for cell in re.findall(r"<t[dh]>(.*?)</t[dh]>", rendered)]
    for expected in (
        [
            "A page.venv/bin/python -m lockstep run docs/page.md",
            "3 gpu, 1 shown",
            "NVIDIA H200",
            "2026-11-20",
        ],
        ["Shown", "1 shown", "nothing to run", "none"],
        ["A page", "passed with 0.30.4", "awaiting a GPU run"],
        ["A page", "snippets/install.sh", "it installs <packages>"],
        ["3.07\u202fTB/s", "4.23\u202fTB/s (copy | x)", "0.726"],
        ["NVIDIA H200, 2026-11-20one run"],
    ):
        starts = range(len(cells) - len(expected) + 1)
        assert any(cells[i : i + len(expected)] == expected for i in starts), expected


def test_a_marker_of_the_roadmap_becomes_its_list(house):
    house.put(
        "docs/roadmap/roadmap.yml",
        "phases:\n- id: one\n  title: First\n  timeline: now\n  focus: start\n  groups:\n"
        "  - title: Basics\n    items:\n    - {id: f-double, title: Double}\n"
        "questions:\n- {id: q-why, title: Why}\n",
    )
    house.page("Prose.\n\n[[roadmap:all]]\n", more="roadmap: [f-double]\n")
    rendered = house.html()
    assert '<li class="item item--written" id="f-double">' in rendered
    assert '<a href="page.md">Double</a>' in rendered, "links fit the folder of the page"
    house.page("[[roadmap:nothing]]\n")
    with pytest.raises(BuildError, match="names no part of it"):
        house.html()


def test_a_page_without_numba_names_the_library_that_it_uses():
    page = read(ROOT / "docs/metal/pytorch.md", ROOT)
    run = {"target": "cupy", "packages": {"cupy-cuda13x": "14.2.0", "torch": "2.11.0"}}
    assert CuPy().tool(run, page) == "PyTorch 2.11.0"

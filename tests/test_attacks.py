"""Somebody wants to break the promise: each recipe of tests/attacks/ is refused, and helpfully.

A recipe is a small page, or a page and a file. It names the place that the refusal must point at,
and words that say how to mend it. What each key means: tests/attacks/README.md. The recipes run
against the core, in a folder with one honest page and one honest module.
"""

import ast
import os
import shutil
import subprocess
import warnings
from pathlib import Path

import markdown
import pytest
import yaml
from mkdocs.config import load_config

from lockstep import collect, evidence, rendered, reviewed
from lockstep import site as pages
from lockstep.block import Block
from lockstep.check import Checker
from lockstep.evidence import agreement
from lockstep.languages import Bash, Setting
from lockstep.mistakes import PageError, kinds, nodes, parse
from lockstep.page import digest, find_root, read, read_all
from lockstep.project import LOADER
from tests.houses import settle

ROOT = find_root()
CLASSES = {
    file.stem: yaml.load(file.read_text(encoding="utf-8"), LOADER)
    for file in sorted((ROOT / "tests/attacks").glob("*.yml"))
}
ATTACKS = [
    pytest.param(attack, id=f"{name}: {attack['name']}")
    for name, group in CLASSES.items()
    for attack in group["attacks"]
]
HONEST_PAGES = [
    pytest.param(page, id=page["name"])
    for page in yaml.load((ROOT / "tests/honest.yml").read_text(encoding="utf-8"), LOADER)
]
HONEST_PAGES += [  # twins of attacks, in the files of these
    pytest.param(page, id=f"{name}: {page['name']}")
    for name, group in CLASSES.items()
    for page in group.get("honest", ())
]
KERNEL = '''"""A module."""

# --8<-- [start:imports]
import math

# --8<-- [end:imports]


# --8<-- [start:host]
def area(r):
    """Return the area of a circle.

    --8<-- [start:example]
    >>> round(area(1), 2)
    3.14

    --8<-- [end:example]
    """
    return math.pi * r * r


# --8<-- [end:host]
'''
FENCE = '```{header}\n--8<-- "kernels/circle.py:{name}"\n```\n\n'
GOOD = FENCE.format(header="python", name="imports") + FENCE.format(header="python", name="host")
GOOD += FENCE.format(header="pycon", name="example")
SUFFIXES = {"python": "py", "pycon": "txt", "cuda": "cu", "bash": "sh", "text": "log"}
SUFFIXES |= {"console": "log"}
META = {"title": "A page", "description": "It has code.", "kind": "other"}


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    """A tiny project, and a converter of Markdown as the site sets it up. Returns both."""
    root = tmp_path_factory.mktemp("house")
    config = load_config(str(ROOT / "mkdocs.yml"))
    options = dict(config.mdx_configs or {})
    options["pymdownx.snippets"] = options["pymdownx.snippets"] | {"base_path": [str(root)]}
    options["lockstep.markdown"] = {"root": str(root)}
    settle(root)
    (root / "docs").mkdir()
    before = Path.cwd()
    os.chdir(root)
    names = config.markdown_extensions
    converter = markdown.Markdown(extensions=names, extension_configs=options)
    yield root, converter, Checker(root)
    os.chdir(before)


HOUSE = ("mkdocs.yml", "pyproject.toml")


def plant(root: Path, attack: dict) -> Path:
    """Write the files of a recipe, and return its page."""
    for left in set(root.iterdir()) - {root / name for name in HOUSE}:  # by the one before
        shutil.rmtree(left) if left.is_dir() else left.unlink()
    for folder in ("docs", "kernels", "snippets", "evidence"):
        (root / folder).mkdir()
    (root / "kernels/circle.py").write_text(KERNEL)
    settle(root)
    body = attack.get("body", "")
    for language, suffix in SUFFIXES.items():
        if language in attack:
            text = attack[language].replace("{root}", str(root))
            (root / f"kernels/a.{suffix}").write_text(text, encoding="utf-8")
            header = f"{language} {attack.get('fence', FILES.get(language, ''))}".strip()
            name = f"kernels/a.{suffix}" + (f":{attack['section']}" if "section" in attack else "")
            body += f'```{header}\n--8<-- "{name}"\n```\n\n'
            if language == "cuda":
                body += '```python\n--8<-- "kernels/load.py"\n```\n'
                (root / "kernels/load.py").write_text('source = open("a.cu").read()\n')
    for name, text in attack.get("files", {}).items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    for name, target in attack.get("links", {}).items():
        (root / name).symlink_to(target)
    if attack.get("evidence"):
        evidence.write(root / "evidence/nvidia-h200/microbenchmarks/copy.json", MEASURED)
    if attack.get("evidence") == "bench":
        evidence.write(root / "evidence/nvidia-h200/benchmarks/area.json", BENCHED)
    if attack.get("evidence") == "variants":
        rows = BENCHED | {"rows": VARIANTS}
        evidence.write(root / "evidence/nvidia-h200/benchmarks/circles.json", rows)
    body = body.replace("{good}", GOOD).replace("{shown5}", SHOWN5)
    meta = META if "meta" not in attack else None
    if attack.get("meta"):
        meta = "\n".join(
            f"{key}: {value}"
            for key, value in META.items()
            if not attack["meta"].startswith(f"{key}:")
        )
        meta = f"{meta}\n{attack['meta']}"
    elif meta:
        meta = "\n".join(f"{key}: {value}" for key, value in META.items())
    start = f"---\n{meta}\n---\n" if meta else ""
    file = root / "docs/page.md"
    title = attack.get("title", "# A page")
    file.write_text(f"{start}{title}\n\n{body}\n", encoding="utf-8")
    return file


MEASURED = {
    "schema": evidence.SCHEMA,
    "script": "kernels/circle.py",
    "sources": {"kernels/circle.py": digest(KERNEL)},
    "device": {"name": "NVIDIA H200", "compute_capability": "9.0", "count": 1},
    "packages": {},
    "python": "3.11.7",
    "date": "2026-01-01",
    "rows": [
        {
            "id": "copy",
            "kernel": "kernels/circle.py",
            "sha256": digest(KERNEL),
            "unit": "GB/s",
            "value": 4240.0,
            "what": "a copy of 4096 x 4096 elements",
            "times_memcpy": 0.98,
            "method": "a median",
        }
    ],
}
COMPARED = {
    "id": "area",
    "kernel": "kernels/circle.py",
    "sha256": digest(KERNEL),
    "title": "the area of 2^20 circles",
    "unit": "GB/s",
    "ours": 2400.0,
    "reference": 600.0,
    "reference_name": "CuPy, one operation after another",
    "ratio": 4.0,
    "reference_share": 4.0,
    "us": 25.0,
    "reference_us": 100.0,
}
# Two versions of one kernel, of which each has what the other has.
VARIANTS = [
    COMPARED
    | {"id": f"circles-{kind}", "title": f"the area of 2^20 circles, {kind}", "dtype": "float32"}
    | {"us": us, "read_bytes": 100 * n, "write_bytes": 10 * n}
    for n, (kind, us) in enumerate((("naive", 25.0), ("padded", 50.0)), start=1)
]
# And siblings whose names differ by a word, or by a number.
VARIANTS += [
    VARIANTS[0] | {"id": f"circles-{kind}", "title": f"the area of circles, {of}", "us": us}
    for us, (kind, of) in enumerate(
        (
            ("naive-plain", "naive"),
            ("naive-plain-skewed", "naive, far from even"),
            ("naive-ordered", "naive, in order"),
            ("naive-random", "naive, from anywhere"),
            ("rows-1024", "rows of 1024"),
            ("rows-4096", "rows of 4096"),
        ),
        start=60,
    )
]
# Of two families that go on alike.
VARIANTS += [
    VARIANTS[0] | {"id": f"spheres-naive-{kind}", "title": f"the volume of spheres, {of}", "us": us}
    for us, kind, of in ((80, "ordered", "in order"), (81, "random", "from anywhere"))
]
BENCHED = MEASURED | {"rows": [COMPARED]}
FILES = {"cuda": 'file="a.cu"'}
SHOWN5 = '```bash shown="installs"\n--8<-- "kernels/circle.py:host"\n```\n\n' * 5


SIDES = """
Our kernel takes [[bench:area.us]], and CuPy takes [[bench:area.reference_us]].

Against CuPy, with [[bench:area.reference_us]], this kernel is [[bench:area.ratio]] times as fast.

CuPy is [[bench:area.ratio]] times as slow. Our kernel, of 2^20 circles: [[bench:area.ours]].

Circles on one GPU alone: [[bench:area.ours]].

If the sanitizer finds nothing, the race may still be there. A command that ends with status 0 has
succeeded. A warp reads 4 of 8 lines of the cache. The pointer that the code passed on to the GPU
stays valid. Each thread draws 16, and the sum comes to 4950.

Here $p_0 = 0.5$ and $n / k = 4$, and the first reads
4 GB. A second kernel writes them.
"""
# What a rule of comparisons must let pass: what may differ is compared.
COMPARISONS = (
    # In place, beside what was there before.
    "import numpy as np\n\nout = np.arange(4)\nbefore = out.copy()\nout.sort()\n"
    "assert np.array_equal(out, before)\n",
    # Two arrays of one size, which something else fills.
    "import numpy as np\n\n\ndef fill(x):\n    x[:] = 3\n\n\nout = np.zeros(4)\n"
    "expected = np.zeros(4)\nfill(out)\nexpected[:] = 3\nassert np.array_equal(out, expected)\n",
    # Twice the same, under names that say so, and slices that hold something.
    "first = sorted([2, 1])\nagain = sorted([2, 1])\nassert first == again\n"
    "assert first[1:] == [2]\n",
    # A check that something reads, by name, in a list, and as what a function returns.
    "import numpy as np\n\n\ndef near(a, b):\n    return np.allclose(a, b)\n\n\n"
    "ok = near([1], [1])\nassert ok\nchecks = []\nchecks.append(near([2], [2]))\n"
    "assert all(checks)\nmask = np.arange(4) > 1\nassert mask.sum() == 2\n",
    # A program whose end is looked at, and tasks that are asked for what they give.
    "import subprocess\nimport sys\nfrom concurrent.futures import ThreadPoolExecutor\n\n"
    "done = subprocess.run([sys.executable, '-c', 'x = 1'])\nassert done.returncode == 0\n"
    "process = subprocess.Popen([sys.executable, '-c', 'x = 1'])\nassert process.wait() == 0\n"
    "with ThreadPoolExecutor() as pool:\n    task = pool.submit(len, 'ab')\n"
    "assert task.result() == 2\n",
    # In place, and a reference from a copy, or from another input.
    "import numpy as np\n\n\ndef relu(x, out):\n    out[:] = np.maximum(x, 0)\n\n\n"
    "def clip(x):\n    x[:] = np.maximum(x, 0)\n\n\nx = np.arange(4) - 2\nout = np.empty(4)\n"
    "relu(x, out)\nassert np.array_equal(out, np.maximum(x, 0))\nbefore = x.copy()\nclip(x)\n"
    "assert np.array_equal(x, np.maximum(before, 0))\n",
    # And of one of several, of a view, in a loop, and neighbors of what was written.
    "import numpy as np\n\n\ndef scan(x):\n    for i in range(1, x.size):\n"
    "        x[i] += x[i - 1]\n    return x\n\n\nxs = [np.arange(3), np.ones(4)]\n"
    "kept = [x.copy() for x in xs]\nfor x, before in zip(xs, kept):\n"
    "    np.testing.assert_allclose(scan(x), np.cumsum(before))\nx = np.ones(4)\nscan(x)\n"
    "assert x[1] == x[0] + 1\nassert x[-1] == 4\nflat = np.ones((2, 2)).reshape(4)\n"
    "scan(flat)\nassert flat.sum() == x.sum()\n",
    # Differences with a sign that is meant, and any() that is meant.
    "import numpy as np\n\nstart, end = 3, 5\nassert end - start < 10\nx = np.arange(4)\n"
    "assert (x == 3).any()\nassert np.abs(x - x[::-1]).max() <= 3\nassert any(v > 2 for v in x)\n"
    "wanted = 2\nassert any(v == wanted for v in x)\nassert (x == x[::-1]).sum() == 0\n"
    "apart = np.abs(x - x[::-1])\nassert apart.min() == 1 and apart.max() == 3\n"
    "first, ok = 3, np.array_equal(x, [0, 1, 2, 3])\nassert ok and first == 3\n",
    # Some NaN where they must be, one that a page expects, and a mask that lets something through.
    "import numpy as np\n\nx = np.array([1.0, np.nan])\ny = np.array([1.0, np.nan])\n"
    "np.testing.assert_allclose(x * 2, y + y)\nassert np.array_equal(x, y, equal_nan=True)\n"
    "np.testing.assert_equal(x.sum(), np.nan)\nbig = np.arange(4)\nassert (big > 1).any()\n"
    "assert (big[big > 1] == big[2:]).all()\nassert np.array_equal(big[big > 1], [2, 3])\n",
    # A comparison that reads what it gets, and rows of data that a loop computes with.
    "class Row:\n    def __eq__(self, other):\n        return other == 3\n\n\n"
    "assert Row() == 3\nsizes = [('a', 1.5), ('b', 2.5)]\n"
    "assert sum(size for name, size in sizes) == 4\n",
    # Figures that somebody chooses, or a device has, and a form of an object's own values.
    "def threads(n):\n    return 128 if n < 1000 else 256\n\n\nassert threads(3) == 128\n"
    "assert threads(3000) == 256\n\n\ndef bits(name):\n"
    "    return {'half': 16, 'float': 32}[name]\n\n\nassert bits('half') + 16 == bits('float')\n"
    "H200 = {'multiprocessors': 132, 'registers': 65536}\nassert len(H200) == 2\n\n\n"
    "class Pair:\n    def __init__(self, n):\n        self.n = n\n\n    def __repr__(self):\n"
    "        return f'Pair({self.n[0]:.2f})'\n\n\nassert repr(Pair([3])) == 'Pair(3.00)'\n",
)


def reviewed_or_none(root: Path) -> list:
    try:
        return reviewed.check(root)
    except PageError:
        return []


GIT = [
    "git",
    "-c",
    "user.name=x",
    "-c",
    "user.email=x@example.org",
    "-c",
    "init.defaultBranch=main",
]


def commit(root: Path, *first: str) -> None:
    for command in (first, ("add", "-A"), ("commit", "-qm", "x")):
        if command:
            subprocess.run([*GIT, *command], cwd=root, check=True)


def moved(root: Path, attack: dict) -> None:
    """Move files of the project, or take them out: ``move: {old: new}``, where new may be null."""
    for old, new in attack.get("move", {}).items():
        text = (root / old).read_text(encoding="utf-8")
        (root / old).unlink()
        if new:
            (root / new).parent.mkdir(parents=True, exist_ok=True)
            (root / new).write_text(text, encoding="utf-8")


def edited(root: Path, changes: dict) -> list[str]:
    """Change records and recorded outputs by hand, and return what is said of them."""
    records = sorted((root / "evidence").rglob("*.json"))
    records += sorted((root / "snippets/output").rglob("*.txt"))
    for old, new in changes.items():
        texts = {record: record.read_text(encoding="utf-8") for record in records}
        assert any(old in text for text in texts.values()), texts
        for record, text in texts.items():
            record.write_text(text.replace(old, new), encoding="utf-8")
    try:
        return [str(mistake) for mistake in agreement.check(root, read_all(root))]
    except PageError as error:
        return [str(mistake) for mistake in error.mistakes]


def refusals(root: Path, converter, checker: Checker, file: Path, attack: dict) -> list[str]:
    """Return all that the core says of a project: reading, rendering, running, proving."""
    try:
        said = [str(mistake) for mistake in reviewed.check(root)]
        read_all(root)
    except PageError as error:
        return [str(mistake) for mistake in (*error.mistakes, *reviewed_or_none(root))]
    page = read(file, root)
    pages.forget()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            converter.reset().convert(page.body)
    except PageError as error:
        return said + [str(mistake) for mistake in error.mistakes]
    if said:
        return said
    lines: list[str] = []
    done, document = collect.run_page(file, lines.append)
    if not done:
        return lines
    checker.__dict__.pop("records", None)
    for check in (checker.declared, checker.made_up, checker.head, checker.fits):
        said += [str(mistake) for mistake in check(page)]
    said += [str(mistake) for mistake in checker.data([page])]
    if page.blocks:
        document.record()
    if "committed" in attack:  # the main branch, or one of its own, holds the edit
        commit(root, "init", "-q")
        if attack["committed"] == "branch":
            subprocess.run([*GIT, "checkout", "-qb", "edit"], cwd=root, check=True)
        moved(root, attack)
        edited(root, attack.get("edit", {}))
        commit(root)
    if "edit" in attack or "committed" in attack:
        return said + edited(root, attack.get("edit", {}) if "committed" not in attack else {})
    checker.__dict__.pop("records", None)
    if "level" in attack:
        proofs = zip(page.blocks, checker.records.proofs(page), strict=True)
        return [f"{file.name}:{page.line_of(block)}: {proof.level}" for block, proof in proofs]
    said += [str(mistake) for mistake in checker.covered(page)]
    shown = {block.path for block in page.blocks}  # the house's own module may be on none
    said += [str(m) for m in checker.sources([page]) if m.path in shown and "on no" not in m.what]
    return said + [str(problem) for problem in evidence.Evidence(root).problems(read_all(root))]


@pytest.mark.parametrize("attack", ATTACKS)
def test_an_attack_is_refused_with_place_and_mend(house, attack):
    root, converter, checker = house
    said = refusals(root, converter, checker, plant(root, attack), attack)
    if "level" in attack:
        assert f"{attack['says']}: {attack['level']}" in said
        return
    assert said, "nothing was refused"
    assert any(attack["says"] in line and str(attack["fix"]) in line for line in said), said
    assert "pycon" in attack or not any("Traceback (most" in line for line in said), said
    mends = [line.rpartition("To mend: ")[2] for line in said if "To mend: " in line]
    assert all(len(m) >= 12 or m.startswith("make ") for m in mends), mends  # it says what to write


def test_the_honest_page_passes(house):
    """Else each of the others would be refused for nothing."""
    root, converter, checker = house
    good = {"body": "{good}", "evidence": True}
    assert refusals(root, converter, checker, plant(root, good), good) == []
    assert edited(root, {}) == []


def refused(house, text, measured):
    """Return what is refused of a page that ends with a text, beside such a record."""
    root, converter, checker = house
    page = {"body": "{good}" + text, "evidence": measured}
    return refusals(root, converter, checker, plant(root, page), page)


def test_honest_comparisons_pass(house):
    """Each side by its name, in the sentences that a lesson would write."""
    assert refused(house, SIDES, "bench") == []


# Two keys of one kernel, as a page may say them.
BOTH = (
    "Naive circles take [[bench:circles-naive.us]], padded ones [[bench:circles-padded.us]].",
    "[[bench:circles-naive.us]] for naive circles, [[bench:circles-padded.us]] for padded ones.",
    "Unlike naive circles ([[bench:circles-naive.us]]), padded ones: [[bench:circles-padded.us]].",
    "Padded circles take [[bench:circles-padded.us]], direct ones [[bench:circles-naive.us]].",
    "Unlike direct circles ([[bench:circles-naive.us]]), padded ones: [[bench:circles-padded.us]].",
    "| Circles | Time |\n|---|---:|\n| direct, one each | [[bench:circles-naive.us]] |",
    "| Circles | Numba | CuPy |\n|---|---:|---:|\n"
    "| naive | [[bench:circles-naive.us]] | [[bench:circles-naive.reference_us]] |\n"
    "| padded | [[bench:circles-padded.us]] | [[bench:circles-padded.reference_us]] |",
    "| Circles | Naive | Padded |\n|---|---:|---:|\n"
    "| 2^20 | [[bench:circles-naive.us]] | [[bench:circles-padded.us]] |",
    "| Circles | Time |\n|---|---:|\n| without padding | [[bench:circles-naive.us]] |\n"
    "| the same, from Python | [[bench:circles-naive.us]] |\n"
    "| padded | [[bench:circles-padded.us]] |",
)


@pytest.mark.parametrize("text", BOTH)
def test_keys_at_their_place_pass(house, text):
    assert refused(house, "## Circles\n\n" + text, "variants") == []


# Worked numbers that a page may have beside [[micro:copy]], 4.24 TB/s, and 25.0 µs.
WORKED = (
    "[[worked:#.## TB/s; {micro:copy} / 2]], and [[worked:# %; 4 TB/s over {micro:copy}]].",
    "[[worked:a quarter; {bench:area.us} over {bench:area.reference_us}, both warm]].",
    "[[worked:#.# µs; 132 MB at {micro:copy} − 1.4 µs]] at [[micro:copy]].",
    # Constants: of the hardware, sizes, a rate that somebody gives, a round rate.
    "[[micro:copy]]: [[worked:16 bytes a cycle; 4.2 TB/s over 132 multiprocessors at 1.98 GHz]].",
    "[[bench:area.us]]: [[worked:9 ms; 36 GB at 4 TB/s]], [[worked:100 threads; 4 × 25]].",
    "[[bench:area.ours]]: [[worked:524,288 bytes; 4 bytes × 131,072]].",
    # A count that has the same digits as a rate.
    "[[micro:copy]]: [[worked:848 words; 424 rows × 2]], [[worked:8.48 rows; 4.24 rows × 2]].",
)


@pytest.mark.parametrize("text", WORKED)
def test_honest_worked_numbers_pass(house, text):
    assert refused(house, "## Circles, and a copy\n\nIt takes " + text, "bench") == []


@pytest.mark.parametrize("text", COMPARISONS)
def test_comparisons_that_can_fail_pass(house, text):
    root, converter, checker = house
    good = {"python": text}
    assert refusals(root, converter, checker, plant(root, good), good) == []


@pytest.mark.parametrize("page", HONEST_PAGES)
def test_an_honest_page_beside_an_attack_passes(house, page):
    root, converter, checker = house
    said = refusals(root, converter, checker, plant(root, page), page)
    assert [m for m in said if not m.endswith("To mend: make gpu.")] == []  # it ran simulated


NUMBA = "from numba import njit\n\n\n@njit\ndef total(x):\n    return x + x\n"


def test_a_compiled_function_that_only_a_session_calls_ran(house):
    """Beside the simulator, too, where Python runs none of its lines."""
    root, _, _ = house
    for session, called in ((">>> total(2.0)\n4.0\n", True), (">>> 2.0 + 2.0\n4.0\n", False)):
        page, said = {"python": NUMBA, "pycon": session}, []
        done, _ = collect.run_page(plant(root, page), said.append)
        assert done == called, said
        assert called or "nothing on docs/page.md calls" in said[-1]


def test_honest_files_of_another_project_pass(tmp_path):
    """Sources in a folder that is called as a module of Python's, and a file with tabs."""
    (tmp_path / "mkdocs.yml").write_text("site_name: x\n")
    settings = '[tool.lockstep]\nsources = ["code"]\noutput = "code/output"\nshown = 1.0\n'
    (tmp_path / "pyproject.toml").write_text(settings)
    (tmp_path / "docs").mkdir()
    (tmp_path / "code").mkdir()
    (tmp_path / "code/a.py").write_text("print(1)\n")
    (tmp_path / "code/Makefile").write_text("all: a.o\n\tcc -o all a.o\t# it links\n")
    meta = "\n".join(f"{key}: {value}" for key, value in META.items())
    blocks = (
        '```python\n--8<-- "code/a.py"\n```\n\n```make shown="yours"\n--8<-- "code/Makefile"\n```\n'
    )
    (tmp_path / "docs/page.md").write_text(f"---\n{meta}\n---\n# A page\n\n{blocks}")
    said = []
    done, _ = collect.run_page(tmp_path / "docs/page.md", said.append)
    assert done, said
    assert list(map(str, Checker(tmp_path).everything())) == []


def test_a_file_that_an_interpreter_runs_is_said_to_have_run(house):
    """Else those that none ran would be stamped as read for nothing."""
    root, converter, checker = house
    for command in ("python a.py\n", "cp a.py b.py; timeout 60 env python -c 'import b'\n"):
        body = '```python file="a.py"\n--8<-- "kernels/b.py"\n```\n\n'
        files = {"kernels/b.py": "x = 1\nassert x\n"}
        good = {"body": body, "files": files, "bash": command, "fence": 'run="cpu"', "level": ""}
        said = refusals(root, converter, checker, plant(root, good), good)
        assert said == ["page.md:8: cpu", "page.md:12: cpu"], said


HONEST = (
    "echo a |\n    cat |\n    sort -n | head -n 1  # the first\n",
    "for name in a 'b c'; do\n    echo \"$name, of it\"\n    echo x$name |\n        cat\ndone\n",
    "LC_ALL=C printf '%s\\n' \\\n    a b \\\n    c\n",
    "cat > log <<'END'\nfast --all $(nothing)\nEND\ngrep -c fast log\n",
    "ls . > log || { cat log; exit 1; }\n",
    'x=$(echo a; echo "b c")\ny=1 z=2\necho "$x" $y$z > log\ntest -s log\n',
    "(cd /\n pwd)\nshow() {\n  echo $1 | cat\n}\nshow 'a  b'; show $'c\\td'\n",
    "echo {a,b} *.none ~ \"\\$5\" 'it''s' $((1 + 2)) > log\n[ -s log ] && echo `cat log`\n",
    "set -euo pipefail\nsleep 0.01 &\nwait\nfor ((n = 0; n < 2; n++)); do echo $n; done\n",
    "n=0\nwhile [ $n -lt 2 ]; do\n  n=$((n + 1))\ndone\nif [[ $n == 2 ]]; then\n  echo two\nfi\n",
)


@pytest.mark.parametrize("text", HONEST)
def test_commands_that_all_ran_are_all_traced(tmp_path, text):
    """Else a line would be said not to have run that did."""
    numbers = tuple(range(1, text.count("\n") + 1))
    block = Block(0, "bash", {"run": "cpu"}, "a.sh", None, text, numbers, "docs/page.md", 1)
    setting, bash = Setting({}, tmp_path, tmp_path, "cpu"), Bash()
    bash.run(block, setting)
    bash.compare(block, setting.told)
    can = bash.lines(block.text)
    assert can and bash.ran(block, setting.told) == can


SERVED = """import http.client
import http.server
import threading


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(204)
        self.end_headers()


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
thread = threading.Thread(target=server.serve_forever)
thread.start()
asked = http.client.HTTPConnection("127.0.0.1", server.server_port)
asked.request("GET", "/")
status = asked.getresponse().status
server.shutdown()
server.server_close()
assert status == 204
"""


def test_a_page_may_talk_to_a_server_of_its_own(house):
    root, converter, checker = house
    good = {"python": SERVED}
    assert refusals(root, converter, checker, plant(root, good), good) == []


def test_there_are_many_attacks_of_many_classes():
    assert len(ATTACKS) >= 150 and len(CLASSES) >= 20
    assert len({param.id for param in ATTACKS}) == len(ATTACKS)


def test_sessions_of_the_same_words_all_ran(house):
    """Their code is equal, and Python 3.11 would take the one for the other."""
    root, converter, checker = house
    session = ">>> x = sum([1, 2])\n>>> x\n3\n"
    files = {"kernels/a.txt": session, "kernels/b.txt": f"\n{session}"[1:]}
    body = "".join(f'```pycon\n--8<-- "{file}"\n```\n\n' for file in files)
    page = {"body": body, "files": files}
    assert refusals(root, converter, checker, plant(root, page), page) == []


def test_sentences_of_lessons_pass(house):
    """Sizes, counts and arithmetic: a rule that refuses them would be switched off."""
    root, converter, checker = house
    text = (ROOT / "tests/innocent.txt").read_text(encoding="utf-8")
    page = {"body": text.replace("\n", "\n\n")}
    assert refusals(root, converter, checker, plant(root, page), page) == []


def test_the_files_of_this_site_are_reviewed():
    """Scripts, styles and templates as somebody read them: python -m lockstep review."""
    assert [str(mistake) for mistake in reviewed.check(ROOT)] == []


def test_the_nodes_of_a_text_are_those_of_one_tree_whatever_a_cache_has_forgotten():
    """Rules know a node by its identity: nodes of two trees made honest pages wrong."""
    text = "done = run(command)\nprint(done.stdout)\n"
    kinds(text, ast.Call)
    parse.cache_clear()
    places = {id(node) for node in nodes(text)}
    assert {id(node) for node in kinds(text, ast.Call, ast.Name)} < places


def test_a_long_block_with_more_than_text_in_it_is_refused_at_once():
    found = []
    text = f"<pre><code>{'x' * 50_000}<b></b></code></pre>"
    for _ in rendered.walk(text, lambda *what: found.append(what)):
        pass
    assert [what for _, what, _ in found] == ["a code block with more than text in it"]

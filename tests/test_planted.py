"""Planted violations: each is refused with file, line and how to mend it."""

import json
import subprocess
import sys

import pytest

from lockstep import collect, evidence, languages
from lockstep.page import PageError, read, read_all

META = "---\ntitle: A page\ndescription: It has code.\nkind: other\n---\n"
KERNEL = '''"""A module."""

# --8<-- [start:imports]
import math

# --8<-- [end:imports]


# --8<-- [start:host]
def area(r):
    """Return the area of a circle.

    --8<-- [start:example]
    >>> area(0)
    0.0
    >>> round(area(1), 2)
    3.14

    --8<-- [end:example]
    """
    return math.pi * r * r


# --8<-- [end:host]
'''
INCLUDES = ["imports", "host"]
GOOD = "".join(f'```python\n--8<-- "kernels/circle.py:{name}"\n```\n\n' for name in INCLUDES)
GOOD += '```pycon\n--8<-- "kernels/circle.py:example"\n```\n'


@pytest.fixture
def house(tmp_path, monkeypatch):
    """A tiny repository with one page and one module. Returns a function that plants a page."""
    (tmp_path / "mkdocs.yml").write_text("site_name: x\n")
    (tmp_path / "kernels").mkdir()
    (tmp_path / "snippets").mkdir()
    (tmp_path / "docs").mkdir()
    (tmp_path / "kernels/circle.py").write_text(KERNEL)
    monkeypatch.chdir(tmp_path)

    def plant(body, meta=META):
        file = tmp_path / "docs/page.md"
        file.write_text(meta + body)
        return file

    plant.root = tmp_path
    return plant


def mistakes(house, body, meta=META):
    with pytest.raises(PageError) as refused:
        read(house(body, meta), house.root)
    return [str(mistake) for mistake in refused.value.mistakes]


def run(house, file):
    said = []
    done, document = collect.run_page(file, said.append)
    return done, "\n".join(said), document


def test_a_right_page_is_read_and_runs(house):
    done, said, _ = run(house, house(GOOD))
    assert done, said


# What is planted, and what the refusal must say. The body begins on line 6 of the page.
REFUSED = {
    "typed fence": ("Text.\n\n```python\nprint(1)\n```\n", "docs/page.md:9:", "kernels/"),
    "typed tilde fence": ("~~~python\nprint(1)\n~~~\n", "docs/page.md:7:", "include it"),
    "an extra line": (
        '```python\n--8<-- "kernels/circle.py:imports"\nprint(1)\n```\n',
        "docs/page.md:7:",
        "one include line",
    ),
    "raw pre": ("A\n\n<pre><code>x = 1</code></pre>\n", "docs/page.md:8:", "move it to a file"),
    "line-range include": (
        '```python\n--8<-- "kernels/circle.py:3:7"\n```\n',
        "docs/page.md:7:",
        "name a section",
    ),
    "include outside a fence": ('--8<-- "kernels/circle.py:host"\n', "docs/page.md:6:", "inside"),
    "no such section": (
        '```python\n--8<-- "kernels/circle.py:kernel"\n```\n',
        "kernels/circle.py:1:",
        "there are: example, host, imports",
    ),
    "no such file": (
        '```python\n--8<-- "kernels/square.py"\n```\n',
        "kernels/square.py:1:",
        "page.md:7",
    ),
    "another folder": ('```python\n--8<-- "docs/page.md"\n```\n', "docs/page.md:7:", "kernels/"),
    "a way out": ('```python\n--8<-- "kernels/../x.py"\n```\n', "docs/page.md:7:", "not under"),
    "no language": ('```\n--8<-- "kernels/circle.py:host"\n```\n', "docs/page.md:6:", "language"),
    "unknown language": (
        '```pyhton\n--8<-- "kernels/circle.py:host"\n```\n',
        "docs/page.md:6:",
        "use one of",
    ),
    "unproved shell": (
        '```bash\n--8<-- "kernels/circle.py:host"\n```\n',
        "docs/page.md:6:",
        'shown="reason"',
    ),
    "shown without a reason": (
        '```bash shown=" "\n--8<-- "kernels/circle.py:host"\n```\n',
        "docs/page.md:6:",
        "write the reason",
    ),
    "open fence": ('```python\n--8<-- "kernels/circle.py:host"\n', "docs/page.md:6:", "close it"),
    "a file nobody loads": (
        '```cuda file="x.cu"\n--8<-- "kernels/circle.py:host"\n```\n',
        "docs/page.md:6:",
        'open("x.cu")',
    ),
    "output of nothing": (
        '```output\n--8<-- "snippets/output/page/x.txt"\n```\n',
        "snippets/output/page/x.txt:1:",
        "create it",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_violation_is_refused_with_file_line_and_mend(house, name):
    body, where, mend = REFUSED[name]
    said = mistakes(house, body)
    assert any(line.startswith(where) and mend in line for line in said), said
    assert all("To mend: " in line for line in said)


def test_an_unclosed_section_is_refused(house):
    broken = KERNEL.replace("# --8<-- [end:imports]\n", "")
    (house.root / "kernels/circle.py").write_text(broken)
    said = mistakes(house, GOOD)
    assert said[0].startswith("kernels/circle.py:3: section 'imports' starts at lines [3]"), said


FRONT = {
    "no front matter": ("", "docs/page.md:1:", "start it with ---"),
    "no title": ("---\nkind: other\ndescription: x\n---\n", "docs/page.md:1:", "add title"),
    "unknown kind": (META.replace("other", "poem"), "docs/page.md:4:", "use one of"),
    "unknown key": (META.replace("kind:", "knid: x\nkind:"), "docs/page.md:4:", "use one of"),
    "wrong type": (META.replace("kind:", "gpus: two\nkind:"), "docs/page.md:4:", "give a int"),
    "not YAML": ("---\ntitle: [x\n---\n", "docs/page.md:", "To mend"),
}


@pytest.mark.parametrize("name", FRONT)
def test_front_matter_is_checked(house, name):
    meta, where, mend = FRONT[name]
    said = mistakes(house, GOOD, meta)
    assert any(line.startswith(where) and mend in line for line in said), said


def test_all_mistakes_of_all_pages_are_named_at_once(house):
    house("```python\nprint(1)\n```\n\n```python\nprint(2)\n```\n")
    (house.root / "docs/other.md").write_text("no front matter\n")
    with pytest.raises(PageError) as refused:
        read_all(house.root)
    assert {m.path for m in refused.value.mistakes} == {"docs/page.md", "docs/other.md"}
    assert sum("one include line" in m.what for m in refused.value.mistakes) == 2


def test_a_wrong_expected_output_names_the_kernel_file(house):
    (house.root / "kernels/circle.py").write_text(KERNEL.replace("3.14", "3.15"))
    done, said, _ = run(house, house(GOOD))
    assert not done
    assert "kernels/circle.py:16: round(area(1), 2)\nexpected: 3.15\n     got: 3.14" in said


def test_a_missing_import_names_the_line_that_needs_it(house):
    done, said, _ = run(house, house(GOOD.replace(GOOD[: GOOD.index("\n\n") + 2], "")))
    assert not done
    assert "kernels/circle.py:14: area(0)" in said and "NameError: name 'math'" in said


def test_a_failing_block_stops_its_page(house):
    broken = KERNEL.replace("import math", "import maths_that_is_not_there")
    (house.root / "kernels/circle.py").write_text(broken)
    done, said, document = run(house, house(GOOD))
    assert not done and not document.results
    assert "kernels/circle.py:4: ModuleNotFoundError" in said and "pip install" in said
    assert "not run, kernels/circle.py:4 of this page failed" in said


def test_evidence_is_gone_when_the_code_changes(house):
    file = house(GOOD)
    _, _, document = run(house, file)
    document.record()
    page = read(file, house.root)
    records = evidence.Evidence(house.root)
    assert [proof.level for proof in records.proofs(page)] == ["cpu"] * 3
    assert not records.problems([page])

    changed = KERNEL.replace("math.pi * r * r", "math.pi * r**2")
    (house.root / "kernels/circle.py").write_text(changed)
    page = read(file, house.root)
    records = evidence.Evidence(house.root)
    assert [proof.level for proof in records.proofs(page)] == ["awaiting"] * 3
    (problem,) = records.problems([page])
    assert problem.kind == "stale" and "docs/page.md on cpu" in problem.what
    assert "python -m lockstep run docs/page.md" in problem.mend


def test_prose_may_change_without_a_new_run(house):
    file = house(GOOD)
    _, _, document = run(house, file)
    document.record()
    page = read(house("A new sentence.\n\n" + GOOD), house.root)
    assert not evidence.Evidence(house.root).problems([page])


def test_a_failed_page_leaves_its_old_record(house):
    file = house(GOOD)
    _, _, document = run(house, file)
    record = document.record()
    before = record.read_bytes()
    (house.root / "kernels/circle.py").write_text(KERNEL.replace("3.14", "3.15"))
    code = lockstep(house, "run", "docs/page.md")
    assert code.returncode == 1 and record.read_bytes() == before


def test_a_record_is_written_whole_or_not_at_all(tmp_path):
    file = tmp_path / "evidence/x.json"
    evidence.write(file, {"schema": 1})
    with pytest.raises(TypeError):
        evidence.write(file, {"schema": object()})
    assert json.loads(file.read_text()) == {"schema": 1}
    assert [p.name for p in file.parent.iterdir()] == ["x.json"]


def lockstep(house, *arguments):
    import os

    from lockstep.page import find_root  # noqa: F401

    here = os.path.dirname(os.path.dirname(os.path.abspath(collect.__file__)))
    env = {k: v for k, v in os.environ.items() if k != "LOCKSTEP_TARGET"} | {"PYTHONPATH": here}
    command = [sys.executable, "-m", "lockstep", *arguments]
    return subprocess.run(command, cwd=house.root, env=env, capture_output=True, text=True)


def test_status_counts_and_fails_when_something_is_stale(house):
    house(GOOD)
    done = lockstep(house, "status")
    assert done.returncode == 1 and "missing: docs/page.md on cpu" in done.stdout
    assert lockstep(house, "run", "docs/page.md").returncode == 0
    done = lockstep(house, "status", "--json")
    assert done.returncode == 0
    data = json.loads(done.stdout)
    assert data["total"] == 3 and data["blocks"]["cpu"] == 3 and data["stale"] == []


def test_status_names_a_broken_page(house):
    house("```python\nprint(1)\n```\n")
    done = lockstep(house, "status")
    assert done.returncode == 2 and done.stderr.startswith("docs/page.md:7: ")
    assert "Traceback" not in done.stderr


def test_a_damaged_record_is_named(house):
    house(GOOD)
    lockstep(house, "run", "docs/page.md")
    file = house.root / "evidence/cpu/pages/page.json"
    file.write_text(file.read_text()[:50])
    done = lockstep(house, "status")
    assert done.returncode != 0 and "evidence/cpu/pages/page.json: not JSON" in done.stderr


def test_no_gpu_is_one_clear_line(house, monkeypatch):
    if languages.environment.gpus():
        monkeypatch.setenv("PATH", "")
    done = lockstep(house, "gpu")
    assert done.returncode == 2
    assert done.stderr.startswith("There is no NVIDIA GPU here") and done.stderr.count("\n") == 1


def test_a_gpu_too_old_or_too_few_is_said(house, monkeypatch):
    gpu = {"name": "X", "compute_capability": "7.0", "driver": "1", "memory_mib": 1}
    monkeypatch.setattr(languages.environment, "gpus", lambda: (gpu,))
    for key, said in (
        ('compute_capability: "9.0"', "needs compute capability 9.0, this GPU has 7.0"),
        ("gpus: 2", "needs 2 GPUs, this machine has 1"),
    ):
        file = house(GOOD, META.replace("kind:", f"{key}\nkind:"))
        document = collect.sybil().parse(file)
        document.target = "numba-cuda"
        assert said in document.why_not_here()


CUPY = """# --8<-- [start:imports]
import cupy as cp
# --8<-- [end:imports]
# --8<-- [start:make]
x = cp.ones(3)
# --8<-- [end:make]
# --8<-- [start:use]
def f(y):
    return x + y
# --8<-- [end:use]
# --8<-- [start:own]
def g(x):
    return x + 1
assert g(1) == 2
# --8<-- [end:own]
# --8<-- [start:again]
x = [1, 2]
assert x[0] == 1
# --8<-- [end:again]
"""


def test_what_needs_a_gpu_is_found_by_name(house):
    (house.root / "kernels/c.py").write_text(CUPY)
    names = ["imports", "make", "use", "own", "again"]
    body = "".join(f'```python\n--8<-- "kernels/c.py:{n}"\n```\n\n' for n in names)
    page = read(house(body, META.replace("kind:", "gpu_only: 3\nkind:")), house.root)
    reasons = languages.gpu_only(page)
    assert sorted(reasons) == [0, 1, 2], reasons
    assert "uses x: kernels/c.py:5 needs a GPU" in reasons[2]

"""What outlives a page counts for that page, and for none after it in the same process."""

import os
from pathlib import Path

import pytest
from sybil.example import SybilFailure

from lockstep import collect
from tests.houses import settle

META = "---\ntitle: A page\ndescription: It has code.\nkind: other\n---\n# A page\n\n"
# Its own parent ends at once, so that it becomes a child of what forks the pages.
ORPHAN = """import subprocess

start = "setsid nohup sleep 300 > log 2>&1 & echo $! > number"
subprocess.run(start, shell=True, check=True)
"""
CODE = {"orphan": ORPHAN, "fails": "x = 1\nassert x == 2\n", "passes": "x = 1\nassert x == 1\n"}


@pytest.fixture
def plant(tmp_path, monkeypatch):
    """Returns a function that writes a page of some blocks, and reads it."""
    for folder in ("kernels", "snippets", "docs"):
        (tmp_path / folder).mkdir()
    settle(tmp_path)
    monkeypatch.chdir(tmp_path)
    for name, text in CODE.items():
        (tmp_path / f"kernels/{name}.py").write_text(text)

    def planted(name, *blocks):
        fences = (f'```python\n--8<-- "kernels/{block}.py"\n```\n' for block in blocks)
        file = tmp_path / f"docs/{name}.md"
        file.write_text(META + "\n".join(fences))
        return collect.sybil(tmp_path).parse(file)

    return planted


def run(document, *blocks):
    """Run all blocks of a page, or those of these numbers, and return what was refused of them."""
    said = []
    for example in [e for n, e in enumerate(document.examples()) if n in blocks or not blocks]:
        try:
            example.evaluate()
        except SybilFailure as failure:
            said.append(failure.result)
    return said


def number(document):
    """Return the number of the process that a page has left."""
    return int((Path(document.folder.name) / "number").read_text())


def lives(number):
    """Whether a process is there, and not only its number, until somebody asks how it ended."""
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="processes are found on Linux alone")
def test_what_a_page_left_counts_for_no_other_page(plant):
    """Not while that page is not at its end, and not once it has failed."""
    begun = plant("begun", "orphan", "passes")
    assert run(begun, 0) == []
    left = number(begun)
    assert run(plant("other", "passes")) == [] and lives(left)
    (said,) = run(begun, 1)
    assert "docs/begun.md:1: sleep would still run" in said and not lives(left)


def test_a_page_that_fails_leaves_nothing(plant):
    failed = plant("failed", "orphan", "fails")
    (said,) = run(failed)
    assert "kernels/fails.py:2" in said
    assert not lives(number(failed))
    assert run(plant("other", "passes")) == []

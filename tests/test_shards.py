"""The suite in parts: each file is in exactly one, and the parts are about equally long."""

import json
import subprocess
import sys

import pytest

from lockstep import shards
from tests import built
from tests.pages import ROOT

SECONDS = shards.measured(ROOT / "tests/seconds.json")


@pytest.mark.parametrize("count", [1, 2, 4, 7])
def test_each_file_is_in_exactly_one_part_and_none_is_much_longer(count):
    files = [*SECONDS, *(f"docs/{n}.md" for n in range(300))]
    parts = shards.divide(files, count, SECONDS)
    assert sorted(name for part in parts for name in part) == sorted(files)
    lengths = [sum(SECONDS.get(n, shards.UNKNOWN) for n in part) for part in parts]
    assert max(lengths) - min(lengths) <= max(SECONDS.values())
    assert parts == shards.divide(reversed(files), count, SECONDS)


@pytest.mark.parametrize("text", ["", "4", "0/4", "5/4", "a/4", "1/-4", "1/4/2"])
def test_what_is_no_shard_is_refused(text):
    with pytest.raises(ValueError, match="a shard is written 2/4"):
        shards.of(text)


def test_measured_seconds_name_files_that_are_there():
    assert SECONDS and not [name for name in SECONDS if not (ROOT / name).is_file()]


A_TEST = "def test_it():\n    pass\n"
PAGE = "---\ntitle: x\ndescription: x\nkind: other\n---\n\nText.\n"


def test_the_parts_of_a_project_run_each_test_once(tmp_path):
    """Four processes on four machines: what they ran is everything, and nothing twice."""
    (tmp_path / "mkdocs.yml").write_text("site_name: x\n")
    seconds = {"tests/test_0.py": 9, "tests/test_1.py": 5}
    (tmp_path / "seconds.json").write_text(json.dumps(seconds))
    (tmp_path / "pytest.ini").write_text(
        "[pytest]\ntestpaths = tests docs\nlockstep_seconds = seconds.json\n"
    )
    (tmp_path / "conftest.py").write_text('pytest_plugins = ["lockstep.pytest_plugin"]\n')
    for name in ("tests", "docs", "snippets"):
        (tmp_path / name).mkdir()
    (tmp_path / "docs/index.md").write_text(PAGE + '\n```python\n--8<-- "snippets/a.py"\n```\n')
    (tmp_path / "snippets/a.py").write_text("x = 1\n")
    for number in range(6):
        (tmp_path / f"tests/test_{number}.py").write_text(A_TEST)
    ran = []
    for number in range(1, 5):
        command = [sys.executable, "-m", "pytest", "-v", "--shard", f"{number}/4", "-p", "no:xdist"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        found = [line.split()[0] for line in done.stdout.splitlines() if " PASSED" in line]
        assert "NOT EXPECTED" not in done.stdout
        ran.append(found)
    assert sorted(sum(ran, [])) == [
        "docs/index.md::snippets/a.py:1",
        *(f"tests/test_{number}.py::test_it" for number in range(6)),
    ]
    assert ran[0] == ["tests/test_0.py::test_it"]  # the longest is alone


def test_bytecode_makes_no_other_site(tmp_path, monkeypatch):
    kept = tmp_path / "lockstep/__pycache__"
    kept.mkdir(parents=True)
    source = tmp_path / "lockstep/a.py"
    source.write_text("a = 1\n")
    monkeypatch.setattr(built, "ROOT", tmp_path)
    before = built.state()
    for name in ("a.cpython-312.pyc", "a.cpython-312.pyc.140243", "a.kernel-1.py312.nbi"):
        (kept / name).write_bytes(b"0")
    assert built.state() == before
    source.write_text("a = 2\n")
    assert built.state() != before

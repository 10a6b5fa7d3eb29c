"""Evidence that was edited by hand is found against the last commit: histories only grow.

What such an edit forgets inside of one record is in tests/attacks/evidence-by-hand.yml.
"""

import datetime
import json
import os
import re
import shutil
import subprocess
import sys

import pytest

from lockstep import collect, evidence, records, reviewed
from lockstep.check import Checker
from lockstep.evidence import agreement
from lockstep.page import read, read_all
from tests.houses import settle
from tests.test_attacks import KERNEL, MEASURED, META, ROOT

RECORD = "evidence/nvidia-h200/microbenchmarks/copy.json"
HISTORY = "evidence/nvidia-h200/microbenchmarks/copy.history.jsonl"
PAGE = "evidence/cpu/pages/page.json"
SLOW = """# A line above.
# --8<-- [start:a]
def slow(x):
    if x > 1:
        x = fast(x) if x > 2 else 312
    return x if x else fast(x)


assert slow(1) == 1
# --8<-- [end:a]
"""


@pytest.fixture(scope="module")
def committed(tmp_path_factory):
    """A repository with a measurement that was repeated once, committed."""
    root = tmp_path_factory.mktemp("repository")
    settle(root)
    (root / "kernels").mkdir()
    (root / "kernels/circle.py").write_text(KERNEL)
    (root / "docs").mkdir()
    meta = "\n".join(f"{key}: {value}" for key, value in META.items())
    (root / "kernels/slow.py").write_text(SLOW)
    fence = '```python unrun="for another GPU"\n--8<-- "kernels/slow.py:a"\n```\n'
    (root / "docs/page.md").write_text(f"---\n{meta}\n---\n# A page\n\nSome words.\n\n{fence}")
    done, document = collect.run_page(root / "docs/page.md", lambda line: None)
    assert done
    document.record()
    (root / reviewed.LIST).write_text('{"files": {}}\n')
    for value in (4100.0, 4240.0):
        row = MEASURED["rows"][0] | {"value": value}
        evidence.write(root / RECORD, MEASURED | {"rows": [row]})
    who = ["-c", "user.name=x", "-c", "user.email=x@example.org"]
    for command in (["init", "-q"], ["add", "-A"], [*who, "commit", "-qm", "x"]):
        subprocess.run(["git", *command], cwd=root, check=True)
    return root


@pytest.fixture
def root(committed):
    yield committed
    subprocess.run(["git", "checkout", "-q", "."], cwd=committed, check=True)


def said(root):
    return [str(mistake) for mistake in agreement.check(root, [])]


def test_a_record_as_committed_passes(root):
    assert said(root) == []


def test_a_run_that_replaces_a_record_passes(root):
    row = MEASURED["rows"][0] | {"value": 4300.0}
    evidence.write(root / RECORD, MEASURED | {"rows": [row], "date": "2026-02-01"})
    assert said(root) == []


@pytest.mark.parametrize(
    "date, spread, found",
    [
        pytest.param("2026-02-01", 0.0, False, id="a count that came out the same in a new run"),
        pytest.param("2026-01-01", 0.0, True, id="on the same day"),
        pytest.param("2026-02-01", 0.01, True, id="of what never comes out the same"),
    ],
)
def test_what_another_gpu_found_is_kept_with_its_figures(root, date, spread, found):
    """Unless all was measured anew: then it was of the run before."""
    other = {"id": "blocks", "unit": "blocks", "value": 17, "spread": spread}
    rows = [MEASURED["rows"][0], MEASURED["rows"][0] | other | {"again": [{"value": 17}]}]
    now = [rows[0] | {"value": 4300.0}, {k: v for k, v in rows[1].items() if k != "again"}]
    evidence.write(root / RECORD, MEASURED | {"rows": now, "date": date})
    before = json.dumps(MEASURED | {"rows": rows})
    said = [str(mistake) for mistake in agreement._replaced(root, RECORD, before, "2026-01-01")]
    assert any("blocks: its again changed" in line for line in said) is found


def edit(root, name, old, new):
    text = (root / name).read_text(encoding="utf-8")
    assert old in text
    (root / name).write_text(text.replace(old, new), encoding="utf-8")


@pytest.mark.parametrize(
    "name, old, new, words",
    [
        (RECORD, '"value": 4240.0', '"value": 4900.0', "its history has not those of before"),
        (RECORD, '"date": "2026-01-01"', '"date": "2025-01-01"', "in the place of one on"),
        (HISTORY, "4100.0", "4000.0", "a point of the history was changed"),
        (HISTORY, "copy", "paste", "a point of the history was changed"),
        (PAGE, '"date": "2', '"date": "1', "in the place of one on"),
        (RECORD, '"a median"', '"a minimum"', "its method changed, and none of its figures"),
        (RECORD, '"date": "2026-01-01"', '"date": "2026-01-02"', "none of its figures did"),
        (PAGE, '"outcome": "passed", "seconds": ', '"outcome": "passed", "seconds": 1', "own hash"),
        (PAGE, ', "lines": [4, 5], "not_run": [3]', "", "has lost its lines"),
        (PAGE, ', "parts": [1, 4], "idle": [[4, "fast(x)"]]', "", "has lost its parts"),
    ],
)
def test_an_edit_is_found(root, name, old, new, words):
    edit(root, name, old, new)
    [line] = [line for line in said(root) if words in line]
    assert line.startswith(f"{name}:") and "To mend: " in line


def test_a_record_without_its_own_hash_is_found(root, monkeypatch):
    """Else it would be taken out with the edit. Records of before have none."""
    text = (root / RECORD).read_text(encoding="utf-8")
    text = re.sub(r',\n "seal": "\w+"', "", text)
    (root / RECORD).write_text(text, encoding="utf-8")
    assert said(root) == []
    monkeypatch.setattr(agreement, "SINCE", re.compile('"date": "2026-01'))
    assert any("without the hash" in line for line in said(root))


def test_a_history_that_is_gone_is_found(root):
    (root / HISTORY).unlink()
    assert any("changed or taken out" in line and HISTORY in line for line in said(root))


POINT = '{"id": "copy", "unit": "GB/s", "date": "%s", "value": 9000.0}\n'


@pytest.mark.parametrize("date", ["2025-12-01", "2026-01-01"])
def test_a_point_of_a_history_that_no_run_made_is_found(root, date):
    """Of a day before, and of the same day: a run would have written the record, too."""
    with (root / HISTORY).open("a", encoding="utf-8") as file:
        file.write(POINT % date)
    words = "behind one on" if date < "2026" else "no run wrote the record beside it"
    assert any(line.startswith(f"{HISTORY}:2:") and words in line for line in said(root))


def test_a_point_that_is_later_than_its_record_is_found_without_git(root, monkeypatch):
    monkeypatch.setattr(agreement, "_git", lambda *words: None)
    with (root / HISTORY).open("a", encoding="utf-8") as file:
        file.write(POINT % "2026-03-01")
    assert any("its record is of 2026-01-01" in line for line in said(root))


def test_a_point_that_is_said_again_with_its_code_passes(root):
    text = (root / HISTORY).read_text(encoding="utf-8")
    again = text.replace("}", ', "device": "NVIDIA H200"}').replace(', "device"', ', "note"')
    (root / HISTORY).write_text(text + again, encoding="utf-8")
    assert said(root) == []


def older(record, days):
    """Return the text of a page's record, with the dates of its runs some days before."""
    today = datetime.date.today()
    return record.replace(today.isoformat(), (today - datetime.timedelta(days)).isoformat())


@pytest.mark.parametrize("days, took, words", [(9, "9.5", "its date"), (0, None, "no time")])
def test_a_record_whose_hashes_changed_alone_is_found(root, days, took, words):
    """Of a page as it is: whose hashes somebody made, and the seal."""
    record = json.loads(older((root / PAGE).read_text(encoding="utf-8"), days))
    for block in record["blocks"]:
        block["runs"]["cpu"]["seconds"] = 0.5
    was = json.dumps(record)
    record["blocks"][0]["sha256"] = "0" * 64
    record["blocks"][0]["runs"]["cpu"]["seconds"] = float(took or 0.5)
    (root / PAGE).write_text(json.dumps(record), encoding="utf-8")
    day = datetime.date.today().isoformat()
    [said] = [m.what for m in agreement._replaced(root, PAGE, was, day) if "changed" in m.what]
    assert words in said
    record["blocks"][0]["runs"]["cpu"]["seconds"] = 0.7
    record["runs"]["cpu"]["date"] = day
    (root / PAGE).write_text(json.dumps(record), encoding="utf-8")
    assert list(agreement._replaced(root, PAGE, was, day)) == []


def test_a_look_at_one_page_sees_the_records_of_its_figures(root):
    """And of no other: whoever writes a page is not told what is wrong elsewhere."""
    page, other = root / "docs/page.md", root / "docs/other.md"
    text = page.read_text(encoding="utf-8")
    page.write_text(text + "\nA copy of 4096 x 4096 elements: [[micro:copy]].\n")
    meta = text[: text.index("# A page")]
    other.write_text(f"{meta}# Another\n\nWords.\n", encoding="utf-8")
    edit(root, RECORD, '"value": 4240.0', '"value": 4900.0')
    said = Checker(root).everything([page])
    assert {mistake.path for mistake in said} == {RECORD}
    assert any("history has not those of before" in mistake.what for mistake in said)
    assert Checker(root).everything([other]) == []
    other.unlink()


def test_a_list_of_reviewed_files_that_is_gone_is_found(root, monkeypatch):
    monkeypatch.chdir(root)
    gone = lambda: [m for m in Checker(root).everything() if "files is gone" in m.what]  # noqa: E731
    assert not gone()
    (root / reviewed.LIST).unlink()
    [mistake] = gone()
    assert mistake.path == reviewed.LIST and "git checkout" in mistake.mend


@pytest.mark.parametrize("above, first", [("", 4), ("# One more.\n# And another.\n", 6)])
def test_lines_that_did_not_run_move_with_their_source(root, above, first):
    """A record has them in lines of its block: whoever writes above it does not change them."""
    (root / "kernels/slow.py").write_text(above + SLOW.replace("# A line above.\n", ""))
    page = read(root / "docs/page.md", root)
    [proof] = evidence.Evidence(root).proofs(page)
    block = page.blocks[0]
    assert records.unexplained(block, records.best(block, proof)) == [first]
    assert f"fast(x) in line {first + 1} did not run" in records.lines(page, block, proof)
    assert re.fullmatch(r"in part: \d+ of \d+ lines", records.part(page, block, proof))
    assert records.lines(page, block, proof).endswith(": for another GPU")  # what it unfolds to
    assert f"not line {first} of kernels/slow.py" in records.details(page, block, proof)
    assert list(agreement.check(root, read_all(root))) == []


WAITS = "---\ntitle: {0}\ndescription: It waits.\nkind: other\n---\n# {0}\n\n"
WAITS += '```python\n--8<-- "kernels/{0}.py"\n```\n'


def test_two_runs_in_one_tree_do_not_take_each_other_for_a_page(tmp_path):
    """The second records while a page of the first would still run: it waits for it instead."""
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    (tmp_path / "mkdocs.yml").write_text("site_name: x\n")
    for name, seconds in {"slow": 4, "quick": 0}.items():
        for folder in ("docs", "kernels"):
            (tmp_path / folder).mkdir(exist_ok=True)
        (tmp_path / f"docs/{name}.md").write_text(WAITS.format(name))
        (tmp_path / f"kernels/{name}.py").write_text(f"import time\n\ntime.sleep({seconds})\n")
    command = [sys.executable, "-u", "-m", "lockstep", "run"]
    env = os.environ | {"PYTHONPATH": str(ROOT)}
    there = {"cwd": tmp_path, "env": env, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen([*command, "docs/slow.md"], **there) as slow:
        assert slow.stdout
        while "docs/slow.md on" not in (line := slow.stdout.readline()):
            assert line
        quick = subprocess.run([*command, "docs/quick.md"], **there)
        told = slow.stdout.read()
    assert slow.returncode == 0, told
    assert quick.returncode == 0, quick.stdout
    assert sorted(f.stem for f in tmp_path.glob("evidence/*/pages/*.json")) == ["quick", "slow"]


LAUNCHES = """from numba import cuda


@cuda.jit
def slow(x):
    x[0] = 1


@cuda.jit
def fast(x):  # fast
    x[0] = 312
"""


@pytest.mark.parametrize(
    "after, idle",
    [
        ("slow[1, 1](x)\n", ["fast"]),
        ("slow[1, 1](x)\nfast[1, 1](x)\n", []),
        ("# fast, slow\n", ["slow", "fast"]),
    ],
)
def test_a_kernel_that_no_code_of_its_page_names_was_not_launched(root, after, idle):
    """Whatever a record of a GPU says: it has no lines of a kernel."""
    fences = ""
    for name, text in {"two": LAUNCHES, "after": f"x = [0]\n{after}"}.items():
        (root / f"kernels/{name}.py").write_text(text)
        fences += f'```python\n--8<-- "kernels/{name}.py"\n```\n\n'
    meta = "\n".join(f"{key}: {value}" for key, value in META.items())
    (root / "docs/other.md").write_text(f"---\n{meta}\n---\n# A page\n\n{fences}")
    page = read(root / "docs/other.md", root)
    proof = evidence.Proof("gpu", runs=[{"blocks": []}])
    told = records.idle(page, page.blocks[0], proof)
    names = " or ".join(idle)
    assert told == (f"nothing on this page launches or calls {names}" if idle else None)
    assert records.lines(page, page.blocks[0], proof).startswith(" and ".join(idle))


def test_a_bad_record_hides_no_other_mistake(committed, tmp_path):
    root = tmp_path / "project"
    shutil.copytree(committed, root)
    (root / RECORD).write_text("{}")
    page = root / "docs/page.md"
    page.write_text(page.read_text() + "\nIt took 12 ms.\n")
    said = list(map(str, Checker(root).everything()))
    assert any(line.startswith(f"{RECORD}:1: this is not a record") for line in said), said
    assert any("'12 ms' is typed" in line for line in said), said

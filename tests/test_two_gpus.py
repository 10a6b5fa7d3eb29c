"""A second GPU's folder: its figures stand beside those that the pages quote, and replace none."""

import json
import shutil

import pytest

from lockstep import evidence, project, stamps
from lockstep.evidence import Evidence, readable
from lockstep_site import summary
from tests.pages import PAGES, ROOT

HOME, OTHER = "nvidia-h200", "nvidia-geforce-rtx-4090"
NAME = "NVIDIA GeForce RTX 4090"
SCRIPT, PAGE = "benchmarks/vector_add", "pages/roadmap/foundation/vector-add"


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    """This repository, and evidence of a second GPU that is twice as slow and has an old record."""
    root = tmp_path_factory.mktemp("house")
    for there in ROOT.iterdir():
        if there.name != "evidence":
            (root / there.name).symlink_to(there)
    (root / "evidence").mkdir()
    shutil.copytree(ROOT / "evidence/environments", root / "evidence/environments")
    for name in (HOME, "cpu"):
        (root / "evidence" / name).symlink_to(ROOT / "evidence" / name)
    for path in (SCRIPT, PAGE):
        record = readable(ROOT / f"evidence/{HOME}/{path}.json")
        for holder in [record, *record.get("runs", [])]:
            if "device" in holder:
                holder["device"] = holder["device"] | {"name": NAME, "compute_capability": "8.9"}
        for row in record.get("rows", []):
            row |= {"ours": row["ours"] / 2, "reference": row["reference"] / 2}
        evidence.write(root / f"evidence/{OTHER}/{path}.json", record)
    return root


def test_the_pages_quote_the_first_gpus_figures(house):
    here, both = Evidence(ROOT), Evidence(house)
    assert both.benchmarks.keys() == here.benchmarks.keys()
    for row_id, row in here.benchmarks.items():
        assert both.benchmarks[row_id]["ours"] == row["ours"], row_id
        assert both.benchmarks[row_id]["device"]["name"] == "NVIDIA H200"
    rows = [row for rows in both.elsewhere.values() for row in rows]
    assert rows and {row["device"]["name"] for row in rows} == {NAME} and not here.elsewhere


def test_the_evidence_page_has_a_column_for_each(house):
    text = summary._beside(PAGES, Evidence(house))
    assert f"| {NAME} | 1 |" in text and f"| What | NVIDIA H200 | {NAME} |" in text
    row = next(line for line in text.splitlines() if "`vector-add" in line)
    assert "0.5" in row.split("|")[3] and "× the first" in row
    alone = summary._beside(PAGES, Evidence(ROOT))
    assert "One GPU so far" in alone and NAME not in alone


def test_a_page_names_each_gpu_that_it_ran_on(house):
    page = next(page for page in PAGES if page.path.endswith("/vector-add.md"))
    names = {run["device"]["name"] for run in Evidence(house).runs(page)}
    assert names >= {"NVIDIA H200", NAME}
    records = Evidence(house)
    level, lead, rest = stamps.stamp(page, records.proofs(page), records)
    # First the machine whose figures and outputs the page shows
    assert level == "gpu" and lead.endswith("on an NVIDIA H200") and f"on an {NAME}" in rest


def test_an_old_record_of_a_readers_gpu_stops_no_deployment(house):
    file = house / f"evidence/{OTHER}/{SCRIPT}.json"
    record = json.loads(file.read_text())
    old = dict.fromkeys(record["sources"], "0" * 64)
    record["sources"], record["rows"] = old, [row | {"sha256": "0" * 64} for row in record["rows"]]
    file.write_text(json.dumps(record))
    both = Evidence(house)
    assert all(not row["fresh"] for rows in both.elsewhere.values() for row in rows)
    known = {problem.what for problem in Evidence(ROOT).problems(PAGES)}
    assert {problem.what for problem in both.problems(PAGES)} <= known


def test_the_first_machine_is_one_that_has_evidence():
    assert (ROOT / "evidence" / project.of(ROOT).machines[0] / "benchmarks").is_dir()

"""What is on record of the stepper: its times, and what it makes of foreign code. The bars hold.

A record is bound to the stepper that ran; a stale one is in `make status`, and its table says so.
"""

import json
import re
import statistics
from collections import Counter
from copy import copy
from functools import cache

import pytest

from lockstep.evidence import Evidence, file_digest
from lockstep_site import foreign, speeds
from simulator import speed
from simulator.foreign import kernels, launched, scripts, suite
from simulator.foreign.wgsl import EMULATED, EXACT, PAIRS, SINGLE
from tests.pages import ROOT


@cache
def record():
    (found,) = Evidence(ROOT).others["speeds"].values()
    return found


def test_the_record_is_bound_to_what_ran():
    """The kernels, and every file of the stepper: what is changed is told by name."""
    assert {"simulator/speed.py", "simulator/stepper/checks.py"} <= record()["sources"].keys()
    assert speeds.FILE == "evidence/cpu/speeds/stepper.json"
    (stale,) = speeds.SpeedsPart().problems(changed("speeds", "cpu/stepper"), [])
    assert stale.what == "speeds cpu/stepper" and stale.mend == speeds.MEND


def test_check_mode_is_many_times_as_fast_as_numbas_simulator():
    faster = speed.ratios(record()["seconds"])
    ten = [
        ratio for name, ratio in faster["check"].items() if name not in speed.RACING + speed.BUSY
    ]
    assert len(ten) == 10
    assert statistics.median(ten) >= 20
    assert min(ten) >= 3
    assert min(faster["run"].values()) >= 3
    rows = {words: check for words, _, check in speed.summary(faster)}
    assert rows["median of the ten"] == statistics.median(ten)
    assert rows["slowest with a race"] == min(faster["check"][name] for name in speed.RACING) >= 3
    assert faster["check"]["n-body in place"] >= 3
    busy = min(faster["check"][name] for name in speed.BUSY)
    assert rows["slowest of few busy threads"] == busy >= 3


def test_the_table_has_each_kernel_with_both_ratios():
    text = speeds.table(record())
    for name in speed.ratios(record()["seconds"])["run"]:
        assert f"| {name} |" in text or f"| {name} (races) |" in text
    rows = 10 + len(speed.RACING) + len(speed.BUSY) + 4
    assert "| median of the ten |" in text and text.count(" times |") == 2 * rows


# ---------------------------------------------------------------- foreign code


@cache
def evidence():
    return Evidence(ROOT)


def changed(kind, name):
    """The evidence, with one record stale."""
    records, of = copy(evidence()), evidence().others
    records.others = of | {kind: of[kind] | {name: of[kind][name] | {"fresh": False}}}
    return records


def found(name):
    return evidence().others["foreign"][f"cpu/{name}"]["found"]


def test_numba_cudas_own_tests():
    row = found("suite")
    assert row["passed"] >= 400 and row["wrong"] == 0
    assert (row["repository"], row["commit"]) == (suite.REPOSITORY, suite.COMMIT)
    assert row["tests"] == sum(row[o] for o in suite.OUTCOMES) > 1000


def test_stumpy():
    ours, successor, numbas = found("stumpy")["ways"]
    assert ours["passed"] == successor["passed"] == numbas["passed"] >= 134
    assert not ours["failed"] and not successor["failed"]
    assert ours["seconds"] < numbas["seconds"]


def test_scripts_as_they_are():
    row, listed = found("scripts"), json.loads(scripts.DATA.read_text(encoding="utf-8"))
    run = {f"{s['repository']}/{s['path']}" for s in listed if "left_out" not in s}
    assert row["scripts"].keys() == run
    assert (row["listed"], row["left out"]) == (len(listed), len(listed) - len(run))
    assert row["ended"] == Counter(row["scripts"].values())
    assert row["ended"]["ran"] >= 42 and row["kernels"]["other"] == 0
    if evidence().others["foreign"]["cpu/scripts"]["fresh"]:  # an older one does not tell
        launched = row["ended"]["ran"] - row["ran and launched nothing"]
        assert 40 <= launched < row["ended"]["ran"]
    # What the stepper refuses is run and counted; nothing is left out for that.
    assert not [s for s in listed if "stepper" in s.get("left_out", "")]


@pytest.mark.parametrize("name", ["numba", "cuda-cpp", "metal"])
def test_single_kernels(name):
    row = found(name)
    cases = kernels.LISTS[row["language"]]
    assert [(r["repository"], r["commit"], r["path"], r["kernel"]) for r in row["kernels"]] == [
        (c.repository, c.commit, c.path, c.kernel) for c in cases
    ]
    outcomes = Counter(r["outcome"] for r in row["kernels"])
    assert outcomes.keys() <= {"right", "refused"}
    assert outcomes["right"] >= kernels.WANTED[row["language"]]
    assert all(r["why"] for r in row["kernels"] if r["outcome"] == "refused")


def test_numba_kernels_as_wgsl_as_their_repositories_launch_them():
    """Drawn by a rule that was committed before: none is wrong, and each is told, refused by line.

    The record is sealed, and is of the list that is here: the rows are its rows, one by one. Most
    of what is not right is float64, exercises with a planted fault or not filled in, and `print`.
    """
    record, rows = evidence().others["foreign"]["cpu/wgsl"], found("wgsl")["launched"]
    listed = json.loads(launched.LIST.read_text(encoding="utf-8"))
    path = launched.LIST.relative_to(ROOT).as_posix()
    assert record["sources"][path] == file_digest(launched.LIST)
    assert [{k: r[k] for k in listed[0]} for r in rows] == listed
    assert len(rows) == launched.WANTED == 55
    counted = Counter(r["outcome"] for r in rows)
    assert counted["right"] >= 33 and counted.keys() <= {"right", "refused", "not compared"}
    assert counted["not compared"] <= 5
    assert all(re.match(r"line \d+: .{10}", r["why"]) for r in rows if r["outcome"] == "refused")
    assert all(r["why"] for r in rows if r["outcome"] != "right")
    # Compiled as written: a right one notes how near it is, and no number was narrowed.
    assert {r["left"] for r in rows if "left" in r} <= {"the same bits", "within rounding"}
    assert all(("left" in r) == ("numbers" in r) == (r["outcome"] == "right") for r in rows)
    assert {r["numbers"] for r in rows if "numbers" in r} <= {EXACT, PAIRS, EMULATED}


def test_the_rule_by_which_they_are_drawn():
    listed = json.loads(launched.LIST.read_text(encoding="utf-8"))
    names = list(launched.REPOSITORIES)
    assert names == sorted(names, key=str.casefold)
    assert all(r["commit"] == launched.REPOSITORIES[r["repository"]] for r in listed)
    places = [(names.index(r["repository"]), r["path"]) for r in listed]
    assert places == sorted(places)
    assert max(Counter(r["repository"] for r in listed).values()) <= launched.EACH
    assert len({r["text"] for r in listed}) == len(listed)
    types = " ".join(word for r in listed for word in r["arguments"])
    assert "float64" not in types and "complex" not in types


def test_the_numba_kernels_as_wgsl():
    """Right or refused by line: none is wrong, and none is left out."""
    rows, cases = found("wgsl")["kernels"], kernels.LISTS["Numba"]
    assert len(rows) == 55
    assert [(r["repository"], r["commit"], r["path"], r["kernel"]) for r in rows] == [
        (c.repository, c.commit, c.path, c.kernel) for c in cases
    ]
    assert Counter(r["outcome"] for r in rows) == {"right": 44, "refused": 11}
    # As they are written, by exact arithmetic, and in float32 on request.
    right = Counter(r["numbers"] for r in rows if r["outcome"] == "right")
    assert right == {EXACT: 10, PAIRS: 1, EMULATED: 30, SINGLE: 3}
    assert all(re.match(r"line \d+: .", r["why"]) for r in rows if r["outcome"] == "refused")


def test_the_page_tells_how_many_kernels_are_right_as_wgsl_and_which_unasked():
    """By the record, whatever it holds: no count of these rows is typed."""
    chosen, drawn = found("wgsl")["kernels"], found("wgsl")["launched"]
    text = foreign.table(evidence().others["foreign"])
    for rows, row in ((chosen, foreign.ROWS["wgsl"]), (drawn, foreign.ROWS["wgsl/launched"])):
        (said,) = [line for line in text.splitlines() if line.startswith(f"| {row.what} ")]
        right = [r for r in rows if r["outcome"] == "right"]
        ways = Counter(r["numbers"] for r in right)
        unasked = [r for r in right if r["numbers"] in (EXACT, PAIRS)]
        assert f"{len(right)} of {len(rows)}" in said
        assert f"{len(unasked)} of them as soon as a reader presses the button" in said
        assert f"{ways[EXACT]} in WGSL's own numbers and {ways[PAIRS]} with int64" in said
        assert re.search(rf"\b{ways[EMULATED]} (?:take|are right with) float64", said)
        assert f"{sum(r['outcome'] == 'wrong' for r in rows)} are wrong" in said
        if rows is chosen:
            assert all(f"`{r['kernel']}`" in said for r in unasked)
            assert f"and {ways[SINGLE]} in float32" in said


def test_a_record_is_bound_to_what_it_ran_and_its_row_says_when_it_is_stale():
    assert "simulator/stepper/checks.py" in foreign.bound(ROOT, "suite")
    assert "simulator/cuda_cpp/cuda_cpu.h" in foreign.bound(ROOT, "cuda-cpp")
    assert "simulator/stepper/checks.py" not in foreign.bound(ROOT, "metal")
    for name in foreign.RUNS:
        record = evidence().others["foreign"][f"cpu/{name}"]
        assert record["sources"].keys() >= foreign.bound(ROOT, name).keys()
        stale = changed("foreign", f"cpu/{name}")
        told = {p.what for p in foreign.ForeignPart().problems(stale, [])}
        assert f"foreign cpu/{name}" in told
        row = next(
            line
            for line in foreign.table(stale.others["foreign"]).splitlines()
            if line.startswith(f"| {foreign.ROWS[name].what} ")
        )
        assert row.endswith("| awaiting a run |")

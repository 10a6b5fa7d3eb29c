"""Where runs disagree, a page prints both ends."""

import re

import pytest

from lockstep import figures
from lockstep.evidence import measured_range
from lockstep.evidence.proofs import second_run
from tests.pages import PAGES
from tests.records import all_records

BARE = re.compile(
    r"\[\[(?P<kind>bench|micro):(?P<id>[a-z0-9-]+)(?:\.(?:ours|value|(?P<other>reference)))?\]\]"
)
WIDE = 1.2  # the most over the least: as the review of the lessons asked
# Shown as one number all the same: what the kernel imports has changed, or the benchmark around
# it, so older runs measured another program. The set may only shrink.
# (Of gpt-train, the reference: the older run had no graphs.)
ONE_RUN = {*"cudnn-first-heuristic gpt-train gpt-train-bfloat16 serving-pass-launched-32".split()}
# The page computes with that run's figure, or compares it with others of the same run; the range
# stands elsewhere on the page.
WORKED = {
    ("docs/patterns/serving-on-a-gpu.md", "serving-pass-launched-1"),
    ("docs/patterns/serving-on-a-gpu.md", "serving-pass-graph-1"),
    ("docs/patterns/serving-on-a-gpu.md", "serving-speculative-0"),
    ("docs/patterns/serving-on-a-gpu.md", "serving-speculative-2"),
    ("docs/patterns/serving-on-a-gpu.md", "serving-speculative-4"),
}
# The range stands in the same line under other names.
NAMED = {("docs/roadmap/optimization/benchmarking.md", "one-sample"): "least_us most_us"}


def test_a_range_is_over_the_runs_that_its_name_says():
    code = {"kernel": "sort.py", "sha256": "b"}
    row = {"value": 3.0, "again": [{"value": 4.0}], "history": [{"value": 9.0} | code]} | code
    assert measured_range(row) == (3.0, 4.0)
    assert measured_range(row, "ever") == (3.0, 9.0)
    assert measured_range({"ours": 2.0}, "ever") == (2.0, 2.0)


def test_the_second_run_is_a_figure_of_its_own():
    row = {
        "id": "a",
        "value": 3.0,
        "date": "x",
        "again": [{"value": 4.0, "date": "y"}, {"value": 5}],
    }
    assert second_run(row) == row | {"date": "y", "second": 4.0}
    with pytest.raises(KeyError, match="no second run"):
        second_run({"id": "a", "value": 3.0})
    row, name = all_records().figure("micro", "one-gpu-step.second")
    assert row[name] == row["again"][0]["value"] != row["value"]
    assert figures.unit_of(row, name) == row["unit"]


@pytest.mark.parametrize(
    "code", [{"kernel": "ballots.py", "sha256": "b"}, {"kernel": "sort.py", "sha256": "a"}, {}]
)
def test_a_run_of_other_or_unknown_code_is_in_no_range(code):
    row = {"value": 3.0, "history": [{"value": 9.0} | code], "kernel": "sort.py", "sha256": "b"}
    assert measured_range(row, "ever") == (3.0, 3.0)


def test_no_range_of_the_masks_has_a_time_of_the_ballots_in_it():
    row = all_records().benchmarks["sort"]
    slowest = max(point["ours"] for point in row["history"])
    assert measured_range(row, "ever")[1] < 0.9 * slowest


def test_a_key_gives_the_range_with_the_unit_of_its_row():
    records = all_records()
    row, name = records.figure("micro", "launch-numba-3.ever")
    least, most = row[name]
    assert least <= row["value"] <= most and most > WIDE * least
    said = figures.quantity(row[name], figures.unit_of(row, name)).replace(figures.SPACE, " ")
    assert re.fullmatch(r"[\d.]+ to [\d.]+ µs", said)


def shown(page, line, key, row, least, most, ever):
    """Whether the page gives the range: in the figure's line, or where it computes with it."""
    if f"{key}.{ever}]]" in line:
        return True
    if ever != "ever":
        return False
    if (page.path, key) in WORKED:
        return f"{key}.ever]]" in page.body
    if fields := NAMED.get((page.path, key)):
        return all(f"{key}.{field}]]" in line for field in fields.split())
    both = [row.get("ours", row.get("value"))]
    if f"{key}.second]]" in line:
        both.append(second_run(row)["second"])
    return (min(both), max(both)) == (least, most)  # two runs, side by side, are all there are


def test_a_figure_of_which_runs_disagree_is_printed_as_a_range():
    """Or its range stands in the same line."""
    records, wrong, needed, kept = all_records(), [], set(), set()
    for page in PAGES:
        for number, line in enumerate(page.body.splitlines(), page.body_line):
            for key in BARE.finditer(line):
                table = getattr(records, figures.KINDS[key["kind"]])
                row = table.get(key["id"])
                ever = "reference_ever" if key["other"] else "ever"
                if row is None or not row["fresh"] or not {"value", "ours"} & row.keys():
                    continue
                least, most = measured_range(row, ever)
                if most <= WIDE * least:
                    continue
                kept.add((page.path, key["id"]))
                if shown(page, line, key["id"], row, least, most, ever):
                    continue
                needed.add(key["id"])
                if key["id"] not in ONE_RUN:
                    both = figures.quantity((least, most), row["unit"])
                    wrong.append(f"{page.path}:{number}: {key[0]} ({both}): write .{ever}")
    assert not wrong, "\n".join(wrong)
    assert needed == ONE_RUN
    assert {*WORKED, *NAMED} <= kept

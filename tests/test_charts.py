"""The history of measurements, and the charts of it."""

import json
import xml.etree.ElementTree as ElementTree

import pytest

from lockstep import evidence
from lockstep_site import charts

H200, L4 = {"name": "NVIDIA H200"}, {"name": "NVIDIA L4"}


def record(date, ours, device=H200, unit="GB/s"):
    row = {"id": "add", "ours": ours, "reference": 2.0, "unit": unit, "ratio": ours / 2}
    row |= {"kernel": "k.py", "sha256": "0"}
    head = {"schema": 1, "device": device, "date": date, "sources": {}, "packages": {}}
    return head | {"python": "3", "script": "x.py", "rows": [row]}


def written(file):
    return evidence.readable(file)["rows"][0]["history"]


def test_a_run_keeps_what_earlier_runs_measured_and_no_more_than_20(tmp_path):
    file = tmp_path / "x.json"
    evidence.write(file, record("2026-11-01", 1.0))
    assert written(file) == []
    evidence.write(file, record("2026-11-02", 3.0))
    code = {"kernel": "k.py", "sha256": "0"}
    assert written(file) == [{"date": "2026-11-01", "ours": 1.0, "reference": 2.0} | code]
    for day in range(3, 28):
        evidence.write(file, record(f"2026-11-{day:02}", float(day)))
    history = written(file)
    assert len(history) == evidence.HISTORY
    # The file beside the record only grows, and has them all.
    assert len((tmp_path / "x.history.jsonl").read_text().splitlines()) == 26
    assert history[-1]["date"] == "2026-11-26" and history[0]["date"] == "2026-11-07"


@pytest.mark.parametrize("other", [{"device": L4}, {"unit": "us"}])
def test_another_gpu_or_unit_starts_a_new_history(other, tmp_path):
    file = tmp_path / "x.json"
    evidence.write(file, record("2026-11-01", 1.0))
    evidence.write(file, record("2026-11-02", 1.0, **other))
    assert written(file) == []


def test_a_second_measurement_adds_no_point(tmp_path):
    file = tmp_path / "x.json"
    evidence.write(file, record("2026-11-01", 1.0))
    before = file.read_text()
    evidence.write(file, record("2026-11-01", 1.0), history=False)
    assert file.read_text() == before and [p.name for p in tmp_path.iterdir()] == ["x.json"]


def test_points_that_a_record_once_held_become_lines(tmp_path):
    file, old = tmp_path / "x.json", record("2026-11-02", 3.0)
    old["rows"][0]["history"] = [{"date": "2026-11-01", "ours": 1.0, "reference": 2.0}]
    file.write_text(json.dumps(old))
    assert len(written(file)) == 1
    evidence.write(file, record("2026-11-03", 4.0))
    assert [point["date"] for point in written(file)] == ["2026-11-01", "2026-11-02"]


def test_a_later_line_says_the_code_of_a_point(tmp_path):
    file, said = tmp_path / "x.json", {"id": "add", "unit": "GB/s", "date": "2026-11-01"}
    evidence.write(file, record("2026-11-03", 4.0))
    code = {"kernel": "old.py", "sha256": "1"}
    lines = [said | {"ours": 1.0}, said | {"ours": 2.0}, said | {"ours": 1.0} | code]
    (tmp_path / "x.history.jsonl").write_text("".join(f"{json.dumps(at)}\n" for at in lines))
    points = [{"date": "2026-11-01", "ours": 1.0} | code, {"date": "2026-11-01", "ours": 2.0}]
    assert written(file) == points


def test_a_line_has_a_point_for_each_run_and_higher_is_more():
    row = record("2026-11-03", 4.0)["rows"][0] | {"date": "2026-11-03"}
    assert charts.spark(row) == "one run"
    row["history"] = [{"date": "2026-11-01", "ours": 1.0}, {"date": "2026-11-02", "ours": 2.0}]
    image = ElementTree.fromstring(charts.spark(row))
    points = [p.split(",") for p in image.find("polyline").get("points").split()]
    heights = [float(y) for _, y in points]
    assert len(points) == 3 and heights == sorted(heights, reverse=True)
    assert "2026-11-02" in image.get("aria-label")

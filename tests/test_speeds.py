"""The stepper's times on record: they are those of today's kernels, and hold the package's bars."""

import statistics
from functools import cache

from lockstep.evidence import Evidence
from lockstep_site import speeds
from simulator import speed
from tests.pages import ROOT

MEND = "To mend: python -m lockstep_site.speeds"


@cache
def record():
    (found,) = Evidence(ROOT).others["speeds"].values()
    return found


def test_the_record_is_of_the_kernels_that_are_there():
    assert record()["fresh"], MEND
    assert speeds.FILE == "evidence/cpu/speeds/stepper.json"


def test_check_mode_is_many_times_as_fast_as_numbas_simulator():
    faster = speed.ratios(record()["seconds"])
    assert len(faster["check"]) == 10
    assert statistics.median(faster["check"].values()) >= 20
    assert min(faster["check"].values()) >= 3
    assert min(faster["run"].values()) >= 3


def test_the_table_has_each_kernel_with_both_ratios():
    text = speeds.table(record())
    for name in speed.ratios(record()["seconds"])["run"]:
        assert f"| {name} |" in text
    assert "| median of the ten |" in text and text.count(" times |") == 24

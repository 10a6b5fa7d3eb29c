"""All of evidence/, read once for the tests that change nothing in it: a second of a core."""

from functools import cache

from lockstep.evidence import Evidence
from lockstep.source import find_root


@cache
def all_records() -> Evidence:
    return Evidence(find_root())

"""What ran, where and when: records that runs write, bound by hash to what they prove.

::

    evidence/<machine>/pages/<page>.json             one for each page
    evidence/<machine>/benchmarks/<script>.json      rows with ours, reference, ratio
    evidence/<machine>/microbenchmarks/<script>.json rows with value, unit, method
    evidence/<machine>/<kind>/<name>.json            what a project registers beside them
    evidence/environments/<hash>.json                what runs had under them, once for all

``<machine>`` is what a target calls the machine, such as cpu.
"""

from lockstep.evidence.proofs import RANGES, SECOND, Evidence, Problem, Proof, measured_range
from lockstep.evidence.records import (
    HISTORY,
    PAGES,
    SCHEMA,
    load,
    point,
    readable,
    unchanged,
    write,
)
from lockstep.source import digest, file_digest

__all__ = [
    "HISTORY", "PAGES", "RANGES", "SCHEMA", "SECOND", "Evidence", "Problem", "Proof", "digest",
    "file_digest", "load", "measured_range", "point", "readable", "unchanged", "write",
]  # fmt: skip

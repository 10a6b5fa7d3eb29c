"""The stepper's speed beside Numba's simulator: ``python -m lockstep_site.speeds`` records it.

``[[speeds]]``, by itself between empty lines, becomes the table of the last record.
"""

import re
import sys
from collections.abc import Iterator

from lockstep import environment, evidence, figures
from lockstep.evidence.proofs import Problem
from lockstep.parts import Part
from lockstep.source import find_root
from lockstep.targets import Cpu
from lockstep_site import waiting
from lockstep_site.foreign import digests
from simulator import speed

BOUND = ["simulator/speed.py", "simulator/stepper/*.py"]  # its kernels, and what ran them
MEND = "python -m lockstep_site.speeds"
FILE = "evidence/cpu/speeds/stepper.json"
WHICH = ("run", "check")


def main() -> int:
    """Measure, and write the record."""
    from simulator import stepper

    root = find_root()
    record = {
        "schema": evidence.SCHEMA,
        "tool": "simulator.speed",
        "stepper": stepper.__version__,
        "seconds": speed.compare(),
        **Cpu().describe(),
        "packages": environment.packages(("numba", "numba-cuda", "numpy")),
        "sources": digests(root, BOUND),
    }
    evidence.write(root / FILE, record)
    print(FILE)
    return 0


class SpeedsPart(Part):
    """The table of the stepper's times."""

    name = "speeds"
    marker = re.compile(r"^\[\[speeds\]\][ \t]*$")

    def render(self, marker: re.Match, site, folder: str, plain: bool) -> str:
        found = [r for r in site.records.others["speeds"].values() if r["fresh"]]
        return table(found[0]) if found else waiting.awaiting()

    def problems(self, records, pages) -> Iterator[Problem]:
        for name, record in records.others["speeds"].items():
            if not record["fresh"]:
                yield Problem("stale", f"speeds {name}", MEND)


def table(record: dict) -> str:
    """A record as Markdown."""
    found = record["seconds"]
    faster = speed.ratios(found)
    rows = []
    for name in faster["run"]:
        times = [figures.quantity(found[w][name], "s") for w in ("numba", *WHICH)]
        rows.append([_named(name), *times, *(_times(faster[w][name]) for w in WHICH)])
    for words, *both in speed.summary(faster):
        rows.append([words, "", "", "", *map(_times, both)])
    rows.append(["memory", *(f"{found[w]['memory']:.0f} MiB" for w in ("numba", *WHICH)), "", ""])
    packages = record["packages"]
    head = (
        f"On one core of a {record['device']['name']}, {record['date']}, with Python "
        f"{record['python']}, numba-cuda {packages['numba-cuda']} and stepper {record['stepper']}: "
        "the processor's time of the best of three launches (of up to forty where they are short)."
    )
    heads = ["Kernel", "Numba's simulator", "Run", "Check", "Run, faster", "Check, faster"]
    return head + "\n\n" + figures.table(heads, rows, [False, *[True] * 5])


def _named(name: str) -> str:
    return f"{name} (races)" if name in speed.RACING else name


def _times(ratio: float) -> str:
    return f"{figures.quantity(ratio)} times"


if __name__ == "__main__":
    sys.exit(main())

"""A suite in parts: which files belong to which part, and what comes first.

A file is never divided: a page runs in one namespace, and the tests of a file share what they set
up. Seconds that a run measured, a file each, balance the parts and put the longest files first.
"""

import heapq
import json
from collections.abc import Iterable, Mapping
from pathlib import Path

UNKNOWN = 1.0  # seconds of a file that no run has measured


def measured(file: Path | None) -> dict[str, float]:
    """Return the seconds of each file, as ``write`` kept them, or none."""
    if file is None or not file.is_file():
        return {}
    return json.loads(file.read_text(encoding="utf-8"))


def write(file: Path, seconds: Mapping[str, float], least: float = 0.5) -> None:
    """Keep the seconds of the files that take some; the longest come first."""
    rows = sorted(seconds.items(), key=lambda row: (-row[1], row[0]))
    found = {name: round(took, 1) for name, took in rows if took >= least}
    file.write_text(json.dumps(found, indent=0) + "\n", encoding="utf-8")


def of(text: str) -> tuple[int, int]:
    """Return the number of a part and how many there are, from ``2/4``.

    Raises:
        ValueError: it is something else.
    """
    number, slash, count = text.partition("/")
    if not (slash and number.isdecimal() and count.isdecimal() and 1 <= int(number) <= int(count)):
        raise ValueError(f"a shard is written 2/4, the second of four, and not {text!r}")
    return int(number), int(count)


def divide(files: Iterable[str], count: int, seconds: Mapping[str, float]) -> list[set[str]]:
    """Divide files into so many parts of about equal length: each file is in exactly one.

    The longest goes to the part that is shortest so far, so every machine finds the same parts.
    """
    names = sorted(set(files), key=lambda name: (-seconds.get(name, UNKNOWN), name))
    parts: list[set[str]] = [set() for _ in range(count)]
    heap = [(0.0, number) for number in range(count)]
    for name in names:
        length, number = heapq.heappop(heap)
        parts[number].add(name)
        heapq.heappush(heap, (length + seconds.get(name, UNKNOWN), number))
    assert sum(map(len, parts)) == len(names) and set().union(*parts) == set(names)
    return parts

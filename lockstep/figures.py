"""Measured numbers as a reader sees them: three significant digits, and a unit that fits.

And the tables that they stand in.
"""

import functools
import math
import re
from collections import Counter
from collections.abc import Iterator

from lockstep.evidence import RANGES, SECOND, Evidence, measured_range
from lockstep.worked import INPUT

# [[bench:ID.FIELD]] or [[micro:ID]]
KEY = re.compile(r"\[\[(?P<kind>bench|micro):(?P<key>[^\s\[\]]+)\]\]")
KINDS = {"bench": "benchmarks", "micro": "microbenchmarks"}
SPACE = "\u202f"  # narrow, and no line ends there
SIGNIFICANT = 3  # digits of a number that a page prints

# The unit of a field, by the last word of its name. `ours`, `reference` and `value` have the
# unit of their row; a field that is not here has none.
UNITS = {
    "gbps": "GB/s",
    "tflops": "TFLOP/s",
    "s": "s",
    "ms": "ms",
    "us": "us",
    "ns": "ns",
    "bytes": "B",
    "share": "%",
    "spread": "%",
}
OFTEN = 4  # figures of another machine that a page names once, and not behind each of them
ROW_UNIT = {"ours", "reference", "value", SECOND, *RANGES}
# Units that are one quantity at several scales, smallest first.
SCALES = (
    {"ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "s": 1.0},
    {"B/s": 1.0, "kB/s": 1e3, "MB/s": 1e6, "GB/s": 1e9, "TB/s": 1e12},
    {"FLOP/s": 1.0, "MFLOP/s": 1e6, "GFLOP/s": 1e9, "TFLOP/s": 1e12, "PFLOP/s": 1e15},
)


def unit_of(row: dict, name: str) -> str | None:
    """Return the unit of one field of a row of evidence, or None for a plain number."""
    if name in ROW_UNIT:
        return row.get("unit")
    return UNITS.get(name.rsplit("_", 1)[-1])


def quantity(
    value: float | tuple[float, float], unit: str | None = None, digits: int = SIGNIFICANT
) -> str:
    """Return a number with its unit, such as 3.07 TB/s for 3071.8 and GB/s.

    A whole number without a scaled unit is a count and keeps all its digits. Two numbers are a
    range, such as 25.3 to 32.1 µs; where both read the same, one of them stands.
    """
    if isinstance(value, tuple):
        least, most = (quantity(number, unit, digits) for number in value)
        number, _, end = least.rpartition(SPACE)
        short = number if number and most.endswith(SPACE + end) else least
        return least if least == most else f"{short} to {most}"
    unit = "µs" if unit == "us" else unit or None
    if unit == "B" and isinstance(value, float) and value >= 1e8:  # what a profiler counted
        value, unit = value / 1e9, "GB"
    if unit == "%":
        return f"{_digits(_significant(100 * value, digits), digits)}{SPACE}%"
    for scale in SCALES:
        if unit in scale:
            plain = _significant(value * scale[unit], digits)
            fits = [u for u, size in scale.items() if abs(plain) >= size * (1 - 1e-12)]
            unit = fits[-1] if fits else next(iter(scale))
            scaled = _significant(plain / scale[unit], digits)
            return f"{_digits(scaled, digits)}{SPACE}{unit}"
    if isinstance(value, int):
        text = f"{value:,}"
    else:
        text = _digits(_significant(value, digits), digits)
    return f"{text}{SPACE}{unit}" if unit else text


def _significant(value: float, digits: int) -> float:
    return float(f"{value:.{digits}g}")


def _digits(value: float, digits: int) -> str:
    """Write a number that has some significant digits, zeros at the end included."""
    if value == 0:
        return "0"
    power = math.floor(math.log10(abs(value)))
    if power < -4:  # an error, such as 2.31 × 10⁻⁷
        raised = str(power).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
        return f"{value / 10**power:.{digits - 1}f}{SPACE}×{SPACE}10{raised}"
    return f"{value:,.{max(0, digits - 1 - power)}f}"


def sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."


def table(head: list[str], rows: list[list[str]], numbers: list[bool] | None = None) -> str:
    """Return a table in Markdown. ``numbers``: the columns that are set to the right."""
    line = ["---:" if right else "---" for right in numbers or [False] * len(head)]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in [head, line, *rows])


def awaited(records: Evidence) -> str:
    """Return what stands in the place of a figure that nobody has measured yet."""
    return f"awaiting {records.project.awaited}"


def unknown(records: Evidence, lines: list[str], first: int) -> Iterator[tuple[int, str]]:
    """Yield (line, what is there instead) for each key in lines of prose that no row has.

    ``first`` is the number of the first line.
    """
    for number, line in enumerate(lines, first):
        for piece, is_prose in outside_code(line):
            for key in (*KEY.finditer(piece), *INPUT.finditer(piece)) if is_prose else ():
                try:
                    records.figure(key["kind"], key["key"])
                except KeyError as error:
                    yield number, error.args[0]


def measured(records: Evidence, text: str) -> Iterator[tuple[re.Match, dict, str]]:
    """Yield each key of a text that a row has, with the row and the field's name.

    Whoever reads the page says which keys no row has, and a planned one has no figure yet.
    """
    for key in KEY.finditer(text):
        try:
            row, name = records.figure(key["kind"], key["key"])
        except KeyError:
            continue
        if "planned" not in row:
            yield key, row, name


def text(records: Evidence, kind: str, key: str, usual: str | None = None) -> str:
    """Return a measured number as plain text. Raises ``KeyError`` with what is there instead."""
    row, name = records.figure(kind, key)
    return said(records, row, name, usual) if row["fresh"] else awaited(records)


@functools.lru_cache(maxsize=1024)
def usual(records: Evidence, body: str) -> tuple[str | None, str]:
    """Return the machine of most figures in a page's text, and the line that says so once.

    The project's first machine needs no line: a figure without a name is one of its.
    """
    found = []
    for key in KEY.finditer(body):
        try:
            row, _ = records.figure(key["kind"], key["key"])
        except KeyError:
            continue  # whoever reads the page says so
        if row["fresh"] and "machine" in row:
            found.append((row["machine"], row["device"]["name"]))
    first = next(iter(records.project.machines), None)
    if not found:
        return first, ""
    (machine, device), count = Counter(found).most_common(1)[0]
    few = count < OFTEN or 2 * count <= len(found)
    if few or machine == first or machine not in records.project.machines:
        return first, ""
    return machine, f"Where no other GPU is named, a number of this page is from an {device}."


def said(records: Evidence, row: dict, name: str, usual: str | None = None) -> str:
    """Return a number as a page prints it: with its device, where that is not the ``usual`` one.

    ``usual``: the machine that the page names once; else it is the project's first.
    """
    return quantity(row[name], unit_of(row, name)) + device(records, row, usual)


def device(records: Evidence, row: dict, usual: str | None = None) -> str:
    """Return the device of a row in brackets, or "" where it is the ``usual`` one."""
    known = records.project.machines
    if row.get("machine") not in known or row["machine"] == (usual or known[0]):
        return ""
    short = re.search(records.project.devices or "$^", row["device"]["name"])
    return f" ({short[0] if short else row['device']['name']})"


def others(records: Evidence, row: dict, name: str) -> str:
    """Say what other machines of the project measured of the same code; "" where none did."""
    found = []
    for other in records.elsewhere.get(row["id"], ()):
        if other["machine"] in records.project.machines and other["fresh"]:
            other = other | ({name: measured_range(other, name)} if name in RANGES else {})
            if name in other and other["unit"] == row["unit"]:
                number = quantity(other[name], unit_of(other, name))
                found.append(f"; {other['device']['name']}, {other['date']}: {number}")
    return "".join(found)


def circumstances(row: dict) -> str:
    """Say where, when and how often a row was measured, and how far it spread."""
    parts = [row["device"]["name"], row["date"]]
    if row.get("repeats"):
        parts.append(f"median of {row['repeats']}")
    if row.get("spread") is not None:
        parts.append(f"spread {quantity(row['spread'], '%')}")
    return ", ".join(parts)


def measures(row: dict) -> str:
    """Say what a row measures, and where, when and how often."""
    what = row.get("title") or row.get("what") or row["id"]
    return f"{what}: {circumstances(row)}"


def outside_code(line: str) -> Iterator[tuple[str, bool]]:
    """Yield the pieces of a line of prose, each with whether it is prose and not `code`."""
    for piece in re.split(r"(`+[^`]*`+)", line):
        yield piece, not piece.startswith("`")

"""The tables of the stepper's page: its counts beside a GPU's counters, from the record of a run.

A line ``[[counters:cases]]``, ``[[counters:differences]]``, ``[[counters:generated]]``,
``[[counters:refused]]``, ``[[counters:traffic]]`` or ``[[counters:webgpu]]``, by itself between
empty lines, becomes what it names.
"""

import re
from pathlib import Path

from lockstep import figures
from lockstep.evidence import Evidence, file_digest
from lockstep.parts import Part
from lockstep_site import waiting

MARKER = re.compile(
    r"^\[\[counters:(cases|differences|generated|refused|traffic|webgpu)\]\][ \t]*$"
)


def render(which: str, root: Path, records: Evidence) -> str:
    """Return one of the tables as Markdown."""
    from simulator.hardware import compare  # with the stepper and NumPy

    if which == "refused":
        return _refused(compare, root)
    if which == "generated":
        return _generated(records)
    if which == "webgpu":
        return _webgpu(records)
    if which == "traffic":
        return "\n\n".join(_traffic(root, records))
    if which == "differences":
        return _differences(compare)
    return "\n\n".join(_cases(compare, root, records))


def _known(records: Evidence) -> list[tuple[str, dict]]:
    """Return the records, those of the machine whose figures the pages show first."""
    found = sorted(records.others["counters"].items())
    return sorted(found, key=lambda row: records.project.rank(row[0].partition("/")[0]))


def fresh(root: Path, record: dict, case) -> bool:
    """Whether a record holds what a case launches now."""
    row = record["cases"].get(case.name)
    if row is None or row["launch"] != case.digest():
        return False
    return file_digest(case.path(root)) == record["sources"].get(case.file)


def _cases(compare, root: Path, records: Evidence):
    known = _known(records)
    runs = [record for name, record in known if name.endswith("/stepper")]
    if not runs:
        yield waiting.awaiting()
    for record in runs:
        device, ncu = record["device"], re.search(r"\d[\d.]*\d", record["version"])
        yield (
            f"On an {device['name']}, {record['date']}, with Nsight Compute {ncu[0]}, numba-cuda "
            f"{record['packages']['numba-cuda']} and driver {device['driver']}. Loads stand before "
            "stores. Where one number stands, both count it; where two do, the stepper's is the "
            "first. The last column is the GPU's alone."
        )
        rows = []
        for case in compare.CASES.values():
            variant = case.name.partition(", ")[2]
            where = f"{case.file.removeprefix('kernels/')}, {variant}".removesuffix(", ")
            launch = f"{_size(case.config[0])} x {_size(case.config[1])}"
            start = [f"`{case.kernel}`<br>{where}", launch]
            if not fresh(root, record, case):
                rows.append([*start, waiting.AWAITING, *[""] * 6])
                continue
            told = {}
            for short, metric in compare.METRICS.items():
                theirs = record["cases"][case.name]["counters"][metric]
                ours = compare.DIFFERENCES.get((case.name, short), (theirs,))[0]
                both = [f"{ours:,.0f}", f"{theirs:,.0f}"]
                told[short] = both[0] if both[0] == both[1] else " / ".join(both)
            branches = record["cases"][case.name]["counters"][compare.BRANCHES]
            share = record["cases"][case.name]["counters"][compare.EFFICIENCY]
            cells = [
                f"{told[f'{count}, loads']}; {told[f'{count}, stores']}"
                for count in ("requests", "sectors", "bank conflicts", "shared-memory cycles")
            ]
            ours = compare.issued()[case.name][0]
            theirs = record["cases"][case.name]["counters"][compare.INSTRUCTIONS]
            cells.append(f"{ours:,} / {theirs:,.0f}")
            cells.append(told["divergent branches"])
            cells.append(figures.quantity(share / 100, "%") if branches else "no branch")
            rows.append([*start, *cells])
        heads = ["Requests", "Sectors", "Bank conflicts", "Shared-memory cycles"]
        heads += ["Instructions issued", "Divergent branches", "Uniform"]
        yield figures.table(["Kernel", "Blocks x threads", *heads], rows)


def _traffic(root: Path, records: Evidence):
    from simulator.hardware import traffic

    known = sorted(records.others["counters"].items())
    runs = [record for name, record in known if name.endswith("/traffic")]
    if not runs:
        yield waiting.awaiting()
    for record in runs:
        rows, same, many = [], 0, 0
        for case in traffic.LAUNCHES.values():
            if not fresh(root, record, case):
                continue
            counters, ours = record["cases"][case.name]["counters"], traffic.known()[case.name]
            why, many = traffic.reason(case.name, counters), many + 1
            same += why is None
            if why is None and case.name not in traffic.LARGE:
                continue
            _, _, variant = case.name.partition(", ")
            where = f"{case.file.removeprefix('kernels/')}, {variant}".removesuffix(", ")
            atomics = sum(counters[metric] for metric in traffic.ATOMICS)
            cells = [
                f"{mine:,.0f}" if mine == theirs else f"{mine:,.0f} / {theirs:,.0f}"
                for mine, theirs in (
                    (ours["reads"], counters[traffic.READS]),
                    (ours["writes"], counters[traffic.WRITES]),
                )
            ]
            hbm = [ours["HBM"], counters[traffic.HBM_READ]]
            cells.append(f"{atomics:,.0f}")
            cells.append(" / ".join(figures.quantity(n, "B") for n in hbm))
            cells.append(figures.quantity(counters[traffic.HBM_WRITTEN], "B"))
            rows.append(
                [f"`{case.kernel}`<br>{where}", *cells, figures.sentence(why) if why else ""]
            )
        if not many:
            yield waiting.awaiting()
            continue
        yield (
            f"On an {record['device']['name']}, {record['date']}: in {same} of {many} launches the "
            "second-level cache reads and writes just as many sectors as the stepper says. The "
            "table has the others, and all larger launches. Where one number stands, both count "
            "it; where two do, the stepper's is the first."
        )
        heads = ["Kernel", "Sectors read", "Sectors written", "Atomic operations: GPU"]
        heads += [
            "Read from HBM: at least, GPU",
            "Written to HBM: GPU",
            "Why reads or writes differ",
        ]
        yield figures.table(heads, rows)


def _size(shape) -> str:
    shape = list(shape) if isinstance(shape, tuple) else [shape]
    while len(shape) > 1 and shape[-1] == 1:
        shape.pop()
    return str(shape[0]) if len(shape) == 1 else f"({', '.join(map(str, shape))})"


def _differences(compare) -> str:
    rows: dict[tuple[str, str], list[str]] = {}
    for (case, short), (*_, reason) in compare.DIFFERENCES.items():
        kernel, _, variant = case.split(":")[1].partition(", ")
        name = f"`{kernel}`" + (f", {variant}" if variant else "")
        rows.setdefault((reason, name), []).append(short)
    cells: dict[tuple[str, str], list[str]] = {}
    for (reason, name), counts in rows.items():
        cells.setdefault((reason, "; ".join(counts)), []).append(name)
    table = [
        [counts, figures.sentence(reason), ", ".join(names)]
        for (reason, counts), names in cells.items()
    ]
    some = ", ".join(f"`{kernel}`" for kernel in compare.FEWER_ISSUED)
    for reason in set(compare.FEWER_ISSUED.values()):
        table.append(["instructions issued: fewer", figures.sentence(reason), some])
    table.append(["instructions issued: more", figures.sentence(compare.MORE), "all others"])
    table.append(["branch efficiency", figures.sentence(compare.FEWER), "kernels with a branch"])
    return figures.table(["Count", "Why it differs", "Where"], table)


def _generated(records: Evidence) -> str:
    for name, record in _known(records):
        if name.endswith("/generated") and record["fresh"]:
            return (
                f"On {record['device']['name']}, {record['date']}: {record['kernels']} generated "
                f"kernels and {record['programs']} written ones, all with the stepper's results."
            )
    return waiting.awaiting()


def _webgpu(records: Evidence) -> str:
    fresh = {n.rpartition("/")[2]: r for n, r in _known(records) if r["fresh"]}
    if "webgpu" not in fresh:
        return waiting.awaiting()
    card = fresh["webgpu"]
    told = [f"On {card['device']['name']}, {card['date']}, through wgpu {card['version']} and "
            f"Vulkan: {_shares(card)}"]  # fmt: skip
    if adapter := fresh.get("chromium"):
        late = len(adapter["kernels"].keys() - card["kernels"].keys())
        if late:
            told[0] += f" {late} more are not yet on an H200: they came after that run."
        told.append(f"In Chromium {adapter['version']} on its software adapter "
                    f"({adapter['adapter']}), {adapter['date']}: {_shares(adapter)}")  # fmt: skip
    return "\n\n".join(told)


def _shares(record: dict) -> str:
    said = list(record["kernels"].values())
    refused = sum(what.startswith("refused") for what in said)
    right = sum(what == "right" for what in said)
    return (
        f"{right} of {len(said)} kernels of the site run as WGSL and are right, {refused} are "
        f"refused by name and line, and {len(said) - right - refused} are wrong on purpose. "
        f"{record['generated']} generated kernels agree with the stepper bit for bit."
    )


def _refused(compare, root: Path) -> str:
    rows = []
    for source, file in compare.kernels(root).items():
        path = source.split(":")[0]
        reason = compare.LEFT_OUT.get(source) or compare.LEFT_OUT.get(path)
        reason = reason or compare.refused(root, file)
        if reason:
            rows.append([f"`{source}`", reason])
    return figures.table(["Kernel", "Why"], rows) if rows else "No kernel of the site."


class CountersPart(Part):
    """A GPU's counters beside the stepper's counts."""

    name = "counters"
    marker = MARKER

    def render(self, marker: re.Match, site, folder: str, plain: bool) -> str:
        return render(marker[1], site.root, site.records)

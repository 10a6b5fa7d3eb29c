"""What was found: as text for people, as JSON, and as SARIF for a pull request's annotations."""

import json
import linecache
import os
from dataclasses import replace

from .faults import KINDS

NOTE = "same-value"  # no fault, and worth a look
ERROR = {"out-of-bounds", "divergent-barrier", "launch-limit", "endless", "error", "dynamic-shared"}


def as_text(findings, color=False, lines=True, name=None):
    """One paragraph for each finding: ``file:line: kind: message``, and the line itself.

    ``name`` makes of a file what is printed for it.
    """
    findings = together(findings)
    bold, red, dim, off = ("\033[1m", "\033[31;1m", "\033[2m", "\033[0m") if color else [""] * 4
    parts = []
    for f in findings:
        file = (name or shown)(f.filename)
        kind = f"{dim}note: {f.kind}{off}" if f.kind == NOTE else f"{red}{f.kind}{off}"
        text = f"{bold}{file}:{f.line or 1}:{off} {kind}: {f.message}"
        if f.count > 1:
            launches = f" in {f.launches} launches" if f.launches > 1 else ""
            text += f" {dim}({f.count} times{launches}){off}"
        source = linecache.getline(f.filename or "", f.line or 0).rstrip()
        if lines and source:
            text += f"\n{dim}{f.line:>6} |{off} {source}"
            if f.other_line and f.other_line != f.line:
                other = linecache.getline(f.filename or "", f.other_line).rstrip()
                text += f"\n{dim}{f.other_line:>6} |{off} {other}"
        parts.append(text)
    return "\n\n".join(parts)


def together(findings):
    """The findings of all launches, those of one kind at one place as one: the first of them."""
    found = {}
    for f in findings:
        key = f.kind, f.filename, f.kernel, f.line, f.other_line, f.array
        known = found.get(key)
        if known is None:
            found[key] = replace(f)
        else:
            known.count += f.count
            known.launches += f.launches
    return list(found.values())


def shown(filename):
    """A file's name as people write it: relative, where it lies below this directory."""
    if not filename:
        return "?"
    relative = os.path.relpath(filename) if os.path.isabs(filename) else filename
    return filename if relative.startswith("..") else relative


def as_json(findings, launches=()):
    """Findings, notes and launches as JSON text."""
    rows = [{**f.as_dict(), "filename": shown(f.filename)} for f in together(findings)]
    data = {
        "findings": [row for row in rows if row["kind"] != NOTE],
        "notes": [row for row in rows if row["kind"] == NOTE],
        "launches": [
            {"kernel": n.kernel, "grid": n.grid, "block": n.block, "seconds": n.seconds}
            for n in launches
        ],
    }
    return json.dumps(data, indent=2)


def as_sarif(findings, version):
    """Findings as SARIF 2.1.0, which code hosts show beside the lines.

    Source: OASIS, Static Analysis Results Interchange Format 2.1.0.
    """
    findings = together(findings)
    rules = sorted({f.kind for f in findings})
    results = [
        {
            "ruleId": f.kind,
            "level": level(f.kind),
            "message": {"text": f.message},
            "locations": [location(f.filename, f.line)],
            **(
                {"relatedLocations": [location(f.filename, f.other_line, "the other access")]}
                if f.other_line
                else {}
            ),
        }
        for f in findings
    ]
    driver = {
        "name": "lockstep-stepper",
        "version": version,
        "rules": [{"id": r, "shortDescription": {"text": KINDS.get(r, r)}} for r in rules],
    }
    document = {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "results": results}],
    }
    return json.dumps(document, indent=2)


def level(kind):
    """How bad a kind of finding is, in SARIF's words."""
    if kind == NOTE:
        return "note"
    return "error" if kind in ERROR or "race" in kind else "warning"


def location(filename, line, text=None):
    """A place in a file, as SARIF writes it."""
    place = {
        "physicalLocation": {
            "artifactLocation": {"uri": shown(filename).replace(os.sep, "/")},
            "region": {"startLine": line or 1},
        }
    }
    return {**place, "message": {"text": text}} if text else place

"""Recorded steps that play in a page without Python.

``snippets/run_here/recordings.yml`` names programs of "Run here" and what of them is shown.
``python -m lockstep recordings`` runs them in the stepper and writes ``docs/assets/recordings/``,
one small file each, bound by hash to the program that it is of; the suite makes them again and
compares. ``[[play:NAME]]`` on a line of its own becomes the figure, which
``web/run-here/player.js`` brings to life. Without JavaScript its steps fold open in words.
"""

import ast
import html
import json
import re
from functools import lru_cache
from pathlib import Path
from textwrap import dedent

import yaml

from lockstep.page import LOADER, Mistake, Page, PageError, digest, read
from lockstep.parts import Part
from lockstep_site import run_here

SPECS = "snippets/run_here/recordings.yml"
FOLDER = "docs/assets/recordings"
MARKER = re.compile(r"^\[\[play:(?P<name>[a-z][a-z0-9-]*)\]\][ \t]*$")
LIMIT = 30_000  # bytes of one file
WORDS = 20  # steps that are told in words
KEYS = {"title", "page", "program", "caption", "edits", "launch", "block", "steps"}


def specs(root: Path) -> dict[str, dict]:
    """Return what is recorded, by name. Raises PageError where an entry lacks something."""
    file = root / SPECS
    return _specs(file.read_text(encoding="utf-8") if file.is_file() else "")


@lru_cache(maxsize=4)
def _specs(text: str) -> dict[str, dict]:
    found = yaml.load(text, LOADER) or {}
    for name, spec in found.items():
        lacking = {"title", "page", "program", "caption"} - set(spec)
        if lacking or set(spec) - KEYS:
            what = f"{name}: {', '.join(sorted(lacking or set(spec) - KEYS))}"
            line = next(n for n, t in enumerate(text.splitlines(), 1) if t.startswith(f"{name}:"))
            mend = f"give title, page, program and caption, of {', '.join(sorted(KEYS))}"
            raise PageError([Mistake(SPECS, line, what, mend)])
    return found


def program(name: str, root: Path) -> tuple[Page, run_here.Program, str]:
    """Return the page and the program that a recording is of, and the code that is run."""
    spec = specs(root)[name]
    page = read(root / "docs" / spec["page"], root)
    found = [p for p in run_here.programs(page) if p.block.source == spec["program"]]
    if not found:
        what = f"{name}: docs/{spec['page']} has no program {spec['program']!r}"
        raise PageError([Mistake(SPECS, 1, what, "name the source of a block that can run here")])
    try:
        code = run_here.apply(found[0].code, spec.get("edits", []))
    except ValueError as error:
        raise PageError([Mistake(SPECS, 1, f"{name}: {error}", "correct the edit")]) from None
    return page, found[0], code


def record(name: str, root: Path) -> dict:
    """Run a program in the stepper and return what the player gets."""
    from simulator.stepper import run_script

    spec = specs(root)[name]
    page, found, code = program(name, root)
    result = run_script(code, filename="program.py", mode="record")
    launch = result.as_dict()["launches"][spec.get("launch", 0)]
    trace = _one_block(launch.pop("trace"), spec.get("block", 0), spec.get("steps"))
    first, source = _function(code, trace["kernel"])
    keep = ("kernel", "grid", "block", "line", "findings")
    return {
        "title": spec["title"],
        "page": page.path.removeprefix("docs/").removesuffix(".md").removesuffix("index"),
        "block": found.key,
        "sha256": digest(code),
        "code": code if spec.get("edits") else None,  # left out, it is the page's own
        "launch": spec.get("launch", 0),
        "at": spec.get("block", 0),
        "first": first,
        "source": source,
        "run": {key: launch[key] for key in keep} | {"number": 0, "trace": trace},
    }


def _function(code: str, name: str) -> tuple[int, list[str | None]]:
    """Return the first line of a function of a program, and its lines without their indent.

    The lines of its docstring are None: the figure's caption says what it does.
    """
    node = next(
        node
        for node in ast.walk(ast.parse(code))
        if isinstance(node, ast.FunctionDef) and node.name == name
    )
    lines = "\n".join(code.splitlines()[node.lineno - 1 : node.end_lineno])
    source: list[str | None] = list(dedent(lines).split("\n"))
    if ast.get_docstring(node):
        for n in range(node.body[0].lineno, node.body[0].end_lineno + 1):
            source[n - node.lineno] = None
    return node.lineno, source


def _one_block(trace: dict, block: int, most: int | None) -> dict:
    """Return a recording of one block alone, with the memories that it touches."""
    steps = [step for step in trace["steps"] if step[0] == block]
    if most and len(steps) > most:
        steps, trace["cut"] = steps[:most], True
    used = sorted({access[1] for step in steps for access in step[4]})
    number = {memory: n for n, memory in enumerate(used)}
    # What other blocks wrote before this one began, it finds.
    contents = [list(memory["initial"]) for memory in trace["memories"]]
    begun = trace["steps"].index(steps[0]) if steps else 0
    for step in trace["steps"][:begun]:
        for _, memory, _, items, *written in step[4]:
            if written:
                for item, value in zip(items, written[0], strict=True):
                    contents[memory][item] = value
    return trace | {
        "blocks": [trace["blocks"][block]],
        "memories": [trace["memories"][m] | {"initial": contents[m]} for m in used],
        "steps": [
            [0, w, place, mask, [[a[0], number[a[1]], *a[2:]] for a in accesses]]
            for _, w, place, mask, accesses in steps
        ],
    }


def text(data: dict) -> str:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False) + "\n"


def write(root: Path) -> int:
    """Make every recording again; returns how many files changed."""
    changed, folder = 0, root / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    for name in specs(root):
        made, file = text(record(name, root)), folder / f"{name}.json"
        if not file.is_file() or file.read_text(encoding="utf-8") != made:
            file.write_text(made, encoding="utf-8")
            changed += 1
    for file in folder.glob("*.json"):
        if file.stem not in specs(root):
            file.unlink()
            changed += 1
    return changed


# ---------------------------------------------------------------- on a page


def load(name: str, root: Path) -> dict:
    """Return a recording as it is kept. Raises PageError where there is none, or it is stale."""
    file = root / FOLDER / f"{name}.json"
    mend = "make it: python -m lockstep recordings"
    if name not in specs(root):
        known = ", ".join(specs(root))
        what = f"[[play:{name}]] names no recording (there are: {known})"
        raise PageError([Mistake(SPECS, 1, what, "correct the name, or add it there")])
    if not file.is_file():
        raise PageError([Mistake(f"{FOLDER}/{name}.json", 1, "this recording is missing", mend)])
    return json.loads(file.read_text(encoding="utf-8"))


def stale(name: str, root: Path) -> bool:
    """Whether the program of a recording has changed since it was made."""
    return load(name, root)["sha256"] != digest(program(name, root)[2])


def figure(name: str, root: Path) -> str:
    """Return the HTML of a recording's figure."""
    data = load(name, root)
    spec = specs(root)[name]
    steps = told(data)
    items = "".join(f"<li>{html.escape(step)}</li>" for step in steps[:WORDS])
    more = len(steps) - WORDS
    rest = f"<p>And {more} more.</p>" if more > 0 else ""
    caption = re.sub(r"`([^`]*)`", r"<code>\1</code>", html.escape(spec["caption"], quote=False))
    rows = sum(line is not None for line in data["source"])
    return (
        f'<figure class="play" data-play="{name}" data-search-exclude>\n'
        f'<div class="play__stage" style="--lines: {rows}"></div>\n'
        f'<details class="play__words"><summary>{html.escape(spec["title"])}: '
        f"{len(steps)} recorded steps, in words</summary><ol>{items}</ol>{rest}</details>\n"
        f"<figcaption>{caption}</figcaption>\n</figure>"
    )


def told(data: dict) -> list[str]:
    """Return the steps of a recording as sentences."""
    trace, lines = data["run"]["trace"], []
    for _, warp, place, mask, accesses in trace["steps"]:
        if warp < 0:
            line = trace["sites"][str(place)]["line"]
            lines.append(f"Line {line}: all threads have reached the barrier and go on.")
            continue
        line = trace["statements"][str(place)]["line"]
        did: dict[str, list[str]] = {}
        for site, memory, _, items, *written in accesses:
            at = trace["sites"][str(site)]
            verb = "updates" if at["kind"] == "atomic" else "writes" if written else "reads"
            place = f"{at['array']}[{_span(items, trace['memories'][memory]['shape'])}]"
            if place not in did.setdefault(verb, []):
                did[verb].append(place)
        does = ", ".join(f"{verb} {' and '.join(places)}" for verb, places in did.items())
        lanes = mask.bit_count()
        who = f"{lanes} {'thread' if lanes == 1 else 'threads'} of warp {warp}"
        code = (data["source"][line - data["first"]] or "").strip() if _in(line, data) else ""
        lines.append(f"Line {line}, {code}: {who}{': ' + does if does else ''}.")
    return lines


def _in(line: int, data: dict) -> bool:
    return 0 <= line - data["first"] < len(data["source"])


def _span(items: list[int], shape: list[int]) -> str:
    unique = sorted(set(items))
    if len(shape) > 1:
        row = shape[-1]
        places = [f"{k // row}, {k % row}" for k in unique]
        return places[0] if len(places) == 1 else f"{places[0]} to {places[-1]}"
    if len(unique) > 2 and unique == list(range(unique[0], unique[-1] + 1)):
        return f"{unique[0]} to {unique[-1]}"
    return ", ".join(map(str, unique))


class RecordingPart(Part):
    """Recorded steps of a kernel, as a figure that plays."""

    name = "recording"
    marker = MARKER

    def render(self, marker: re.Match, site, folder: str, plain: bool) -> str:
        name = marker["name"]
        return (
            "\n".join(f"- {step}" for step in told(load(name, site.root)))
            if plain
            else figure(name, site.root)
        )

    def shared(self) -> tuple[str, ...]:
        return (SPECS,)

    def commands(self, add) -> None:
        def run(root: Path) -> int:
            print(f"{write(root)} of {len(specs(root))} recordings changed")
            return 0

        add("recordings", help=f"make the recordings of {FOLDER} again", run=run)

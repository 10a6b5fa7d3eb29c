"""What the settings of a site may not do: change pages after they were checked, or bring in others.

Of mkdocs.yml, and of what lies in the root beside it, where Python looks before anywhere else.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import yaml

from lockstep import project
from lockstep.mistakes import Mistake

FILE = "mkdocs.yml"
TEMPLATES = "overrides"
PLAIN = "take it out: pages are checked as the site's own extensions make them"
# Keys, at any depth, and why they are not there.
KEYS = {
    "hooks": ("a hook changes pages after they were checked", "write a Part, which the core calls"),
    "INHERIT": ("settings in another file, which nobody checks", f"write them into {FILE}"),
    "auto_append": ("text that is appended to each page", PLAIN),
    "url_download": ("text that comes from elsewhere", PLAIN),
}
KNOWN = re.compile(r"tag:yaml\.org,2002:python/name:(?:material|pymdownx|lockstep\w*)\.")
# Python imports these by itself when it starts.
STARTED = {"sitecustomize", "usercustomize"}


def check(root: Path) -> Iterator[Mistake]:
    """Yield what is wrong with the settings of a project, and with names that hide others."""
    yield from _settings(root)
    yield from _hiding(root)


def _settings(root: Path) -> Iterator[Mistake]:
    file = root / FILE
    top = (
        yaml.compose(file.read_text(encoding="utf-8"), yaml.SafeLoader) if file.is_file() else None
    )
    waiting: list[tuple[str, yaml.Node]] = [("", top)] if top else []
    seen: set[int] = set()
    while waiting:
        key, node = waiting.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        line = node.start_mark.line + 1
        if node.tag.startswith("tag:yaml.org,2002:python/") and not KNOWN.match(node.tag):
            what = f"a Python name that changes pages: {node.tag.partition('2002:')[2]}"
            yield Mistake(FILE, line, what, PLAIN)
        if isinstance(node, yaml.SequenceNode):
            waiting += [(key, value) for value in node.value]
        elif isinstance(node, yaml.MappingNode):
            for name, value in node.value:
                waiting.append((str(name.value), value))
                if name.value in KEYS:
                    yield Mistake(FILE, name.start_mark.line + 1, *KEYS[name.value])
        elif key == "custom_dir" and str(node.value).strip("./") != TEMPLATES:
            what = f"templates in {node.value}, which nobody reviews"
            yield Mistake(FILE, line, what, f"move them to {TEMPLATES}/")
        elif key in {"extra_javascript", "extra_css"} and re.match(r"(?:\w+:)?//", node.value):
            what = f"a file of another host: {node.value}"
            yield Mistake(FILE, line, what, "put it below docs/, where it is reviewed")


def _hiding(root: Path) -> Iterator[Mistake]:
    """A module in the root whose name is Python's: a run would import it in the other's place."""
    ours = set(project.of(root).sources)
    for file in sorted(root.iterdir()):
        # Sources without an __init__ give way to a module of their folder's name.
        inner = "__init__.*" if file.name in ours else "*.py"
        package = file.is_dir() and next(file.glob(inner), None) is not None
        if file.suffix != ".py" and not package:
            continue
        name = file.stem
        if name in STARTED or name in sys.stdlib_module_names or (_installed(root, name, ours)):
            what = f"{name} hides the module of that name from every page"
            yield Mistake(file.relative_to(root).as_posix(), 1, what, "give it another name")


def _installed(root: Path, name: str, ours: set[str]) -> bool:
    """Whether a package of that name is installed, which a page may mean."""
    if name in ours or name.startswith("lockstep") or name in {"conftest", "tests", "setup"}:
        return False
    for place in map(Path, filter(None, sys.path)):
        if "site-packages" in place.parts or "dist-packages" in place.parts:
            if (place / name).is_dir() or (place / f"{name}.py").is_file():
                return (place / name).resolve() != (root / name).resolve()
    return False

"""What a preview builds again after a change: a preview asks, and the plugin obeys.

A page is built again when its own text changed or that of a source that it includes. What many
pages share, such as front matter, evidence, settings and the theme, builds the whole site again.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from jinja2 import BytecodeCache

from lockstep import project, site
from lockstep.source import digest

SHARED = ("mkdocs.yml", "pyproject.toml", "evidence", "overrides")


class _Templates(BytecodeCache):
    """Compiled templates. MkDocs makes its environment anew for each build."""

    def __init__(self):
        self.code: dict[str, bytes] = {}

    def load_bytecode(self, bucket):
        if code := self.code.get(bucket.key):
            bucket.bytecode_from_string(code)

    def dump_bytecode(self, bucket):
        self.code[bucket.key] = bucket.bytecode_to_string()


@dataclass
class Kept:
    """What outlives a build: a preview builds a few pages again and keeps the others.

    ``only``: the pages to build, by their paths in the folder of the pages. None: the site, whole.
    """

    only: set[str] | None = None
    with_formula: set[str] = field(default_factory=set)
    contents: dict[str, str] = field(default_factory=dict)  # the HTML of each page's text, by path
    pages: dict[str, Any] = field(default_factory=dict)  # MkDocs' own
    entries: dict[str, Any] = field(default_factory=dict)  # what the search knows of each
    templates: _Templates = field(default_factory=_Templates)

    def clear(self) -> None:
        for known in (self.with_formula, self.contents, self.pages, self.entries):
            known.clear()


def files(root: Path, *places: str) -> list[tuple[str, int, int]]:
    """Return (path, time, size) of each file at or below the places, but for compiled ones."""
    found = []
    for place in places:
        path = root / place
        for file in [path] if path.is_file() else sorted(path.rglob("*")):
            if file.is_file() and file.suffix != ".pyc":
                stat = file.stat()
                found.append((str(file), stat.st_mtime_ns, stat.st_size))
    return found


class Seen:
    """The site as it was at one moment: a hash of what pages share, and one of each page.

    Raises ``PageError`` for a page that breaks the rules.
    """

    def __init__(self, root: Path):
        site.forget()
        pages, ours = site.site(root).pages, project.of(root)
        shared = [*SHARED, f"{ours.docs}/moved.yml"]
        for part in ours.parts:
            shared += part.shared()
        heads = [
            (page.path, sorted((k, str(v)) for k, v in page.meta.items() if k not in ours.own))
            for page in pages
        ]
        self.shared = digest(repr((heads, files(root, *shared))))
        self.pages = {
            page.uri: digest(repr((page.meta, page.expanded, [b.options for b in page.blocks])))
            for page in pages
        }
        self.blocks = digest(repr([page.sha256 for page in pages]))
        # Pages that tell of the others
        self.lists = {page.uri for page in pages if any(part.lists(page) for part in ours.parts)}

    def since(self, before: "Seen | None") -> set[str] | None:
        """Return the pages to build since an earlier moment, or None where it must be all."""
        if before is None or self.shared != before.shared:
            return None
        changed = {name for name, text in self.pages.items() if text != before.pages[name]}
        return changed | self.lists if self.blocks != before.blocks else changed

"""What a preview builds again after a change: tools/serve.py asks, and the hook obeys.

A page is built again when its own text changed or that of a source that it includes. What many
pages share, such as front matter, evidence, settings and the theme, builds the whole site again.
"""

import posixpath
from pathlib import Path

from jinja2 import BytecodeCache

from lockstep import markdown, summary
from lockstep.page import digest

# The pages to build, by their paths below docs/. None: the site, whole.
only: set[str] | None = None

SHARED = ("mkdocs.yml", "docs/moved.yml", "docs/roadmap/roadmap.yml", "evidence", "overrides")
# Front matter that no other page shows
OWN = {"description", "gpu_only", "compute_capability", "gpus", "not_on", "hide"}


class _Templates(BytecodeCache):
    """Compiled templates. MkDocs makes its environment anew for each build."""

    def __init__(self):
        self.code: dict[str, bytes] = {}

    def load_bytecode(self, bucket):
        if code := self.code.get(bucket.key):
            bucket.bytecode_from_string(code)

    def dump_bytecode(self, bucket):
        self.code[bucket.key] = bucket.bytecode_to_string()


templates = _Templates()


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
        markdown.forget()
        pages = markdown.site(root).pages
        heads = [
            (page.path, sorted((k, str(v)) for k, v in page.meta.items() if k not in OWN))
            for page in pages
        ]
        self.shared = digest(repr((heads, files(root, *SHARED))))
        self.pages = {
            posixpath.relpath(page.path, "docs"): digest(
                repr((page.meta, page.expanded, [b.options for b in page.blocks]))
            )
            for page in pages
        }
        self.blocks = digest(repr([page.sha256 for page in pages]))
        self.lists = {
            posixpath.relpath(p.path, "docs") for p in pages if summary.MARKER.search(p.body)
        }

    def since(self, before: "Seen | None") -> set[str] | None:
        """Return the pages to build since an earlier moment, or None where it must be all."""
        if before is None or self.shared != before.shared:
            return None
        changed = {name for name, text in self.pages.items() if text != before.pages[name]}
        return changed | self.lists if self.blocks != before.blocks else changed

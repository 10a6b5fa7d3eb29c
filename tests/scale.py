"""A synthetic site: the real configuration, sources and evidence, and as many pages as are asked.

Each added page is a copy of a page that exists, in its folder, under another title: it has the same
blocks, figures and links, so the whole way of a page is taken for each of them.
"""

import re
import shutil
from pathlib import Path

from lockstep.known import read_all

PARTS = (
    "kernels",
    "snippets",
    "evidence",
    "overrides",
    "docs",
    "lockstep",
    "lockstep_site",
    "tools",
    "benchmarks",
    "simulator",
)


def make(source: Path, target: Path, pages: int) -> Path:
    """Fill ``target`` with a site of ``pages`` pages and return it. No page but a copy is new."""
    ignore = shutil.ignore_patterns("__pycache__")
    for part in PARTS:
        shutil.copytree(source / part, target / part, ignore=ignore)
    if (source / "node_modules").is_dir():
        (target / "node_modules").symlink_to(source / "node_modules")
    for file in (*source.glob("*.yml"), source / "pyproject.toml"):
        shutil.copy(file, target)
    known = read_all(source)
    # A term has its id and a puzzle its number, which are not to be had twice.
    alone = {"term", "puzzle"}
    originals = [p for p in known if p.blocks and "/" in p.name and p.meta["kind"] not in alone]
    added = []
    for number in range(pages - len(known)):
        page = originals[number % len(originals)]
        file = (target / page.path).with_name(f"{Path(page.path).stem}-{number}.md")
        file.write_text(_copy(page, number), encoding="utf-8")
        added.append(file.relative_to(target / "docs").as_posix())
    _into_nav(target / "mkdocs.yml", added)
    return target


def _copy(page, number: int) -> str:
    text = (page.root / page.path).read_text(encoding="utf-8")
    head, body = text[: len(text) - len(page.written)], page.written
    # One item of the roadmap is served by one page, and a page moves from one address to one.
    head = re.sub(r"^roadmap:.*(\n[ -].*)*\n", "", head, flags=re.MULTILINE)
    body, found = re.subn(r"^# (.*)$", rf"# \1, copy {number}", body, count=1, flags=re.MULTILINE)
    assert found == 1, f"{page.path} has no title"
    return head.replace(f"title: {page.title}", f"title: {page.title} {number}") + body


def _into_nav(file: Path, added: list[str]) -> None:
    text = file.read_text(encoding="utf-8")
    lines = "".join(f"      - {path}\n" for path in added)
    assert "  - Patterns:\n" in text
    file.write_text(text.replace("  - Patterns:\n", f"  - Patterns:\n{lines}"), encoding="utf-8")

"""Pages that moved: moved.yml beside the pages, and what stands where they were.

A line of the file is ``old/path.md: new/path.md``, both as the folder has or had them.
"""

import html
import posixpath
from pathlib import Path

import yaml

from lockstep import project
from lockstep.mistakes import Mistake, PageError
from lockstep.source import yaml_line

FILE = "moved.yml"
PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>This page moved</title>
<meta name="robots" content="noindex">
<link rel="canonical" href="{url}">
<script>location.replace("{url}" + location.search + location.hash)</script>
<meta http-equiv="refresh" content="0; url={url}">
</head>
<body><p>This page moved: <a href="{url}">{title}</a>.</p></body>
</html>
"""


def read(root: Path) -> list[tuple[int, str, str]]:
    """Return (line, old, new) of each page that moved.

    Raises ``PageError`` where a line leads nowhere, or stands in the way of a page that is there.
    """
    docs = project.of(root).docs
    file, path = root / docs / FILE, f"{docs}/{FILE}"
    if not file.is_file():
        return []
    try:
        node = yaml.compose(file.read_text(encoding="utf-8"))
    except yaml.YAMLError as error:
        line = yaml_line(error)
        mend = "write old/path.md: new/path.md"
        raise PageError([Mistake(path, line, "this is not YAML", mend)]) from None
    if node is not None and not isinstance(node, yaml.MappingNode):
        mend = "write old/path.md: new/path.md, a line each"
        raise PageError([Mistake(path, 1, "this is no list of pages that moved", mend)])
    pairs = [(k.start_mark.line + 1, k.value, v.value) for k, v in node.value] if node else []
    mistakes = []
    for line, old, new in pairs:
        if not (isinstance(new, str) and new.endswith(".md") and (root / docs / new).is_file()):
            mend = "name the page where it is now, such as roadmap/foundation/vector-add.md"
            mistakes.append(Mistake(path, line, f"{old} moved to {new}, which is not there", mend))
        if not old.endswith(".md") or ".." in old or old.startswith("/"):
            mistakes.append(Mistake(path, line, f"{old} is no page of {docs}/", "end it with .md"))
        elif (root / docs / old).exists():
            mistakes.append(Mistake(path, line, f"{old} is still there", "remove one of the two"))
    if mistakes:
        raise PageError(mistakes)
    return pairs


def write(root: Path, site_dir: Path, urls: dict[str, str], directories: bool = True) -> None:
    """Write a page that leads on at each old place. ``urls``: of each page, by its path."""
    for _, old, new in read(root):
        stem = old.removesuffix(".md")
        folder = stem.removesuffix("index").rstrip("/")
        at = f"{stem}.html" if not directories else posixpath.join(folder, "index.html")
        url = posixpath.relpath(urls[new] or ".", posixpath.dirname(at) or ".")
        if urls[new].endswith("/") or not urls[new]:
            url += "/"
        file = site_dir / at
        file.parent.mkdir(parents=True, exist_ok=True)
        text = PAGE.format(url=html.escape(url), title=html.escape(url))
        file.write_text(text, encoding="utf-8")

"""Markers: a line such as ``[[roadmap:all]]`` stands for what a part makes of data and evidence."""

from typing import Any

from lockstep import project


def render(line: str, site: Any, folder: str, plain: bool = False) -> str | None:
    """Return the Markdown that a marker stands for, or None for any other line.

    ``site`` has ``root``, ``pages``, ``records`` and ``parts``. ``folder``, below that of the
    pages, is the page's. ``plain``: without what only a browser can show. Raises ``PageError`` for
    a marker that names nothing.
    """
    if not line.startswith("[["):
        return None
    for part in project.of(site.root).parts:
        if part.marker and (marker := part.marker.match(line)):
            return part.render(marker, site, folder, plain)
    return None

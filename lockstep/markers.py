"""Markers: a line such as ``[[roadmap:all]]`` stands for what data and evidence make of it."""

from lockstep import counters, glossary, mapping, plots, roadmap, summary, tables


def render(line: str, site, folder: str, plain: bool = False) -> str | None:
    """Return the Markdown that a marker stands for, or None for any other line.

    ``site`` has ``root``, ``pages``, ``records`` and ``glossary``. ``folder``, below docs/, is that
    of the page. ``plain``: without what only a browser can show. Raises ``PageError`` for a marker
    that names nothing.
    """
    if not line.startswith("[["):
        return None
    if marker := roadmap.MARKER.match(line):
        show = roadmap.plain if plain else roadmap.render
        return show(marker[1], site.root, folder)
    if marker := glossary.MARKER.match(line):
        text = glossary.render(marker["which"], site.glossary, folder)
        return glossary.plain(text) if plain else text
    if marker := mapping.MARKER.match(line):
        return (mapping.plain if plain else mapping.render)(marker[1], site.root, folder)
    if marker := counters.MARKER.match(line):
        return counters.render(marker[1], site.root, site.records)
    if marker := tables.MARKER.match(line):
        return tables.render(marker["which"], site.root)
    if marker := plots.MARKER.match(line):
        return plots.render(marker[1], site.records, as_text=plain)
    if summary.MARKER.match(line):
        text = summary.render(site.pages, site.records, folder)
        return summary.plain(text) if plain else text
    return None

"""What a published site offers besides its pages: when each changed, a feed, and a robots.txt.

Dates come from git, without a network. Where there is no git, or only the last commits, no page has
a date and there is no feed: a wrong date would be worse.
"""

import re
import subprocess
from datetime import UTC, datetime
from html import escape
from pathlib import Path
from typing import NamedTuple

NEWEST = 30  # entries of the feed
# A string of a style sheet, which stays as it is, or a comment
QUOTED = re.compile(r"""("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')|/\*.*?\*/""", re.DOTALL)


class Entry(NamedTuple):
    """A page of the feed."""

    title: str
    description: str
    url: str
    changed: datetime


def changed(root: Path, docs: str) -> dict[str, datetime]:
    """Return when each file below a folder was last changed, by its path in that folder."""
    shallow = _git(root, "rev-parse", "--is-shallow-repository")
    if shallow is None or shallow.strip() != "false":
        return {}
    folder = ["--", f"{docs}/"]
    log = _git(
        root, "-c", "core.quotePath=false", "log", "--format=%x00%cI", "--name-only", *folder
    )
    found: dict[str, datetime] = {}
    for commit in (log or "").split("\0")[1:]:
        date, *names = commit.split("\n")
        for name in filter(None, names):
            # The newest commit comes first; names are those below the repository's own root.
            path = name.partition(f"{docs}/")[2]
            found.setdefault(path, datetime.fromisoformat(date).astimezone(UTC))
    return found


def lighter(sheet: str) -> str:
    """Return a style sheet without comments, indents and empty lines: a fifth of its way less."""
    bare = QUOTED.sub(lambda found: found[1] or "", sheet)
    return "".join(f"{line.strip()}\n" for line in bare.splitlines() if line.strip())


def _git(root: Path, *arguments: str) -> str | None:
    try:
        done = subprocess.run(
            ["git", "-C", str(root), *arguments], capture_output=True, text=True, encoding="utf-8"
        )
    except OSError:  # there is no git
        return None
    return done.stdout if done.returncode == 0 else None


def feed(entries: list[Entry], title: str, url: str, name: str) -> str:
    """Return an Atom feed of the pages that changed last."""
    rows = sorted(entries, key=lambda entry: (entry.changed, entry.url), reverse=True)[:NEWEST]
    lines = [
        '<?xml version="1.0" encoding="utf-8"?>',
        '<feed xmlns="http://www.w3.org/2005/Atom">',
        f"<title>{escape(title)}</title>",
        f"<id>{escape(url)}</id>",
        f'<link href="{escape(url)}"/>',
        f'<link rel="self" href="{escape(url + name)}"/>',
        f"<updated>{_time(rows[0].changed)}</updated>",
        f"<author><name>{escape(title)}</name></author>",
    ]
    for row in rows:
        at = escape(url + row.url)
        lines += [
            "<entry>",
            f"<title>{escape(row.title)}</title>",
            f"<id>{at}</id>",
            f'<link href="{at}"/>',
            f"<updated>{_time(row.changed)}</updated>",
            f"<summary>{escape(row.description)}</summary>",
            "</entry>",
        ]
    return "\n".join([*lines, "</feed>", ""])


def _time(date: datetime) -> str:
    return date.strftime("%Y-%m-%dT%H:%M:%SZ")


def robots(url: str) -> str:
    """Return a robots.txt that lets everybody in and says where the pages are listed."""
    return f"User-agent: *\nAllow: /\nSitemap: {url}sitemap.xml\n"

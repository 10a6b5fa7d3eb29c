"""What a published site offers besides its pages: when each changed, a feed, and a robots.txt.

Dates come from git, without a network. Where there is no git, or only the last commits, no page has
a date and there is no feed: a wrong date would be worse.
"""

import re
import subprocess
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from html import escape
from pathlib import Path
from typing import NamedTuple

from lockstep.block import Page

NEWEST = 30  # entries of the feed
# A string of a style sheet, which stays as it is, or a comment
QUOTED = re.compile(r"""("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')|/\*.*?\*/""", re.DOTALL)


class Entry(NamedTuple):
    """A page of the feed."""

    title: str
    description: str
    url: str
    changed: datetime


def changed(root: Path, folders: Iterable[str]) -> dict[str, datetime]:
    """Return when each file below some folders was last changed, by its path from the root.

    A page has not changed where a commit touches nothing but its front matter.
    """
    shallow = _git(root, "rev-parse", "--is-shallow-repository")
    if shallow is None or shallow.strip() != "false":
        return {}
    command = ["-c", "core.quotePath=false", "log", "--relative", "--format=%x00%cI"]
    command += ["--raw", "--no-abbrev", "--no-renames"]
    log = _git(root, *command, "--", *folders)
    found: dict[str, datetime] = {}
    with _bodies(root) as body:
        for commit in (log or "").split("\0")[1:]:
            date, *rows = commit.split("\n")
            for row in filter(None, rows):  # the newest commit comes first
                about, name = row.split("\t")
                old, new = about.split()[2:4]
                if name in found or name.endswith(".md") and body(old) == body(new):
                    continue
                found[name] = datetime.fromisoformat(date).astimezone(UTC)
    return found


@contextmanager
def _bodies(root: Path) -> Iterator[Callable[[str], bytes | None]]:
    """Yield what returns a text of git's without its front matter, or None where there is none."""
    command = ["git", "-C", str(root), "cat-file", "--batch"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as git:
        ask, answer = git.stdin, git.stdout
        assert ask and answer

        def body(name: str) -> bytes | None:
            ask.write(f"{name}\n".encode())
            ask.flush()
            *_, size = answer.readline().split()
            if size == b"missing":
                return None
            text = answer.read(int(size) + 1)
            return re.sub(rb"\A---\r?\n.*?^---\r?\n", b"", text, flags=re.DOTALL | re.MULTILINE)

        yield body


def of_page(page: Page, dates: dict[str, datetime]) -> datetime | None:
    """Return when a page was last changed: its text, or a file whose sections it shows."""
    if page.path not in dates:
        return None
    shown = {page.path, *(block.path for block in page.blocks)}
    return max(dates[path] for path in shown & dates.keys())


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

"""python tools/links.py FILE_OR_FOLDER ...: ask every address that the pages link to.

For a weekly run, not for the suite: it needs a network. Exit code 1 where an address is gone
(404, 410) or its host has no name. What answers otherwise, a refusal of robots among it, is listed
and passes: the page may be there. Entries of the library that say that nobody could open them to
give their title are listed with the title that their page has now. Nothing but Python is needed.
"""

import html
import re
import socket
import sys
import time
import urllib.error
import urllib.request
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urldefrag, urlsplit

ADDRESS = re.compile(r"https?://[^\s<>\"'`\]|\\]+")
GONE = {404, 410}
OURS = re.compile(r"https?://(127\.0\.0\.1|localhost|[\w.]*example\.(com|org|net))\b")
# A row of docs/library/library.yml
UNTITLED = re.compile(
    r'^ +url: "([^"]+)"\n +note: "[^\n]*could not open it to give its title', re.M
)
TITLE = re.compile(r"<title[^>]*>(.*?)</title>", re.DOTALL | re.IGNORECASE)
AGENT = {"User-Agent": "Mozilla/5.0 (compatible; link check of a documentation site)"}


def addresses(text: str) -> list[tuple[int, str]]:
    """Return (line, address) of what a text links to, without fragments."""
    found = []
    for number, line in enumerate(text.splitlines(), start=1):
        for address in ADDRESS.findall(line):
            while address[-1] in ".,;:!?*}" or (
                address[-1] == ")" and address.count(")") > address.count("(")
            ):
                address = address[:-1]
            if not OURS.match(address) and "{" not in address:
                found.append((number, urldefrag(address)[0]))
    return found


def collect(paths: list[str]) -> dict[str, list[str]]:
    """Return the places of each address, FILE:LINE."""
    places = defaultdict(list)
    for name in paths:
        path = Path(name)
        files = [path] if path.is_file() else sorted([*path.rglob("*.md"), *path.rglob("*.yml")])
        if not files:
            sys.exit(f"{name}: no such file, and no folder with .md or .yml files")
        for file in files:
            for line, address in addresses(file.read_text(encoding="utf-8")):
                places[address].append(f"{file}:{line}")
    return places


def ask(address: str, timeout: float = 20) -> int | str:
    """Return the status that an address answers with, or why there was none."""
    for method in ("HEAD", "GET"):  # not every server knows HEAD
        request = urllib.request.Request(address, method=method, headers=AGENT)
        try:
            with urllib.request.urlopen(request, timeout=timeout) as answer:
                return answer.status
        except urllib.error.HTTPError as error:
            status: int | str = error.code
        except urllib.error.URLError as error:
            if isinstance(error.reason, socket.gaierror):
                return "no such host"
            status = str(error.reason)
        except (OSError, ValueError) as error:
            status = str(error)
    return status


def ask_all(found: list[str], pause: float = 0.3) -> dict[str, int | str]:
    """Ask many addresses: hosts at the same time, the addresses of one host one after another."""
    hosts = defaultdict(list)
    for address in found:
        hosts[urlsplit(address).netloc].append(address)

    def host(rows: list[str]) -> list[tuple[str, int | str]]:
        answers = []
        for address in rows:
            answers.append((address, ask(address)))
            time.sleep(pause)
        return answers

    with ThreadPoolExecutor(16) as pool:
        return dict(row for rows in pool.map(host, hosts.values()) for row in rows)


def named(address: str, timeout: float = 20) -> str:
    """Return the title of a page, or why there is none."""
    try:
        request = urllib.request.Request(address, headers=AGENT)
        with urllib.request.urlopen(request, timeout=timeout) as answer:
            found = TITLE.search(answer.read(2**20).decode(errors="replace"))
    except (OSError, ValueError) as error:
        return f"no answer ({error})"
    return " ".join(html.unescape(found[1]).split()) if found else "no title"


def main(paths: list[str]) -> int:
    places = collect(paths)
    answers = ask_all(sorted(places))
    gone = {a: s for a, s in answers.items() if s in GONE or s == "no such host"}
    odd = {a: s for a, s in answers.items() if a not in gone and s != 200}
    for title, rows in (("No answer that tells", odd), ("Gone", gone)):
        print(f"{title}: {len(rows)}")
        for address, status in sorted(rows.items()):
            print(f"  {status}: {address} ({', '.join(places[address][:3])})")
    print(f"{len(answers)} addresses asked")
    files = {place.rpartition(":")[0] for rows in places.values() for place in rows}
    for file in sorted(files):
        for address in UNTITLED.findall(Path(file).read_text(encoding="utf-8")):
            print(f"{file}: name {address} as its page does: {named(address)}")
    return 1 if gone else 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__.splitlines()[0])
    sys.exit(main(sys.argv[1:]))

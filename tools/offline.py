"""python tools/offline.py [ZIP [SITE]]: the built site for the file system, as one archive.

A server answers for a folder with its index.html, and a file system with a list of files. So each
link to a folder gets the file's name here; besides, a page that is opened as a file has no origin:
no policy could name one, and nothing may be fetched. All else is the site as it was built.
"""

import base64
import json
import re
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = "lockstep"  # in the archive
# What only a server can give: Python for "Run here", and what tells others of the site's address.
LEFT_OUT = ("assets/vendor/pyodide/", "assets/vendor/cards/", "feed.xml", "robots.txt", "sitemap.")

TAG = re.compile(r"""<(?:a|area|link)\s(?:[^">]|"[^"]*")*>""")
HREF = re.compile(r'(\shref=")([^"#?]*)')
REFRESH = re.compile(r'(<meta http-equiv="refresh" content="0; url=)([^"#?]*)')
SCRIPT = re.compile(r'(location\.replace\(")([^"#?]*)')  # both of a page that moved
POLICY = re.compile(r'<meta http-equiv="Content-Security-Policy"[^>]*>')
ADDRESS = re.compile(
    r'\s*<(?:link rel="(?:canonical|alternate)"|meta (?:property="og:|name="twitter:))[^>]*>'
)
CONFIG = re.compile(r'(<script id="__config" type="application/json">)(.*?)(</script>)', re.DOTALL)
SHIM = "assets/vendor/iframe-worker.js"  # a page of the file system may not start a worker


def to_file(link: str) -> str:
    """Return a link within the site as one to a file; any other as it is."""
    if ":" in link or link.startswith("//"):
        return link
    last = link.rpartition("/")[2]
    if last in {".", ".."}:
        return f"{link}/index.html"
    return f"{link}index.html" if link and not last else link


def page(text: str) -> str:
    """Return a page of the site as one of the file system."""

    def tag(found: re.Match) -> str:
        return HREF.sub(lambda href: href[1] + to_file(href[2]), found[0])

    def config(found: re.Match) -> str:
        said = json.loads(found[2])
        # It cannot fetch the next page.
        said["features"] = [name for name in said["features"] if "instant" not in name]
        # Nor may a script there load another when it likes.
        said["search"] = said["search"].replace("search-start", "search-worker")
        shim = f'<script src="{said["base"]}/{SHIM}"></script>'
        # As the theme writes it: no "</script>" can stand in a text.
        dumped = json.dumps(said).replace("</", "<\\/")
        return f"{shim}{found[1]}{dumped}{found[3]}"

    text = TAG.sub(tag, ADDRESS.sub("", POLICY.sub("", text, count=1)))
    for moved in (REFRESH, SCRIPT):
        text = moved.sub(lambda found: found[1] + to_file(found[2]), text)
    return CONFIG.sub(config, text, count=1)


def search(site: Path) -> str:
    """Return the index of the search as a script, which needs no fetching."""
    start = json.loads((site / "search/search_index.json").read_text(encoding="utf-8"))
    index = json.loads((site / start["config"]["index"]).read_text(encoding="utf-8"))
    for row in index["pages"]:
        row[0] = to_file(row[0]) or "index.html"
    start["config"]["index"] = index
    table = (site / start["config"]["words"]).read_bytes()  # as the worker takes it there
    start["config"]["words"] = base64.b64encode(table).decode()
    return f"var __index = {json.dumps(start, ensure_ascii=False, separators=(',', ':'))}"


def files(site: Path) -> Iterator[tuple[str, Path, str | None]]:
    """Yield each file's name in the archive, itself, and its text where that is another."""
    for file in sorted(site.rglob("*")):
        name = file.relative_to(site).as_posix()
        hidden = any(part.startswith(".") for part in file.relative_to(site).parts)
        left_out = name.startswith((*LEFT_OUT, "search/")) or file.suffix == ".map" or hidden
        if file.is_file() and not left_out:
            html = file.suffix == ".html"
            yield name, file, page(file.read_text(encoding="utf-8")) if html else None
    yield "search/search_index.js", site, search(site)


def main(archive: Path, site: Path) -> int:
    """Pack the site, and return an exit code."""
    if not (site / "search/search_index.json").is_file():
        print(f"offline: no site in {site}. To mend: make site", file=sys.stderr)
        return 1
    archive.parent.mkdir(parents=True, exist_ok=True)
    part = archive.with_suffix(".part")
    with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as out:
        for name, file, text in files(site):
            if text is None:
                out.write(file, f"{FOLDER}/{name}")
            else:
                out.writestr(f"{FOLDER}/{name}", text)
    part.replace(archive)
    size = archive.stat().st_size / 1e6
    print(f"{archive.name}: {size:.1f} MB. Unpack it and open {FOLDER}/index.html.")
    return 0


if __name__ == "__main__":
    asked = [Path(name) for name in sys.argv[1:]]
    defaults = [ROOT / "dist/lockstep-site.zip", ROOT / "site"]
    sys.exit(main(*asked, *defaults[len(asked) :]))

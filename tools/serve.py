"""python tools/serve.py [PORT]: serve the site on this machine alone, and build again what changes.

MkDocs watches, builds and reloads the browser. Of a change to one page, or to a source that it
includes, that page alone is built (lockstep/mkdocs/preview.py). A mistake is printed with file,
line and how to mend it, and the site as it was stays up.
"""

import html
import logging
import os
import signal
import sys
import tempfile
import time
import traceback
from pathlib import Path

from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.exceptions import MkDocsException
from mkdocs.livereload import LiveReloadServer

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))  # tools/ is there; the package that builds is above it

from lockstep.mkdocs import preview  # noqa: E402
from lockstep.page import PageError  # noqa: E402
from tools import assets  # noqa: E402

HOST = "127.0.0.1"
WATCHED = ("docs", "kernels", "snippets", "benchmarks", "evidence", "overrides", "mkdocs.yml")
PROGRAM = (
    "lockstep",
    "lockstep_site",
    "tools",
)  # it is read once: a change starts this program again
PANEL = ("web", "simulator", "docs/assets/js", "docs/assets/css")  # bundled by tools/assets.py
FIRST = """<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="1">
<title>Lockstep</title><h1>The site cannot be built yet</h1><pre>{}</pre>"""


class Site:
    """The site in a folder of its own, and what it was built from."""

    def __init__(self, folder: str):
        self.folder, self.url = folder, ""
        self.program = preview.files(ROOT, *PROGRAM)
        self.panel = preview.files(ROOT, *PANEL)
        self.seen: preview.Seen | None = None  # what the site was last built from
        self.kept = preview.Kept()
        self.again: set[str] = set()  # pages of a build that failed
        self.wrong = ""  # what stopped the last build

    def update(self) -> None:
        """Build what changed. A mistake is printed, and the next change tries again."""
        if preview.files(ROOT, *PROGRAM) != self.program:
            say("The program changed: starting again.")
            os.execv(sys.executable, [sys.executable, *sys.argv])
        start = time.perf_counter()
        try:
            built = self._build()
        except (PageError, MkDocsException) as error:
            # MkDocs has said itself what it logged; its last word is that it stops.
            self.wrong = "\n".join([*heard.lines, str(error)])
            say(str(error), "Mend it, and it is built again." if self.seen else "Waiting for that.")
        except Exception:  # of a file that is half written, or of ours: the next change tries again
            self.wrong = traceback.format_exc()
            say(self.wrong)
        else:
            self.wrong = ""
            say(f"{built} in {time.perf_counter() - start:.1f} s")

    def _build(self) -> str:
        heard.lines.clear()
        panel = preview.files(ROOT, *PANEL)
        if panel != self.panel:
            assets.copy(ROOT)
            self.panel = panel
        seen = preview.Seen(ROOT)
        only = seen.since(self.seen)
        if only is not None:
            self.again = only = only | self.again
        config = load_config(str(ROOT / "mkdocs.yml"), site_dir=self.folder, site_url=self.url)
        self.kept.only = only
        config.plugins["lockstep"].kept = self.kept
        config.plugins["lockstep"].serving = True
        build(config, serve_url=self.url, dirty=only is not None)
        self.seen, self.again = seen, set()
        if only is None:
            return f"{len(seen.pages)} pages built"
        names = sorted(only - seen.lists) or sorted(only)
        more = " and more" if len(names) > 3 else ""
        return f"{', '.join(names[:3])}{more} built again" if only else "Files copied"

    def error(self, code: int) -> bytes | None:
        """Return what is shown where there is no page."""
        if self.seen is None:
            return FIRST.format(html.escape(self.wrong)).encode()
        file = Path(self.folder) / f"{code}.html"
        return file.read_bytes() if file.is_file() else None


class Heard(logging.Handler):
    """Prints what MkDocs warns of, and keeps it for the browser."""

    def __init__(self):
        super().__init__(logging.WARNING)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage())
        say(record.getMessage())


heard = Heard()


def say(*lines: str) -> None:
    print(*lines, sep="\n", file=sys.stderr, flush=True)


def listen() -> None:
    """Hear MkDocs' warnings, but for those that concern no page."""
    logging.getLogger("mkdocs").addHandler(heard)
    # We know; and in strict mode it would end each build.
    logging.getLogger("mkdocs.commands.build").addFilter(
        lambda record: "'dirty' build" not in record.getMessage()
    )
    logging.getLogger("mkdocs.livereload").setLevel(logging.ERROR)


def main(port: str = "8000") -> str | int:
    """Serve until Ctrl-C; return an error line, or 0."""
    os.chdir(ROOT)
    listen()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))  # so that the folder goes, too
    with tempfile.TemporaryDirectory(prefix="lockstep-") as folder:
        site = Site(folder)
        try:
            server = LiveReloadServer(site.update, HOST, int(port), folder)
            server.server_bind()
        except (OSError, OverflowError, ValueError) as error:
            return f"serve: port {port}: {error}; take another: make serve PORT=8001"
        server.server_bind = lambda: None  # it would bind again
        server.error_handler = site.error
        site.url = f"http://{HOST}:{server.server_address[1]}/"
        for place in (*WATCHED, *PROGRAM, *PANEL):
            if (ROOT / place).exists():
                server.watch(str(ROOT / place))
        # From here on, not from serve() on: what changes during the first build is built after it.
        server.observer.start()
        server.observer.start = lambda: None  # it would start again
        site.update()
        say(f"Lockstep is at {site.url} (Ctrl-C ends it)")
        try:
            server.serve()
        except KeyboardInterrupt:
            say("")
        finally:
            server.shutdown()
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

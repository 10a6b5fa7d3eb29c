"""Lighthouse over one page of each kind: accessibility, best practices and SEO at 100."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests import browser
from tests.pages import PAGES, ROOT, first, url_of

WANTED = ("accessibility", "best-practices", "seo")
# Of a kind that has no page yet, none is asked for; its first page is, once it is there.
FIRST = [first(kind) for kind in ("term", "map", "lab")]
SHOWN = [
    "docs/index.md",
    "docs/roadmap/foundation/vector-add.md",
    "docs/evidence/index.md",
    *(page.path for page in FIRST if page),
]


@pytest.fixture(scope="module")
def reports(chromium, server, tmp_path_factory):
    """What Lighthouse says of each page, by its path."""
    urls = {page.path: url_of(page, server) for page in PAGES if page.path in SHOWN}
    node = shutil.which("node") or shutil.which("node", path=str(Path(sys.executable).parent))
    profile = tmp_path_factory.mktemp("lighthouse")
    flags = [*browser.FLAGS, "--headless=new", f"--user-data-dir={profile}"]
    command = [node, ROOT / "tests/lighthouse.mjs", ",".join(WANTED), json.dumps(flags)]
    env = os.environ | {"CHROME_PATH": str(browser.find()), "CI": "1"}
    done = subprocess.run([*command, *urls.values()], env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    found = json.loads(done.stdout)
    return {path: found[url] for path, url in urls.items()}


@pytest.mark.parametrize("path", SHOWN)
def test_lighthouse_gives_100(path, reports):
    report = reports[path]
    assert report["wrong"] is None
    assert report["scores"] == dict.fromkeys(WANTED, 1), report["failed"]

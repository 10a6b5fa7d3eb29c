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


@pytest.mark.parametrize("path", SHOWN)
def test_lighthouse_gives_100(path, chromium, server, tmp_path):
    page = next(page for page in PAGES if page.path == path)
    node = shutil.which("node") or shutil.which("node", path=str(Path(sys.executable).parent))
    report = tmp_path / "report.json"
    flags = [*browser.FLAGS, "--headless=new", f"--user-data-dir={tmp_path / 'profile'}"]
    command = [node, ROOT / "node_modules/lighthouse/cli/index.js", url_of(page, server)]
    command += ["--quiet", "--output=json", f"--output-path={report}"]
    command += [f"--only-categories={','.join(WANTED)}", f"--chrome-flags={' '.join(flags)}"]
    # What is asked for does not depend on the speed of the line.
    command += ["--throttling-method=provided", "--preset=desktop"]
    env = os.environ | {"CHROME_PATH": str(browser.find()), "CI": "1"}
    done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True)
    assert report.is_file(), done.stderr[-2000:]
    found = json.loads(report.read_text(encoding="utf-8"))
    scores = {name: found["categories"][name]["score"] for name in WANTED}
    failed = [
        f"{audit['id']}: {audit['title']}"
        for audit in found["audits"].values()
        if audit["score"] is not None and audit["score"] < 1
    ]
    assert scores == dict.fromkeys(WANTED, 1), failed

"""The same pages under Zensical, the next engine: its blocks, stamps and figures are all there.

Zensical reads mkdocs.yml and the Markdown extensions, but no hooks: it has no downloads, data files
or search of ours.
"""

import importlib.util
import re
import shutil
import subprocess
import sys

import pytest

from tests.pages import PAGES, ROOT

PARTS = (
    "docs",
    "kernels",
    "snippets",
    "benchmarks",
    "evidence",
    "overrides",
    "lockstep",
    "lockstep_site",
    "simulator",
    "tests",  # what made the records of WGSL: they are fresh with it alone
)


@pytest.fixture(scope="module")
def other(tmp_path_factory):
    if importlib.util.find_spec("zensical") is None:
        pytest.skip("zensical is not installed: pip install zensical==0.0.73")
    root = tmp_path_factory.mktemp("zensical")
    for part in PARTS:
        shutil.copytree(ROOT / part, root / part, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("mkdocs.yml", "pyproject.toml"):
        shutil.copy(ROOT / name, root)
    command = [sys.executable, "-m", "zensical", "build", "--config-file", "mkdocs.yml"]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True)
    assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]  # mkdocs.yml says strict
    return root / "site"


def marks(file):
    """Return what our extension put into a page: blocks, proofs, stamps, figures, in order."""
    text = file.read_text(encoding="utf-8")
    found = re.findall(r'<p class="proof proof--\w+|<div class="stamp stamp--\w+', text)
    figures = re.findall(r'<(?:span|a) class="measured[^>]*>([^<]*)</', text)
    return {"pre": text.count("<pre"), "proofs": found, "figures": figures}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.path)
def test_a_page_is_the_same_under_zensical(page, other, built):
    name = page.name.removesuffix("index").rstrip("/")
    here, there = (marks(site / name / "index.html") for site in (built, other))
    assert there == here
    assert here["pre"] >= len(page.blocks)

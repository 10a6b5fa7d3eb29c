"""A release: one version, which the tag, the changelog and the citation have."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from lockstep import address
from lockstep.source import find_root
from tools import release

ROOT = find_root()


def test_the_version_of_this_tree_can_be_released():
    version = release.version(ROOT)
    assert release.wrong(f"v{version}") == []


def test_the_citation_names_the_repository_of_the_setting(monkeypatch):
    monkeypatch.delenv("REPOSITORY", raising=False)
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert cited.get("repository-code", "") == address.setting(ROOT)


CHANGES = {
    "the version": ("pyproject.toml", '\nversion = "', '\nversion = "9', "the tag is"),
    "the changelog": ("CHANGELOG.md", "\n## 0", "\n## about 0", "no heading '## "),
    "the citation": ("CITATION.cff", "\nversion: ", "\nversion: 9", "CITATION.cff says version 9"),
    "its date": ("CITATION.cff", "\ndate-released: 20", "\ndate-released: 19", "as CHANGELOG.md"),
    "no date": ("CITATION.cff", "\ndate-released:", "\nwhen:", "says date-released nothing"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_what_is_refused(name, tmp_path):
    for file in ("pyproject.toml", "CHANGELOG.md", "CITATION.cff"):
        shutil.copy(ROOT / file, tmp_path)
    file, old, new, said = CHANGES[name]
    text = (tmp_path / file).read_text(encoding="utf-8")
    assert old in text
    (tmp_path / file).write_text(text.replace(old, new), encoding="utf-8")
    found = release.wrong(f"v{release.version(ROOT)}", tmp_path)
    assert any(said in line for line in found)


def test_a_release_builds_every_package_of_the_repository():
    listed = subprocess.run(
        ["git", "ls-files", "*pyproject.toml"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    parts = {Path(name).parent.as_posix() for name in listed.stdout.split()}
    packages = {p for p in parts if "build-system" in (ROOT / p / "pyproject.toml").read_text()}
    assert {".", "simulator/stepper"} <= packages
    jobs = yaml.safe_load((ROOT / ".github/workflows/release.yml").read_text())["jobs"]
    said = " ".join(step.get("run", "") for step in jobs["build"]["steps"])
    built = set(re.findall(r"-m build --outdir dist (\S+)", said))
    assert built == {p for p in packages if not p.startswith("tests/")}

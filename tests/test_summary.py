"""What a branch changes in the evidence, as a reviewer reads it."""

import subprocess

import pytest

from lockstep import cli, evidence

PAGE = "---\ntitle: {0}\ndescription: x\nkind: other\n---\n# {0}\n\n"
PAGE += '```python\n--8<-- "snippets/{0}.py"\n```\n'


def record(date, ours):
    row = {"id": "add", "ours": ours, "reference": 4.0, "unit": "GB/s", "ratio": ours / 4}
    row |= {"kernel": "k.py", "sha256": "0"}
    head = {"schema": 1, "script": "b.py", "device": {"name": "X"}, "date": date, "packages": {}}
    return head | {"python": "3", "sources": {"k.py": "0"}, "rows": [row]}


@pytest.fixture
def house(tmp_path, monkeypatch):
    """A repository with one page that ran, on a branch main, and a branch to work on."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LOCKSTEP_TARGET", "cpu")
    (tmp_path / "mkdocs.yml").write_text("site_name: x\n")
    write(tmp_path, "one")
    assert cli.main(["run", "docs/one.md"]) == 0
    evidence.write(tmp_path / "evidence/cpu/benchmarks/b.json", record("2026-11-01", 2.0))
    git(tmp_path, "init", "-q", "-b", "main")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-q", "-m", "x")
    git(tmp_path, "checkout", "-q", "-b", "work")
    return tmp_path


def write(root, name):
    for folder in ("docs", "snippets"):
        (root / folder).mkdir(exist_ok=True)
    (root / f"docs/{name}.md").write_text(PAGE.format(name))
    (root / f"snippets/{name}.py").write_text(f"{name} = 1\n")


def git(root, *arguments):
    who = ["-c", "user.name=x", "-c", "user.email=x@example.org"]
    subprocess.run(["git", *who, *arguments], cwd=root, check=True)


def said(capsys):
    capsys.readouterr()
    assert cli.main(["summary"]) == 0
    return capsys.readouterr().out.splitlines()


def test_a_branch_that_changes_no_record_says_so(house, capsys):
    (house / "evidence/cpu/benchmarks/b.json").unlink()
    git(house, "commit", "-qam", "no benchmark")
    git(house, "branch", "-f", "main")
    assert said(capsys) == ["No record changed."]


def test_pages_and_figures_that_changed_are_told(house, capsys):
    write(house, "two")
    assert cli.main(["run", "docs/two.md"]) == 0
    evidence.write(house / "evidence/cpu/benchmarks/b.json", record("2026-11-02", 2.5))
    first, second, *_ = said(capsys)
    assert first.startswith("1 page proved on CPU (") and first.endswith("(cpu): docs/two.md")
    assert second.replace("\u202f", " ") == "add: 2.00 GB/s to 2.50 GB/s (+25.0%)"


def test_what_lost_its_record_is_told(house, capsys):
    (house / "evidence/cpu/pages/one.json").unlink()
    lines = said(capsys)
    assert "1 pages with fewer records: docs/one.md" in lines
    assert any(line.endswith("1 missing: python -m lockstep status lists them") for line in lines)


def test_work_on_a_main_of_ones_own_is_told_against_the_one_that_was_cloned(house, capsys):
    git(house, "update-ref", "refs/remotes/origin/main", "main")
    evidence.write(house / "evidence/cpu/benchmarks/b.json", record("2026-11-02", 2.5))
    git(house, "checkout", "-q", "main")
    git(house, "commit", "-qam", "measured again")
    assert "add: 2.00 GB/s to 2.50 GB/s" in said(capsys)[0].replace("\u202f", " ")


def test_an_unknown_commit_is_one_clear_line(house, capsys):
    assert cli.main(["summary", "--since", "nowhere"]) == 2
    assert "To mend: name a commit" in capsys.readouterr().err

"""Another project: SQL and JavaScript, built from the core's wheel where nothing of ours is.

Its folder is tests/foreign, and its languages are those of the page "Use Lockstep in your own
documentation". The wheel is installed into a fresh virtual environment; of ours that
one sees the installed dependencies alone, and neither this tree nor its editable installation.
"""

import ast
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import zipfile
from pathlib import Path

import pytest

from lockstep.source import find_root

ROOT = find_root(Path(__file__).parent)
OURS = ("lockstep_site", "simulator", "kernels", "benchmarks", "tests")
LANGUAGES = ROOT / "snippets/use_lockstep/two_languages.py"  # as the site shows it
PAGES = ("content/index.md", "content/guide/count.md")

if not shutil.which("node"):
    pytest.skip("no node: `make test` installs one", allow_module_level=True)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The core's wheel, built from a copy of what belongs to it."""
    source = tmp_path_factory.mktemp("source")
    shutil.copytree(ROOT / "lockstep", source / "lockstep")
    for name in ("pyproject.toml", "LICENSE", "LICENSE-CONTENT"):
        shutil.copy(ROOT / name, source)
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "-o", "dist", "."]
    done = subprocess.run(command, cwd=source, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    [file] = (source / "dist").iterdir()
    return file


@pytest.fixture(scope="module")
def python(wheel, tmp_path_factory):
    """The interpreter of a fresh environment that holds the wheel."""
    folder = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    python = folder / "bin/python"
    command = [python, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", wheel]
    subprocess.run(command, check=True)
    ask = "import sysconfig; print(sysconfig.get_paths()['purelib'])"
    place = subprocess.run([python, "-c", ask], capture_output=True, text=True).stdout.strip()
    # A path in a .pth file is searched, and its own .pth files, such as an editable
    # installation's, are not read.
    (Path(place) / "dependencies.pth").write_text(sysconfig.get_paths()["purelib"] + "\n")
    return python


class Project:
    """A copy of the foreign project."""

    def __init__(self, root, python):
        self.root, self.python = root, python
        shutil.copytree(ROOT / "tests/foreign", root)
        shutil.copy(LANGUAGES, root)

    def run(self, *command):
        """Run a module."""
        return self.python_with("-m", *command)

    def python_with(self, *arguments):
        env = {k: v for k, v in os.environ.items() if k not in {"PYTHONPATH", "LOCKSTEP_TARGET"}}
        return subprocess.run(
            [self.python, *arguments], cwd=self.root, env=env | {"NO_MKDOCS_2_WARNING": "1"},
            capture_output=True, text=True,
        )  # fmt: skip

    def edit(self, path, old, new):
        file = self.root / path
        text = file.read_text()
        assert old in text
        file.write_text(text.replace(old, new))


@pytest.fixture
def project(python, tmp_path):
    return Project(tmp_path / "project", python)


@pytest.fixture(scope="module")
def built(python, tmp_path_factory):
    """The project after a run of its pages and a strict build of its site."""
    project = Project(tmp_path_factory.mktemp("foreign") / "project", python)
    done = project.run("lockstep", "run", *PAGES)
    assert done.returncode == 0, done.stdout + done.stderr
    done = project.run("mkdocs", "build", "--strict", "--quiet")
    assert done.returncode == 0, done.stdout + done.stderr
    return project


def test_nothing_of_ours_is_there(built):
    ask = f"import importlib.util as u; print([n for n in {OURS} if u.find_spec(n)])"
    done = built.python_with("-c", ask)
    assert done.stdout.strip() == "[]", done.stdout + done.stderr


def test_it_registers_two_languages_in_under_40_lines():
    assert len(LANGUAGES.read_text().splitlines()) < 40


def test_its_blocks_are_proved_and_its_check_is_clean(built):
    done = built.run("lockstep", "status", "--json")
    said = json.loads(done.stdout)
    assert done.returncode == 0 and said["blocks"]["cpu"] == said["total"] == 6
    done = built.run("lockstep", "check")
    assert done.returncode == 0 and "2 pages checked: no mistakes" in done.stdout


@pytest.mark.parametrize(("page", "words"), [("", "SQLite 3."), ("guide/count/", "Node v")])
def test_a_stamp_names_its_own_packages(page, words, built):
    text = (built.root / "site" / page / "index.html").read_text()
    stamp = re.search(r'<div class="stamp stamp--cpu".*?</div>', text, re.DOTALL)[0]
    assert "Every block of this page ran on a CPU" in stamp and words in stamp
    assert text.count('<p class="proof proof--cpu"') == 3


def test_its_data_have_its_own_kinds(built):
    rows = json.loads((built.root / "site/data/pages.json").read_text())
    assert {row["kind"] for row in rows} == {"recipe"}
    schema = json.loads((built.root / "site/data/schemas/pages.json").read_text())
    assert schema["items"]["properties"]["kind"]["enum"] == ["recipe", "note"]
    assert "```sql" in (built.root / "site/index.md").read_text()


def test_a_second_run_changes_nothing(built):
    files = {f: f.read_bytes() for f in built.root.glob("evidence/**/*.json")}
    assert built.run("lockstep", "run", *PAGES).returncode == 0
    assert files == {f: f.read_bytes() for f in built.root.glob("evidence/**/*.json")}


SUM = '```sql\n--8<-- "code/crates.sql:sum"\n```'


@pytest.mark.parametrize(
    ("path", "old", "new", "said"),
    [
        ("content/index.md", SUM, "```sql\nSELECT 42;\n```", "content/index.md:18: a fence holds"),
        ("content/index.md", "kind: recipe", "kind: lesson", "content/index.md:4: unknown kind"),
        ("content/index.md", SUM, "    SELECT 42;", "content/index.md:17: this page shows code"),
        (
            "content/index.md",
            SUM,
            SUM.replace("sql\n", "cobol\n", 1),
            "content/index.md:17: unknown language 'cobol'. To mend: use one of bash",
        ),
        ("code/crates.sql", "-- --8<-- [end:sum]", "", "code/crates.sql:5: section 'sum' starts"),
        (
            "code/crates.sql",
            "-- --8<-- [end:sum]",
            "-- --8<-- [end:sum]\n-- --8<-- [start:lost]\nSELECT 1;\n-- --8<-- [end:lost]",
            "code/crates.sql:8: section 'lost' is on no page",
        ),
    ],
    ids=["typed", "kind", "indented", "language", "unclosed", "lost"],
)  # fmt: skip
def test_a_planted_violation_is_refused(path, old, new, said, project):
    project.edit(path, old, new)
    done = project.run("lockstep", "check")
    assert done.returncode == 1
    lines = [line for line in done.stdout.splitlines() if line.startswith(said)]
    assert lines and "To mend: " in lines[0], done.stdout + done.stderr
    if "cobol" in said:
        assert "add a Language where the project registers (register in" in lines[0]


@pytest.mark.parametrize(
    ("path", "old", "new", "said"),
    [
        ("code/crates.sql", "SUM(apples)", "SUM(pears)", "code/crates.sql:6: no such column:"),
        ("code/count.js", "total([", "totals([", "code/count.js:1: "),
    ],
)  # fmt: skip
def test_code_that_fails_is_named_and_leaves_no_record(path, old, new, said, project):
    project.edit(path, old, new)
    done = project.run("lockstep", "run", *PAGES)
    assert done.returncode == 1 and said in done.stdout
    assert len(list(project.root.glob("evidence/*/pages/**/*.json"))) == 1


def test_output_that_somebody_edited_is_no_proof(built, project):
    shutil.copytree(built.root / "evidence", project.root / "evidence")
    project.edit("code/output/sums.txt", "30", "31")
    done = project.run("lockstep", "status")
    assert done.returncode == 1 and "the output code/output/sums.txt" in done.stdout


def test_a_folder_of_no_pages_is_an_error_and_never_green(project):
    project.edit("mkdocs.yml", "docs_dir: content", "docs_dir: pages")
    (project.root / "pages").mkdir()
    for command in (("lockstep", "status"), ("lockstep", "check"), ("mkdocs", "build")):
        done = project.run(*command)
        assert done.returncode != 0
        assert "mkdocs.yml:1: there is no page in pages/" in done.stdout + done.stderr


def test_a_setting_that_nobody_knows_is_named(project):
    project.edit("pyproject.toml", "kinds =", "kind =")
    done = project.run("lockstep", "status")
    assert done.returncode == 2 and "pyproject.toml:5: unknown key kind" in done.stderr


# ---------------------------------------------------------------- the wheel

PROVIDES = {"yaml": "pyyaml", "pymdownx": "pymdown-extensions"}


def test_the_wheel_asks_for_what_the_core_imports(wheel):
    with zipfile.ZipFile(wheel) as archive:
        [name] = [n for n in archive.namelist() if n.endswith(".dist-info/METADATA")]
        metadata = archive.read(name).decode()
        files = {n.split("/")[0] for n in archive.namelist()}
    asked = re.findall(r"^Requires-Dist: ([\w-]+)(?!.*extra ==)", metadata, re.MULTILINE)
    found = set()
    for file in (ROOT / "lockstep").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                found |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                found.add(node.module.split(".")[0])
    found -= {*sys.stdlib_module_names, "lockstep"}
    assert {PROVIDES.get(name, name) for name in found} <= {name.lower() for name in asked}
    assert files == {"lockstep", next(n for n in files if n.endswith(".dist-info"))}


def test_the_changelog_has_the_version():
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert f"\n## {version}\n" in (ROOT / "lockstep/CHANGELOG.md").read_text()

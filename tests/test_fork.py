"""A fork's pull request, played against the workflows and settings: it cannot reach the GPU runner.

A small model of what GitHub does: which workflow files count for an event, which jobs start, who
has to approve, and whether the group of the runner takes them. The fork may write what it likes
into its own workflow files; the settings of .github/settings.yml are what stands against that.
"""

import copy
import re
from dataclasses import dataclass

import pytest
import yaml

from tests.test_workflows import ROOT, WORKFLOWS, load

SETTINGS = yaml.safe_load((ROOT / ".github/settings.yml").read_text(encoding="utf-8"))
OURS = {file.name: load(file) for file in WORKFLOWS}
# What a fork can cause. For the first two the fork's own workflow files count, else those of main.
OWN_FILES = {"pull_request", "pull_request_review"}
FORK_EVENTS = sorted(
    OWN_FILES | {"pull_request_target", "issues", "issue_comment", "workflow_run", "fork", "watch"}
)
MERGE = "refs/pull/1/merge"


@dataclass(frozen=True)
class Job:
    """A job that starts, and what it holds."""

    file: str
    name: str
    runner: tuple[str, ...]
    token: frozenset[str]
    secrets: bool


def admits(condition, event, ref):
    """Return whether a job's ``if`` holds: comparisons of the context, joined by &&."""
    values = {"github.ref": ref, "github.event_name": event}
    for part in condition.split("&&"):
        found = re.fullmatch(r"\s*(github\.\w+) == '([^']*)'\s*", part)
        assert found, f"the model cannot read {part!r}"
        if values[found[1]] != found[2]:
            return False
    return True


def started(files, event, settings, approved=()):
    """Return the jobs that an outsider's event starts, once ``approved`` was clicked."""
    own = event in OWN_FILES
    ref = MERGE if own else "refs/heads/main"
    jobs = []
    for file, workflow in files.items() if own else OURS.items():
        triggers = workflow["on"]
        if event not in ([triggers] if isinstance(triggers, str) else triggers):
            continue
        waits = settings["actions"]["fork_approval"] == "all_external_contributors"
        if own and waits and "run" not in approved:
            continue
        for name, job in workflow["jobs"].items():
            if "if" in job and not admits(job["if"], event, ref):
                continue
            place = job.get("environment")
            place = place["name"] if isinstance(place, dict) else place
            if place == settings["environment"]["name"]:
                branches = settings["environment"]["deployment_branches"]
                if branches and ref.removeprefix("refs/heads/") not in branches:
                    continue
                if settings["environment"]["required_reviewers"] and "environment" not in approved:
                    continue
            labels = job["runs-on"]
            labels = (labels,) if isinstance(labels, str) else tuple(labels)
            if set(labels) & {*settings["runner_group"]["labels"]}:
                allowed = settings["runner_group"]["workflows"]
                if allowed and f".github/workflows/{file}@{ref}" not in allowed:
                    continue
            rights = job.get("permissions") or {}
            # GitHub hands a fork's event a token that reads, and no secret.
            token = {k for k, v in rights.items() if v == "write" and not own}
            jobs.append(Job(file, name, labels, frozenset(token), not own))
    return jobs


def on_gpu(jobs):
    return [job for job in jobs if "self-hosted" in job.runner or "nvidia-gpu" in job.runner]


def evil(**changes):
    """Return our workflows as a fork could write them: gpu.yml on its event, unguarded."""
    files = copy.deepcopy(OURS)
    workflow = files["gpu.yml"]
    workflow["on"] = "pull_request"
    for job in workflow["jobs"].values():
        job.pop("if", None)
    job = workflow["jobs"]["gpu"]
    job.pop("environment")
    job.update(changes)
    return files


def without(*path):
    """Return the settings with one of them taken away."""
    settings = copy.deepcopy(SETTINGS)
    row = settings
    for key in path[:-1]:
        row = row[key]
    row[path[-1]] = None
    return settings


@pytest.mark.parametrize("event", FORK_EVENTS)
def test_no_event_of_a_fork_reaches_the_gpu(event):
    """Nor does one after a maintainer let the workflows of the pull request run."""
    jobs = started(OURS, event, SETTINGS, approved={"run", "environment"})
    assert on_gpu(jobs) == []
    assert not any(job.secrets or job.token for job in jobs)


def test_a_pull_request_starts_the_suite_once_it_may():
    """The model does start what should start: else the tests above prove nothing."""
    assert started(OURS, "pull_request", SETTINGS) == []
    jobs = started(OURS, "pull_request", SETTINGS, approved={"run"})
    assert {job.file for job in jobs} == {"cpu.yml", "metal.yml"}
    assert {job.name for job in jobs} >= {"site", "test", "scale", "metal"}
    assert not any(job.token for job in jobs)


@pytest.mark.parametrize(
    "changes",
    [{}, {"runs-on": ["self-hosted"]}, {"runs-on": "nvidia-gpu"}, {"environment": "gpu"}],
    ids=["guards removed", "another label", "one label", "environment kept"],
)
def test_a_fork_that_rewrites_the_workflow(changes):
    assert on_gpu(started(evil(**changes), "pull_request", SETTINGS, approved={"run"})) == []


def test_a_fork_that_adds_a_workflow():
    files = copy.deepcopy(OURS)
    files["mine.yml"] = evil()["gpu.yml"]
    jobs = started(files, "pull_request", SETTINGS, approved={"run"})
    assert on_gpu(jobs) == []


def test_without_the_runner_group_an_approval_in_haste_lets_it_in():
    """Each of two locks holds alone; with both open the fork's code runs on the GPU."""
    settings = without("runner_group", "workflows")
    assert on_gpu(started(evil(), "pull_request", settings)) == []
    assert on_gpu(started(evil(), "pull_request", settings, approved={"run"}))
    settings["actions"]["fork_approval"] = None
    assert on_gpu(started(evil(), "pull_request", settings))


def test_the_settings_say_all_that_keeps_a_fork_out():
    """Each of them, by its value: what the model above does not ask for is lost unseen."""
    assert SETTINGS == {
        "actions": {"fork_approval": "all_external_contributors", "default_token": "read"},
        "environment": {
            "name": OURS["gpu.yml"]["jobs"]["gpu"]["environment"],
            "required_reviewers": 1,
            "prevent_self_review": True,
            "deployment_branches": ["main"],
            "secrets": [],
        },
        "runner_group": {
            "workflows": [".github/workflows/gpu.yml@refs/heads/main"],
            "labels": OURS["gpu.yml"]["jobs"]["gpu"]["runs-on"],
            "ephemeral": True,
        },
    }


def test_contributing_says_each_setting():
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    said = text.partition("## The GPU runner")[2].partition("\n## ")[0]
    for words in (
        "required reviewers, no self-review, deployment branch `main` alone, no secrets",
        "require approval for all external contributors",
        "read repository contents",
        "only `.github/workflows/gpu.yml` on `main` may use",
        "`--ephemeral`",
        "`self-hosted` and `nvidia-gpu`",
    ):
        assert words in said, words


def test_a_maintainer_who_dispatches_still_needs_a_reviewer():
    """What the run needs: main, the file on main, and another person's approval."""
    gpu = OURS["gpu.yml"]
    assert set(gpu["on"]) == {"workflow_dispatch"}
    assert "workflow_dispatch" not in FORK_EVENTS  # GitHub asks for the right to write
    assert on_gpu(started(OURS, "workflow_dispatch", SETTINGS)) == []
    assert on_gpu(started(OURS, "workflow_dispatch", SETTINGS, approved={"environment"}))


def test_the_job_that_runs_contributed_code_can_sign_nothing():
    """The token that proves who signs is held by a job that checks out and runs no code of ours."""
    for file, workflow in OURS.items():
        for name, job in workflow["jobs"].items():
            uses = [step.get("uses", "") for step in job["steps"]]
            runs = any(use.startswith("actions/checkout@") for use in uses)
            signs = job["permissions"].get("id-token") == "write"
            assert not (runs and signs), f"{file}: job {name}"
            if "self-hosted" in job["runs-on"]:
                assert job["permissions"] == {"contents": "read"}, f"{file}: job {name}"


def test_what_is_recorded_is_signed():
    for file in ("gpu.yml", "metal.yml", "release.yml"):
        text = (ROOT / ".github/workflows" / file).read_text(encoding="utf-8")
        assert "actions/attest-build-provenance@" in text, file

"""The pytest plugin: ``pytest --stepper`` runs kernels on the stepper and fails tests by finding.

A finding fails the test that launched the kernel, with file and line: the test itself, its fixtures
before or after it, or the module while it is collected. To allow one on purpose:

    @pytest.mark.stepper_allow("global-race", "uninitialized")   # these kinds
    @pytest.mark.stepper_allow                                   # any kind
    @pytest.mark.stepper(mode="run", seed=3)                     # settings for this test

Findings travel with the reports of tests, so that under pytest-xdist those of all workers are in
the one file that ``--stepper-sarif`` or ``--stepper-json`` names.
"""

import os

import pytest

from . import __version__
from .faults import KINDS, Finding
from .installing import VARIABLE, Gathered, install, installed
from .report import NOTE, as_json, as_sarif, as_text, together


def pytest_addoption(parser):
    group = parser.getgroup("stepper", "CUDA kernels without a GPU")
    group.addoption(
        "--stepper",
        action="store_true",
        help="run Numba CUDA kernels on the stepper; what it finds fails the test",
    )
    group.addoption(
        "--stepper-mode",
        choices=("check", "run"),
        default="check",
        help="look for faults, or only run (with --stepper)",
    )
    group.addoption("--stepper-seed", type=int, help="shuffle threads, warps and blocks")
    group.addoption("--stepper-sarif", metavar="FILE", help="write the findings as SARIF")
    group.addoption("--stepper-json", metavar="FILE", help="write the findings as JSON")


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config):
    config.addinivalue_line("markers", "stepper_allow(*kinds): findings that this test may have")
    config.addinivalue_line("markers", "stepper(**settings): settings of the stepper for this test")
    mode = os.environ.get(VARIABLE)
    if config.getoption("--stepper"):
        mode = config.getoption("--stepper-mode")
    if mode:
        seed = config.getoption("--stepper-seed")
        made = install(mode=mode, seed=seed, raise_findings=False)
        config.pluginmanager.register(Watching(config, made), "stepper-watching")


class Watching:
    """What the plugin does where the stepper is installed."""

    def __init__(self, config, stepper):
        self.config, self.stepper = config, stepper
        self.gathered = Gathered()
        self.last = []  # findings of the phase that ended, for its report
        self.found, self.allowed = [], 0  # of the whole session, in the process that reports

    def take(self):
        """The findings and notes since the last time, of processes that tests started as well."""
        found = self.stepper.findings + self.gathered.new() + self.stepper.notes
        self.stepper.launches.clear()
        return found

    def phase(self, item, when):
        """Run a phase of a test, then fail it for findings that the test does not allow."""
        if installed() is not self.stepper:
            return (yield)
        allowed = allowed_by(item)
        settings = {"allow": self.stepper.settings.allow | allowed}
        for mark in item.iter_markers("stepper"):
            settings.update(mark.kwargs)
        kept = {name: getattr(self.stepper.settings, name) for name in settings}
        for name, value in settings.items():
            setattr(self.stepper.settings, name, value)
        try:
            result = yield
        except BaseException:
            wrong = self.judge(allowed)
            if wrong:
                item.add_report_section(when, "stepper", as_text(wrong))
            raise
        finally:
            for name, value in kept.items():
                setattr(self.stepper.settings, name, value)
        wrong = self.judge(allowed)
        if wrong:
            pytest.fail(as_text(wrong), pytrace=False)
        return result

    def judge(self, allowed):
        """What a phase found that is not allowed; all of it is kept for the phase's report."""
        found = self.take()
        kept = [f for f in found if f.kind not in allowed]
        self.last = [kept, len(found) - len(kept)]
        return [f for f in kept if f.kind != NOTE]

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_setup(self, item):
        return (yield from self.phase(item, "setup"))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item):
        return (yield from self.phase(item, "call"))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_teardown(self, item):
        return (yield from self.phase(item, "teardown"))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self):
        return self.attach((yield))

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(self):
        report = yield
        wrong = self.judge(())  # of launches while the module was imported
        if wrong and report.passed:
            report.outcome, report.longrepr = "failed", as_text(wrong)
        return self.attach(report)

    def attach(self, report):
        """Put what was found into a report, as plain data: xdist sends it to its controller."""
        found, allowed = self.last or ([], 0)
        report.stepper = {"found": [f.as_dict() for f in found], "allowed": allowed}
        self.last = []
        return report

    def pytest_runtest_logreport(self, report):
        given = getattr(report, "stepper", None) or {"found": [], "allowed": 0}
        self.found += [Finding.of(row) for row in given["found"]]
        self.allowed += given["allowed"]

    pytest_collectreport = pytest_runtest_logreport

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self):
        if hasattr(self.config, "workerinput"):
            return  # the controller of xdist writes
        # Each worker collects all modules, and sends what it found there.
        self.found = together({repr(f): f for f in self.found}.values())
        for option, text in (
            ("--stepper-sarif", as_sarif(self.found, __version__)),
            ("--stepper-json", as_json(self.found)),
        ):
            if path := self.config.getoption(option):
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text + "\n")

    def pytest_terminal_summary(self, terminalreporter):
        notes = [f for f in self.found if f.kind == NOTE]
        if self.found or self.allowed:
            more = f", {self.allowed} more are allowed" if self.allowed else ""
            more += f", {len(notes)} notes" if notes else ""
            terminalreporter.write_line(f"stepper: {len(self.found) - len(notes)} findings{more}")
        if notes:
            terminalreporter.write_line(as_text(notes))


def allowed_by(item):
    """The kinds of findings that a test's marks allow."""
    allowed = set()
    for mark in item.iter_markers("stepper_allow"):
        unknown = set(mark.args) - set(KINDS)
        if unknown:
            raise pytest.UsageError(f"stepper_allow: no such kind of finding: {sorted(unknown)}")
        allowed |= set(mark.args or KINDS)
    return allowed

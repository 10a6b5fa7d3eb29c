"""The pytest plugin: ``pytest --stepper`` runs kernels on the stepper and fails tests by finding.

A finding fails the test that launched the kernel, with file and line. To allow one on purpose:

    @pytest.mark.stepper_allow("global-race", "uninitialized")   # these kinds
    @pytest.mark.stepper_allow                                   # any kind
    @pytest.mark.stepper(mode="run", seed=3)                     # settings for this test
"""

import os

import pytest

from . import __version__
from .faults import KINDS
from .installing import VARIABLE, install, installed
from .report import as_sarif, as_text


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


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config):
    config.addinivalue_line("markers", "stepper_allow(*kinds): findings that this test may have")
    config.addinivalue_line("markers", "stepper(**settings): settings of the stepper for this test")
    mode = os.environ.get(VARIABLE)
    if config.getoption("--stepper"):
        mode = config.getoption("--stepper-mode")
    if mode:
        stepper = install(mode=mode, seed=config.getoption("--stepper-seed"), raise_findings=False)
        config._stepper = stepper
        config._stepper_findings = []


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    """Run a test, then fail it if its launches have findings that it does not allow."""
    stepper = installed()
    if stepper is None or not hasattr(item.config, "_stepper"):
        return (yield)
    before = len(stepper.launches)
    settings = {}
    for mark in item.iter_markers("stepper"):
        settings.update(mark.kwargs)
    kept = {name: getattr(stepper.settings, name) for name in settings}
    for name, value in settings.items():
        setattr(stepper.settings, name, value)
    try:
        result = yield
    finally:
        for name, value in kept.items():
            setattr(stepper.settings, name, value)
        found = [f for launch in stepper.launches[before:] for f in launch.findings]
        item.config._stepper_findings += found
        del stepper.launches[before:]
    allowed, every = set(), False
    for mark in item.iter_markers("stepper_allow"):
        unknown = set(mark.args) - set(KINDS)
        if unknown:
            raise pytest.UsageError(f"stepper_allow: no such kind of finding: {sorted(unknown)}")
        allowed |= set(mark.args)
        every |= not mark.args
    wrong = [] if every else [f for f in found if f.kind not in allowed]
    if wrong:
        pytest.fail(as_text(wrong), pytrace=False)
    return result


def pytest_terminal_summary(terminalreporter, config):
    found = getattr(config, "_stepper_findings", None)
    if found is None:
        return
    path = config.getoption("--stepper-sarif")
    if path:
        with open(path, "w", encoding="utf-8") as file:
            file.write(as_sarif(found, __version__) + "\n")
    if found:
        terminalreporter.write_line(f"stepper: {len(found)} findings")

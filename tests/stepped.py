"""Kernel tests without a GPU: in the stepper, whose checks then fail a test, races among them.

It takes half of the time of Numba's simulator, which checks nothing. A file of kernel tests is
collected and run with the stepper in Numba's place, and with copies of our modules that took their
``cuda`` from it; around each other test everything is as it was. ``NUMBAS`` stay in Numba's
simulator.
"""

import contextlib
import os
import re
import sys
from pathlib import Path

import pytest

from simulator.stepper import Stepper, installing
from simulator.stepper.pytest_plugin import Watching

# Numba's simulator runs the pages of all these kernels, and a test of both side by side is in
# tests/test_stepper_differential.py.
NUMBAS = {
    "tests/test_kernels_tensor_cores.py": "instructions of their own, which both only import",
    "tests/test_kernels_threads_and_blocks.py": "so that tests hold both simulators to a result",
    "tests/test_kernels_execution_model.py": "so that tests hold both simulators to a result",
}
OURS = re.compile(r"(?:kernels|benchmarks|snippets|simulator\.hardware\.probes)(?:\.|$)")
# Known-wrong kernels are there to be found out: what is found in those is no failure.
WRONG = "/kernels/wrong/"


def pytest_configure(config):
    if os.environ.get("NUMBA_ENABLE_CUDASIM") == "1" and installing.installed() is None:
        config.pluginmanager.register(Stepped(config), "stepped")


class Stepped(Watching):
    """Runs the files that it is meant for in the stepper, and fails tests for what that finds."""

    def __init__(self, config):
        # Not what processes find that a test starts: some are about just that.
        self.config, self.stepper = config, Stepper(mode="check", raise_findings=False)
        self.last, self.found, self.allowed = [], [], 0
        self.modules = {}  # ours, as they are with the stepper in Numba's place
        self.tests = set()  # what was imported so

    def take(self):
        found = [f for f in self.stepper.findings if WRONG not in f"/{f.filename}"]
        self.stepper.launches.clear()
        return found

    def meant(self, node):
        name = node.nodeid.split("::")[0]
        return Path(name).match("tests/test_kernels_*.py") and name not in NUMBAS

    @contextlib.contextmanager
    def instead(self):
        """Within this block the stepper is in Numba's place."""
        before, known = swap(self.modules), set(sys.modules)
        installing.install(self.stepper)
        try:
            yield
        finally:
            installing.uninstall()
            self.modules = swap(before)
            self.tests.update(sys.modules.keys() - known)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_make_collect_report(self, collector):
        name = collector.nodeid.removesuffix(".py").replace("/", ".")
        if self.meant(collector) and name in sys.modules and name not in self.tests:
            pytest.exit(
                f"{collector.nodeid}: another test has imported this file, with Numba's kernels;"
                " import it where a test or a fixture runs",
                returncode=1,
            )
        with self.instead() if self.meant(collector) else contextlib.nullcontext():
            return (yield from super().pytest_make_collect_report())

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item):
        with self.instead() if self.meant(item) else contextlib.nullcontext():
            return (yield)


def swap(put):
    """Put modules of ours in the place of those that are imported, and return those."""
    taken = {}
    for name in [name for name in sys.modules if OURS.match(name)]:
        taken[name] = sys.modules.pop(name)
    sys.modules.update(put)
    return taken

"""The pages of this site are tests, too."""

import gc
import os

import pytest

if os.environ.get("NUMBA_ENABLE_CUDASIM") == "1":
    # Before NumPy is there. The suite has a process for each core; if NumPy's products take as many
    # threads in each, these wait for each other, and a page that trains a model takes 18 times as
    # much of a core.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

pytest_plugins = [
    "lockstep.pytest_plugin",
    "simulator.stepper.pytest_plugin",
    "tests.concerns",
    "tests.stepped",
]


@pytest.hookimpl(wrapper=True)
def pytest_collection(session):
    """Look for no garbage while everything is read, nor ever again among what was: it stays.

    Python would walk through all of it each time: a fifth of the seconds of a collection.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()

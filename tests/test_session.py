"""What the worker's session says of a program, in this Python."""

import importlib.util
import json

from lockstep.source import find_root

FILE = find_root() / "web/run-here/session.py"
MISSPELLED = """import numpy as np
from numba import cuda

@cuda.jit
def k(x):
    x[cuda.grid(1)] = foo

k[1, 4](np.ones(4, np.float32))
"""


def test_a_message_leaves_the_line_to_the_panel():
    spec = importlib.util.spec_from_file_location("session", FILE)
    session = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(session)
    said = json.loads(session.run(MISSPELLED, "run", 5.0))
    assert (said["line"], said["message"]) == (6, "the name `foo` is not defined here")

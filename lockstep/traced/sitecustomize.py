"""What each Python that a page's command starts imports first: it says which files it runs.

A command that names a file may only count its lines. So the process of a page puts this folder
before the others on ``PYTHONPATH``, and names in ``LOCKSTEP_RAN`` the page's folder and a file;
that gets the hash of each source in the folder that Python begins to execute.
"""

import hashlib
import importlib.util
import os
import sys


def _watch(folder: str, into: str) -> None:
    seen: set = set()
    isfile, realpath, digest = os.path.isfile, os.path.realpath, hashlib.sha256
    folder = realpath(folder) + os.sep

    def note(name: object, code: object = None) -> None:
        if not isinstance(name, str) or name in seen:
            return
        path = realpath(name)
        if not path.startswith(folder) or not isfile(path):
            return
        seen.add(name)
        with open(path, "rb") as file:
            text = file.read()
        # Other code under the name of this file is not this file.
        if code is None or compile(text, name, "exec", dont_inherit=True) == code:
            with open(into, "a") as file:
                file.write(f"{digest(text).hexdigest()}\n")

    def hook(event: str, arguments: tuple) -> None:
        if event == "cpython.run_file":
            note(arguments[0])
        elif event == "exec":
            note(getattr(arguments[0], "co_filename", None), arguments[0])

    sys.addaudithook(hook)


def _next() -> None:
    """Import the module of this name that stands behind this one, if there is one."""
    here = os.path.dirname(os.path.abspath(__file__))
    others = [place for place in sys.path if os.path.abspath(place or ".") != here]
    found = importlib.machinery.PathFinder.find_spec("sitecustomize", others)
    if found and found.loader:
        found.loader.exec_module(importlib.util.module_from_spec(found))


if "LOCKSTEP_RAN" in os.environ and not sys.flags.optimize:  # which takes assertions out
    _watch(*os.environ["LOCKSTEP_RAN"].split(os.pathsep))
_next()

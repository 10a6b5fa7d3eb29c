"""What each Python that a page's command starts imports first: it says what it runs.

A command that names a file may only count its lines. So the process of a page puts this folder
before the others on ``PYTHONPATH``, and names in ``LOCKSTEP_RAN`` the page's folder and a file;
that gets the hash of each source in the folder that Python begins to execute. Where
``LOCKSTEP_LINES`` is set, too, it gets each line of them that ran, behind the hash: ``HASH:LINE``,
and ``HASH!LINE`` of each check that failed in a script that then ended well.
"""

import atexit
import hashlib
import importlib.util
import os
import sys
import threading


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


def _trace(folder: str, into: str) -> None:
    lost: list = []  # checks that failed, as HASH!LINE
    ended: list = []  # why this ends, where that is an error
    hashes: dict = {}  # of each file's name; None for one that is none of the page's
    told: set = set()
    isfile, realpath, digest = os.path.isfile, os.path.realpath, hashlib.sha256
    folder = realpath(folder) + os.sep

    def known(name: str) -> object:
        hashes[name] = None
        path = realpath(name)
        if path.startswith(folder) and isfile(path):
            with open(path, "rb") as file:
                hashes[name] = digest(file.read()).hexdigest()
        return hashes[name]

    def on_line(frame, event, argument):
        row = hashes[frame.f_code.co_filename], frame.f_lineno
        if event == "exception" and isinstance(argument[1], AssertionError):
            lost.append(f"{row[0]}!{row[1]}\n")
        elif event == "exception" and isinstance(argument[1], SystemExit) and argument[1].code:
            ended.append(argument[1].code)
        if event == "line" and row not in told:
            told.add(row)
            with open(into, "a") as file:  # at once: a program may end by any way
                file.write(f"{row[0]}:{row[1]}\n")
        return on_line

    def on_call(frame, event, argument):
        name = frame.f_code.co_filename
        return on_line if (hashes[name] if name in hashes else known(name)) else None

    say = sys.excepthook

    def uncaught(*error):
        ended.append(error[0])
        say(*error)

    def at_end():
        # A script that ends well, though a check failed: whoever runs tests counts them himself.
        path = realpath(sys.argv[0]) if getattr(sys, "argv", None) else ""
        if not ended and path.startswith(folder):
            with open(into, "a") as file:
                file.writelines(lost[:100])

    sys.excepthook = uncaught
    atexit.register(at_end)
    threading.settrace(on_call)
    sys.settrace(on_call)


def _next() -> None:
    """Import the module of this name that stands behind this one, if there is one."""
    here = os.path.dirname(os.path.abspath(__file__))
    others = [place for place in sys.path if os.path.abspath(place or ".") != here]
    found = importlib.machinery.PathFinder.find_spec("sitecustomize", others)
    if found and found.loader:
        found.loader.exec_module(importlib.util.module_from_spec(found))


if "LOCKSTEP_RAN" in os.environ and not sys.flags.optimize:  # which takes assertions out
    _watch(*os.environ["LOCKSTEP_RAN"].split(os.pathsep))
    if "LOCKSTEP_LINES" in os.environ:
        _trace(*os.environ["LOCKSTEP_RAN"].split(os.pathsep))
_next()

"""What stands at the head of a downloaded script: it prints results, and compares them.

A page shows ``>>> total(x)`` and what came. A script has ``with as_recorded("31.0"):`` and within
it ``show_value(total(x))``: what comes now is printed, and what the record has where that differs.
Machines round otherwise, so a difference ends nothing. ``source`` is the text of these functions,
for ``lockstep.export``.
"""

import contextlib
import doctest
import inspect
import io
import traceback

RECORD = {"same": 0, "other": 0}  # results so far, against those of the page's record


def show_value(value):
    """Print a value as an interactive Python does: nothing of None."""
    if value is not None:
        print(repr(value))


@contextlib.contextmanager
def as_recorded(what):
    """Print what a piece of code prints. Where the page's record has something else, say so."""
    with contextlib.redirect_stdout(io.StringIO()) as said:
        try:
            yield
        finally:
            got = said.getvalue()
    print(got, end="")
    same = doctest.OutputChecker().check_output(what + "\n", got, 0)
    RECORD["same" if same else "other"] += 1
    if not same:
        print(f"    (the record has: {what})")


@contextlib.contextmanager
def error_as_recorded(what):
    """Expect an error, print what it says, and compare that."""
    with as_recorded(what):
        try:
            yield
        except Exception as error:
            print(traceback.format_exception_only(error)[-1].rstrip("\n"))
        else:
            print("no error")


def end_of_record():
    """Say how many results are as they were recorded."""
    if results := sum(RECORD.values()):  # none, where all of them need another machine
        print(f"{RECORD['same']} of {results} results are as recorded.")


FUNCTIONS = (show_value, as_recorded, error_as_recorded, end_of_record)
MODULES = (contextlib, doctest, io, traceback)
NAMES = {"RECORD", *(function.__name__ for function in FUNCTIONS)}


def source() -> str:
    """Return these functions as the text of a script, with their imports."""
    imports = "\n".join(f"import {module.__name__}" for module in MODULES)
    counts = f"RECORD = {dict.fromkeys(RECORD, 0)!r}  # results as recorded, and others"
    return "\n\n".join([imports, counts, *(inspect.getsource(f).rstrip() for f in FUNCTIONS)])

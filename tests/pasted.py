"""A reader's Python, with nothing of ours: it imports what pages import, once, and forks for each.

``python -P tests/pasted.py`` reads the folder of a script, pasted.py, from each line of its input,
runs the script there in a fork, and answers with its exit code. What it printed is in the folder.
"""

import contextlib
import gc
import importlib
import os
import runpy
import sys

for name in ("numpy", "numba", "numba.cuda"):
    with contextlib.suppress(ImportError):
        importlib.import_module(name)


def script(folder):
    """Run a script as ``python pasted.py`` does in its folder. Returns the exit code."""
    os.chdir(folder)
    said = os.open("said.txt", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(said, 1)
    os.dup2(said, 2)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    sys.path.insert(0, folder)
    sys.argv = ["pasted.py"]
    code = 1
    try:
        runpy.run_path("pasted.py", run_name="__main__")
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(bool(end.code))
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
    return code


if __name__ == "__main__":
    gc.freeze()  # else a fork that looks for garbage copies all that was imported
    while line := sys.stdin.readline():
        child = os.fork()
        if child == 0:
            os._exit(script(line.rstrip("\n")))
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)

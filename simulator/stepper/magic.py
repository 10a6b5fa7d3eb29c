"""The Jupyter magic: ``%load_ext stepper``, then ``%%stepper`` on top of a cell.

The cell runs with the stepper in Numba's place and with every check; what is found is printed under
it with its line. ``%%stepper run`` only runs, ``%%stepper check --seed 3`` shuffles.
"""

import argparse

from .installing import install, uninstall
from .report import as_text


def load_ipython_extension(shell):
    """Register the magic (IPython calls this)."""
    shell.register_magic_function(lambda line, cell: stepper(shell, line, cell), "cell", "stepper")


def stepper(shell, line, cell):
    """Run a cell on the stepper and print what it finds."""
    parse = argparse.ArgumentParser("%%stepper")
    parse.add_argument("mode", nargs="?", default="check", choices=("check", "run"))
    parse.add_argument("--seed", type=int)
    given = parse.parse_args(line.split())
    made = install(mode=given.mode, seed=given.seed, raise_findings=False)
    try:
        shell.run_cell(cell)
    finally:
        uninstall()
    if made.findings:
        print(as_text(made.findings, color=True))
    elif given.mode == "check":
        print(f"{len(made.launches)} launches, no findings")

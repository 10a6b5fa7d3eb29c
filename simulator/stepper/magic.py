"""The Jupyter magic: ``%load_ext stepper``, then ``%%stepper`` on top of a cell.

The cell runs with the stepper in Numba's place and with every check; what is found is printed under
it with its cell and line. ``%%stepper run`` only runs, ``%%stepper check --seed 3`` shuffles.

All cells of a notebook share one stepper, so a kernel of one cell is checked where a later cell
launches it, with the magic or without. In a cell with the magic, ``cuda`` and kernels that plain
cells took from Numba are the stepper's as well.
"""

import argparse

from . import Settings, Stepper
from .installing import install, uninstall
from .report import as_text, shown


def load_ipython_extension(shell):
    """Register the magic (IPython calls this)."""
    notebook = Notebook(shell)
    shell.register_magic_function(notebook.stepper, "cell", "stepper")
    shell.events.register("post_run_cell", notebook.tell)


class Notebook:
    """The one stepper of a shell."""

    def __init__(self, shell):
        self.shell, self.made = shell, Stepper(mode="check", raise_findings=False)
        self.told = self.launches = 0  # findings so far; launches of the last cell with the magic

    def stepper(self, line, cell):
        """Run a cell on the stepper and print what it finds."""
        parse = argparse.ArgumentParser("%%stepper")
        parse.add_argument("mode", nargs="?", default="check", choices=("check", "run"))
        parse.add_argument("--seed", type=int)
        given = parse.parse_args(line.split())
        kept = self.made.settings
        self.made.settings = Settings(mode=given.mode, seed=given.seed, raise_findings=False)
        self.tell()
        install(self.made)
        self.launches = 0
        before, told, number = {}, self.told, self.shell.execution_count
        running = getattr(self.shell.displayhook, "exec_result", None)
        if getattr(running, "execution_count", None):  # IPython has counted on before the cell runs
            self.shell.execution_count = running.execution_count
        try:
            before = self.exchange(self.shell.user_ns)
            # One line more, so that lines count from that of the magic, as the notebook shows them.
            self.shell.run_cell("\n" + cell)
            self.tell()
        finally:
            self.shell.execution_count = number
            for name, (ours, theirs) in before.items():
                if self.shell.user_ns.get(name) is ours:
                    self.shell.user_ns[name] = theirs
            uninstall()
            self.made.settings = kept
        if self.told == told and given.mode == "check":
            print(f"{self.launches} launches, no findings")

    def exchange(self, namespace):
        """Put the stepper's in place of what a namespace has of Numba's: {name: (ours, theirs)}."""
        found = {n: (ours, v) for n, v in namespace.items() if (ours := self.ours(v)) is not None}
        namespace.update({name: ours for name, (ours, _) in found.items()})
        return found

    def ours(self, value):
        """The stepper's ``cuda``, or its kernel, for Numba's; of anything else None."""
        theirs = ("numba.cuda", "numba_cuda_mlir.cuda")
        name = getattr(value, "__name__", "")
        if value is not self.made.cuda and name in theirs and hasattr(value, "jit"):
            return self.made.cuda
        if type(value).__module__.startswith(("numba.cuda.", "numba_cuda_mlir.")):
            function = getattr(value, "py_func", None) or getattr(value, "fn", None)
            if hasattr(function, "__code__"):
                options = getattr(value, "targetoptions", {})
                device = options.get("device") or getattr(value, "_device", False)
                return self.made.cuda.jit(device=bool(device))(function)
        return None

    def tell(self, result=None):
        """Print what launches since the last time have found, and forget them."""
        if told := self.made.findings + self.made.notes:
            print(as_text(told, color=True, name=self.cell))
        self.told += len(self.made.findings)
        self.launches += len(self.made.launches)
        self.made.launches.clear()

    def cell(self, filename):
        """A cell's file as people know it: ``Cell In[3]``."""
        named = getattr(self.shell.compile, "format_code_name", lambda name: None)(filename)
        return " ".join(named) if named else shown(filename)

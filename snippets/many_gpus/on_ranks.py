"""How the page of many GPUs runs its Numba kernels on several simulated GPUs."""

# --8<-- [start:run]
import subprocess
import sys


def on_ranks(kernel, *words):
    """Run a kernel of shots.py on four simulated GPUs."""
    command = [sys.executable, "-m", "simulator.ranks", "shots.py", kernel, *words]
    both = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}  # what went wrong, too
    print(subprocess.run(command, **both, text=True).stdout, end="")


# --8<-- [end:run]

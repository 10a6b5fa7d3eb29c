"""How the page of many GPUs runs its Numba kernels on several simulated GPUs."""

# --8<-- [start:run]
import subprocess
import sys


def on_ranks(kernel, *words):
    """Run a kernel of shots.py on four simulated GPUs."""
    command = [sys.executable, "-m", "simulator.ranks", "shots.py", kernel, *words]
    print(subprocess.run(command, capture_output=True, text=True).stdout, end="")


# --8<-- [end:run]

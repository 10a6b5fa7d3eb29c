"""How the page of the stepper's findings runs its scripts."""

# --8<-- [start:step]
import subprocess
import sys
import textwrap
from pathlib import Path


def step(name):
    """Run a script in the stepper, and print its first finding, in lines of 90 characters."""
    compile(Path(name).read_text(), name, "exec")  # it is Python: the mistake is another one
    command = [sys.executable, "-m", "simulator.stepper", "--max-steps", "20000", name]
    done = subprocess.run(command, capture_output=True, text=True)
    first = (done.stderr or "no finding").splitlines()[0]
    print(textwrap.fill(first, 90))


# --8<-- [end:step]

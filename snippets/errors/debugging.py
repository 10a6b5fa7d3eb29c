"""How the page on debugging runs its scripts."""

# --8<-- [start:runs]
import os
import re
import subprocess
import sys
import textwrap


def simulate(name, typed=""):
    """Run a script as NUMBA_ENABLE_CUDASIM=1 does, type lines into it, and print what it said."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", name],
        env=os.environ | {"NUMBA_ENABLE_CUDASIM": "1"},
        input=typed,
        capture_output=True,
        text=True,
        check=True,
    )
    print(re.sub(r"/\S*/", "", done.stdout).strip())


def step(name):
    """Run a script in the stepper, and print its first finding, in lines of 90 characters."""
    command = [sys.executable, "-m", "simulator.stepper", name]
    done = subprocess.run(command, capture_output=True, text=True)
    print(textwrap.fill((done.stderr or "no finding").splitlines()[0], 90))


# --8<-- [end:runs]

"""How the pages of error messages run their scripts."""

# --8<-- [start:numba]
import json
import os
import subprocess
import sys
from pathlib import Path

compiler = subprocess.Popen(
    [sys.executable, "-W", "ignore", "-c", Path("compiler.py").read_text()],
    env=os.environ | {"NUMBA_ENABLE_CUDASIM": "0"},
    stdin=subprocess.PIPE,
    stdout=subprocess.PIPE,
    text=True,
)


def run(name):
    """Run a script with Numba's compiler for GPUs, and print what it said."""
    compile(Path(name).read_text(), name, "exec")  # it is Python: the mistake is another one
    print(name, file=compiler.stdin, flush=True)
    print(json.loads(compiler.stdout.readline()))


def simulate(name):
    """Run a script in Numba's simulator, and print the last line of what it said."""
    compile(Path(name).read_text(), name, "exec")
    variables = os.environ | {"NUMBA_ENABLE_CUDASIM": "1"}
    command = [sys.executable, "-W", "ignore", name]
    done = subprocess.run(command, env=variables, capture_output=True, text=True)
    print((done.stderr or "no error").strip().splitlines()[-1])


# --8<-- [end:numba]

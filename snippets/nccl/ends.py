"""Run a command that has to fail within some seconds, and show what it said about it."""

import re
import subprocess
import sys
import time

seconds, wanted, *command = sys.argv[1:]
began = time.monotonic()
done = subprocess.run(command, capture_output=True, text=True, timeout=float(seconds))
took = time.monotonic() - began
words = " ".join(f"{done.stdout} {done.stderr}".split())
said = dict.fromkeys(re.findall(wanted, words))
assert done.returncode != 0 and said, f"it ended with {done.returncode}: {words}"
print(*said, f"exit status {done.returncode} after {took:.0f} s", sep="; ")

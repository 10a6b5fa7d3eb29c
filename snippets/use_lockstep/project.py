"""A small project, as the page "Use Lockstep in your own documentation" makes and runs it."""

# --8<-- [start:page]
import subprocess
import sys
from pathlib import Path

HEAD = """---
title: Crates
description: How many apples are where, asked in SQL.
kind: recipe
---

# Crates
"""
FENCE = "`" * 3


def fence(header, path):
    """Return a fence that holds one include line."""
    return f'\n{FENCE}{header}\n--8<-- "{path}"\n{FENCE}\n'


page = HEAD + "\nA table of crates:\n" + fence("sql", "code/make.sql")
page += "\nThe apples of each place:\n" + fence("sql", "code/sum.sql")
page += fence("output", "code/output/sums.txt")
Path("index.md").write_text(page)
# --8<-- [end:page]


# --8<-- [start:said]
def lockstep(*arguments, line=-1):
    """Run a command in the project, and return a line that it prints: the last one."""
    command = [sys.executable, "-m", "lockstep", *arguments]
    done = subprocess.run(command, cwd="project", capture_output=True, text=True)
    return (done.stdout + done.stderr).splitlines()[line].strip()


# --8<-- [end:said]

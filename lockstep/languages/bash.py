"""Commands, which run where their header says: everywhere, or on one kind of machine.

Bash itself says which of them it runs: it writes each one, with its line, to a socket that the
block cannot read, behind a word that the block does not know.
"""

import os
import re
import secrets
import socket
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lockstep import commands, environment, places
from lockstep.block import Block
from lockstep.languages.base import Complaint, Failed, Header, Language, Setting

# Before the block's own first line: what begins each row of the trace, and where rows go.
PRELUDE = """unset BASH_ENV
PS4=$'\\036{mark}\\037${{LINENO}}\\037${{BASH_SOURCE-}}\\037'
BASH_XTRACEFD={to}
readonly PS4 BASH_XTRACEFD
exec {me}<&-
set -x
"""
# A page's Python may not put other programs in the place of those that its commands name.
PATH = os.environ.get("PATH", "")
HELD = re.compile(
    rf"(?:{environment.TARGET}|PATH|ENV|BASH_\w*|SHELLOPTS|BASHOPTS|PS4|IFS|LD_PRELOAD|LD_AUDIT"
    r"|PYTHONOPTIMIZE|NVCC_\w*_FLAGS|CPATH|C_INCLUDE_PATH|CPLUS_INCLUDE_PATH)(?:%%)?$"
)
OURS = {"", "environment"}  # BASH_SOURCE of the block's own lines, and of its functions'
OFTEN = 99  # times that a row is told: a loop may run its commands a million times


class Bash(Language):
    """``run="cpu"``: it runs everywhere. ``places`` are further machines that ``run=`` may name."""

    name = "bash"
    external = True
    options = frozenset({"run"})
    places: tuple[str, ...] = ("cpu",)

    def __init__(self, places: tuple[str, ...] = ("cpu",)):
        super().__init__()
        self.places = places

    def ways(self) -> str:
        return ", ".join(f'run="{place}"' for place in self.places)

    def check_header(self, header: Header) -> Iterator[Complaint]:
        yield from super().check_header(header)
        if "run" in header.options and header.options["run"] not in self.places:
            ways = " or ".join(f'run="{place}"' for place in self.places)
            yield "run= is for bash blocks", f"write ```bash {ways}"

    def level(self, outcome: str, target: Any) -> str:
        """Return the level of proof: a command that passed has run, unlike a file."""
        return target.level if outcome == "passed" else super().level(outcome, target)

    def lines(self, text: str) -> set[int] | None:
        return commands.executable(text)

    def ran(self, block: Block, told: list) -> set[int]:
        return commands.executed(block.text, ((line, said) for line, said in told))

    def compare(self, block: Block, told: list) -> None:
        if found := commands.tampers(told):
            line = block.numbers[min(max(found[0], 1), len(block.numbers)) - 1]
            what = f"{block.path}:{line}: a command that hides what runs: {found[1]}"
            raise Failed(f"{what}. To mend: take it out, and write the commands themselves")

    def run(self, block: Block, setting: Setting) -> str:
        command = ["bash", "-euo", "pipefail", "-c", block.text]
        # A page's commands call `python`: let it be the one that runs the page.
        path = f"{Path(sys.executable).parent}{os.pathsep}{PATH}"
        env = {key: value for key, value in os.environ.items() if not HELD.match(key)}
        with _Trace() as trace:
            done = subprocess.run(
                command,
                cwd=setting.folder,
                env=env | {"PATH": path, "BASH_ENV": trace.start},
                pass_fds=trace.passed,
                capture_output=True,
                text=True,
                timeout=300,
            )
        rows = trace.rows()
        own = places.Places(setting.root, setting.folder, Path(tempfile.gettempdir()))
        for line, said in [*rows, *enumerate(block.text.split("\n"), start=1)]:
            away = own.foreign(said)
            home = said.startswith("echo ") and away == os.path.expanduser("~")  # its name alone
            if away and not home:
                at = block.numbers[min(max(line, 1), len(block.numbers)) - 1]
                what = f"{block.path}:{at}: a command goes out of the page's own folder, to {away}"
                raise Failed(f"{what}. To mend: {places.MEND}")
        setting.told += rows
        if done.returncode:
            tail = (done.stdout + done.stderr)[-2000:]
            raise Failed(f"{block.where}: the command ended with {done.returncode}\n{tail}")
        return done.stdout


class _Trace:
    """What a Bash says of its commands, while it runs and from then on."""

    def __enter__(self) -> "_Trace":
        self.mark = secrets.token_hex(16)
        self.ours, self.theirs = socket.socketpair()
        me, write = os.pipe()
        to = self.theirs.fileno()
        os.write(write, PRELUDE.format(mark=self.mark, to=to, me=me).encode())
        os.close(write)
        self.passed, self.start = (to, me), f"/dev/fd/{me}"
        self.said = bytearray()
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()
        return self

    def _read(self) -> None:
        end = f"\x1e{self.mark}\x1fend".encode()
        while end not in self.said[-len(end) :] and (more := self.ours.recv(1 << 16)):
            self.said += more

    def __exit__(self, *error: object) -> None:
        # What it has started may still hold the socket: it does not end by itself.
        self.theirs.sendall(f"\x1e{self.mark}\x1fend".encode())
        self.reader.join()
        self.ours.close()
        self.theirs.close()
        os.close(self.passed[1])

    def rows(self) -> list[list]:
        """Return [line, command] of each command of the block that ran."""
        found: Counter[tuple[int, str]] = Counter()
        for row in self.said.decode("utf-8", "replace").split("\x1e"):
            mark, *parts = row.split("\x1f", 3)
            if mark == self.mark and len(parts) == 3 and parts[1] in OURS and parts[0].isdigit():
                found[int(parts[0]), parts[2].removesuffix("\n")] += 1
        return [[*key] for key, times in found.items() for _ in range(min(times, OFTEN))]

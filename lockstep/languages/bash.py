"""Commands, which run where their header says: everywhere, or on one kind of machine."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lockstep import environment
from lockstep.block import Block
from lockstep.languages.base import Complaint, Failed, Header, Language, Setting


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

    def run(self, block: Block, setting: Setting) -> str:
        command = ["bash", "-euo", "pipefail", "-c", block.text]
        # A page's commands call `python`: let it be the one that runs the page.
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
        env = {key: value for key, value in os.environ.items() if key != environment.TARGET}
        done = subprocess.run(
            command,
            cwd=setting.folder,
            env=env | {"PATH": path},
            capture_output=True,
            text=True,
            timeout=300,
        )
        if done.returncode:
            tail = (done.stdout + done.stderr)[-2000:]
            raise Failed(f"{block.where}: the command ended with {done.returncode}\n{tail}")
        return done.stdout

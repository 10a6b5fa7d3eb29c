"""python -m tests.recipes [NAME ...]: the recipes for contributors, from a clean clone, with times.

Each recipe of docs/contribute/recipes.md is followed in a clone of the last commit, command by
command, and must end well within ten minutes; where the recipe says that a mistake is found, it is
made as well. ``make install`` runs once, in the first clone, and its time counts for every recipe.
``--here`` takes what is installed here instead. It needs Python and git alone, and is too slow for
the suite: .github/workflows/recipes.yml runs it each week. What worked is recorded with its times,
by lockstep_site/recipes.py, and the page shows them.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

ROOT = Path(__file__).resolve().parent.parent
MINUTES = 10
DONE = "a maintainer runs this on the GPU"


class Wrong(Exception):
    """A recipe does not do what it says."""


class Clone:
    """A clone of the repository, and the time that its commands took."""

    def __init__(self, root: Path, made: "Clone | None", here: bool):
        self.root, self.here, self.seconds = root, here, 0.0
        self.run(f"git clone --quiet file://{ROOT} {root}", folder=root.parent)
        head = ["git", "rev-parse", "HEAD"]
        self.commit = subprocess.check_output(head, cwd=root, text=True).strip()
        source = ROOT if here else made and made.root
        if source:
            for name in (".venv", "node_modules"):
                (root / name).symlink_to(source / name)
            (root / ".git/info/exclude").write_text(".venv\nnode_modules\n", encoding="utf-8")
        else:
            self.run("make install")
        self.installed = made.installed if made else self.seconds

    def run(self, command: str, says: str = "", code: int = 0, folder: Path | None = None) -> None:
        """Run a command of a recipe. It must end with a code, and say some words."""
        # What is linked is not made again, whatever the dates of a fresh clone's files are.
        linked = "make -o .venv/.installed -o node_modules/.installed "
        if (self.root / ".venv").is_symlink():
            command = re.sub(r"^make ", linked, command)
        began = time.monotonic()
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=folder or self.root,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=MINUTES * 60,
        )
        took = time.monotonic() - began
        self.seconds += took
        print(f"    {took:5.1f} s  {command.replace(linked, 'make ')}", flush=True)
        if done.returncode != code or says not in done.stdout:
            wanted = f"code {code}" + (f" and {says!r}" if says else "")
            raise Wrong(f"{command}: code {done.returncode}, not {wanted}\n{done.stdout[-3000:]}")

    def write(self, path: str, text: str) -> None:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def change(self, path: str, old: str, new: str) -> None:
        text = (self.root / path).read_text(encoding="utf-8")
        if old not in text:
            raise Wrong(f"{path} has no {old!r}")
        self.write(path, text.replace(old, new, 1))

    def left(self, *paths: str) -> None:
        """Commit; what the recipe has left must be these paths and no other."""
        self.run("git add --all")
        names = subprocess.run(
            ["git", "diff", "--cached", "--name-only"],
            cwd=self.root, capture_output=True, text=True, check=True,
        ).stdout.split()  # fmt: skip
        others = [name for name in names if not name.startswith(paths)]
        if others or len(names) < len(paths):
            raise Wrong(f"what is left: {', '.join(names)}; expected {', '.join(paths)}")


# ---------------------------------------------------------------- the recipes

PY = ".venv/bin/python"
PAGE = "docs/patterns/clamp.md"


def _clamp(clone: Clone) -> None:
    """The whole example of CONTRIBUTING.md, as it stands there."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    module = re.search(r"^   ```python\n(.*?)^   ```$", text, re.DOTALL | re.MULTILINE)
    written = re.search(r"^   ````markdown\n(.*?)^   ````$", text, re.DOTALL | re.MULTILINE)
    if not module or not written:
        raise Wrong("CONTRIBUTING.md has no example of a module and a page")
    clone.write("kernels/clamp.py", dedent(module[1]))
    clone.write(PAGE, dedent(written[1]))
    after = "- patterns/index.md\n"
    clone.change("mkdocs.yml", after, f"{after}      - patterns/clamp.md\n")


def page(clone: Clone) -> None:
    _clamp(clone)
    clone.run(f"{PY} -m lockstep run {PAGE}", says=DONE)
    clone.run(f"make check PAGE={PAGE}", says="are right")
    clone.left("kernels/clamp.py", PAGE, "mkdocs.yml", "evidence/")


def term(clone: Clone) -> None:
    here = "docs/glossary/idle-arithmetic.md"
    clone.write(
        here,
        dedent("""\
        ---
        title: Idle arithmetic
        description: The operations that a kernel could still do for free while it waits for memory.
        kind: term
        id: idle-arithmetic
        group: performance
        priority: 2
        aliases: [free arithmetic]
        tooltip: [idle arithmetic]
        related: []
        sources:
          - title: "How to Scale Your Model"
            url: "https://jax-ml.github.io/scaling-book/"
            read: page
        ---

        # Idle arithmetic

        Idle arithmetic is what the units of a GPU could still compute, at no cost in time, while a
        kernel waits for memory. Memory delivers at its own pace, and whatever is done with a number
        between two arrivals is free. That is why an activation is folded into the kernel before it,
        and why weights are kept in few bits and widened on the way: both trade operations, of which
        there are plenty, for bytes, of which there are not.
        """),
    )
    check = f"{PY} -m lockstep terms idle-arithmetic"
    clone.run(check, says="related", code=1)  # nothing leads to it yet
    for other in ("ridge-point", "memory-bound"):
        clone.change(f"docs/glossary/{other}.md", "related: [", "related: [idle-arithmetic, ")
    clone.run(check, says="Nothing is wrong")
    clone.run(f"make check PAGE={here}", says="are right")
    clone.left("docs/glossary/")


def kernel(clone: Clone) -> None:
    """With its test, and the mistake that a reader would make, which no page shows."""
    _clamp(clone)
    clone.write(
        "kernels/wrong/clamp_no_guard.py",
        dedent("""\
        \"\"\"Wrong: no guard, so the threads behind the last element go past the end.\"\"\"

        from numba import cuda


        @cuda.jit
        def clamp_no_guard_kernel(x, low, high):
            i = cuda.grid(1)
            x[i] = min(max(x[i], low), high)
        """),
    )
    clone.write(
        "tests/test_kernels_clamp.py",
        dedent("""\
        \"\"\"Clamp, on awkward sizes; and without its guard.\"\"\"

        import os

        import numpy as np
        import pytest

        from kernels.clamp import clamp
        from kernels.wrong.clamp_no_guard import clamp_no_guard_kernel

        SIMULATOR = os.environ.get("NUMBA_ENABLE_CUDASIM") == "1"


        @pytest.mark.parametrize("n", [1, 31, 32, 33, 100])
        def test_clamp(n):
            x = np.linspace(-3, 3, n, dtype=np.float32)
            np.testing.assert_array_equal(clamp(x, -1, 1, threads=32), x.clip(-1, 1))


        if SIMULATOR:

            def test_without_a_guard_it_goes_past_the_end():
                with pytest.raises(IndexError, match="out of bounds"):
                    clamp_no_guard_kernel[2, 3](np.ones(5, np.float32), 0, 1)
        """),
    )
    test = "NUMBA_ENABLE_CUDASIM=1 .venv/bin/python -m pytest -q tests/test_kernels_clamp.py"
    clone.run(test, says="6 passed")
    clone.run(f"{PY} -m lockstep run {PAGE}", says=DONE)
    # Nobody has said yet what the simulator finds.
    clone.run(f"make check PAGE={PAGE}", says="give clamp_no_guard a row in WRONG", code=2)
    row = '"clamp_no_guard": (\n        "clamp_no_guard_kernel",\n        (3, 2),\n'
    row += "        lambda: [np.arange(5, dtype=F4), F4(0), F4(3)],\n"
    row += '        "out-of-bounds",\n    ),\n'
    clone.change("tests/test_stepper_kernels.py", "WRONG = {\n", "WRONG = {\n    " + row)
    clone.run(f"make check PAGE={PAGE}", says="are right")
    clone.left("kernels/", "tests/", PAGE, "mkdocs.yml", "evidence/")


def number(clone: Clone) -> None:
    """One that is measured, one that follows, and a typed one, which is found."""
    text = "At [[micro:device-copy]] memory delivers all of it in [[worked:5 ms; 20 GB at 4 TB/s]]."
    here = "docs/patterns/elementwise.md"
    last = (clone.root / here).read_text(encoding="utf-8").rstrip().splitlines()[-1]
    clone.change(here, last, f"{last}\n\n{text} We measured 3.9 TB/s.")
    clone.run(f"{PY} -m lockstep check {here}", says="3.9 TB/s", code=1)
    clone.change(here, " We measured 3.9 TB/s.", "")
    clone.run(f"{PY} -m lockstep check {here}", says="no mistakes")
    clone.run(f"make check PAGE={here}", says="are right")
    clone.left(here)


def puzzle(clone: Clone) -> None:
    """Number 25, after the first one; its wrong answers are refused in a terminal, too."""
    text = (clone.root / "kernels/puzzles/brighten.py").read_text(encoding="utf-8")
    for old, new in (
        ("Brighten a photo", "Darken a photo"),
        ("too dark", "too bright"),
        ("brighten", "darken"),
        ("adds 40 to", "takes 40 from"),
        ("gets brighter than 255", "gets darker than 0"),
        (
            "Add 40 to n gray levels (int32), and stop at 255",
            "Take 40 off n gray levels, down to 0",
        ),
        ("min(photo[i] + 40, 255)", "max(photo[i] - 40, 0)"),
        ('"photo[i] + 40"', '"photo[i] - 40"'),
        ("no upper limit", "no lower limit"),
        ("should be 255", "should be 0"),
        ("[ 40, 140, 254, 255, 255, 255]", "[  0,  60, 174, 175, 176, 215]"),
        ("min(int(p) + 40, 255)", "max(int(p) - 40, 0)"),
    ):
        if old not in text:
            raise Wrong(f"kernels/puzzles/brighten.py has no {old!r}")
        text = text.replace(old, new)
    clone.write("kernels/puzzles/darken.py", text)
    here = "docs/puzzles/darken.md"
    number = len(list((clone.root / "docs/puzzles").glob("*.md")))  # and the list of all
    clone.write(
        here,
        dedent(f"""\
        ---
        title: "Puzzle {number}: Darken a photo"
        description: 'A map with a lower limit.'
        kind: puzzle
        puzzle: {number}
        follows: [patterns/elementwise.md]
        ---

        # Puzzle {number}: Darken a photo

        The sky came out white. One thread, one pixel, and a limit at the other end.

        [[exercise:darken]]

        [[puzzles:darken]]
        """),
    )
    nav = (clone.root / "mkdocs.yml").read_text(encoding="utf-8")
    last = re.findall(r"^ +- puzzles/[\w-]+\.md\n", nav, re.MULTILINE)[-1]
    clone.change("mkdocs.yml", last, last + last.replace(last.strip(), "- puzzles/darken.md"))
    clone.change(
        "benchmarks/micro/puzzles.py",
        '    "daily_high"',
        '    "darken": (2**20,),\n    "daily_high"',
    )
    asked = f"{PY} -m lockstep puzzle {number}"
    clone.run(f"{asked} > answer.py; {asked} answer.py", says="FAIL  answer.py", code=1)
    for line, says, code in (("max(photo[i] - 40, 0)", "Right.", 0), ("photo[i] - 40", "FAIL", 1)):
        clone.write(
            "answer.py",
            "from numba import cuda\n\n\n@cuda.jit\ndef darken(photo, out):\n"
            f"    i = cuda.grid(1)\n    if i < photo.size:\n        out[i] = {line}\n",
        )
        clone.run(f"{asked} answer.py", says=says, code=code)
    (clone.root / "answer.py").unlink()
    clone.run(f"{PY} -m lockstep run {here}", says=DONE)
    clone.run(f"make check PAGE={here}", says="are right")
    clone.left("kernels/puzzles/", here, "mkdocs.yml", "benchmarks/", "evidence/")


def card(clone: Clone) -> None:
    """A record goes in as it is; one that lacks something is refused by its name."""
    old = next((clone.root / "evidence/webgpu").glob("*.json"))
    record = json.loads(old.read_text(encoding="utf-8"))
    new = "evidence/webgpu/recipe-card.json"
    for lacking, code, says in ((True, 2, "recipe-card.json"), (False, 0, "are right")):
        kept = dict(list(record.items())[:-1]) if lacking else record
        clone.write(new, json.dumps(kept, indent=1) + "\n")
        clone.run("make check PAGE=docs/my-gpu.md", says=says, code=code)
    clone.left(new)


def gpu(clone: Clone) -> str:
    """Where there is no GPU it says so at once; where there is one, it would run for an hour."""
    if subprocess.run(["bash", "-c", "nvidia-smi -L"], capture_output=True).returncode:
        clone.run("make gpu", says="no NVIDIA GPU here", code=2)
        left_out = "no GPU here: it said so, and ran nothing"
    else:
        left_out = "`make gpu` was left out: it takes up to an hour"
        print(f"    {left_out}")
    clone.run(f"{PY} -m lockstep summary")
    return left_out


# As the headings of docs/contribute/recipes.md, in their order.
# A recipe returns what it had to leave out.
RECIPES: dict[str, tuple[str, Callable[[Clone], str | None]]] = {
    "page": ("Add a page", page),
    "term": ("Add a term", term),
    "kernel": ("Add a kernel", kernel),
    "number": ("Add a number", number),
    "puzzle": ("Add a puzzle", puzzle),
    "card": ("Add your card to the comparison", card),
    "gpu": ("Add your GPU's evidence", gpu),
}


def record(name: str, clone: Clone, seconds: float, left_out: str | None) -> None:
    """Hand what a recipe took to who writes records: in the clone's Python, which can."""
    found = {
        "name": name,
        "recipe": RECIPES[name][0],
        "seconds": round(seconds, 1),
        "install": None if clone.here else round(clone.installed, 1),  # None: it was there
        "left_out": left_out,
        "commit": clone.commit,
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[1], 1),  # of the last five minutes
    }
    program = [str(clone.root / PY), "-m", "lockstep_site.recipes"]
    subprocess.run(program, input=json.dumps(found), cwd=ROOT, check=True, text=True)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.recipes", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(RECIPES))
    parser.add_argument("--here", action="store_true", help="install nothing")
    options = parser.parse_args()
    if unknown := set(options.names) - set(RECIPES):
        parser.error(f"no recipe {', '.join(unknown)}: there are {', '.join(RECIPES)}")
    # A clone's commands are those of a contributor's shell.
    for name in ("NUMBA_ENABLE_CUDASIM", "VIRTUAL_ENV", "MAKEFLAGS", "MAKELEVEL"):
        os.environ.pop(name, None)
    failed, first = [], None
    with tempfile.TemporaryDirectory(prefix="lockstep-recipes-") as folder:
        for name in options.names or RECIPES:
            title, recipe = RECIPES[name]
            print(title, flush=True)
            try:
                clone = Clone(Path(folder, name), first, options.here)
                first = first or clone
                before = clone.seconds
                left_out = recipe(clone)
                own = clone.seconds - before
                took = own + clone.installed
                print(f"  {took:5.1f} s, of them {clone.installed:.1f} to clone and install")
                if took > MINUTES * 60:
                    raise Wrong(f"{title}: {took:.0f} s, more than {MINUTES} minutes")
                record(name, clone, own, left_out)
            except (Wrong, subprocess.TimeoutExpired) as error:
                failed.append(name)
                print(f"  FAILED: {error}", flush=True)
    print(f"failed: {', '.join(failed)}" if failed else "Every recipe does what it says.")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

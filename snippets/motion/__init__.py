"""Figures that move: what happens step by step, recorded by a script each.

A figure is a module of this package with ``record() -> dict``. ``python -m snippets.motion`` writes
docs/assets/motion/NAME.json for each; ``[[motion:NAME]]`` on a page shows it, and
docs/assets/js/motion.js draws the frames and decides nothing. A recording has

* ``title``, ``caption``, and ``step``, what a frame is: "cycle", "turn";
* ``panels``: each a grid of cells, with ``name``, ``rows`` (their names) and ``columns``; ``ends``,
  words for its first and its last column; ``group``, so many columns stand together. One that
  fills with time, a column for each frame, has its ``cells`` and ``text`` itself;
* ``legend``: [[letter, words], ...]. A cell's letter is its look: LOOKS;
* ``frames``: each with ``words``, and for panels that do not fill with time ``cells``, ``text`` and
  ``links``, [from panel, its cell, to panel, its cell].
"""

import json
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs" / "assets" / "motion"
LOOKS = {
    ".": "nothing",
    "a": "at work, full in petrol",
    "d": "done, pale in petrol",
    "o": "in the way or in flight, full in orange",
    "w": "waits, pale in orange",
}


def names():
    """Return the names of all figures."""
    files = Path(__file__).parent.glob("[a-z]*.py")
    return sorted(file.stem.replace("_", "-") for file in files)


def text(data):
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")) + "\n"


def count(n, what):
    return f"{n} {what}{'' if n == 1 else 's'}"


def span(numbers, what):
    """Return numbers that follow one another as words: lanes 3 to 5."""
    first, last = min(numbers), max(numbers)
    if first == last:
        return f"{what} {first}"
    return f"{what}s {first} {'and' if last == first + 1 else 'to'} {last}"

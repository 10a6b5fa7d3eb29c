"""Scripts as they are served: without the lines that are comments, and without indentation.

A reader of the source has both; a first visit need not fetch them.
"""

import re
from pathlib import Path

COMMENT = re.compile(r"\s*//")


def script(text: str) -> str:
    """Return a script without whole lines of comment. What lies within backticks stays as it is."""
    if text.count("`") % 2 or "\\`" in text:
        return text  # no telling where a template begins
    lines, inside = [], False
    for line in text.split("\n"):
        if COMMENT.match(line) and not inside:
            continue
        lines.append(line if inside else line.lstrip())
        inside ^= line.count("`") % 2 == 1
    return "\n".join(lines)


def write(folder: Path) -> None:
    """Lighten the scripts of a built site that its own project wrote."""
    for file in sorted(folder.glob("*.js")):
        text = file.read_text(encoding="utf-8")
        if (plain := script(text)) != text:
            file.write_text(plain, encoding="utf-8")

"""A data file in YAML that a person writes: read and checked once for each state of it."""

import functools
from collections.abc import Callable
from pathlib import Path

import yaml

from lockstep.page import LOADER, Mistake, PageError

Check = Callable[[dict, list[str]], list[Mistake]]


def load(root: Path, path: str, check: Check, mend: str) -> dict | None:
    """Return the file's data, or None where there is none. Raises PageError with its mistakes.

    ``check`` takes the data and the file's lines, and returns what is wrong in it. ``mend`` says
    what such a file holds, where it cannot be read at all.
    """
    file = Path(root) / path
    if not file.is_file():
        return None
    state = file.stat()
    data, mistakes = _load(str(file), state.st_mtime_ns, state.st_size, path, check, mend)
    if mistakes:
        raise PageError(list(mistakes))
    return data


@functools.lru_cache(maxsize=8)
def _load(
    file: str, modified: int, size: int, path: str, check: Check, mend: str
) -> tuple[dict, tuple[Mistake, ...]]:
    text = Path(file).read_text(encoding="utf-8")
    try:
        data = yaml.load(text, LOADER)
        return data, tuple(check(data, text.splitlines()))
    except (yaml.YAMLError, KeyError, TypeError, AttributeError) as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 1 if mark else 1
        return {}, (Mistake(path, line, f"it cannot be read: {error}", mend),)

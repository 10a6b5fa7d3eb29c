"""The files that a page leaves as they are: those of its repository, and what Python loads.

What Git keeps of a repository or would keep, Git's own settings there, the files of the modules
that the judge and the page's process have loaded, and what lies beside them: a package that is new
there, or a file that Python reads when it starts. Each with its size and its times, of which the
last change is the system's own: no program can set it back.

Compiled code (``__pycache__``) may come to be at any time, by whatever else runs here. Where it
changed while a page ran, and is not what its source compiles to, it was put there: Python would run
it in the source's place, in the process that judges the next page. It is taken away.
"""

import functools
import importlib.machinery
import importlib.util
import os
import site
import subprocess
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from lockstep.reviewed import VENDOR

State = dict[str, tuple[int, int, int]]
CACHE = "__pycache__"
SKIPPED = {".git", ".pytest_cache", ".ruff_cache", ".mypy_cache", "node_modules"}
# Where no Git says what is made by tools.
MADE = {VENDOR.rstrip("/"), *"site dist build artifacts .cache .venv venv .DS_Store".split()}
OF_GIT = ("config", "hooks", "info")  # what decides what Git does, and takes for ignored
LOADED = tuple(importlib.machinery.all_suffixes())
# Whether some bytecode is what its source compiles to. In a process of its own: what a page wrote
# may crash who reads it.
SAME = """
import marshal, sys
code, source, level = sys.argv[1:]
with open(code, "rb") as a, open(source, "rb") as b:
    made = compile(b.read(), source, "exec", dont_inherit=True, optimize=int(level))
    sys.exit(marshal.loads(a.read()[16:]) != made)
"""


def loaded() -> list[str]:
    """Return the files of the modules that this process has loaded, and their compiled ones."""
    found = set()
    for module in list(sys.modules.values()):
        spec = getattr(module, "__spec__", None)
        found |= {getattr(spec, "origin", None), getattr(spec, "cached", None)}
    return sorted(f for f in found if isinstance(f, str) and os.sep in f)


def state(root: Path, modules: Iterable[str] = ()) -> State:
    """Return the files of a repository, and of some modules that lie elsewhere."""
    found: State = {}
    top, skipped = str(root), _made(root)
    folders = [top]
    while folders:
        with suppress(FileNotFoundError, NotADirectoryError), os.scandir(folders.pop()) as entries:
            for entry in entries:
                if entry.name in SKIPPED or entry.path in skipped:
                    continue
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.path)
                else:
                    try:
                        found[entry.path] = _told(entry.stat(follow_symlinks=False))
                    except FileNotFoundError:
                        continue
    git = f"{top}/.git"
    others = [f"{git}/{name}" for name in OF_GIT] + [m for m in modules if m not in found]
    for path in others:  # thousands, twice for each page: no context manager for each
        try:
            found[path] = _told(os.stat(path))
        except OSError:
            continue
    for place in libraries():  # what is new there, Python may load the next time it starts
        with suppress(OSError), os.scandir(place) as entries:
            for entry in entries:
                if entry.name != CACHE:
                    is_folder = entry.is_dir(follow_symlinks=False)
                    stat = entry.stat(follow_symlinks=False)
                    found[entry.path] = (0, 0, 0) if is_folder else _told(stat)
    for folder in OF_GIT:
        with suppress(OSError), os.scandir(f"{git}/{folder}") as entries:
            found |= {entry.path: _told(entry.stat()) for entry in entries}
    return found


@functools.cache
def libraries() -> tuple[str, ...]:
    """Return the folders of packages, of Python's own modules, and of the environment around them.

    What says which Python that is, pyvenv.cfg, stands in the last.
    """
    places = [*site.getsitepackages(), site.getusersitepackages(), f"{sys.prefix}/bin"]
    places += [os.path.dirname(os.__file__), sys.prefix]
    return tuple(dict.fromkeys(os.path.realpath(place) for place in places))


def _told(stat: os.stat_result) -> tuple[int, int, int]:
    return stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns


@functools.cache
def _made(root: Path) -> frozenset[str]:
    """Return the files and folders that Git ignores, or that tools make where there is no Git."""
    said = _git(root, "ls-files", "-oi", "--exclude-standard", "--directory", "-z")
    names = MADE if said is None else said.split("\0")
    names = [name.rstrip("/") for name in names]
    return frozenset(f"{root}/{n}" for n in names if n and CACHE not in n and not _loads(n))


def _git(root: Path, *command: str, said: str | None = None) -> str | None:
    """Return what Git says, or None where there is none."""
    quiet = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
    command = ("git", "-c", "core.fsmonitor=false", *command)
    try:
        done = subprocess.run(
            command, cwd=root, input=said, capture_output=True, text=True, env=quiet
        )
    except OSError:
        return None
    return done.stdout if done.returncode in (0, 1) else None


def _loads(path: str) -> bool:
    return path.endswith(LOADED)


def changed(root: Path, before: State, after: State) -> list[str]:
    """Return the files that somebody changed, and take compiled code away that is not its source's.

    Without what Git ignores: that is made by tools, beside the pages.
    """
    names = {path for path, _ in before.items() ^ after.items()}
    cached = {path for path in names if CACHE in path.split(os.sep) or path.endswith(".pyc")}
    found = [path for path in sorted(cached) if not _harmless(path)]
    names -= cached
    plain = {path for path in names if path.startswith(f"{root}{os.sep}") and not _loads(path)}
    if plain:
        said = _git(root, "check-ignore", "-z", "--stdin", said="\0".join(plain))
        names -= set((said or "").split("\0"))
        # A folder that was not there before may be one that tools make.
        if said is None:
            made = tuple(f"{root}/{name}/" for name in MADE)
            names -= {path for path in plain if path.startswith(made)}
    return found + sorted(names)


def _harmless(path: str) -> bool:
    """Whether compiled code that changed is what its source says, or gone, or is taken away."""
    folder, name = os.path.split(path)
    try:
        source = importlib.util.source_from_cache(path)
    except (ValueError, NotImplementedError):
        source = ""
    stem, _, rest = name.partition(".")
    try:
        if source and f"{sys.implementation.cache_tag}." in rest and os.path.isfile(path):
            level = rest.partition(".opt-")[2].partition(".")[0] or "0"
            command = [sys.executable, "-I", "-S", "-c", SAME, path, source, level]
            if subprocess.run(command, capture_output=True).returncode == 0:
                return True
            os.unlink(path)
            return False
        with suppress(FileNotFoundError):
            os.unlink(path)
    except OSError:
        return False
    # What others keep there, such as pytest and Numba, cannot be compared: it is made again.
    return os.path.basename(folder) == CACHE

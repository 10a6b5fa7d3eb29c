"""What a project says of itself, once: its folders, languages, targets and parts.

``[tool.lockstep]`` in the pyproject.toml beside mkdocs.yml holds the settings::

    [tool.lockstep]
    register = "my_site.register"   # a module with a function register(project)
    sources = ["code"]              # folders of what pages show
    output = "code/output"          # what runs printed, below one of them
    kinds = ["lesson", "other"]     # of pages
    packages = ["my-package"]       # whose versions runs record, and stamps name
    compilers = ["numba"]           # whose jit decorators compile: Python runs no line of theirs
    shown = 0.05                    # the share of blocks that may be shown without a run
    plugins = ["mkdocs-x"]          # of mkdocs.yml, that the core does not know: you trust them
    language = "en"                 # of the pages: the rules of numbers read English alone

All of them may be left out. ``register(project)`` adds what is more than a word.
"""

import importlib
import sys
import tomllib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from lockstep import address, numbers
from lockstep.languages import Language, common
from lockstep.mistakes import Mistake, PageError
from lockstep.parts import Part
from lockstep.source import yaml_line
from lockstep.targets import Cpu, Target

SETTINGS = "pyproject.toml"
# libyaml reads ten times as fast, where PyYAML came with it.
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
# Front matter that every page may have.
META = {
    "title": str,
    "description": str,
    "kind": str,
    "aliases": list,  # other names that a reader may search for: the search shows them
}
# Best first. What a project's targets reach comes before "compiled".
LEVELS = ("cpu", "compiled", "read", "shown", "awaiting")
KEYS: dict[str, Any] = {
    "register": str,
    "sources": list,
    "output": str,
    "kinds": list,
    "packages": list,
    "compilers": list,
    "plugins": list,
    "given": list,
    "shown": float,
    "language": str,
}


@dataclass
class Project:
    """A project, as the core knows it."""

    root: Path
    docs: str = "docs"
    sources: tuple[str, ...] = ("snippets",)
    output: str = "snippets/output"
    kinds: tuple[str, ...] = ("other",)
    # Front matter that no other page shows: a preview builds its page alone
    own: set[str] = field(default_factory=lambda: {"description", "hide"})
    meta: dict[str, type] = field(default_factory=lambda: dict(META))
    shown: float = 0.05
    language: str = "en"
    compilers: tuple[str, ...] = ()
    plugins: tuple[str, ...] = ()
    levels: tuple[str, ...] = LEVELS
    beside: tuple[str, ...] = ()  # marks of further proofs, which parts give to blocks
    awaited: str = "a run"  # what a page awaits that no run proves
    measure: str = "measure it"  # how to get a figure that is not there
    benchmark: str = "run {script} again"  # how to measure the figures of a script again
    devices: str = ""  # a pattern of the names of devices that prose compares
    # The machines whose figures and outputs the pages show: the first that has run today's code.
    # Those of others stand beside. Without any, each machine's.
    machines: tuple[str, ...] = ()
    listed: str = ""  # the page that lists every figure, for those whose code no page shows
    given: tuple[str, ...] = ()  # sites that are a source of a number; without any, all but a few
    license: str = ""  # of what a reader takes away, in a line
    languages: dict[str, Language] = field(default_factory=dict)
    targets: dict[str, Target] = field(default_factory=dict)
    # Returns the target of a process in which nobody named one; else it is the first
    choose: Callable[[], str] | None = None
    parts: list[Part] = field(default_factory=list)
    # Other records, evidence/<machine>/<kind>/: how each kind is made again
    records: dict[str, str] = field(default_factory=dict)
    # Packages that a stamp names when its page uses them: word of the code, name, package
    named: list[tuple[str, str, str]] = field(default_factory=list)

    def add(self, *things: Language | Target | Part) -> None:
        """Register languages, targets and parts. One with a name that is taken replaces it."""
        for thing in things:
            if isinstance(thing, Language):
                self.languages[thing.name] = thing
            elif isinstance(thing, Target):
                self.targets[thing.name] = thing
            else:
                self.parts.append(thing)

    def default_target(self) -> Target:
        """Return the target of this process, where nobody named one."""
        return self.targets[self.choose() if self.choose else next(iter(self.targets))]

    @property
    def marks(self) -> tuple[str, ...]:
        """The names that the proof of a block may have."""
        return (*self.levels, *self.beside)

    def rank(self, machine: str) -> int:
        """Return a machine's place among those whose figures the pages show; 0 is the first."""
        known = self.machines
        return known.index(machine) if machine in known else len(known)

    def part(self, name: str) -> Part:
        return next(part for part in self.parts if part.name == name)

    def folders(self) -> str:
        """Return where code lives, for a message: "kernels/ or snippets/"."""
        return " or ".join(f"{folder}/" for folder in self.sources)


# Reads mkdocs.yml, whose tags name Python objects and the environment.
_Loader: Any = type("_Loader", (LOADER,), {})
_Loader.add_multi_constructor("", lambda loader, tag, node: None)
_known: dict[Path, tuple[tuple, Project]] = {}


def of(root: Path) -> Project:
    """Return the project of a folder with mkdocs.yml, read again when its settings changed."""
    root = Path(root)
    state = tuple(_state(root / name) for name in ("mkdocs.yml", SETTINGS))
    known, project = _known.get(root, (None, None))
    if project is None or known != state:
        project = _read(root)
        _known[root] = state, project
    return project


def _state(file: Path) -> tuple[int, int] | None:
    try:
        stat = file.stat()
    except OSError:
        return None
    return stat.st_mtime_ns, stat.st_size


def _read(root: Path) -> Project:
    project = Project(root, docs=_docs_dir(root))
    numbers.OWN[root] = address.own(root)
    project.add(*common(), Cpu())
    settings = _settings(root)
    for key in ("sources", "output", "kinds", "compilers", "plugins", "given", "shown", "language"):
        if key in settings:
            setattr(project, key, type(getattr(project, key))(settings[key]))
    Cpu.packages = tuple(settings.get("packages", ()))
    project.named += [(name, name, name) for name in Cpu.packages]
    if name := settings.get("register"):
        _register(root, name)(project)
    return project


def _docs_dir(root: Path) -> str:
    file = root / "mkdocs.yml"
    try:
        config = yaml.load(file.read_text(encoding="utf-8"), _Loader) if file.is_file() else {}
    except yaml.YAMLError as error:
        what = [Mistake("mkdocs.yml", yaml_line(error), "this is not YAML", "mend this line")]
        raise PageError(what) from None
    if not isinstance(config or {}, dict):
        what = [Mistake("mkdocs.yml", 1, "this has no settings", "write site_name: ...")]
        raise PageError(what)
    return str((config or {}).get("docs_dir") or "docs").strip("/")


def _settings(root: Path) -> dict:
    file = root / SETTINGS
    if not file.is_file():
        return {}
    text = file.read_text(encoding="utf-8")
    try:
        settings: Any = tomllib.loads(text)
        for name in ("tool", "lockstep"):
            settings = settings.get(name, {})
            if not isinstance(settings, dict):
                line = next((n for n, t in enumerate(text.splitlines(), 1) if name in t), 1)
                mend = "write [tool.lockstep]"
                raise PageError([Mistake(SETTINGS, line, f"{name} is no table", mend)])
    except tomllib.TOMLDecodeError as error:
        raise PageError([Mistake(SETTINGS, 1, "this is not TOML", str(error))]) from None
    for key, value in settings.items():
        line = next((n for n, t in enumerate(text.splitlines(), 1) if t.startswith(key)), 1)
        if key not in KEYS:
            mend = f"use one of {', '.join(KEYS)}"
            raise PageError([Mistake(SETTINGS, line, f"unknown key {key} of tool.lockstep", mend)])
        if not isinstance(value, KEYS[key]):
            what = f"{key} of tool.lockstep is not a {KEYS[key].__name__}"
            raise PageError([Mistake(SETTINGS, line, what, f"give a {KEYS[key].__name__}")])
        if KEYS[key] is list and not all(isinstance(item, str) for item in value):
            what = f"{key} of tool.lockstep holds what is no text"
            raise PageError([Mistake(SETTINGS, line, what, 'give texts: ["snippets"]')])
        if key == "shown" and not 0 <= value <= 1:
            what = f"shown of tool.lockstep is {value}, and a share is none or all at most"
            raise PageError([Mistake(SETTINGS, line, what, "give a share, such as 0.05")])
    return settings


def _register(root: Path, name: str):
    if str(root) not in sys.path:
        sys.path.append(str(root))
    try:
        return importlib.import_module(name).register
    except (ModuleNotFoundError, AttributeError) as error:
        what = f"register = {name!r} cannot be read: {error}"
        mend = "name a module beside mkdocs.yml that has a function register(project)"
        raise PageError([Mistake(SETTINGS, 1, what, mend)]) from None

"""Which target a page runs on, and the run of one block."""

import contextlib
import io
import os
from pathlib import Path

from lockstep import environment
from lockstep.block import Block, Page
from lockstep.languages.base import Setting, opened, watch_files
from lockstep.project import Project, of
from lockstep.targets import Target

VARIABLE = environment.TARGET


def target_of_process(project: Project) -> Target:
    """Return the target of this process: $LOCKSTEP_TARGET, else the project's default."""
    name = os.environ.get(VARIABLE)
    if name is None:
        return project.default_target()
    if name not in project.targets:
        raise SystemExit(f"{VARIABLE}={name}: use one of {tuple(project.targets)}")
    return project.targets[name]


def wanted(page: Page) -> tuple[str, ...]:
    """Return the targets that prove a page."""
    return tuple(name for name, t in of(page.root).targets.items() if t.wants(page))


def here(page: Page) -> Target | None:
    """Return the target to run a page on in this process, or None."""
    project = of(page.root)
    name = target_of_process(project).here(page)
    return project.targets[name] if name else None


def run_block(block: Block, namespace: dict, folder: Path, root: Path, target: str) -> dict:
    """Run one block. Returns what is recorded of it: outcome, and output where it printed.

    ``outcome`` is "passed" (it ran), "compiled", "written" (a file for a later block), or what the
    block's language says. Raises ``Failed`` with the source line when it does not do what the page
    says.
    """
    project = of(root)
    language, place = project.languages[block.language], project.targets[target]
    setting = Setting(namespace, folder, root, target)
    if "file" in block.options:
        (folder / block.options["file"]).write_text(block.text + "\n", encoding="utf-8")
        return language.write(block, setting)
    watch_files()
    opened.clear()
    printed = io.StringIO()
    with contextlib.chdir(folder), contextlib.redirect_stdout(printed), place.around(block):
        printed.write(language.run(block, setting))
        place.after(block, namespace)
    language.compare(block, setting.told)
    read = sorted(path.name for path in map(Path, opened) if path.parent == folder.resolve())
    return {"outcome": "passed", "output": printed.getvalue(), "opened": read}

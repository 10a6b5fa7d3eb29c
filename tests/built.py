"""The built site: once for each state of the tree, and shared by every process that asks for it.

It lies in .cache/site/, in a folder named by the hash of all that it is made from. So the second
run of an unchanged tree builds nothing, and machines that share the suite can share the folder:
``python -m tests.built`` makes it.
"""

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from importlib import metadata
from pathlib import Path

from lockstep.source import find_root
from tests import pace

ROOT = find_root(Path(__file__).parent)
CACHE = ROOT / ".cache/site"
FROM = (
    "docs kernels snippets benchmarks evidence overrides lockstep lockstep_site simulator tools web"
)
FILES = ("mkdocs.yml", "pyproject.toml", "reviewed.json", "package-lock.json", "tests/built.py")
KEPT = 2  # sites of earlier states


class Failed(Exception):
    """mkdocs build --strict failed, and this is what it said."""


def state() -> str:
    """Return the hash of everything that the site is made from."""
    found = hashlib.sha256()
    packages = {f"{d.name}=={d.version}" for d in metadata.distributions()}
    found.update(repr((sys.version, sorted(packages), os.environ.get("LOCKSTEP_DRAFT"))).encode())
    files = [ROOT / name for name in FILES]
    for folder in FROM.split():
        files += (ROOT / folder).rglob("*")
    for file in sorted(files):
        # Other processes write bytecode meanwhile, under a name that lasts for a moment.
        if "__pycache__" not in file.parts and file.is_file():
            data = file.read_bytes()
            found.update(f"\0{file.relative_to(ROOT).as_posix()}\0{len(data)}\0".encode() + data)
    return found.hexdigest()[:16]


def make() -> Path:
    """Return the folder of the site, built strictly from this tree; whoever comes second waits.

    Raises ``Failed``.
    """
    CACHE.mkdir(parents=True, exist_ok=True)
    folder = CACHE / state()
    with (CACHE / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.is_dir():
            _build(folder)
    return folder


def _build(folder: Path) -> None:
    part = folder.with_suffix(".part")
    shutil.rmtree(part, ignore_errors=True)
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "-d", part]
    slow, before = pace.slow(), os.times()
    env = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True)
    after = os.times()
    if done.returncode:
        shutil.rmtree(part, ignore_errors=True)
        raise Failed((done.stdout + done.stderr)[-4000:])
    # The time of a core that this process's child took
    took = after.children_user + after.children_system
    took -= before.children_user + before.children_system
    slow = (slow + pace.slow()) / 2
    (part / ".seconds").write_text(f"{took:.1f} {slow:.2f}")
    sites = sorted((p for p in CACHE.iterdir() if p.is_dir()), key=lambda p: p.stat().st_mtime)
    for old in sites[: -KEPT - 1]:
        shutil.rmtree(old, ignore_errors=True)
    part.rename(folder)


def start() -> None:
    """Begin to build in another process, while this one does what needs no site."""
    subprocess.Popen([sys.executable, "-m", "tests.built"], cwd=ROOT, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    try:
        print(make())
    except Failed as failed:
        sys.exit(f"mkdocs build --strict failed:\n{failed}")

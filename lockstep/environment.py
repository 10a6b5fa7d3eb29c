"""Say what this machine is: its processor, packages, Python. A target may know more of it."""

import datetime
import importlib.metadata
import platform
import sys
from collections.abc import Iterable

TARGET = "LOCKSTEP_TARGET"  # names the target of a process


def processor() -> dict:
    """Return the device of a run that used the processor alone."""
    return {"name": f"CPU ({platform.machine()}, {platform.system()})", "count": 0}


def packages(names: Iterable[str]) -> dict[str, str]:
    """Return the versions of those of the packages that are installed."""
    found = {}
    for name in names:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def python() -> str:
    return ".".join(map(str, sys.version_info[:3]))


def today() -> str:
    return datetime.datetime.now(datetime.UTC).date().isoformat()

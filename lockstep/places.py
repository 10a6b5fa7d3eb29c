"""Where a page's code may read and write: its own folder, its temporary one, and what is installed.

Anything else outlives the page, or was there before it, and neither is shown on it nor held by its
hashes. A path counts by where it leads, whatever name or arithmetic a block reached it by.
"""

import os
import re
import site
import sys
from pathlib import Path

from lockstep import kin

SYSTEM = "/usr /lib /lib32 /lib64 /bin /sbin /etc /proc /sys /dev /opt /nix /run /System /Library"
NOT_SYSTEM = ("/dev/shm/", "/run/user/", "/run/shm/", "/opt/tmp/")
# A path in a command. What Bash or a program makes of its parts is in the trace.
PATH = re.compile(r"(?<![\w.:/@+-])/(?:[\w.+@%~-]+/?)+")
MEND = "write and read files of the page's own folder, and include what it reads as a file"
LISTENS = "0A"  # the state of a socket in /proc/net/tcp that waits for others


class Places:
    """The places of one page's process."""

    def __init__(self, root: Path, *own: Path):
        real = os.path.realpath
        self.inside = real(root) + os.sep
        self.own = tuple(real(place) + os.sep for place in own)
        installed = {sys.prefix, sys.base_prefix, sys.exec_prefix, os.path.dirname(os.__file__)}
        installed |= {*site.getsitepackages(), site.getusersitepackages()}
        named = (os.environ.get(name) for name in ("CUDA_HOME", "CUDA_PATH", "ROCM_PATH"))
        installed |= {place for place in named if place}
        system = {real(place) for place in SYSTEM.split()} | {*SYSTEM.split()}
        self.installed = tuple(
            f"{place.rstrip(os.sep)}{os.sep}" for place in {real(p) for p in installed} | system
        )
        self.paths = tuple(real(place) + os.sep for place in sys.path if place)
        self.process = os.getpid()

    def outside(self, path: object) -> bool:
        """Whether a path leads to neither the page's folders, nor the project's, nor a system's."""
        real = self._real(path)
        if real is None or real.startswith((*self.own, self.inside)):
            return False
        return real.startswith(NOT_SYSTEM) or not real.startswith(self.installed)

    def kept(self, path: object) -> bool:
        """Whether a package may have put a file there: its cache, or a folder of modules."""
        real = self._real(path) or ""
        return "/." in real or "cache" in real.lower() or real.startswith(self.paths)

    def ours(self, path: object) -> bool:
        """Whether a path is the page's own, or a device: there it may write."""
        real = self._real(path)
        return (
            real is None
            or real.startswith((*self.own, "/proc/"))
            or (real.startswith("/dev/") and not real.startswith(NOT_SYSTEM))
        )

    @staticmethod
    def _real(path: object) -> str | None:
        if isinstance(path, bytes | os.PathLike):
            path = os.fsdecode(os.fspath(path))
        # With a separator behind, so that a folder is within itself.
        return os.path.realpath(path) + os.sep if isinstance(path, str) else None

    def foreign(self, command: str) -> str | None:
        """Return a path of a command that is there and leads out, or to the project's files."""
        for found in PATH.finditer(command):
            path = found[0].rstrip(".,:;")
            inside = (self._real(path) or "").startswith(self.inside)
            installed = (self._real(path) or "").startswith(self.installed)
            if (self.outside(path) or (inside and not installed)) and os.path.lexists(path):
                return path
        return None

    def listens(self, address: object) -> bool:
        """Whether who is called by an address is a process of this page."""
        if not isinstance(address, tuple):
            return not self.outside(address)
        if sys.platform != "linux":
            return True
        wanted = set()
        for table in ("tcp", "tcp6", "udp", "udp6"):
            try:
                rows = Path(f"/proc/net/{table}").read_text().split("\n")[1:]
            except OSError:
                continue
            for row in filter(None, map(str.split, rows)):
                waits = row[3] == LISTENS or table.startswith("udp")
                if waits and int(row[1].rpartition(":")[2], 16) == address[1]:
                    wanted.add(f"socket:[{row[9]}]")
        return bool(wanted) and any(map(wanted.intersection, kin.sockets(self.process)))

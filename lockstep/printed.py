"""What a page prints, through a stream that is what Python itself opens for its output.

Code may look at ``sys.stdout``, and do another thing where that is no file. So this is one, which
can be added to and neither shortened nor written over, and one for all blocks of a page: whatever
has kept it goes on writing there.
"""

import os
import tempfile
from contextlib import suppress
from io import BufferedWriter, FileIO, TextIOWrapper

try:
    import fcntl
except ImportError:  # no Unix: pages do not run here
    fcntl = None  # type: ignore[assignment]

_flush, _read, _duplicate = TextIOWrapper.flush, os.pread, os.dup


class Printed:
    """``stream`` takes the place of ``sys.stdout``."""

    def __init__(self) -> None:
        if hasattr(os, "memfd_create"):
            file = os.memfd_create("stdout", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
            fcntl.fcntl(file, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_SEAL)
        else:
            file, name = tempfile.mkstemp()
            os.unlink(name)
        fcntl.fcntl(file, fcntl.F_SETFL, fcntl.fcntl(file, fcntl.F_GETFL) | os.O_APPEND)
        self._from, self._at = _duplicate(file), 0  # a page may close its own
        raw = FileIO(file, "w")
        raw.name = "<stdout>"
        self.stream = TextIOWrapper(BufferedWriter(raw), "utf-8", "surrogatepass", "\n")
        self.stream.mode = "w"  # type: ignore[misc]

    def __del__(self) -> None:
        os.close(self._from)

    def take(self) -> str:
        """Return what was printed since the last call."""
        with suppress(ValueError):  # it is closed
            _flush(self.stream)
        parts = []
        while part := _read(self._from, 1 << 16, self._at):
            parts.append(part)
            self._at += len(part)
        text = b"".join(parts)
        try:
            return text.decode("utf-8", "surrogatepass")
        except UnicodeDecodeError:  # bytes that it wrote itself
            return text.decode("utf-8", "replace")

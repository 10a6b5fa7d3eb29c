"""The judged: a process of its own runs a page's code, and says what happened. It judges nothing.

``python -m lockstep.worker FD ROOT`` imports what pages import, once, and then waits. For each page
it forks: the child has those imports, an empty namespace and a folder, runs one block after the
other as it is told, and answers with what was printed, what failed, which files were read and which
lines were executed. What a block should have printed, this process is never told; whether a page is
proved, the other side decides (``lockstep.judge``). So whatever a page's code does to doctest, to
numpy.testing, to print or to the records' names, it does here, and it ends with its page.

Below the repository a block may read and not write.
"""

import importlib
import io
import json
import os
import pickle
import signal
import socket
import struct
import sys
import threading
import time
import types
from contextlib import chdir, redirect_stdout, suppress
from pathlib import Path
from types import FrameType

from lockstep import project, running, tracing
from lockstep.languages.base import Setting, opened, watch_files
from lockstep.mistakes import Failed

_SIZE = struct.Struct("!Q")
WRITES = os.O_WRONLY | os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_TRUNC
# Audited events that change the file named by one of their first two arguments.
CHANGES = {
    *"os.remove os.rename os.rmdir os.mkdir os.truncate os.chmod os.link os.symlink".split(),
    *"shutil.copyfile shutil.move shutil.rmtree os.utime".split(),
}


SPAWNS = {"subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.fork"}


def send(channel: socket.socket, data: bytes, descriptors: tuple[int, ...] = ()) -> None:
    """Send a message. With descriptors, they travel with its first bytes."""
    head = _SIZE.pack(len(data))
    if descriptors:
        socket.send_fds(channel, [head], list(descriptors))
    else:
        channel.sendall(head)
    channel.sendall(data)


def receive(channel: socket.socket, descriptors: int = 0) -> tuple[bytes | None, list[int]]:
    """Return a message and the descriptors that came with it; None when the other side is gone."""
    found: list[int] = []
    if descriptors:
        head, found, _, _ = socket.recv_fds(channel, _SIZE.size, descriptors)
    else:
        head = channel.recv(_SIZE.size, socket.MSG_WAITALL)
    if len(head) < _SIZE.size:
        return None, found
    (size,) = _SIZE.unpack(head)
    parts = []
    while size:
        part = channel.recv(min(size, 1 << 20))
        if not part:
            return None, found
        parts.append(part)
        size -= len(part)
    return b"".join(parts), found


# ---------------------------------------------------------------- the child of one page


def _guard(root: Path, pages_files: set[str], spawned: list[str]) -> None:
    """Refuse writing below the repository, and importing its own packages from shown code.

    Programs that a page starts are noted in ``spawned``: no hook follows them.
    """
    inside = str(root.resolve()) + os.sep
    ours = {p.name for p in root.iterdir() if (p / "__init__.py").is_file()}
    realpath, fspath = os.path.realpath, os.fspath
    caches = ("__pycache__", ".pytest_cache")

    def below(path: object) -> bool:
        if isinstance(path, bytes | os.PathLike):
            path = os.fsdecode(fspath(path))
        if not isinstance(path, str):
            return False
        real = realpath(path)
        return real.startswith(inside) and not any(cache in real for cache in caches)

    started = {name.partition(".")[0] for name in sys.modules}
    tools = {"site-packages", ".venv", "node_modules"}

    def unseen(path: object) -> bool:
        """Whether a file of the repository is none that the page shows, nor a tool's own."""
        if isinstance(path, bytes | os.PathLike):
            path = os.fsdecode(fspath(path))
        if not isinstance(path, str):
            return False
        real = realpath(path)
        parts = real.removeprefix(inside).split(os.sep)
        if not real.startswith(inside) or real in pages_files or tools & set(parts):
            return False
        if any(cache in parts for cache in caches) and not real.endswith(".pyc"):
            return False
        return parts[0] not in started and not real.endswith(("pyproject.toml", ".cfg"))

    def asked() -> bool:
        frame: FrameType | None = sys._getframe(2)
        while frame:
            if frame.f_code.co_filename in pages_files:
                return True
            frame = frame.f_back
        return False

    def hook(event: str, arguments: tuple) -> None:
        if event in SPAWNS:
            spawned.append(event)
        elif event == "open":
            path, mode, flags = arguments
            writes = (isinstance(mode, str) and set(mode) & set("wax+")) or (
                isinstance(flags, int) and flags & WRITES
            )
            if writes and below(path):
                raise PermissionError(f"a block writes below the repository: {path}")
            if unseen(arguments[0]) and asked():
                raise PermissionError(
                    f"a block reads a file that no page shows: {arguments[0]}; "
                    "include it on the page, as a file"
                )
        elif event in CHANGES:
            if any(below(path) for path in arguments[:2]):
                raise PermissionError(f"a block changes a file of the repository: {arguments[0]}")
        elif event == "import" and arguments[0].partition(".")[0] in ours:
            frame: FrameType | None = sys._getframe(1)
            while frame and "importlib" in frame.f_code.co_filename:
                frame = frame.f_back
            if frame and frame.f_code.co_filename in pages_files:
                raise ImportError(
                    f"shown code imports {arguments[0]}, which its reader does not have"
                )

    sys.addaudithook(hook)


def _named(kind: type, value: BaseException | None) -> str:
    return f"{kind.__name__}: {value}"


def _serve(channel: socket.socket) -> None:
    """Run the blocks of one page as the other side asks for them, then end."""
    first, _ = receive(channel)
    assert first, "the other side begins by saying what the page is"
    root, target, folder, blocks = pickle.loads(first)
    root, folder = Path(root), Path(folder)
    ours = project.of(root)
    place, languages = ours.targets[target], ours.languages
    main = types.ModuleType("__main__")
    sys.modules["__main__"] = main
    sys.argv = [""]
    files = {str(root / block.path) for block in blocks}
    tracer = tracing.Tracer(files)
    watch_files()
    spawned: list[str] = []
    astray: list[str] = []  # errors that ended a thread, which nobody else would see
    threading.excepthook = lambda error: astray.append(_named(error.exc_type, error.exc_value))
    sys.unraisablehook = lambda error: astray.append(_named(error.exc_type, error.exc_value))
    _guard(root, files, spawned)
    # Taken now: what a page changes later is not what answers for it.
    dumps, clock, buffer = json.JSONEncoder().encode, time.perf_counter, io.StringIO
    while True:
        asked, _ = receive(channel)
        if asked is None:
            os._exit(0)
        block = blocks[int(asked)]
        setting = Setting(vars(main), folder, root, target)
        opened.clear()
        spawned.clear()
        astray.clear()
        printed, failed = buffer(), None
        start = clock()
        try:
            with chdir(folder), redirect_stdout(printed), place.around(block), tracer:
                printed.write(languages[block.language].run(block, setting))
                place.after(block, setting.namespace)
        except Failed as failure:
            failed = str(failure)
        except BaseException as error:  # of what stands around a block
            failed = f"{block.where}: {type(error).__name__}: {error}"
        seconds = round(clock() - start, 3)
        if astray and not failed:
            failed = f"{block.where}: in a thread, or where nobody catches it: {astray[0]}"
        there = folder.resolve()
        answer = {
            "failed": failed,
            "output": printed.getvalue(),
            "told": setting.told,
            "opened": sorted(p.name for p in map(Path, opened) if p.parent == there),
            "spawned": bool(spawned),
            "lines": tracer.take(),
            "kernels": place.launched(vars(main)),
            "seconds": seconds,
        }
        send(channel, dumps(answer).encode("utf-8", "surrogatepass"))


# ---------------------------------------------------------------- the process that forks


def main(descriptor: int, root: Path) -> None:
    channel = socket.socket(fileno=descriptor)
    ours = project.of(root)
    place = running.target_of_process(ours)
    place.prepare()
    for name in place.preload():
        with suppress(ImportError):
            importlib.import_module(name)
    # What an import has started, a fork may not have: each page then gets a process of its own.
    send(channel, b"ready" if place.forks() else b"alone")
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for a child
    while True:
        asked, found = receive(channel, 1)
        if asked is None:
            return
        if os.fork() == 0:
            code = 1
            try:
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # a page may wait for its own
                channel.close()
                _serve(socket.socket(fileno=found[0]))
                code = 0
            finally:
                os._exit(code)
        for number in found:
            os.close(number)


if __name__ == "__main__":
    if len(sys.argv) > 3:  # one page, without a fork
        place = running.target_of_process(project.of(Path(sys.argv[2])))
        place.prepare()
        _serve(socket.socket(fileno=int(sys.argv[1])))
    else:
        main(int(sys.argv[1]), Path(sys.argv[2]))

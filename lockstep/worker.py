"""The judged: a process of its own runs a page's code, and says what happened. It judges nothing.

``python -m lockstep.worker FD ROOT`` imports what pages import, once, and then waits. For each page
it forks: the child has those imports, an empty namespace and a folder, runs one block after the
other as it is told, and answers with what was printed, what failed, which files were read and which
lines were executed. What a block should have printed, this process is never told; whether a page is
proved, the other side decides (``lockstep.judge``). So whatever a page's code does to doctest, to
numpy.testing, to print or to the records' names, it does here, and it ends with its page.

Below the repository a block may read and not write.
"""

import gc
import importlib
import inspect
import json
import os
import pickle
import signal
import site
import socket
import struct
import sys
import tempfile
import threading
import time
import traceback
import types
from collections.abc import Callable
from contextlib import chdir, redirect_stdout, suppress
from hashlib import sha256
from pathlib import Path
from types import FrameType

from lockstep import (
    blank,
    branches,
    compilers,
    environment,
    flipped,
    intact,
    kin,
    places,
    project,
    retried,
    running,
    screened,
    tracing,
    watched,
    withheld,
)
from lockstep.languages.base import Setting, opened, watch_files
from lockstep.languages.names import code, traced
from lockstep.mistakes import Failed
from lockstep.printed import Printed

TRACED = str(Path(__file__).parent / "traced")  # what a Python that a page starts imports first
_SIZE = struct.Struct("!Q")
_length = len  # a page may put another in its place
_MOST = 1 << 32  # bytes of a message: what says more is none
WRITES = os.O_WRONLY | os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_TRUNC
# Audited events that change the file named by one of their first two arguments.
CHANGES = {
    *"os.remove os.rename os.rmdir os.mkdir os.truncate os.chmod os.link os.symlink".split(),
    *"shutil.copyfile shutil.move shutil.rmtree os.utime".split(),
}


# Audited events that read a file, or load code from one, which is no "open" of Python's.
READS = {"sqlite3.connect", "ctypes.dlopen", "os.getxattr", "os.listxattr"}
LISTS = {"os.listdir", "os.scandir"}  # names bear text, too
NAMED = {"compile", "code.__new__", "exec", "function.__new__"}  # events of code and its file
# Events of a look, or a grip, into the interpreter: those that a page's own line asks for ...
LOOKS = {
    *"gc.get_objects gc.get_referrers gc.get_referents sys.settrace sys.setprofile".split(),
    *"sys.addaudithook sys.monitoring.register_callback sys._current_frames".split(),
    *"sys._current_exceptions threading.settrace".split(),
}
# ... those of a frame, which Python's own modules ask for on the way of other things ...
FRAME, READ, CHANGED = "sys._getframe", "object.__getattr__", "object.__setattr__"
LOOKERS = {inspect.__file__, traceback.__file__}  # by which a page would ask who called it
FRAMES = {"__code__", "tb_frame", "gi_frame", "cr_frame", "ag_frame"}
# ... and of a function that becomes another one.
FUNCTION = {"__code__", "__defaults__", "__kwdefaults__"}
LEAVE = "a block must leave Python as it is"
REACHES = "a block reaches into the interpreter that runs it"
STRAYS = "a block goes out of the page's own folder"
GIVES = "a block gives a program a file below the repository, or out of the page's own folder"
CALLS = {"socket.connect", "socket.sendto"}
TALKS = "a block talks to a program that is none of its page's"
TALKS_MEND = "start on the page what answers, in its own process or one of its own"
SPAWNS = {"subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.fork"}


def send(channel: socket.socket, data: bytes, descriptors: tuple[int, ...] = ()) -> None:
    """Send a message. With descriptors, they travel with its first bytes."""
    head = _SIZE.pack(_length(data))
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
    if size > _MOST:
        return None, found
    parts = []
    while size:
        part = channel.recv(min(size, 1 << 20))
        if not part:
            return None, found
        parts.append(part)
        size -= len(part)
    return b"".join(parts), found


def signer(key: bytes) -> Callable[[int, bytes], bytes]:
    """Return what signs the answer of a block: a keyed hash of its index and its bytes.

    Of built-in objects alone, which no code of a page can change.
    """
    inner, outer = sha256(b"inner" + key), sha256(b"outer" + key)

    def sign(index: int, answer: bytes) -> bytes:
        first, second = inner.copy(), outer.copy()
        first.update(b"%d:" % index + answer)
        second.update(first.digest())
        return second.digest()

    return sign


# ---------------------------------------------------------------- the child of one page


def _unseen(path: object) -> str:
    return f"a block reads a file that no page shows: {path}; include it on the page, as a file"


def _places(module: object) -> list[str]:
    """Return the folders of a package."""
    try:
        return [str(place) for place in module.__path__]  # type: ignore[attr-defined]
    except Exception:  # no package, or one that is made up
        return []


def _guard(
    root: Path,
    away: places.Places,
    pages_files: set[str],
    spawned: list[str],
    screen: screened.Screen,
) -> None:
    """Refuse writing below the repository, and importing its own packages from shown code.

    And reading or writing what outlives the page, elsewhere, and talking to who is none of it.

    Programs that a page starts are noted in ``spawned``: no hook follows them.
    """
    inside = str(root.resolve()) + os.sep
    kept = (inside, *(os.path.realpath(place) + os.sep for place in watched.libraries()))
    realpath, fspath = os.path.realpath, os.fspath
    compiled = (".nbi", ".nbc")  # what Numba keeps of sources
    here, library = str(Path(__file__).parent) + os.sep, str(Path(os.__file__).parent) + os.sep

    def below(path: object) -> bool:
        if isinstance(path, bytes | os.PathLike):
            path = os.fsdecode(fspath(path))
        if not isinstance(path, str):
            return False
        real = realpath(path)
        # What Numba keeps of the functions of a package, and the files that it writes it by.
        cached = watched.CACHE in real and ".nb" in os.path.basename(real)
        return real.startswith(kept) and not (cached and not real.startswith(inside))

    # Packages of the repository that this process runs by, and the folders of tools: by their
    # whole paths, since a folder of any name may lie among the sources.
    started = {
        realpath(place) + os.sep
        for module in list(sys.modules.values())
        for place in _places(module)
        if realpath(place).startswith(inside)
    }
    tools = {f"{inside}{name}{os.sep}" for name in (".venv", "node_modules")}
    tools |= {realpath(path) + os.sep for path in (sys.prefix, *site.getsitepackages())}
    trusted = tuple((tools | started) - {inside})
    settings = {f"{inside}{name}" for name in ("pyproject.toml", "setup.cfg")}

    def unseen(path: object) -> bool:
        """Whether a file of the repository is none that the page shows, nor a tool's own."""
        if isinstance(path, bytes | os.PathLike):
            path = os.fsdecode(fspath(path))
        if not isinstance(path, str):
            return False
        real = realpath(path)
        if not real.startswith(inside) or real in pages_files or real.startswith(trusted):
            return False
        if "__pycache__" in real.split(os.sep) and real.endswith(compiled):
            return False
        return True

    def asked(path: object, depth: int = 2) -> bool:
        """Whether a page's code asks for a file, itself or by others, in whatever thread.

        A tool may look for its settings; a page may not read them, which none of its hashes hold.
        """
        frame: FrameType | None = sys._getframe(depth)
        if isinstance(path, str) and realpath(path) in settings:
            return ran_by_page(depth + 1)
        while frame and not frame.f_code.co_filename.startswith(here):
            if frame.f_code.co_filename in pages_files:
                return True
            frame = frame.f_back
        return frame is None  # another thread, which a page has started

    def strays(path: object) -> bool:
        """Whether a page's code goes to a place that is neither its own nor installed."""
        if not away.outside(path):
            return False
        return ran_by_page(3) or (not away.kept(path) and asked(path, 3))

    def ran_by_page(depth: int = 2) -> bool:
        """Whether a page's code asks, itself or by Python's own modules: not a package, nor we."""
        frame: FrameType | None = sys._getframe(depth)
        if frame and frame.f_code.co_filename in pages_files:
            return True
        if not frame or not pythons(frame) or frame.f_code.co_filename.startswith("<"):
            return False  # what looks for modules is no page
        while frame and pythons(frame):  # a package makes the folder of its cache by os.makedirs
            frame = frame.f_back
        return frame is None or frame.f_code.co_filename in pages_files  # None: a thread of a page

    def pythons(frame: FrameType) -> bool:
        """Whether a frame runs a module of Python itself, and none of ours."""
        name = frame.f_code.co_filename
        if name.startswith(here) or "site-packages" in name or "dist-packages" in name:
            return False
        return name.startswith((library, "<frozen "))

    def named(code: object, name: object = None) -> bool:
        """Whether some code says that it is from a file of the page, or may say so later."""
        name = getattr(code, "co_filename", name)
        if isinstance(name, bytes):
            name = os.fsdecode(name)
        return isinstance(name, str) and (type(name) is not str or name in pages_files)

    looking: set[int] = set()  # threads in which this asks for a frame, which is an event, too

    def reaches(event: str, arguments: tuple) -> bool:
        """Whether a line of the page itself looks into the interpreter."""
        if event == READ and arguments[1] not in FRAMES:
            return False
        thread = threading.get_ident()
        if thread in looking:
            return False
        looking.add(thread)
        try:
            frame: FrameType | None = sys._getframe(2)
            while event == FRAME and frame and frame.f_code.co_filename in LOOKERS:
                frame = frame.f_back
            return frame is not None and frame.f_code.co_filename in pages_files
        finally:
            looking.discard(thread)

    def hook(event: str, arguments: tuple) -> None:
        if event in SPAWNS:
            spawned.append(event)
            told = _command(event, arguments)
            if "/" in told and (path := away.foreign(told)) and (ran_by_page() or asked(None)):
                raise PermissionError(f"{GIVES}: {path}; {places.MEND}")
        elif event in NAMED and named(*arguments[:2]) and ran_by_page():
            raise PermissionError("a block makes code under the name of a file that a page shows")
        elif event == READ or event == FRAME or event in LOOKS:
            if reaches(event, arguments):
                raise PermissionError(f"{REACHES}, by {event}: show what runs in any file")
        elif event == CHANGED and arguments[1] in FUNCTION:
            # Python itself gives defaults to functions that it makes, and makes coroutines.
            own = sys._getframe(1).f_code.co_filename == types.__file__
            own = own or arguments[1] != "__code__" or not ran_by_page()
            if reaches(event, arguments) or not own:
                raise PermissionError(f"a block puts other code into a function: {LEAVE}")
        elif event == "open":
            path, mode, flags = arguments
            writes = (isinstance(mode, str) and set(mode) & set("wax+")) or (
                isinstance(flags, int) and flags & WRITES
            )
            if writes and below(path):
                raise PermissionError(f"a block writes below the repository or to packages: {path}")
            if unseen(arguments[0]) and asked(arguments[0]):
                raise PermissionError(_unseen(arguments[0]))
            if strays(path) and (writes or os.path.lexists(path)):
                raise PermissionError(f"{STRAYS}: {path}; {places.MEND}")
        elif event in CALLS:
            if not away.listens(arguments[1]) and (ran_by_page() or asked(None)):
                raise PermissionError(f"{TALKS}: {arguments[1]}; {TALKS_MEND}")
        elif event in READS:
            path = arguments[0]  # what is not there yet is written: that is found afterwards
            if unseen(path) and os.path.exists(path) and asked(path):
                raise PermissionError(_unseen(arguments[0]))
            if event != "ctypes.dlopen" and strays(path):
                raise PermissionError(f"{STRAYS}: {path}; {places.MEND}")
        elif event in LISTS:
            if unseen(arguments[0]) and ran_by_page():
                raise PermissionError(_unseen(arguments[0]))
            if away.outside(arguments[0]) and ran_by_page():
                raise PermissionError(f"{STRAYS}: {arguments[0]}; {places.MEND}")
        elif event in CHANGES:
            if any(below(path) for path in arguments[:2]):
                what = "a block changes a file of the repository or of packages"
                raise PermissionError(f"{what}: {arguments[0]}")
            for path in arguments[:2]:  # no generator, which would be a frame of its own
                if strays(path):
                    raise PermissionError(f"{STRAYS}: {path}; {places.MEND}")
        elif event == "import" and screen.owns(arguments[0]):
            if screen.lacks(sys._getframe(1)):
                raise ImportError(screen.refuse(arguments[0]))

    sys.addaudithook(hook)


def _command(event: str, arguments: tuple) -> str:
    """Return the words of a program that is started, without those of where it lies itself."""
    words = arguments[1] if len(arguments) > 1 else arguments[0] if arguments else ""
    if isinstance(words, list | tuple):
        words = " ".join(_text(word) for word in words[1:])
    folder = arguments[2] if event == "subprocess.Popen" and len(arguments) > 2 else None
    return f"{_text(words)} {_text(folder)}"


def _text(word: object) -> str:
    if isinstance(word, bytes | os.PathLike):
        word = os.fsdecode(os.fspath(word))
    return word if isinstance(word, str) else ""


def _parts(root: Path, blocks: tuple, compiled: compilers.Names) -> dict[str, set]:
    """Return the parts of lines that a run takes note of, by file."""
    found: dict[str, set] = {}
    for block in blocks:
        if traced(block):
            there = branches.of(code(block), block.numbers, compiled)
            found.setdefault(str(root / block.path), set()).update(there)
    return found


def _named(kind: type, value: BaseException | None) -> str:
    return f"{kind.__name__}: {value}"


def gettrace() -> None:
    """In place of Python's own, of which what it returns holds the lines that ran."""


def _serve(channel: socket.socket) -> None:
    """Run the blocks of one page as the other side asks for them, then end."""
    first, _ = receive(channel)
    assert first, "the other side begins by saying what the page is"
    key, root, target, folder, ran, blocks = pickle.loads(first)
    sign = signer(key)
    del first, key
    os.environ.pop(environment.TARGET, None)  # a page runs as it does on a reader's machine
    root, folder = Path(root), Path(folder)
    os.environ["LOCKSTEP_RAN"] = f"{folder}{os.pathsep}{ran}"
    # Of its own: what another page has put into a common one would be neither shown nor made here.
    os.environ["TMPDIR"] = tempfile.tempdir = f"{Path(ran).parent}/tmp"
    os.mkdir(tempfile.tempdir)
    # What Python would keep of sources lies where the next page's process looks for it.
    os.environ["PYTHONDONTWRITEBYTECODE"], sys.dont_write_bytecode = "1", True
    os.environ["PYTHONPATH"] = os.pathsep.join([TRACED, os.environ.get("PYTHONPATH", "")])
    ours = project.of(root)
    place, languages = ours.targets[target], ours.languages
    if place.level != "gpu":  # a trace of lines takes time, which programs measure there
        os.environ["LOCKSTEP_LINES"] = "1"
    main = types.ModuleType("__main__")
    sys.modules["__main__"] = main
    sys.argv, sys.orig_argv = [""], [sys.executable]  # as at a prompt
    files = {str(root / block.path) for block in blocks}
    tracer = tracing.Tracer(files, _parts(root, blocks, place.compiled(blocks, ours.compilers)))
    watch_files()
    spawned: list[str] = []
    astray: list[str] = []  # errors that ended a thread, which nobody else would see
    threading.excepthook = lambda error: astray.append(_named(error.exc_type, error.exc_value))
    sys.unraisablehook = lambda error: astray.append(_named(error.exc_type, error.exc_value))
    sys.gettrace = threading.gettrace = gettrace
    last = max((b.index for b in blocks if traced(b)), default=-1)
    packages = {p.name for p in root.iterdir() if (p / "__init__.py").is_file()}
    screen = screened.Screen(packages, files)
    screen.drop()
    _guard(root, places.Places(root, folder, Path(ran).parent), files, spawned, screen)
    blank.begin(frozenset(files))
    # Taken now: what a page changes later is not what answers for it.
    dumps, clock, printed = json.JSONEncoder().encode, time.perf_counter, Printed()
    python, patched, compared_nothing = intact.Intact(), intact.patched, blank.taken
    retry, withhold, turn = retried.check, withheld.check, flipped.check
    while True:
        asked, _ = receive(channel)
        if asked is None:
            os._exit(0)
        block = blocks[int(asked)]
        setting = Setting(vars(main), folder, root, target, watch=tracer.watch, printed=printed)
        opened.clear()
        spawned.clear()
        astray.clear()
        screen.said.clear()
        failed, replaced = None, None
        screen.drop()
        start = clock()
        try:
            with chdir(folder), redirect_stdout(printed.stream), place.around(block), tracer:
                said = languages[block.language].run(block, setting)
                replaced = None if sys.stdout is printed.stream else "sys.stdout was replaced"
                printed.stream.write(said)
                place.after(block, setting.namespace)
        except Failed as failure:
            failed = str(failure)
        except BaseException as error:  # of what stands around a block
            failed = f"{block.where}: {type(error).__name__}: {error}"
        if failed and screen.said and screen.said[0] not in failed:
            failed += f"\n{screen.said[0]}"
        seconds = round(clock() - start, 3)
        if (nothing := compared_nothing()) and not failed:
            file, line, what, mend = nothing
            failed = f"{os.path.relpath(file, root)}:{line}: {what}. To mend: {mend}"
        if traced(block):
            lost = tracer.take_failed()
            if block.language == "pycon" and any(error for _, error in setting.told):
                lost = []  # the error is what the session shows
            for file, line, what, mend in (
                *blank.elsewhere(blocks[: block.index + 1], root, tracer.seen, setting.namespace),
                *blank.swallowed(lost, blocks, root),
            ):
                where = f"{os.path.relpath(file, root)}:{line}"
                failed = failed or f"{where}: {what}. To mend: {mend}"
        if astray and not failed:
            failed = f"{block.where}: in a thread, or where nobody catches it: {astray[0]}"
        replaced = (
            replaced or patched(printed.stream) or python.changed(setting.namespace, block.text)
        )
        if replaced and not failed:
            mend = f"{LEAVE}: take that out"
            failed = f"{block.where}: {replaced}, so what is shown may lie. To mend: {mend}"
        started, there = bool(spawned), folder.resolve()
        if block.index == last and not failed and place.level != "gpu" and place.forks():
            with chdir(folder):
                weak = retry(blocks, setting.namespace, root)
                weak = weak or withhold(blocks, setting.namespace, root)
                weak = weak or turn(blocks, setting.namespace, root)
            if weak:
                of, line, what, mend = weak
                failed = f"{of.path}:{of.numbers[line - 1]}: {what}. To mend: {mend}"
        answer = {
            "failed": failed,
            "output": printed.take(),
            "told": setting.told,
            "opened": sorted(p.name for p in map(Path, opened) if p.parent == there),
            "spawned": started,
            "lines": tracer.take(),
            "parts": tracer.take_parts(),
            "kernels": place.launched(vars(main)),
            "seconds": seconds,
        }
        packed = dumps(answer).encode("utf-8", "surrogatepass")
        send(channel, sign(block.index, packed) + packed)


# ---------------------------------------------------------------- the process that forks


def main(descriptor: int, root: Path) -> None:
    channel = socket.socket(fileno=descriptor)
    ours = project.of(root)
    place = running.target_of_process(ours)
    place.prepare()
    for name in place.preload():
        with suppress(ImportError):
            importlib.import_module(name)
    blank.watch()
    intact.prepare(place.preload())
    # What an import has started, a fork may not have: each page then gets a process of its own.
    send(channel, b"ready" if place.forks() else b"alone")
    send(channel, json.dumps(watched.loaded()).encode())
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for a child
    kin.adopt()
    gc.freeze()  # else a child that looks for garbage copies all that was imported
    while True:
        asked, found = receive(channel, 1)
        if asked is None:
            return
        page = os.fork()
        if page == 0:
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
        send(channel, b"%d" % page)


if __name__ == "__main__":
    if len(sys.argv) > 3:  # one page, without a fork
        place = running.target_of_process(project.of(Path(sys.argv[2])))
        place.prepare()
        blank.watch()
        intact.prepare(place.preload())
        kin.adopt()
        _serve(socket.socket(fileno=int(sys.argv[1])))
    else:
        main(int(sys.argv[1]), Path(sys.argv[2]))

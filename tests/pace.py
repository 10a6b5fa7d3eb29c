"""How much slower than usual a machine is at this moment.

What a clock must tell is promised at a machine's usual speed. Commit 786958a was seen to build in
75 to 95 s of one core on one day, and in 126 on another, on machines that say the same of
themselves; a third was slower still. A limit with room for that one holds nothing on the first. So
a fixed piece of work, of the kind that builds a site, is timed beside what has a limit, and the
limit grows with it.
"""

import ast
import contextlib
import html
import re
import time
from pathlib import Path

# The CPU seconds of `work` on the day of the 75 to 95 s, which nobody timed then: it took 0.31
# between builds of that commit, 786958a, that took 126 s; so 0.31 * 85 / 126.
USUAL = 0.209
ROWS = 1500


def work() -> int:
    """Parse, walk, search and escape a text that is the same everywhere. Returns a count."""
    text = "".join(
        f"def f{n}(a, b):\n    total = a[{n}] * b.get('k{n}', {n}.5) + {n}  # row {n}, 3 < 4\n"
        f"    return [x + total for x in a if x > {n}]\n"
        for n in range(ROWS)
    )
    names = sum(isinstance(node, ast.Name) for node in ast.walk(ast.parse(text)))
    numbers = sum(len(m[0]) for m in re.finditer(r"\b\d+(?:\.\d+)?(?=\s|\)|,)|\bk(\w+)\b", text))
    return names + numbers + len(html.unescape(html.escape(text)).split())


def slow(times: int = 5) -> float:
    """Return by what a limit grows here and now: 1 at the usual speed and above it."""
    start = time.process_time()
    for _ in range(times):
        work()
    return max(1.0, (time.process_time() - start) / times / USUAL)


def threads(chromium) -> dict[tuple[int, int], tuple[str, float, float]]:
    """Of each thread of a browser's pages: its name, and the seconds that it ran and waited to.

    By process and thread; empty where there is no Linux to tell.
    """
    session, found = chromium.new_browser_cdp_session(), {}
    for process in session.send("SystemInfo.getProcessInfo")["processInfo"]:
        if process["type"] != "renderer":
            continue
        for folder in Path(f"/proc/{process['id']}/task").glob("*"):
            with contextlib.suppress(OSError):  # the thread has ended
                ran, waited, _ = (folder / "schedstat").read_text().split()
                name = (folder / "comm").read_text()
                found[process["id"], int(folder.name)] = name, int(ran) / 1e9, int(waited) / 1e9
    session.detach()
    return found


def alone(clock, before, after) -> float:
    """Seconds by the clock, as on a machine that does nothing else.

    Of the busiest worker and the thread of its page, where one mostly waits for the other. Both may
    wait for a core at once, so the result is no less than what the two ran. Elsewhere than on Linux
    it is the clock's.
    """

    def since(key):
        _, ran, waited = after.get(key, ("", 0.0, 0.0))
        _, had_run, had_waited = before.get(key, ("", 0.0, 0.0))
        return ran - had_run, waited - had_waited

    workers = [key for key, (name, *_) in after.items() if name.startswith("DedicatedWorker")]
    busiest = max(workers, key=since, default=(0, 0))
    ran, waited = map(sum, zip(since(busiest), since((busiest[0], busiest[0])), strict=True))
    return max(clock - waited, ran)

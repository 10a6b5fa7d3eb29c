"""How much slower than usual a machine is at this moment.

What a clock must tell is promised at a machine's usual speed. Commit 786958a was seen to build in
75 to 95 s of one core on one day, and in 126 on another, on machines that say the same of
themselves; a third was slower still. A limit with room for that one holds nothing on the first. So
a fixed piece of work, of the kind that builds a site, is timed beside what has a limit, and the
limit grows with it.
"""

import ast
import html
import re
import time

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

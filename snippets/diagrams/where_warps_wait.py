"""Where a warp can wait on its way through an instruction, by the profiler's names."""

from snippets.diagrams.common import arrow, rect, svg, text

LABEL = (
    "A warp's way through one instruction: fetched, its operands ready, chosen by the scheduler, "
    "a unit is free. Where it can wait: no_instruction before the fetch; long_scoreboard for a "
    "result from global memory, short_scoreboard for one from shared memory or the special "
    "functions, wait for one of fixed latency, barrier for the other warps of its block; "
    "not_selected when another warp is chosen; math_pipe_throttle, mio_throttle and lg_throttle "
    "where a unit's queue is full."
)
STEPS = (
    ("fetched", (("no_instruction", "the code is not there yet"),)),
    (
        "operands ready",
        (
            ("long_scoreboard", "a load from global memory"),
            ("short_scoreboard", "shared memory, special functions"),
            ("wait", "a result of fixed latency"),
            ("barrier", "the other warps of the block"),
        ),
    ),
    ("chosen", (("not_selected", "another warp goes first: good"),)),
    (
        "a unit is free",
        (
            ("math_pipe_throttle", "the arithmetic unit is busy"),
            ("mio_throttle", "shared memory's queue is full"),
            ("lg_throttle", "global memory's queue is full"),
        ),
    ),
)


def draw(theme):
    """Return the picture as SVG."""
    ink, accent, amber = theme["ink"], theme["accent"], theme["amber"]
    shapes, y, width = [], 8, 430
    for k, (step, waits) in enumerate(STEPS):
        high = 22 * len(waits) + 12
        shapes.append(rect(4, y, 94, high, accent))
        shapes.append(text(51, y + high / 2 + 4, step, theme["on_accent"], 11, weight="bold"))
        for n, (name, why) in enumerate(waits):
            at = y + 20 + 22 * n
            good = name == "not_selected"
            shapes.append(text(106, at, name, ink if good else amber, 12, "start", "bold"))
            shapes.append(text(232, at, why, ink, 12, "start"))
        y += high
        if k < len(STEPS) - 1:
            shapes.append(arrow(51, y + 2, 51, y + 18, ink))
            y += 20
    shapes.append(arrow(51, y + 2, 51, y + 18, ink))
    shapes.append(text(106, y + 16, "selected: it issues", ink, 12, "start", "bold"))
    return svg(width, y + 26, *shapes, label=LABEL)

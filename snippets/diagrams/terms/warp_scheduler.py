"""One scheduler in two cycles: which of its warps are ready, and which one is taken."""

from snippets.diagrams.panels import Panel, Picture

STATES = (
    ("memory", "memory", "ready", "barrier", "ready", "memory", "operand", "ready"),
    ("memory", "memory", "operand", "barrier", "ready", "ready", "ready", "ready"),
)
TAKEN = (2, 4)
WORDS = {
    "memory": "waits for a load",
    "barrier": "waits at a barrier",
    "operand": "waits for its last result",
    "ready": "ready",
}


def cycle(n):
    drawn = Panel(f"Cycle {n}")
    for warp, state in enumerate(STATES[n]):
        y = 24 + 23 * warp
        taken = warp == TAKEN[n]
        drawn.text(0, y + 14, f"warp {warp}", "km", "start")
        kind = "fa" if taken else "ta" if state == "ready" else "n"
        drawn.box(
            48,
            y,
            160,
            20,
            kind,
            "issues" if taken else WORDS[state],
            "kw km" if taken else "ka km" if state == "ready" else "ks km",
        )
        if taken:
            drawn.bend([(208, y + 10), (232, y + 10), (232, 108), (252, 108)], "la")
    drawn.box(254, 90, 84, 36, "fa", ("one", "instruction"), "kw km")
    return drawn


def draw():
    return Picture(
        cycle(0),
        cycle(1),
        alt="Eight warps of a scheduler in one cycle and in the next. In each, some wait for a "
        "load, a barrier or a result and some are ready; one of the ready warps issues an "
        "instruction, another one in the second cycle.",
        see="In each cycle a scheduler looks at all its warps and issues one instruction of one "
        "that is ready. Warp 2 issues, then needs its result; the next cycle goes to warp 4. "
        "Changing warps costs nothing, because all keep their registers.",
    )

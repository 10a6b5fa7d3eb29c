"""The phases of an mbarrier: arrivals and bytes that are awaited, and the parity that turns."""

from kernels.terms.mbarrier import Barrier
from snippets.diagrams.panels import Panel, Picture

BYTES = 16_384


def events():
    """Yield (what happens, arrivals and bytes that are awaited, phase), as the page's model has "
    "it."""
    full = Barrier(count=1)
    for what, act in (
        ("init, count 1", lambda: None),
        ("arrive, expect 16 KB", lambda: full.arrive(BYTES)),
        ("8 KB land", lambda: full.land(BYTES // 2)),
        ("8 KB land: complete", lambda: full.land(BYTES // 2)),
        ("arrive, expect 16 KB", lambda: full.arrive(BYTES)),
        ("16 KB land: complete", lambda: full.land(BYTES)),
    ):
        act()
        yield what, full.arrivals, full.bytes, full.phase


def draw():
    state = Panel("Its state, from event to event")
    for x, words in ((0, "event"), (182, "arrivals"), (240, "bytes"), (298, "phase")):
        state.text(x, 34, words, "ks km", "start")
    for k, (what, left, bytes_, phase) in enumerate(events()):
        y = 42 + 25 * k
        done = "complete" in what
        state.text(0, y + 15, what, "ka km" if done else "km", "start")
        state.box(186, y, 30, 21, "n", left, "km")
        state.box(236, y, 44, 21, "tc" if bytes_ else "n", f"{bytes_ // 1024} K", "km")
        state.box(300, y, 30, 21, "fv" if phase else "fa", phase, "kw km")

    wait = Panel("Who waits for which parity")
    wait.text(0, 46, "producer", "km", "start")
    wait.text(0, 82, "copy unit", "km", "start")
    wait.text(0, 118, "phase", "kx km", "start")
    wait.text(0, 154, "consumer", "km", "start")
    wait.box(62, 32, 34, 22, "fb", "ask", "kw km")
    wait.box(182, 32, 34, 22, "fb", "ask", "kw km")
    wait.box(98, 68, 70, 22, "fc", "tile 0", "kw km")
    wait.box(218, 68, 70, 22, "fc", "tile 1", "kw km")
    wait.box(62, 104, 106, 22, "fa", 0, "kw km")
    wait.box(168, 104, 120, 22, "fv", 1, "kw km")
    wait.box(288, 104, 50, 22, "fa", 0, "kw km")
    wait.box(62, 140, 104, 22, "n", "wait(0)", "ks km")
    wait.box(170, 140, 60, 22, "ta", "uses 0", "ka km")
    wait.box(232, 140, 54, 22, "n", "wait(1)", "ks km")
    wait.box(290, 140, 48, 22, "ta", "uses 1", "ka km")
    wait.line(168, 60, 168, 170, "ls dash")
    wait.line(288, 60, 288, 170, "ls dash")
    wait.time(184, 62)
    return Picture(
        state,
        wait,
        alt="Left, a table of six events of an mbarrier with the arrivals and bytes that are "
        "still awaited and the phase: 0 until all has come, then 1, then 0. Right, a time line: "
        "a consumer waits for parity 0, uses tile 0, waits for parity 1 and uses tile 1.",
        see="A phase is complete when no arrival and no byte is awaited; then the counts start "
        "anew and the phase bit turns. wait(p) returns when the phase p is complete, so a "
        "consumer waits for 0, 1, 0, 1. Whoever forgets to turn its own p goes on too early or "
        "hangs.",
    )

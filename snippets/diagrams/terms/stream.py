"""Copies and kernels in one stream and in three."""

from snippets.diagrams.panels import Panel, Picture

WORK = (("copy in", "fc"), ("kernel", "fa"), ("copy out", "fv"))


def panel(streams):
    drawn = Panel(
        "One stream: one thing after another" if streams == 1 else "Three streams: they overlap"
    )
    for s in range(3):
        y = 34 + 34 * s
        if s < streams:
            drawn.text(0, y + 16, f"stream {s}", "km", "start")
        for job in range(3):
            if streams == 3 and job != s:
                continue
            if streams == 1 and s:
                continue
            for k, (_, kind) in enumerate(WORK):
                at = job * 3 + k if streams == 1 else job + k
                drawn.box(58 + 31 * at, y, 29, 24, kind, job, "kw km")
    drawn.time(150, 58)
    drawn.key(174, *[(kind, name) for name, kind in WORK], x=0)
    return drawn


def draw():
    return Picture(
        panel(1),
        panel(3),
        alt="Three jobs of a copy in, a kernel and a copy out. In one stream the nine steps "
        "follow each other. In three streams the copy of job 1 runs while job 0 computes, and "
        "five steps' time is enough.",
        see="Within a stream the order is kept. Between streams nothing is promised, so the copy "
        "engines and the multiprocessors can work at once, each on another job.",
    )

"""A host that launches small kernels, and one that launches large ones."""

from snippets.diagrams.panels import Panel, Picture

LAUNCH, LEFT, RIGHT = 44, 44, 336  # how long the host takes for a launch; the time line


def panel(kernel, count):
    drawn = Panel("Small kernels: the GPU waits" if kernel < LAUNCH else "Large kernels: no gap")
    drawn.text(0, 42, "host", "km", "start")
    drawn.text(0, 92, "GPU", "km", "start")
    drawn.box(LEFT, 78, RIGHT - LEFT, 24, "n", radius=1)
    free = 0
    for k in range(count):
        done = LEFT + LAUNCH * (k + 1)
        drawn.box(done - LAUNCH, 28, LAUNCH - 2, 24, "fb", "launch", "kw km")
        start = max(done, free)
        free = min(start + kernel, RIGHT)
        drawn.box(start, 78, free - start - 2, 24, "fa", k, "kw km")
        drawn.arrow(done - 4, 52, start + 5, 77, "ls")
    drawn.time(122, LEFT)
    return drawn


def draw():
    return Picture(
        panel(16, 6),
        panel(80, 3),
        alt="Two time lines of a host that launches kernels and a GPU that runs them. Small "
        "kernels end before the next launch is done, and the GPU stands idle between them. Large "
        "kernels queue up, and the GPU has no gap.",
        see="A launch costs the host the same time whatever the kernel does. When kernels are "
        "shorter than launches, the host sets the pace and the GPU idles; when they are longer, "
        "the launches happen in their shadow.",
    )

"""The same arithmetic in many small kernels, fused, and as a graph."""

from snippets.diagrams.panels import Panel, Picture


def draw():
    drawn = Panel("Eight small operations, three ways")
    rows = (("one by one", 8, 30, 8), ("fused", 1, 30, 64), ("as a graph", 1, 30, 0))
    for k, (name, launches, launch, kernel) in enumerate(rows):
        y = 34 + 56 * k
        drawn.text(0, y + 8, name, "kx km", "start")
        x = 76
        if name == "as a graph":
            drawn.box(x, y - 4, launch, 16, "fb", radius=1)
            for j in range(8):
                drawn.box(x + launch + 2 + 11 * j, y + 16, 8, 16, "fa", radius=1)
        elif launches == 1:
            drawn.box(x, y - 4, launch, 16, "fb", radius=1)
            drawn.box(x + launch + 2, y + 16, kernel, 16, "fa", radius=1)
        else:
            for j in range(launches):
                drawn.box(x + 32 * j, y - 4, launch, 16, "fb", radius=1)
                drawn.box(x + 32 * j + 22 + 2, y + 16, kernel, 16, "fa", radius=1)
    drawn.key(198, ("fb", "host: launch"), ("fa", "GPU: kernel"), x=0)
    return Picture(
        drawn,
        alt="Eight small operations on a host and a GPU. Launched one by one they take eight "
        "launches with gaps on the GPU. Fused they are one kernel after one launch. As a graph "
        "they are eight kernels in a row after one launch.",
        see="Above each line the host, below it the GPU. When launches take longer than kernels, "
        "neither bandwidth nor arithmetic is the limit. Fewer launches help: fuse the "
        "operations, or record them once as a graph and launch that.",
    )

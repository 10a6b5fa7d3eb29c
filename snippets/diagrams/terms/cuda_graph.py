"""Five launches one by one, and the same work as a graph."""

from snippets.diagrams.panels import Panel, Picture


def draw():
    shape = Panel("Recorded once: work and its order")
    nodes = {"copy": (10, 76), "A": (100, 40), "B": (100, 112), "C": (190, 76), "out": (270, 76)}
    for a, b in (("copy", "A"), ("copy", "B"), ("A", "C"), ("B", "C"), ("C", "out")):
        (x1, y1), (x2, y2) = nodes[a], nodes[b]
        shape.arrow(x1 + 58, y1 + 13, x2 - 2, y2 + 13, "ls")
    for name, (x, y) in nodes.items():
        shape.box(x, y, 58, 26, "fc" if name in ("copy", "out") else "fa", name, "kw km")
    shape.text(10, 166, "A and B do not need each other.", "ks km", "start")

    launch = Panel("Launched as a whole")
    launch.text(0, 36, "one by one", "kx km", "start")
    for k in range(5):
        launch.box(4 + 62 * k, 44, 56, 18, "fb", "launch", "kw km")
        launch.box(62 + 62 * k - 2, 66, 24, 18, "fa", radius=1)
    launch.text(0, 116, "graph", "kx km", "start")
    launch.box(4, 124, 56, 18, "fb", "launch", "kw km")
    for k, (at, row) in enumerate(((0, 0), (1, 0), (1, 1), (2, 0), (3, 0))):
        launch.box(62 + 26 * at, 146 + 20 * row, 24, 18, "fc" if k in (0, 4) else "fa", radius=1)
    launch.time(196, 4)
    return Picture(
        shape,
        launch,
        alt="Left, a graph: a copy leads to kernels A and B, both to kernel C, and C to a copy "
        "out. Right, five launches one by one with small kernels between, and one launch of the "
        "graph after which the five steps follow closely, A and B at once.",
        see="The host describes the work once and then launches all of it with one call. The GPU "
        "knows the order, so small kernels follow each other without a trip to the host, and "
        "what does not depend on each other may overlap.",
    )

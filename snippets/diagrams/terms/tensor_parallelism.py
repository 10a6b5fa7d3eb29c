"""A layer's two matrices, cut by columns and then by rows."""

from snippets.diagrams.panels import Panel, Picture


def draw():
    cut = Panel("One layer on two GPUs")
    cut.box(0, 70, 40, 60, "n", "x")
    cut.text(62, 104, "×", "kx")
    cut.box(80, 50, 40, 100, "fa", "A0", "kw")
    cut.box(122, 50, 40, 100, "fc", "A1", "kw")
    cut.text(182, 104, "×", "kx")
    cut.box(200, 50, 70, 49, "fa", "B0", "kw")
    cut.box(200, 101, 70, 49, "fc", "B1", "kw")
    cut.text(288, 104, "=", "kx")
    cut.box(300, 70, 38, 60, "fb", "y", "kw")
    cut.text(121, 42, "by columns", "ks km")
    cut.text(235, 42, "by rows", "ks km")
    cut.key(176, ("fa", "GPU 0"), ("fc", "GPU 1"), ("fb", "sum of both"))

    run = Panel("One sum for each pair of matrices")
    for k, kind in enumerate(("fa", "fc")):
        y = 34 + 56 * k
        run.text(0, y + 18, f"GPU {k}", "kx km", "start")
        run.box(48, y, 74, 28, kind, f"x A{k}", "kw km")
        run.arrow(122, y + 14, 136, y + 14, "ls")
        run.box(138, y, 84, 28, kind, f"(x A{k}) B{k}", "kw km")
        run.line(222, y + 14, 248, y + 14, "lb")
    run.line(248, 48, 248, 104, "lb")
    run.arrow(248, 76, 262, 76, "lb")
    run.box(264, 58, 74, 36, "fb", ("all-", "reduce"), "kw km")
    run.rows(
        0,
        154,
        "No GPU waits for the other between A and B:",
        "the columns of A meet only their own rows.",
        kind="km",
        anchor="start",
    )
    return Picture(
        cut,
        run,
        alt="Left, x times A times B is y; A is cut into two halves by columns, B by rows, one "
        "half on each GPU. Right, each GPU multiplies by its halves and one all-reduce adds the "
        "results.",
        see="Both GPUs work on the same token, each with half of the weights. Cut like this, two "
        "matrices in a row need one sum. A transformer's layer has two such pairs, and each "
        "token waits for both sums, so tensor parallelism stays within NVLink.",
    )

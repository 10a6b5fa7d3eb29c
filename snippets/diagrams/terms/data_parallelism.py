"""Two copies of a model, each with its part of the batch."""

from snippets.diagrams.panels import Panel, Picture


def draw():
    where = Panel("Whole model on each, a part of the batch")
    for k in range(2):
        x = 4 + 172 * k
        where.box(x, 28, 160, 110, "n")
        where.text(x + 80, 44, f"GPU {k}", "kx km")
        where.cells(x + 8, 52, ["fb" if k == 0 else "fc"] * 4, 36, 18, 3)
        where.box(x + 8, 76, 143, 26, "fa", "all weights", "kw km")
        where.box(x + 8, 108, 143, 22, "tv", "gradients", "km")
    where.bend([(84, 138), (84, 160), (256, 160), (256, 140)], "lv")
    where.text(170, 176, "all-reduce: one sum for both", "km")
    time = Panel("Over time: the sum hides in the backward")
    for k in range(2):
        y = 32 + 58 * k
        time.text(0, y + 15, f"GPU {k}", "km", "start")
        time.box(46, y, 80, 22, "fa", "forward", "kw km")
        time.box(128, y, 150, 22, "fc", "backward", "kw km")
        time.box(306, y, 30, 22, "fb", "step", "kw km")
    for j in range(4):
        time.box(166 + 34 * j, 61, 30, 22, "fv", radius=2)
    time.text(160, 76, "all-reduce", "km", "end")
    time.time(136, 46)
    return Picture(
        where,
        time,
        alt="Left, two GPUs with all weights each, different parts of the batch and an "
        "all-reduce of the gradients between them. Right, a time line: forward, backward, and "
        "pieces of the all-reduce that run during the backward.",
        see="Each GPU has the whole model and its own samples. Only gradients cross, once a "
        "step, and those of the last layers are summed while the first layers are still at work.",
    )

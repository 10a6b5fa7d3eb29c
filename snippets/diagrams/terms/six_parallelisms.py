"""One model and its batch, cut by six knives: what each rank keeps, and what travels for it."""

from snippets.diagrams.panels import Panel, Picture

RANKS = ("fa", "fb", "fc", "fv")
CUTS = (  # knife, what it cuts, what travels, by which collective
    ("Data", "the batch", "gradients", "all-reduce, once a step"),
    ("Sharded (ZeRO 3)", "state too", "weights and gradients", "all-gather, reduce-scatter"),
    ("Tensor", "each matrix", "partial sums", "all-reduce, four a layer"),
    ("Pipeline", "the layers", "activations of a cut", "send, to the next stage"),
    ("Context", "the sequence", "keys and values", "send, around a ring"),
    ("Experts", "the experts", "tokens", "all-to-all, four a layer"),
)
HIGH, SIDE = 74, 11  # of a row, and of a token in the batch


def knives(panel, y, across=None, down=None):
    """Draw the three cuts between four ranks: across from x to x, or down, from x in steps."""
    if across:
        left, right = across
        panel.lines([(left, y + SIDE * k - 1, right, y + SIDE * k - 1) for k in (1, 2, 3)], "li")
    if down:
        x, step = down
        panel.lines([(x + step * k, y - 5, x + step * k, y + 47) for k in (1, 2, 3)], "li")


def draw_cut(panel, y, knife):
    """Draw four sequences of four tokens, a row each, and four layers, cut by one of the knives."""
    rows = [RANKS[k // 4] for k in range(16)]
    columns = [RANKS[k % 4] for k in range(16)]
    tokens = {0: rows, 1: rows, 4: columns, 5: rows}.get(knife, ["n"] * 16)
    panel.cells(2, y, tokens, SIDE, SIDE, 1, columns=4)
    if knife in (1, 2, 5):  # strips of a layer's weights
        strips = rows if knife < 5 else [RANKS[k // 4] if k % 2 else "" for k in range(16)]
        panel.cells(60, y, strips, 21, SIDE, 5, columns=4)
    whole = {0: "nnnn", 3: RANKS, 4: "nnnn", 5: ("n", "", "n", "")}.get(knife, ())
    panel.cells(60, y, list(whole), 21, 45, 5, columns=4)
    if knife in (0, 1):
        knives(panel, y, across=(-1, 49))
    if knife in (1, 2):
        knives(panel, y, across=(56, 143))
    if knife == 3:
        knives(panel, y, down=(57.5, 21))
    if knife == 4:
        knives(panel, y, down=(1.5, SIDE))
    if knife == 5:
        knives(panel, y, across=(78, 101))
        knives(panel, y, across=(120, 143))


def draw():
    panels = []
    for title, first in (("Cuts of data and weights", 0), ("Cuts of the model and its tokens", 3)):
        panel = Panel(title)
        panel.text(24, 34, "batch", "ks km")
        panel.text(100, 34, "four layers", "ks km")
        for k in range(3):
            name, what, travels, by = CUTS[first + k]
            y = 46 + HIGH * k
            draw_cut(panel, y, first + k)
            panel.text(154, y + 8, f"{name}: {what}", "kx km", "start")
            panel.text(154, y + 24, f"travels: {travels}", "km", "start")
            panel.text(154, y + 40, by, "ka km", "start")
        panel.key(46 + 3 * HIGH, *((kind, f"GPU {k}") for k, kind in enumerate(RANKS)), x=2)
        panels.append(panel)
    said = "; ".join(f"{n}, {what}: {t} travel, by {by}" for n, what, t, by in CUTS)
    return Picture(
        *panels,
        alt=f"The same batch of four sequences and the same four layers, six times, each cut "
        f"among four GPUs in another way. {said}.",
        see="A color is a GPU, and a line across it is a cut. What has no color is not cut: each "
        "GPU has it whole, or works on it in its turn.",
    )

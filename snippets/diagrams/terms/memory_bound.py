"""One token of a large model: every weight is read for two operations."""

from snippets.diagrams.panels import Panel, Picture


def panel(tokens):
    drawn = Panel(f"{tokens} token{'s' * (tokens > 1)}: {2 * tokens} operations for each weight")
    drawn.text(0, 40, "weights, read from HBM", "kb km", "start")
    drawn.cells(0, 46, ["fb"] * 96, 10.6, 8, 1, columns=32)
    drawn.text(0, 92, "arithmetic on each", "ka km", "start")
    drawn.cells(0, 98, ["fa"] * (32 * (tokens if tokens < 8 else 8)), 10.6, 6, 1, columns=32)
    y = 98 + 6 * min(tokens, 8) + 22
    drawn.text(0, y, "memory", "km", "start")
    drawn.box(66, y - 12, 200, 16, "fb", radius=1)
    drawn.text(0, y + 22, "arithmetic", "km", "start")
    drawn.box(66, y + 10, 200, 16, "n", radius=1)
    drawn.box(66, y + 10, 3 * tokens, 16, "fa", radius=1)
    drawn.text(274, y, "busy", "kb km", "start")
    return drawn


def draw():
    return Picture(
        panel(1),
        panel(8),
        alt="The weights of a model as a field of cells that is read from memory. For one token "
        "each weight takes part in two operations, and arithmetic is nearly idle. For eight "
        "tokens at once each takes part in sixteen, and memory is as busy as before.",
        see="A 70B model in 16 bits has 140 GB of weights, and a token needs all of them: 2 "
        "operations for each 2 bytes, far left of any ridge point. Eight tokens at once use each "
        "weight eight times and take about as long. To be seen at all, the bar of arithmetic is "
        "drawn longer than it is.",
    )

"""One step of a consumer in attention's backward pass: tensor cores, and everything else."""

from snippets.diagrams import common

LEFT, WIDE, HIGH = 74, 72, 30
PRODUCTS = ("dP", "dV", "dK", "dQ", "next S")
BESIDE = ("powers: P", "dS from", "write dS,", "", "add dQ")
BELOW = ("from S", "P and dP", "meet", "wait", "to memory")


def draw(theme):
    ink, shapes = theme["ink"], []
    shapes.append(common.text(4, 38, "tensor", ink, 11, "start"))
    shapes.append(common.text(4, 52, "cores", ink, 11, "start"))
    shapes.append(common.text(4, 92, "all other", ink, 11, "start"))
    shapes.append(common.text(4, 106, "units", ink, 11, "start"))
    for step, name in enumerate(PRODUCTS):
        x = LEFT + step * WIDE
        shapes.append(common.text(x + WIDE / 2, 16, step + 1, ink, 11, weight="bold"))
        shapes.append(common.rect(x, 28, WIDE - 3, HIGH, theme["accent"], theme["grid"]))
        shapes.append(common.text(x + WIDE / 2 - 1, 47, name, theme["on_accent"], 12))
        fill = theme["faint"] if name == "dQ" else theme["amber"]
        color = ink if name == "dQ" else theme["on_accent"]
        shapes.append(common.rect(x, 76, WIDE - 3, 40, fill, theme["grid"]))
        shapes.append(common.text(x + WIDE / 2 - 1, 93, BESIDE[step], color, 10.5))
        shapes.append(common.text(x + WIDE / 2 - 1, 108, BELOW[step], color, 10.5))
    shapes.append(common.text(4, 138, "time", ink, 11, "start"))
    shapes.append(common.arrow(36, 134, 130, 134, ink))
    label = "Five products in a row, and beside each what the other units do meanwhile"
    return common.svg(LEFT + len(PRODUCTS) * WIDE + 2, 146, *shapes, label=label)

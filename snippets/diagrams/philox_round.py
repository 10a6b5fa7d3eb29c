"""A round of Philox: two products, whose upper and lower halves become the next four words."""

from snippets.diagrams.common import arrow, rect, svg, text

WIDE = 78
AT = {name: 8 + 92 * number for number, name in enumerate("abcd")}


def draw(theme):
    ink, accent, amber, shapes = theme["ink"], theme["accent"], theme["amber"], []

    def box(x, y, wide, words, edge):
        shapes.append(rect(x, y, wide, 24, theme["faint"], edge, 3))
        shapes.append(text(x + wide / 2, y + 16, words, ink, 11))

    def middle(name, part=0.5):
        return AT[name] + part * WIDE

    for name, x in AT.items():
        edge = {"a": accent, "c": amber}.get(name, theme["grid"])
        box(x, 8, WIDE, name, edge)
    for name, edge in (("a", accent), ("c", amber)):
        box(AT[name], 62, WIDE / 2, "high", edge)
        box(AT[name] + WIDE / 2, 62, WIDE / 2, "low", edge)
        shapes.append(arrow(middle(name), 33, middle(name), 61, edge))
        shapes.append(text(middle(name) + 8, 50, "times a constant", ink, 10, "start"))
    for source, part, target, edge in (
        ("c", 0.25, "a", amber),
        ("c", 0.75, "b", amber),
        ("a", 0.25, "c", accent),
        ("a", 0.75, "d", accent),
    ):
        shapes.append(arrow(middle(source, part), 87, middle(target), 159, edge))
    for name, x in AT.items():
        edge = accent if name in "cd" else amber
        words = {"a": "high ^ b ^ k", "b": "low", "c": "high ^ d ^ m", "d": "low"}[name]
        box(x, 160, WIDE, words, edge)
        shapes.append(text(middle(name), 200, f"new {name}", ink, 11))
    label = "New a and b come from the product of c, new c and d from the product of a."
    return svg(370, 208, *shapes, label=label)

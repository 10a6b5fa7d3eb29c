"""One tile of the backward pass: two products in, two elementwise steps, three products out."""

from snippets.diagrams import common


def box(theme, x, y, width, words, fill, ink):
    shapes = [common.rect(x, y, width, 24, fill, theme["grid"], radius=3)]
    return [*shapes, common.text(x + width / 2, y + 16, words, ink, weight="bold")]


def draw(theme):
    ink, on = theme["ink"], theme["on_accent"]
    faint, product, step = theme["faint"], theme["accent"], theme["amber"]
    shapes = []
    for x, words in ((16, "Q"), (68, "K"), (198, "dO"), (250, "V")):
        shapes += box(theme, x, 6, 40, words, faint, ink)
    for x in (36, 88):
        shapes.append(common.arrow(x, 30, 62, 52, ink))
    for x in (218, 270):
        shapes.append(common.arrow(x, 30, 244, 52, ink))
    shapes += box(theme, 16, 54, 92, "S = Q K.T", product, on)
    shapes += box(theme, 192, 54, 104, "dP = dO V.T", product, on)
    shapes.append(common.arrow(62, 78, 62, 102, ink))
    shapes += box(theme, 16, 104, 120, "P = 2^(S − lse)", step, on)
    shapes.append(common.arrow(244, 78, 244, 102, ink))
    shapes += box(theme, 182, 104, 148, "dS = P (dP − delta)", step, on)
    shapes.append(common.arrow(136, 116, 180, 116, ink))
    outs = (
        (8, 106, "dV += P.T dO", 61),
        (126, 112, "dK += dS.T Q", 210),
        (250, 96, "dQ += dS K", 298),
    )
    for x, width, words, start in outs:
        shapes.append(common.arrow(start, 128, x + width / 2, 152, ink))
        shapes += box(theme, x, 154, width, words, product, on)
    for x, words in ((61, "registers"), (182, "registers"), (298, "memory")):
        shapes.append(common.text(x, 194, words, ink))
    shapes.append(common.rect(16, 208, 12, 12, product))
    shapes.append(common.text(34, 218, "product: tensor cores", ink, anchor="start"))
    shapes.append(common.rect(182, 208, 12, 12, step))
    shapes.append(common.text(200, 218, "a number at a time", ink, anchor="start"))
    label = "S and dP are products, P and dS come element by element, dV, dK and dQ are products"
    return common.svg(362, 228, *shapes, label=label)

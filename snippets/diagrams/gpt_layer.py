"""One layer of GPT-2 along the residual stream: our kernels, and cuBLAS's products."""

from snippets.diagrams.common import arrow, line, rect, svg, text

LABEL = (
    "The forward pass of one layer. From the residual stream: layernorm, product to q, k and v, "
    "bias, product of q and k, causal softmax, product with v, product out, and back into the "
    "stream. Again: layernorm, product up, bias and GELU, product down, and back into the stream."
)
HALVES = (
    (
        ("layernorm", 1),
        ("q, k, v: x times a weight", 0),
        ("+ bias", 1),
        ("scores: q times k", 0),
        ("causal softmax", 1),
        ("mixed: weights times v", 0),
        ("out: mixed times a weight", 0),
    ),
    (
        ("layernorm", 1),
        ("up: x times a weight, 4 C wide", 0),
        ("+ bias, GELU", 1),
        ("down: times a weight", 0),
    ),
)


def draw(theme):
    """Return the picture as SVG."""
    ink, ours, cublas, paper = theme["ink"], theme["accent"], theme["amber"], theme["on_accent"]
    shapes = [rect(96, 4, 12, 12, ours), text(114, 14, "our kernels", ink, 12, "start")]
    shapes += [rect(206, 4, 12, 12, cublas), text(224, 14, "cuBLAS", ink, 12, "start")]
    stream, left, wide, y = 44, 96, 260, 36
    top = y - 6
    for half in HALVES:
        shapes.append(arrow(stream, y + 11, left - 2, y + 11, ink))
        for words, kernel in half:
            shapes.append(rect(left, y, wide, 22, ours if kernel else cublas, radius=3))
            shapes.append(text(left + wide / 2, y + 15, words, paper, 12))
            y += 26
        y -= 26
        shapes.append(line(left + wide + 2, y + 11, left + wide + 14, y + 11, ink, 1.5))
        shapes.append(line(left + wide + 14, y + 11, left + wide + 14, y + 33, ink, 1.5))
        shapes.append(arrow(left + wide + 14, y + 33, stream + 11, y + 33, ink))
        shapes.append(rect(stream - 9, y + 24, 18, 18, ours, radius=9))
        shapes.append(text(stream, y + 37.5, "+", paper, 14, weight="bold"))
        y += 58
    shapes.insert(0, arrow(stream, top, stream, y + 8, ink, 2.5))
    shapes.append(text(stream - 36, top - 6, "x, R by C", ink, 12, "start"))
    return svg(400, y + 14, *shapes, label=LABEL)

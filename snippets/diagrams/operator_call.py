"""What a call of a registered operator passes through, for real tensors and for fake ones."""

from snippets.diagrams import common


def draw(theme):
    ink, shapes = theme["ink"], []

    def box(x, y, wide, high, words, fill, color):
        shapes.append(common.rect(x, y, wide, high, fill, theme["grid"], 4))
        for row, part in enumerate(words):
            size = 11.5 if row == 0 else 10
            shapes.append(common.text(x + wide / 2, y + 17 + 14 * row, part, color, size))

    plain, on = theme["faint"], theme["on_accent"]
    box(110, 6, 180, 28, ["model: swiglu(gate, up)"], plain, ink)
    box(110, 58, 180, 42, ["dispatcher", "checks the schema"], theme["accent"], on)
    shapes.append(common.arrow(200, 34, 200, 56, ink))
    box(
        6,
        134,
        118,
        56,
        ["autograd", "keeps gate and up,", "knows the gradient"],
        theme["accent"],
        on,
    )
    box(276, 134, 118, 56, ["fake version", "shapes and types,", "no data"], theme["amber"], on)
    shapes.append(common.arrow(140, 100, 80, 132, ink))
    shapes.append(common.arrow(260, 100, 320, 132, ink))
    shapes.append(common.text(100, 112, "real tensors", ink, 10.5, "end"))
    shapes.append(common.text(300, 112, "torch.compile", ink, 10.5, "start"))
    box(
        6, 216, 118, 56, ["C++ binding", "guard, stream,", "contiguous, check"], theme["accent"], on
    )
    shapes.append(common.arrow(65, 190, 65, 214, ink))
    box(190, 230, 90, 28, ["CUDA kernel"], plain, ink)
    shapes.append(common.arrow(124, 244, 188, 244, ink))
    shapes.append(common.text(335, 210, "a plan: the compiled", ink, 10.5))
    shapes.append(common.text(335, 224, "model calls it later", ink, 10.5))
    label = (
        "Real tensors go through autograd to the binding and the kernel; fake ones stop at shapes"
    )
    return common.svg(400, 280, *shapes, label=label)

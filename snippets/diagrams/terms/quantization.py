"""Weights on a grid of 16 steps, with the scale that the largest one sets."""

from snippets.diagrams.panels import Panel, Picture

WEIGHTS = (0.31, -0.52, 0.07, 0.70, -0.18, 0.44, -0.66, 0.23)
OUTLIER = (0.31, -0.52, 0.07, 2.80, -0.18, 0.44, -0.66, 0.23)


def panel(name, weights):
    scale = max(abs(w) for w in weights) / 7
    drawn = Panel(f"{name}: scale {scale:.2f}")
    drawn.text(0, 42, "weight", "ks km", "start")
    drawn.text(0, 76, "4 bits", "ks km", "start")
    drawn.text(0, 110, "read as", "ks km", "start")
    drawn.text(0, 144, "error", "ks km", "start")
    for k, w in enumerate(weights):
        x, q = 48 + 36.5 * k, round(w / scale)
        off = abs(q * scale - w)
        drawn.box(x, 28, 34, 20, "tc", f"{w:g}", "km")
        drawn.box(x, 62, 34, 20, "fa", q, "kw km")
        drawn.box(x, 96, 34, 20, "n", f"{q * scale:.1f}", "km")
        drawn.box(x + 6, 150 - off * 110, 22, off * 110 + 1, "fr", radius=0)
    drawn.line(48, 151.5, 338, 151.5, "ls")
    return drawn


def draw():
    return Picture(
        panel("Alike weights", WEIGHTS),
        panel("One outlier", OUTLIER),
        alt="Eight weights, their whole numbers from -7 to 7, what these are read as, and bars "
        "for the errors. With alike weights the errors are small. With one weight of 2.8 the "
        "scale is four times as large, most weights become 0 or 1, and the errors grow.",
        see="A weight becomes a whole number of 4 bits times a scale that its group shares. The "
        "largest weight sets the scale, so one outlier makes the steps coarse for all. That is "
        "why groups are small, 32 or 128 weights.",
    )

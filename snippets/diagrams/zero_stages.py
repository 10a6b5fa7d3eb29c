"""What four ranks keep of weights, gradients and Adam's state, in ZeRO's stages."""

from kernels.ddp_fsdp.zero import gigabytes, traffic
from snippets.diagrams.common import rect, svg, text

RANKS = 4
LABEL = (
    "Bars of what each of four ranks keeps for a model of one billion parameters in float32. "
    "Plain data parallelism: 16 GB. Stage 1, Adam's state sharded: 10 GB. Stage 2, gradients too: "
    "7 GB. Stage 3, weights too: 4 GB. Stages 0 to 2 send the same; stage 3 half as much again."
)
KEPT = "weights", "gradients", "Adam's state"
NAMES = ("DDP", "ZeRO 1", "ZeRO 2", "ZeRO 3, FSDP")


def draw(theme):
    """Return the picture as SVG, to the lengths that ``gigabytes`` returns."""
    ink = theme["ink"]
    fills = theme["accent"], theme["amber"], theme["ink"]
    shapes, y, unit, left = [], 14, 20, 4
    for fill, words, x in zip(
        fills, ("weights", "gradients", "Adam's state"), (4, 84, 174), strict=True
    ):
        shapes.append(rect(x, y - 10, 12, 12, fill))
        shapes.append(text(x + 18, y, words, ink, 12, "start"))
    y += 26
    for stage, name in enumerate(NAMES):
        kept = gigabytes(1e9, RANKS, stage)
        words = (
            f"{name}: {sum(kept):g} GB a rank, {traffic(1e9, RANKS, stage):g} GB received a step"
        )
        shapes.append(text(left, y, words, ink, 12, "start", "bold"))
        y += 7
        for rank in range(RANKS):
            x = left
            for part, (size, fill) in enumerate(zip(kept, fills, strict=True)):
                whole = gigabytes(1e9, RANKS, 0)[part]
                shapes.append(rect(x, y, whole * unit - 2, 12, "none", theme["grid"]))
                offset = rank * size if size < whole else 0
                shapes.append(rect(x + offset * unit, y, size * unit - 2, 12, fill))
                x += whole * unit
            shapes.append(text(x + 6, y + 10, f"rank {rank}", ink, 11, "start"))
            y += 15
        y += 20
    return svg(left + 16 * unit + 50, y - 12, *shapes, label=LABEL)

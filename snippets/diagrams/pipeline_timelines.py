"""GPipe and 1F1B among three stages with four batches, as our simulator of many GPUs ran them."""

import numpy as np

from kernels.many_gpus.schedules import gpipe, one_f_one_b, pipeline
from kernels.many_gpus.world import World, switch
from snippets.diagrams.common import rect, svg, text

LABEL = (
    "Two timelines of a pipeline of three stages with four batches. GPipe runs all forward passes "
    "and then all backward passes. 1F1B alternates as soon as it can. Both end at the same time, "
    "with the same idle gaps at the corners."
)
STAGES, BATCHES, LEFT, WIDE, HIGH = 3, 4, 42, 344, 26


def draw(theme):
    """Return the picture as SVG."""
    ink, paper, shapes = theme["ink"], theme["on_accent"], []
    for row, schedule in enumerate((gpipe, one_f_one_b)):
        world = World(STAGES, switch(0, 1e9))
        world.run(pipeline(schedule, BATCHES, 1, 2, np.zeros(1)))
        top, scale = 30 + row * (STAGES * HIGH + 44), WIDE / world.seconds
        name = "GPipe" if schedule is gpipe else "1F1B"
        shapes.append(text(LEFT, top - 10, name, ink, 12, "start", "bold"))
        for stage in range(STAGES):
            y = top + stage * HIGH
            shapes.append(text(LEFT - 8, y + 16, f"r{stage}", ink, 11, "end"))
            shapes.append(rect(LEFT, y, WIDE, HIGH - 3, theme["faint"], theme["grid"]))
        for stage, work, began, end in world.spans:
            if isinstance(work, int):
                continue  # a message: instant here
            x, y = LEFT + began * scale, top + stage * HIGH
            fill = theme["accent"] if work[0] == "F" else theme["amber"]
            shapes.append(rect(x, y, (end - began) * scale - 1, HIGH - 3, fill))
            shapes.append(text(x + (end - began) * scale / 2, y + 16, work, paper, 11))
    return svg(LEFT + WIDE + 8, 30 + 2 * (STAGES * HIGH + 44) - 30, *shapes, label=LABEL)

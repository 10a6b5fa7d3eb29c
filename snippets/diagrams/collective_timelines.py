"""A ring and two shots among four ranks, as the simulator of many GPUs played them."""

import numpy as np

from kernels.many_gpus.collectives import ring, two_shot
from kernels.many_gpus.world import World, switch
from snippets.diagrams.common import rect, svg, text

LABEL = (
    "Two timelines of four ranks that all-reduce one array. In the ring each rank sends six "
    "messages to its right neighbor, with a pause for the latency after each. In two shots each "
    "sends three messages to the three others, pauses, and sends three more."
)
RANKS, LEFT, WIDE, HIGH = 4, 42, 340, 22


def played(program):
    """Return the simulator's world after an all-reduce whose latency is half a message."""
    world = World(RANKS, switch(latency=0.5, bandwidth=1), element=1)
    world.run(program, [np.ones(RANKS)] * RANKS)
    return world


def draw(theme):
    """Return the picture as SVG."""
    ink, paper = theme["ink"], theme["on_accent"]
    worlds = [("ring", played(ring)), ("two shots", played(two_shot))]
    scale = WIDE / max(world.seconds for _, world in worlds)
    shapes = []
    for row, (name, world) in enumerate(worlds):
        top = 30 + row * (RANKS * HIGH + 40)
        shapes.append(text(LEFT, top - 10, name, ink, 12, "start", "bold"))
        for rank in range(RANKS):
            shapes.append(text(LEFT - 8, top + rank * HIGH + 14, f"r{rank}", ink, 11, "end"))
        for rank, to, began, end in world.spans:
            x, y = LEFT + began * scale, top + rank * HIGH
            fill = theme["accent"] if to == (rank + 1) % RANKS else theme["amber"]
            shapes.append(rect(x, y, (end - began) * scale - 1, HIGH - 3, fill))
            shapes.append(text(x + (end - began) * scale / 2, y + 14, f"to {to}", paper))
    height = 30 + 2 * (RANKS * HIGH + 40) - 24
    return svg(LEFT + WIDE + 8, height, *shapes, label=LABEL)

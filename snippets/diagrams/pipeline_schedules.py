"""GPipe, 1F1B and interleaved 1F1B on four stages, as their dependencies time them."""

from kernels.megatron.pipeline import gpipe, interleaved, one_f_one_b, timetable
from snippets.diagrams.common import rect, svg, text

STAGES, MICRO = 4, 8
LABEL = (
    "Timetables of eight micro-batches on four stages. GPipe: all forward passes, then all "
    "backward passes. 1F1B: the same idle time, forward and backward in turns. Interleaved, with "
    "two chunks of layers to a stage: shorter gaps at both ends."
)
WAYS = (
    ("GPipe", gpipe, 1),
    ("1F1B", one_f_one_b, 1),
    ("interleaved 1F1B, two chunks a stage", interleaved, 2),
)


def draw(theme):
    """Return the picture as SVG, of the times that ``timetable`` returns."""
    ink, forward, backward = theme["ink"], theme["accent"], theme["amber"]
    shapes, y, unit = [], 16, 12.4
    shapes += [rect(220, 6, 12, 12, forward), text(237, 16, "forward", ink, 11, "start")]
    shapes += [rect(300, 6, 12, 12, backward), text(317, 16, "backward", ink, 11, "start")]
    for title, schedule, chunks in WAYS:
        done = timetable(schedule, STAGES, MICRO, chunks)
        end = max(end for _, end in done.values())
        shapes.append(text(4, y, title, ink, 12, "start", "bold"))
        y += 8
        for stage in range(STAGES):
            shapes.append(rect(4, y, end * unit, 16, theme["faint"]))
            for (at, (kind, m, chunk)), (start, stop) in done.items():
                if at != stage:
                    continue
                fill = forward if kind == "F" else backward
                wide = (stop - start) * unit
                shapes.append(rect(4 + start * unit, y, wide - 1, 16, fill, radius=1))
                if chunk:
                    shapes.append(rect(4 + start * unit, y + 14, wide - 1, 3, ink, radius=1))
                x, size = 4 + start * unit + wide / 2 - 0.5, 9 if wide > 10 else 7.5
                shapes.append(text(x, y + 11, m, theme["on_accent"], size))
            y += 18
        y += 26
    return svg(8 + 33 * unit, y - 20, *shapes, label=LABEL)

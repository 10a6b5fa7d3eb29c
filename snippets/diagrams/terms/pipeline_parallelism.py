"""Four stages and their idle time with one batch and with four parts of it."""

from snippets.diagrams.panels import Panel, Picture

STAGES = 4


def panel(parts):
    slots = STAGES + parts - 1
    wide = 288 / (2 * STAGES - 1)
    drawn = Panel(
        f"{parts} micro-batch{'es' * (parts > 1)}: {STAGES * parts} of {STAGES * slots} places used"
    )
    for stage in range(STAGES):
        y = 34 + 30 * stage
        drawn.text(0, y + 15, f"stage {stage}", "km", "start")
        for slot in range(slots):
            part = slot - stage
            mine = 0 <= part < parts
            drawn.box(
                50 + wide * slot,
                y,
                wide - 2,
                24,
                ("fa", "fc", "fv", "fb")[part] if mine else "d",
                part if mine else None,
                "kw km",
            )
    drawn.time(166, 50)
    return drawn


def draw():
    return Picture(
        panel(1),
        panel(4),
        alt="Four stages of a pipeline over time. With one batch, one stage works and three are "
        "idle in each step. With four micro-batches the stages work on different ones, and only "
        "the start and the end have gaps.",
        see="Each GPU has some of the layers and passes its results on. A single batch keeps one "
        "at work. Cut into micro-batches, it fills the stages; what stays dashed is the bubble, "
        f"{STAGES - 1} steps at each end.",
    )

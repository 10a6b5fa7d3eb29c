"""Which chunk each of four ranks sends in each step of a ring's reduce-scatter."""

from snippets.diagrams.panels import Panel, Picture

RANKS = 4


def state(step):
    """Return how many ranks' values each rank's chunks hold after some steps."""
    held = [[1] * RANKS for _ in range(RANKS)]
    for s in range(step):
        sent = [((r - s) % RANKS, held[r][(r - s) % RANKS]) for r in range(RANKS)]
        for r, (chunk, count) in enumerate(sent):
            held[(r + 1) % RANKS][chunk] += count
    return held


def draw():
    ring = Panel("Each sends to the next, all at once")
    places = [(120, 30), (236, 88), (120, 146), (4, 88)]
    for r, (x, y) in enumerate(places):
        ring.box(x, y, 96, 34, "fa", f"rank {r}", "kw")
    ring.bend([(216, 47), (284, 47), (284, 86)], "lb")
    ring.bend([(284, 122), (284, 163), (218, 163)], "lb")
    ring.bend([(120, 163), (52, 163), (52, 124)], "lb")
    ring.bend([(52, 88), (52, 47), (118, 47)], "lb")
    ring.rows(168, 100, "one chunk in each", "direction of the ring", kind="ks km")
    ring.height = 190

    steps = Panel("Partial sums grow as they go around")
    for step in range(RANKS):
        x = 26 + 81 * step
        steps.text(x + 34, 36, f"step {step}" if step else "start", "ks km")
        held = state(step)
        for r in range(RANKS):
            kinds = [("ga", "ta", "tb", "fa")[held[r][c] - 1] for c in range(RANKS)]
            steps.cells(
                x, 44 + 30 * r, kinds, 17, 22, 2, words=held[r], look="km" if step < 3 else ""
            )
    for r in range(RANKS):
        steps.text(0, 58 + 30 * r, f"{r}", "kx km", "start")
    steps.text(0, 180, "A cell says how many ranks' values it holds.", "ks km", "start")
    return Picture(
        ring,
        steps,
        alt="Left, four ranks in a ring, each with an arrow to the next. Right, the chunks of "
        "the four ranks over three steps: the cells begin with the values of one rank, and after "
        "three steps each rank has one chunk that holds all four.",
        see="In each step every rank sends one chunk to its neighbor and adds the one that "
        "comes. After n − 1 steps each rank has one finished chunk; n − 1 more hand them around. "
        "Every link is busy all the time, and no rank sends more than another.",
    )

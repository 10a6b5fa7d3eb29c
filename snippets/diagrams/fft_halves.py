"""Eight points in Stockham's order: what each place holds after each stage, and one butterfly."""

from snippets.diagrams.common import arrow, line, rect, svg, text
from snippets.diagrams.fft_stages import N, stage

WIDE, HIGH, GAP, TOP = 64, 20, 44, 42


def words(done, place):
    """Return what stands at a place once transforms of ``done`` points are made."""
    if done == 1:
        return f"x{place}"
    if done == N:
        return f"X{place}"
    group, result = divmod(place, done)
    name = f"x{group}, x{group + 4}" if done == 2 else ("even", "odd")[group]
    return f"{name} [{result}]"


def y(done, place):
    """Return the middle of a place: transforms of more than one point stand a little apart."""
    return TOP + place * 23 + (place // done * 6 if 1 < done < N else 0)


def draw(theme):
    ink, shapes = theme["ink"], []
    for column, (done, title) in enumerate(
        ((1, "points"), (2, "of 2 points"), (4, "of 4 points"), (8, "of 8 points"))
    ):
        x = 6 + column * (WIDE + GAP)
        shapes.append(text(x + WIDE / 2, 16, title, ink, 11, weight="bold"))
        if done < N:
            for j, before, after in stage(done):
                ends = x + WIDE, y(done, before), x + WIDE + GAP, y(2 * done, after)
                shapes.append(
                    arrow(*ends, theme["amber"], 2) if j == 1 else line(*ends, theme["grid"], 1)
                )
        touched = {b for j, b, _ in stage(done) if j == 1} if done < N else set()
        for place in range(N):
            edge = theme["amber"] if place in touched else theme["accent"]
            at = y(done, place)
            shapes.append(rect(x, at - HIGH / 2, WIDE, HIGH, theme["faint"], edge, 3))
            shapes.append(text(x + WIDE / 2, at + 4, words(done, place), ink, 11))
    label = "Eight points through three stages, each of which reads four apart and writes closer."
    return svg(12 + 4 * WIDE + 3 * GAP, TOP + 7 * 23 + 18 + HIGH / 2 + 6, *shapes, label=label)

"""A running sum in log n steps: each element adds the one 1, 2, 4 places before it."""

from snippets.diagrams.panels import Panel, Picture

X = (3, 1, 7, 0, 4, 1, 6, 3)


def draw():
    drawn = Panel("Each adds the one 1, 2, 4 places before")
    row, y, wide = list(X), 32, 42
    places = [2 + wide * k + 17 for k in range(8)]
    for step in (1, 2, 4, None):
        done = [step is None or k < step for k in range(8)]
        drawn.cells(2, y, ["fa" if d else "ta" for d in done], wide, 22, 8, words=row, look="")
        if step is None:
            break
        drawn.lines([(places[k - step], y + 21, places[k], y + 41) for k in range(step, 8)], "la")
        drawn.lines([(x, y + 21, x, y + 41) for x in places], "ll")
        row = [v + (row[k - step] if k >= step else 0) for k, v in enumerate(row)]
        y += 42

    two = Panel("Inclusive, exclusive, and what for")
    inclusive = [sum(X[: k + 1]) for k in range(8)]
    exclusive = [sum(X[:k]) for k in range(8)]
    for k, (name, values, kind) in enumerate(
        (("x", X, "n"), ("inclusive", inclusive, "fa"), ("exclusive", exclusive, "fc"))
    ):
        y = 36 + 44 * k
        two.text(0, y - 4, name, "km", "start")
        two.cells(0, y, [kind] * 8, wide, 22, 4, words=values)
    two.rows(
        0,
        172,
        "If block k wants to write x[k] results, the",
        f"exclusive scan says where; {sum(X)} in all.",
        kind="km",
        anchor="start",
    )
    return Picture(
        drawn,
        two,
        alt="Left, eight numbers become their running sums in three steps; in each, every "
        "element adds the one 1, 2 or 4 places to its left. Right, the numbers with their "
        "inclusive and exclusive scans.",
        see="A filled cell is final. Every step doubles how far back an element reaches, so "
        "eight elements take three steps. The exclusive scan leaves the own element out, which "
        "makes sums of sizes into addresses.",
    )

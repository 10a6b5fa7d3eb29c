"""Data and a flag, with and without a fence between the writes."""

from snippets.diagrams.panels import Panel, Picture


def panel(fence):
    drawn = Panel("With a fence: data first" if fence else "Without: the flag may come first")
    drawn.text(62, 36, "writer", "kx km")
    drawn.text(278, 36, "reader", "kx km")
    drawn.line(62, 42, 62, 176, "ll")
    drawn.line(278, 42, 278, 176, "ll")
    drawn.box(10, 50, 104, 22, "fc", "data = 42", "kw km")
    if fence:
        drawn.box(10, 78, 104, 20, "fa", "fence", "kw km")
    drawn.box(10, 104, 104, 22, "fv", "flag = 1", "kw km")
    if fence:
        drawn.arrow(114, 61, 222, 84, "lc")
        drawn.arrow(114, 115, 222, 126, "lv")
        drawn.box(226, 74, 104, 22, "tc", "data is 42", "km")
        drawn.box(226, 116, 104, 22, "tv", "sees flag 1", "km")
        drawn.box(226, 144, 104, 22, "ta", "reads 42", "ka km")
    else:
        drawn.arrow(114, 115, 222, 66, "lv")
        drawn.arrow(114, 61, 222, 151, "lc dash")
        drawn.box(226, 56, 104, 22, "tv", "sees flag 1", "km")
        drawn.box(226, 90, 104, 22, "tr", "reads old data", "kr km")
        drawn.box(226, 142, 104, 22, "tc", "data is 42", "km")
    return drawn


def draw():
    return Picture(
        panel(False),
        panel(True),
        alt="A writer stores data and then a flag. Without a fence the reader sees the flag "
        "before the data and reads an old value. With a fence the data arrive first, and a "
        "reader that sees the flag reads 42.",
        see="Writes may reach another thread in another order than they were made. A fence "
        "between them says: whoever sees what I write after this, sees also what I wrote before. "
        "The reader needs one, too, between flag and data.",
    )

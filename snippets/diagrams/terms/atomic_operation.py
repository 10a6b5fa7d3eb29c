"""Two threads that add to one counter, plainly and atomically."""

from snippets.diagrams.panels import Panel, Picture


def row(panel, y, who, kind, words, x, wide=72):
    panel.box(x, y, wide, 22, kind, words, "kw km")


def draw():
    race = Panel("count = count + 1: one is lost")
    race.text(0, 58, "thread 0", "km", "start")
    race.text(0, 92, "thread 1", "km", "start")
    race.text(0, 126, "count", "kx km", "start")
    for x, y, kind, words in (
        (58, 44, "fc", "read 5"),
        (104, 78, "fv", "read 5"),
        (172, 44, "fc", "write 6"),
        (246, 78, "fv", "write 6"),
    ):
        race.box(x, y, 66, 22, kind, words, "kw km")
    for x, value, kind in ((58, 5, "n"), (172, 6, "n"), (246, 6, "tr")):
        race.box(x, 112, 66, 22, kind, value, "km")
    race.time(150, 58)

    atom = Panel("atomic.add(count, 0, 1): both count")
    atom.text(0, 58, "thread 0", "km", "start")
    atom.text(0, 92, "thread 1", "km", "start")
    atom.text(0, 126, "count", "kx km", "start")
    atom.box(58, 44, 118, 22, "fa", "read, add, write", "kw km")
    atom.box(58, 78, 118, 22, "n", "waits its turn", "ks km")
    atom.box(182, 78, 118, 22, "fa", "read, add, write", "kw km")
    for x, value, kind in ((58, 5, "n"), (146, 6, "n"), (270, 7, "ta")):
        atom.box(x, 112, 66, 22, kind, value, "km")
    atom.time(150, 58)
    return Picture(
        race,
        atom,
        alt="Two time lines of two threads that add one to a counter of 5. Left, both read 5 and "
        "both write 6. Right, one reads, adds and writes as a whole while the other waits, and "
        "the counter ends at 7.",
        see="A plain addition is three steps, and another thread can slip in between: two "
        "additions, one counted. An atomic one is a whole, so threads that want the same address "
        "take turns, and many on one address wait long.",
    )

"""Keys and values that are computed for each new token, without a cache and with one."""

from snippets.diagrams.panels import Panel, Picture

TOKENS = ("The", "cat", "sat", "on", "the", "mat")
WIDE, HIGH = 44, 22


def panel(cache):
    computed = sum(1 if cache else n for n in range(1, len(TOKENS) + 1))
    drawn = Panel(f"{'With' if cache else 'Without'} a cache: {computed} computed")
    for k, word in enumerate(TOKENS):
        drawn.text(66 + WIDE * (k + 0.5), 38, word, "kx km")
    for step in range(len(TOKENS)):
        y = 48 + step * (HIGH + 4)
        drawn.text(0, y + 15, f"token {step + 1}", "km", "start")
        for k in range(step + 1):
            new = not cache or k == step
            drawn.box(
                67 + WIDE * k,
                y,
                WIDE - 2,
                HIGH,
                "fb" if new else "ta",
                "K V",
                "kw km" if new else "ka km",
            )
    y = 48 + len(TOKENS) * (HIGH + 4) + 14
    if cache:
        drawn.key(y, ("fb", "computed"), ("ta", "read from the cache"), x=66)
    else:
        drawn.key(y, ("fb", "computed"), x=66)
    return drawn


def draw():
    n = len(TOKENS)
    return Picture(
        panel(False),
        panel(True),
        alt="Two triangles, a row for each generated token and a column for each word. Without a "
        "cache every cell of the triangle, a key and a value, is computed. With one, only the "
        "last cell of each row is, and the others are read.",
        see=f"Attention needs the keys and values (K V) of all words so far. Without a cache {n} "
        f"tokens compute {n * (n + 1) // 2} pairs, and the work of a token grows with the text. "
        "With one, each token computes its own pair and reads the rest: the price is memory, and "
        "the time to read it.",
    )

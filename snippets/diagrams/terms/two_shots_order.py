"""Four GPUs load from one another: all from GPU 0 first, or each from itself first."""

from snippets.diagrams.panels import Panel, Picture

GPUS = range(4)
KINDS = ("ta", "tc", "tv", "tb")


def loads(first):
    """Return whose array each GPU loads in each of four rounds."""
    return [[(first(gpu) + k) % 4 for k in GPUS] for gpu in GPUS]


def crowds(rounds):
    """Return how many others load from the busiest GPU, in each round."""
    return [
        max(sum(row[k] == port for gpu, row in enumerate(rounds) if gpu != port) for port in GPUS)
        for k in GPUS
    ]


def panel_of(title, first):
    panel, rounds = Panel(title), loads(first)
    for k in GPUS:
        panel.text(98 + 66 * k, 34, f"round {k + 1}", "ks km")
    for gpu, row in enumerate(rounds):
        y = 44 + 30 * gpu
        panel.text(0, y + 17, f"GPU {gpu}", "km", "start")
        for k, whose in enumerate(row):
            words = "itself" if whose == gpu else f"GPU {whose}"
            panel.box(68 + 66 * k, y, 60, 24, "n" if whose == gpu else KINDS[whose], words, "km")
    panel.text(0, 183, "at one port", "km", "start")
    for k, most in enumerate(crowds(rounds)):
        panel.text(98 + 66 * k, 183, most, "kr kx" if most > 1 else "ka kx")
    return panel


def draw():
    crowd, apart = crowds(loads(lambda gpu: 0)), crowds(loads(lambda gpu: gpu))
    assert (crowd, apart) == ([3] * 4, [0, 1, 1, 1])
    return Picture(
        panel_of("Our kernel: all begin with GPU 0", lambda gpu: 0),
        panel_of("Each begins with its own array", lambda gpu: gpu),
        alt="Two tables of four GPUs and four rounds of loads. On the left all four load from GPU "
        "0, then from GPU 1, from 2 and from 3: in each round three others are at one port. On "
        "the right each begins with its own array and goes around: no two are at one port.",
        see="A row is a GPU, a box whose array it loads. On the left three ports idle while the "
        "fourth serves three at once. On the right the same loads never meet.",
    )

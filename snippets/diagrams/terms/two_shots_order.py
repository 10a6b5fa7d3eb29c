"""Four GPUs load from one another, a part at a time: all in one order, or each in its own."""

from snippets.diagrams.panels import Panel, Picture

GPUS, SLOTS = range(4), 5
KINDS = ("ta", "tc", "tv", "tb")


def served(orders):
    """Return the port that serves each GPU in each slot of time, or None where the GPU waits.

    A port serves one GPU at a time, the one that came first (of two at once, the lower number).
    Who is served goes on to the next port of its order.
    """
    rest, since = [list(order) for order in orders], [0] * len(orders)
    rows, slot = [[] for _ in orders], 0
    while any(rest):
        asks = sorted((since[gpu], gpu) for gpu in range(len(orders)) if rest[gpu])
        first = {rest[gpu][0]: gpu for _, gpu in reversed(asks)}
        for gpu, ports in enumerate(rest):
            if ports and first[ports[0]] == gpu:
                rows[gpu].append(ports[0])
                since[gpu] = slot + 1
            elif ports:
                rows[gpu].append(None)
        for gpu in first.values():
            rest[gpu].pop(0)
        slot += 1
    return rows


def by_number(ranks):
    return [[port for port in range(ranks) if port != gpu] for gpu in range(ranks)]


def from_own(ranks):
    return [[(gpu + k) % ranks for k in range(1, ranks)] for gpu in range(ranks)]


def panel_of(title, rows):
    panel = Panel(title)
    for k in range(SLOTS):
        panel.text(79 + 56 * k, 34, f"time {k + 1}", "ks km")
    for gpu, row in enumerate(rows):
        y = 44 + 30 * gpu
        panel.text(0, y + 17, f"GPU {gpu}", "km", "start")
        for k, port in enumerate(row):
            kind, words = ("n", "waits") if port is None else (KINDS[port], f"GPU {port}")
            panel.box(54 + 56 * k, y, 50, 24, kind, words, "km")
    panel.text(0, 183, "ports", "km", "start")
    for k in range(max(len(row) for row in rows)):
        busy = sum(len(row) > k and row[k] is not None for row in rows)
        panel.text(79 + 56 * k, 183, f"{busy} of 4", "kr kx" if busy < 4 else "ka kx")
    return panel


def draw():
    crowd, apart = served(by_number(4)), served(from_own(4))
    assert (max(map(len, crowd)), max(map(len, apart))) == (SLOTS, 3)
    assert [max(map(len, served(order(8)))) for order in (by_number, from_own)] == [13, 7]
    return Picture(
        panel_of("Our kernel: all in the order 0, 1, 2, 3", crowd),
        panel_of("Each begins after its own array", apart),
        alt="Two timelines of four GPUs that each load three parts. On the left GPUs 1, 2 and 3 "
        "ask GPU 0 first and are served one after another; two of them wait, and the last "
        "is done after five parts' time. On the right each begins after its own array and goes "
        "around: all four ports are busy, and all are done after three.",
        see="Each row is a GPU, each column the time of one part. A box names the GPU that it "
        "loads from, if a port serves one at a time. On the left three queue at GPU 0 and then go "
        "on staggered: 5 parts' time. On the right nobody waits: 3.",
    )

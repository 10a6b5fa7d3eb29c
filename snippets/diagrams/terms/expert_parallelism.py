"""Tokens that go to the GPUs of their experts and back."""

from snippets.diagrams.panels import Panel, Picture

ROUTES = (2, 0, 3, 2, 1, 2, 0, 2)


def draw():
    route = Panel("Tokens go to their experts, and back")
    middles = [42 + 85 * k for k in range(4)]
    for k, expert in enumerate(ROUTES):
        x = 4 + 42 * k
        route.box(x, 28, 36, 22, "n", f"t{k}", "km")
        route.line(x + 18, 50, middles[expert], 96, f"l{'abcv'[expert]}")
    for k in range(4):
        route.box(middles[k] - 38, 98, 76, 26, f"f{'abcv'[k]}", f"expert {k}", "kw km")
        route.text(middles[k], 142, f"GPU {k}", "ks km")
    route.text(170, 166, "all-to-all there, all-to-all back", "km")

    load = Panel("The fullest expert sets the time")
    for k in range(4):
        count = ROUTES.count(k)
        y = 34 + 32 * k
        load.text(0, y + 16, f"expert {k}", "km", "start")
        load.box(62, y, 272, 24, "n", radius=1)
        for j in range(count):
            load.box(62 + 68 * j, y, 66, 24, f"f{'abcv'[k]}", "token", "kw km")
    load.time(174, 62)
    return Picture(
        route,
        load,
        alt="Left, eight tokens, each with a line to one of four experts on four GPUs; expert 2 "
        "gets four of them. Right, the time of each expert: expert 2 works on four tokens while "
        "the others have one or two.",
        see="A router picks the experts of each token, and experts live on different GPUs. Two "
        "exchanges carry the tokens there and back. What the router prefers becomes one GPU's "
        "queue, here expert 2's, and the others wait.",
    )

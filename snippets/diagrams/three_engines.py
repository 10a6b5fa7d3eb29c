"""Six images in one stream and in three: what each of the three engines does in each step."""

from snippets.diagrams import common

IMAGES, STEP, LEFT = 6, 19, 70
WORK = ("copy in", "compute", "copy out")


def draw(theme):
    fills, shapes = (theme["amber"], theme["accent"], theme["ink"]), []

    def box(column, y, image, kind):
        color = theme["on_accent"]
        shapes.append(common.rect(LEFT + column * STEP, y, STEP - 2, 22, fills[kind]))
        shapes.append(common.text(LEFT + column * STEP + STEP / 2 - 1, y + 15, image, color, 11))

    def rows(top, title, place):
        shapes.append(common.text(4, top, title, theme["ink"], 12, "start", "bold"))
        for kind, name in enumerate(WORK):
            y = top + 10 + 27 * kind
            shapes.append(common.text(4, y + 15, name, theme["ink"], 11, "start"))
            shapes.append(common.line(LEFT, y + 24, LEFT + 18 * STEP, y + 24, theme["grid"]))
            for image in range(IMAGES):
                box(place(image, kind), y, image, kind)

    rows(16, "one stream: 18 steps", lambda image, kind: 3 * image + kind)
    rows(128, "three streams: 8 steps", lambda image, kind: image + kind)
    end = LEFT + (IMAGES + 2) * STEP
    shapes.append(common.line(end, 132, end, 222, theme["ink"], 1, "3 3"))
    shapes.append(common.text(end + 8, 180, "done", theme["ink"], 11, "start"))
    shapes.append(common.text(4, 242, "time", theme["ink"], 11, "start"))
    shapes.append(common.arrow(36, 238, 120, 238, theme["ink"]))
    label = "Six images: in one stream one engine works at a time; in three streams all three do"
    return common.svg(LEFT + 18 * STEP + 4, 250, *shapes, label=label)

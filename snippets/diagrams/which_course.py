"""Which course: at most three questions to each."""

from snippets.diagrams.common import arrow, rect, svg, text

ASKED = (
    ("a certificate for a CV?", (("to write kernels", "DLI"), ("to run clusters", "NCA-AIIO"))),
    ("exercises timed for you?", (("yes, on CPU and GPU", "Aalto's PPC"),)),
    ("to know why machines are so?", (("yes", "CS149"),)),
    ("to compare vendors first?", (("yes", "ENCCS"),)),
    ("a first kernel, soon?", (("in Python", "this site"), ("C++, on video", "freeCodeCamp"))),
    ("what is new, from its authors?", (("yes", "GPU MODE"),)),
)
LEFT, ROW = 6, 30


def draw(theme):
    ink, shapes, y = theme["ink"], [], 22
    shapes.append(text(LEFT, y, "Do you want ...", ink, 13, "start", "bold"))
    y += 12
    for k, (question, answers) in enumerate(ASKED):
        tall = ROW * len(answers)
        shapes.append(rect(LEFT, y, 182, 26, theme["faint"], theme["grid"], 4))
        shapes.append(text(LEFT + 8, y + 17, question, ink, 11.5, "start"))
        for n, (answer, course) in enumerate(answers):
            top = y + ROW * n
            shapes.append(arrow(190, y + 13, 322, top + 13, ink, 1))
            shapes.append(text(256 - 20 * n, top + 8 + 14 * n, answer, ink, 10.5))
            shapes.append(rect(326, top, 108, 26, theme["accent"], "none", 4))
            shapes.append(text(380, top + 17, course, theme["on_accent"], 11.5))
        if k < len(ASKED) - 1:
            shapes.append(arrow(26, y + 28, 26, y + tall + 8, ink, 1))
            shapes.append(text(34, y + tall + 5, "no", ink, 10.5, "start"))
        y += tall + 12
    label = "A ladder of questions, each with the course to take if you say yes: " + "; ".join(
        f"{question} {', '.join(f'{a}: {c}' for a, c in answers)}" for question, answers in ASKED
    )
    return svg(440, y, *shapes, label=label)

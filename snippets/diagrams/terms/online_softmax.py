"""A softmax in one pass: the maximum and the sum, corrected when the maximum grows."""

from math import exp

from snippets.diagrams.panels import Panel, Picture

X = (2.0, 1.0, 4.0, 3.0)


def run():
    """Return (maximum, factor of the old sum, sum) after each element."""
    rows, most, total = [], float("-inf"), 0.0
    for x in X:
        new = max(most, x)
        factor = exp(most - new)
        total = total * factor + exp(x - new)
        most = new
        rows.append((most, factor, total))
    return rows


def draw():
    table = Panel("One pass over 2, 1, 4, 3")
    for x, words in ((20, "x"), (86, "max"), (176, "old sum times"), (290, "sum")):
        table.text(x, 36, words, "ks km")
    for k, (most, factor, total) in enumerate(run()):
        y = 44 + 32 * k
        jump = k and factor < 1
        table.box(0, y, 40, 24, "fc", f"{X[k]:g}", "kw")
        table.box(62, y, 48, 24, "tb" if jump else "n", f"{most:g}", "kb km" if jump else "km")
        table.box(
            132,
            y,
            88,
            24,
            "fb" if jump else "n",
            f"{factor:.3f}" if k else "none yet",
            "kw km" if jump else "ks km",
        )
        table.box(250, y, 80, 24, "fa", f"{total:.3f}", "kw km")
    most, _, total = run()[-1]
    check = Panel("The same as in two passes")
    check.text(0, 40, "exp(x − max), with the final max of 4", "ks km", "start")
    for k, x in enumerate(X):
        height = 90 * exp(x - most)
        check.box(30 + 76 * k, 150 - height, 52, height, "fa", radius=1)
        check.text(56 + 76 * k, 166, f"{exp(x - most):.3f}", "km")
        check.text(56 + 76 * k, 184, f"x = {x:g}", "ks km")
    check.text(0, 62, f"they add up to {sum(exp(x - most) for x in X):.3f}", "kx km", "start")
    return Picture(
        table,
        check,
        alt="Left, a table of four steps with the number, the maximum so far, the factor of the "
        "old sum and the new sum. At 4 the maximum grows and the old sum is multiplied by a "
        "small factor. Right, bars of the four exponentials, which add up to the last sum.",
        see="A softmax subtracts the maximum, which is known only at the end. The trick: sum "
        "with the maximum so far, and when a larger one comes, shrink the old sum by exp(old − "
        "new). Memory is read once.",
    )

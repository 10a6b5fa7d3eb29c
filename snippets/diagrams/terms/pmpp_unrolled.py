"""A convolution as a matrix product: windows of an image become columns."""

import numpy as np

from snippets.diagrams.panels import Panel, Picture


def draw():
    image = np.arange(12).reshape(3, 4)
    left = Panel("An image, and one window")
    window = image[:2, 1:3].ravel()
    left.cells(0, 28, ["fa" if v in window else "n" for v in image.ravel()], 40, 28, 3,
               image.ravel().tolist(), columns=4)  # fmt: skip
    left.text(0, 136, "output pixel 1 needs 1, 2, 5, 6", "km", "start")

    right = Panel("Unrolled: a column for each output pixel")
    rows = [image[p : p + 2, q : q + 3].ravel() for p in range(2) for q in range(2)]
    right.cells(46, 28, ["fa" if c == 1 else "n" for _ in rows for c in range(6)], 40, 24, 3,
                np.stack(rows).ravel().tolist(), columns=6)  # fmt: skip
    right.cells(0, 28, ["fb"] * 4, 40, 24, 3, ["w0", "w1", "w2", "w3"], columns=1)
    right.text(0, 142, "12 elements became 24", "ks km", "start")
    return Picture(
        left,
        right,
        alt="Left, an image of 3 x 4 numbers, of which a window of 2 x 2 is marked: 1, 2, 5, 6. "
        "Right, the unrolled matrix of four rows and six columns; the window is its second "
        "column, and the weights w0 to w3 stand beside the rows.",
        see="A window becomes a column, so the layer is weights times a matrix. Windows overlap, "
        "so most elements stand in it several times.",
    )

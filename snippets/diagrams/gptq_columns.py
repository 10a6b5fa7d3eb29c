"""GPTQ on a row of weights: a column is rounded, and those after it move to make up for it."""

import numpy as np

from kernels.quantization import calibrated
from snippets.diagrams import common

WEIGHTS, SHOWN = 6, 3


def steps():
    """Return the levels' distance, and the weights after each of the first columns."""
    random = np.random.default_rng(3)
    x = random.standard_normal((64, 1)) + 0.6 * random.standard_normal((64, WEIGHTS))
    w = np.array([[0.62, -0.35, 0.81, 0.27, -0.58, 0.44]])
    seen = []

    hessian = x.T @ x
    hessian += 0.01 * np.mean(np.diag(hessian)) * np.eye(WEIGHTS)
    upper = np.linalg.cholesky(np.linalg.inv(hessian)).T
    scale = np.abs(w).max() / 3
    now = w.copy()
    for i in range(WEIGHTS):
        seen.append(now[0].copy())
        rounded = np.rint(now[0, i] / scale) * scale
        now[0, i:] -= (now[0, i] - rounded) / upper[i, i] * upper[i, i:]
    assert np.allclose(now, calibrated.gptq(w, x, 3, WEIGHTS))
    return scale, [*seen, now[0]]


def draw(theme):
    scale, seen = steps()
    ink, shapes = theme["ink"], []
    left, high, width = 52, 92, 50
    for step in range(SHOWN + 1):
        top = 22 + step * (high + 24)
        words = "before" if step == 0 else f"weight {step - 1} rounded"
        shapes.append(common.text(8, top - 6, words, ink, anchor="start", weight="bold"))
        middle = top + high / 2
        for level in range(-3, 4):
            y = middle - level * high / 7
            shapes.append(common.line(left - 8, y, 352, y, theme["grid"]))
        for i in range(WEIGHTS):
            x = left + i * width + width / 2 - 8
            for value, fill in ((seen[0][i], "none"), (seen[step][i], theme["accent"])):
                y = middle - value / scale * high / 7
                done = i < step
                color = theme["amber"] if done and fill != "none" else fill
                stroke = ink if fill == "none" else "none"
                dash = "2 2" if fill == "none" else None
                size = abs(middle - y)
                shapes.append(
                    common.rect(x - 10, min(y, middle), 20, max(size, 1), color, stroke, 0, dash)
                )
    words = "lines: what 3 bits can hold; dashed: before; orange: rounded"
    shapes.append(common.text(8, 22 + (SHOWN + 1) * (high + 24) - 8, words, ink, anchor="start"))
    label = "Six weights; as one after the other is rounded, the others move to make up for it"
    return common.svg(360, 26 + (SHOWN + 1) * (high + 24), *shapes, label=label)

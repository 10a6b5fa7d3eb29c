"""A score for each student

`answers` has a row for each student and a column for each question; `points` says what each
question is worth. Write each student's score, the matrix times the vector, to `out`: one thread for
each student.
"""

import numpy as np
from numba import cuda


# --8<-- [start:solution]
@cuda.jit
def scores(answers, points, out):
    """Write answers @ points: students x questions float32 times questions."""
    student = cuda.grid(1)
    if student < answers.shape[0]:
        total = np.float32(0)
        for question in range(answers.shape[1]):
            total += answers[student, question] * points[question]
        out[student] = total


# --8<-- [end:solution]


HINTS = [
    "It is the inner loop of the matrix product, with one column instead of many: one index, "
    "one guard, one loop.",
    "Start the sum with `np.float32(0)`, add `answers[student, question] * points[question]`, "
    "and store once, after the loop.",
]

WRONG = {
    "the loop runs over the students": {
        "edits": [["range(answers.shape[1])", "range(answers.shape[0])"]],
        "says": "should be",
    },
    "no guard": {
        "edits": [["    if student < answers.shape[0]:\n", "    if True:\n"]],
        "says": "out of bounds",
    },
}

CASES = [(1, 1), (3, 7), (7, 3), (33, 5), (65, 12)]


def test(scores, students, questions):
    """Blocks of 32 threads.

    --8<-- [start:example]
    >>> answers = cuda.to_device(np.array([[1, 0, 1], [1, 1, 1]], dtype=np.float32))
    >>> points = cuda.to_device(np.array([5, 3, 2], dtype=np.float32))
    >>> out = cuda.device_array(2, dtype=np.float32)
    >>> scores[1, 4](answers, points, out)
    >>> out.copy_to_host()
    array([ 7., 10.], dtype=float32)

    --8<-- [end:example]
    """
    answers = (np.arange(students * questions, dtype=np.float32) % 5).reshape(students, questions)
    points = np.arange(1, questions + 1, dtype=np.float32)
    out = cuda.to_device(np.full(students, np.nan, dtype=np.float32))
    scores[-(-students // 32), 32](cuda.to_device(answers), cuda.to_device(points), out)
    yield "out", out, answers @ points

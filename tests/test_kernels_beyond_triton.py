"""Kernels whose threads go their own ways, in the simulator or the stepper, and in Triton."""

import pytest

from kernels.beyond_triton.brackets import DEPTH, first_wrong
from kernels.beyond_triton.collatz import collatz
from tests.wide import SIMULATOR, loading

# Read by `python -m lockstep gpu`: Triton compiles half of them, and so once is enough.
NOT_ON = {"numba-cuda-mlir": "half of these kernels are Triton's, whichever Numba there is"}
WORDS = ["kernel", "colonel", "", "k", "kernelkernelkernelkernelkernelke", "lenrek", "kernal"]


def distance(a, b):
    """Return the edit distance by the whole table."""
    row = list(range(len(b) + 1))
    for i, letter in enumerate(a, start=1):
        corner, row[0] = row[0], i
        for j, other in enumerate(b, start=1):
            corner, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, corner + (letter != other))
    return row[-1]


def steps(n):
    count = 0
    while n > 1:
        n, count = n // 2 if n % 2 == 0 else 3 * n + 1, count + 1
    return count


@pytest.mark.parametrize("typed", ["k", "kernel", "x" * 32, "kernelkernelkernelkernelkernelke"])
def test_edit_distance(typed):
    with loading() as (load, _):
        got = load("kernels.beyond_triton.nearest_word").edit_distances(typed, WORDS)
    assert got.tolist() == [distance(typed, word) for word in WORDS]


def test_words_that_do_not_fit_a_warp_are_refused():
    with loading() as (load, _):
        module = load("kernels.beyond_triton.nearest_word")
        for typed, words in (("", WORDS), ("a" * 33, WORDS), ("a", ["a" * 33])):
            with pytest.raises(ValueError, match="lane for each letter"):
                module.edit_distances(typed, words)


@pytest.mark.parametrize("count", [1, 31, 129])
def test_collatz(count):
    assert collatz(1, count).tolist() == [steps(n) for n in range(1, count + 1)]


def test_brackets():
    deep = "(" * DEPTH + ")" * DEPTH
    cases = {"f(a[i])": -1, "f(a[i)]": 5, "<{[(": 4, "": -1, ")": 0, "no": -1, deep: -1, "()]": 2}
    assert first_wrong(list(cases)).tolist() == list(cases.values())
    assert first_wrong(["(" + deep + ")"]).tolist() == [DEPTH + 1]  # the stack is full: no guess


if not SIMULATOR:
    import torch

    from kernels.beyond_triton.nearest_word import edit_distances, letters
    from kernels.in_triton.in_gluon import transpose_gluon
    from kernels.in_triton.lanes import collatz_map, collatz_triton, edit_distances_triton

    @pytest.mark.parametrize("block", [(1024, 4), (32, 1)])
    def test_collatz_in_triton(block):
        assert collatz_triton(1, 5000, *block).tolist() == collatz(1, 5000).tolist()

    def test_collatz_element_by_element_in_triton():
        assert collatz_map(1, 5001).tolist() == collatz(1, 5001).tolist()

    @pytest.mark.parametrize("typed", ["k", "kernel", "x" * 32])
    def test_edit_distance_in_triton(typed):
        codes, lengths = (torch.as_tensor(a, device="cuda") for a in letters(WORDS))
        t_typed = torch.as_tensor(letters([typed])[0][0, : len(typed)], device="cuda")
        got = edit_distances_triton(t_typed, codes, lengths)
        assert got.tolist() == edit_distances(typed, WORDS).tolist()

    @pytest.mark.parametrize("shape", [(1, 1), (32, 32), (33, 65), (1000, 70)])
    def test_transpose_in_gluon(shape):
        x = torch.randn(*shape, device="cuda")
        assert torch.equal(transpose_gluon(x), x.T)

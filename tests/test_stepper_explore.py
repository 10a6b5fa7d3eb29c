# ruff: noqa: E501 - kernels in one line each
"""More schedules: errors that shuffled orders miss, each found under an interruption."""

import pytest

from simulator.stepper import run_script

HEAD = "import numpy as np\nfrom numba import cuda\n"
LOST = (
    "@cuda.jit\ndef k(x):\n    old = cuda.atomic.add(x, 0, 0)\n    cuda.atomic.exch(x, 0, old + 1)\n"
    "x = np.zeros(1, np.int32)\nk[1, 4](x)\n"
)
MAXIMUM = (
    "@cuda.jit\ndef k(a, best):\n    i = cuda.grid(1)\n    if cuda.atomic.max(best, 0, 0) < a[i]:\n"
    "        cuda.atomic.exch(best, 0, a[i])\nbest = np.zeros(1, np.int32)\n"
    "k[1, 3](np.array([5, 9, 7], np.int32), best)\n"
)
TICKET = (
    "@cuda.jit\ndef k(flag, out):\n    i = cuda.grid(1)\n    if cuda.atomic.add(flag, 0, 0) == 0:\n"
    "        cuda.atomic.add(out, 0, 1)\n        cuda.atomic.exch(flag, 0, 1)\n"
    "flag, out = np.zeros(1, np.int32), np.zeros(1, np.int32)\nk[2, 2](flag, out)\n"
)
NO_FENCE = (
    "@cuda.jit\ndef k(data, flag, out):\n    if cuda.blockIdx.x == 0:\n        data[0] = 7\n"
    "        cuda.atomic.exch(flag, 0, 1)\n    elif cuda.atomic.add(flag, 0, 0) == 1:\n"
    "        out[0] = data[0]\n"
    "data, flag, out = (np.zeros(1, np.int32) for _ in range(3))\n"
    "k[2, 1](data, flag, out)\n"
)


@pytest.mark.parametrize("source", [LOST, MAXIMUM, TICKET])
def test_an_update_that_is_lost_between_atomic_operations_is_found(source):
    # In this order, and in every order of whole threads, the result is right.
    shuffled = [run_script(HEAD + source, mode="check", seed=s) for s in range(5)]
    assert not any(r.findings for r in shuffled)
    result = run_script(HEAD + source, mode="check", schedules=100)
    (found,) = result.findings
    assert found.kind == "order-dependent" and "goes on after" in found.message
    assert 1 < result.launches[0].schedules <= 100


def test_a_missing_fence_is_found_with_the_reader_in_the_first_block():
    source = NO_FENCE.replace("blockIdx.x == 0", "blockIdx.x == 1")
    assert not run_script(HEAD + source, mode="check").findings
    result = run_script(HEAD + source, mode="check", schedules=20)
    (found,) = result.findings
    assert found.kind == "global-race" and found.line == 9
    assert "cuda.threadfence()" in found.message
    assert "thread 0 of block 1 runs first" in found.message


def test_a_missing_fence_is_found_where_the_flag_is_seen():
    result = run_script(HEAD + NO_FENCE, mode="check", schedules=100)
    assert {f.kind for f in result.findings} == {"global-race"}
    fenced = NO_FENCE.replace(
        "        cuda.atomic.exch", "        cuda.threadfence()\n        cuda.atomic.exch"
    )
    fenced = fenced.replace("        out[0] =", "        cuda.threadfence()\n        out[0] =")
    assert {f.kind for f in run_script(HEAD + fenced, mode="check").findings} == set()


def test_a_right_kernel_has_no_finding_and_says_how_many_were_tried():
    source = (
        "@cuda.jit\ndef k(a, out):\n    s = cuda.shared.array(8, np.int64)\n    t = cuda.threadIdx.x\n"
        "    s[t] = a[t]\n    cuda.syncthreads()\n    cuda.atomic.add(out, 0, s[7 - t])\n"
        "out = np.zeros(1, np.int64)\nk[1, 8](np.arange(8), out)\n"
    )
    result = run_script(HEAD + source, mode="check", schedules=60)
    assert result.error is None and not result.findings
    assert result.launches[0].schedules == 60
    assert result.namespace["out"][0] == 28


def test_a_sum_of_floats_in_another_order_is_no_finding():
    source = (
        "@cuda.jit\ndef k(a, out):\n    cuda.atomic.add(out, 0, a[cuda.grid(1)])\n"
        "out = np.zeros(1, np.float32)\nk[1, 8](np.linspace(0.1, 3, 8, dtype=np.float32), out)\n"
    )
    result = run_script(HEAD + source, mode="check", schedules=40)
    assert not result.findings and result.launches[0].schedules > 10

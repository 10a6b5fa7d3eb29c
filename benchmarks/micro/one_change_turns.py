"""Attention's second rung with a barrier that makes its two consumers take turns (ping-pong)."""

from functools import partial

import torch

from benchmarks.attention import Returned, by_torch, flat, in_float64, operands
from benchmarks.harness import rounded
from benchmarks.micro.common import COLD
from benchmarks.micro.one_change_gemm import edited
from benchmarks.tensor_cores import Bfloat16
from kernels.attention import one_group, two_consumers
from kernels.tensor_cores.wgmma import launch

FILE = "kernels/attention/two_consumers.py"
# A consumer has the tensor cores for a product with the values and the next scores, and the other
# one computes its weights meanwhile. Barrier 1 waits for consumer 0, barrier 2 for consumer 1.
TURNS = (
    ("STAGES, Q_BYTES_2 =", "take = ptx('bar.sync %0, 256;', 'r')\n"
     "give = ptx('bar.arrive %0, 256;', 'r')\nSTAGES, Q_BYTES_2 ="),
    ("        barrier_wait(q_full, 0)\n",
     "        barrier_wait(q_full, 0)\n"
     "        mine, other = np.uint32(1 + part), np.uint32(2 - part)\n"
     "        if part == 1:\n"
     "            give(other)\n"
     "        take(mine)\n"),
    ("                barrier_arrive(k_empty + 8 * slot)\n",
     "                barrier_arrive(k_empty + 8 * slot)\n            give(other)\n"),
    ("            barrier_wait(v_full + 8 * slot, parity)\n",
     "            take(mine)\n            barrier_wait(v_full + 8 * slot, parity)\n"),
    ("        acc = rescale_64(acc, inverse(row_sum))\n",
     "        if part == 0:\n            give(other)\n"
     "        acc = rescale_64(acc, inverse(row_sum))\n"),
)  # fmt: skip


def run(bench):
    with bench.part("consumers that take turns"):
        turns(bench, 1000 if bench.quick else 16384)


def turns(bench, length):
    heads, depth = 16, 128
    bits, tensors, wide = operands(bench, 1, heads, heads, length, depth)
    expected, output, calls = in_float64(*wide, False), Bfloat16(bench.xp, bits[0].shape), {}
    kernels = {"as-it-is": two_consumers, "in-turns": edited(FILE, *TURNS)}
    for name, module in kernels.items():
        kernel, memory = module.two_consumers_kernel, module.SHARED_2
        blocks, arguments = one_group.rung_arguments(
            *(flat(bench, x) for x in (*bits, output.array)), 128
        )
        launch(kernel, blocks, 384, memory, *arguments)
        calls[name] = partial(kernel[blocks, 384, 0, memory], *arguments)
        bench.check(name, calls[name], output, expected, 6e-3)
    library = by_torch("CUDNN_ATTENTION", *tensors, False, Returned(bench.xp, bits[0].shape))
    calls["cudnn"] = library.call
    for name, summary in bench.samples(calls).items():
        bench.micro(
            f"one-change-consumers-{name}",
            f"Attention forward, {heads} heads x {length} x {depth}: two consumers, {name}",
            summary, unit="TFLOP/s", amount=4 * heads * length * length * depth, method=COLD,
            kernel=FILE, extra={"us": rounded(summary.median * 1e6)},
        )  # fmt: skip
    torch.cuda.empty_cache()

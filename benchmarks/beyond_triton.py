"""Kernels whose threads go their own ways: Numba and Triton, the same results."""

from functools import partial

import cupy as cp
import torch
import triton

from benchmarks.harness import Case, Reference
from kernels.beyond_triton.brackets import CLOSERS, OPENERS, brackets_kernel
from kernels.beyond_triton.collatz import collatz_kernel
from kernels.beyond_triton.nearest_word import edit_distance_kernel
from kernels.in_triton.in_gluon import transpose_gluon_kernel
from kernels.in_triton.lanes import (
    collatz_map_kernel,
    collatz_triton_kernel,
    edit_distance_triton_kernel,
)

FOLDER = "kernels/beyond_triton/"


def run(bench):
    with bench.part("Collatz"):
        collatz(bench, 2**16 if bench.quick else 2**24)
    with bench.part("edit distance"):
        words(bench, 1000 if bench.quick else 2**20)
    with bench.part("brackets"):
        brackets(bench, 1000 if bench.quick else 2**20)
    with bench.part("transpose in Gluon"):
        transpose(bench, 512 if bench.quick else 16384)
    torch.cuda.empty_cache()


def tensor(array):
    return torch.as_tensor(array, device="cuda")


def steps_of(first, count):
    n = cp.arange(first, first + count, dtype=cp.int64)
    steps = cp.zeros(count, cp.int32)
    while True:
        going = n > 1
        if not going.any():
            return steps
        steps += going
        n = cp.where(going, cp.where(n % 2 == 0, n // 2, 3 * n + 1), n)


def collatz(bench, count):
    ours, block, warp, mapped = (bench.output(count, "int32") for _ in range(4))
    call = partial(collatz_kernel[-(-count // 128), 128], 1, bench.device.numba(ours.array))
    t_block, t_warp, t_map = (tensor(o.array) for o in (block, warp, mapped))

    def by_blocks():
        collatz_triton_kernel[(triton.cdiv(count, 1024),)](1, t_block, count, BLOCK=1024)

    def by_warps():
        grid = (triton.cdiv(count, 32),)
        collatz_triton_kernel[grid](1, t_warp, count, BLOCK=32, num_warps=1)

    def by_map():
        grid = (triton.cdiv(count, 128),)
        collatz_map_kernel[grid](1, t_map, count, BLOCK=128, num_warps=4)

    expected = steps_of(1, count)
    for id, what, reference, output in (
        ("beyond-collatz", "Triton, 1,024 numbers a program", by_blocks, block),
        ("beyond-collatz-warp", "Triton, 32 numbers a program", by_warps, warp),
        ("beyond-collatz-map", "Triton, tl.map_elementwise", by_map, mapped),
    ):
        title = f"Collatz steps of {count} numbers, Numba"
        bench.compare(
            [Case(id, title, FOLDER + "collatz.py", call, ours)],
            Reference(what, reference, output), expected,
            size=count, dtype="int64", unit="ms", tolerance=0,
        )  # fmt: skip


def words(bench, count):
    columns, width = 24, 32
    codes = cp.random.randint(97, 101, (count, width), dtype=cp.int32)
    lengths = cp.random.randint(1, width + 1, count, dtype=cp.int32)
    typed = cp.random.randint(97, 101, columns, dtype=cp.int32)
    before = cp.broadcast_to(cp.arange(columns + 1, dtype=cp.int32), (count, columns + 1)).copy()
    expected = cp.where(lengths == 0, columns, 0).astype(cp.int32)
    for row in range(width):  # the plain table, row by row, all words at once
        now = cp.empty_like(before)
        now[:, 0] = row + 1
        for j in range(columns):
            swap = before[:, j] + (codes[:, row] != typed[j])
            now[:, j + 1] = cp.minimum(cp.minimum(now[:, j], before[:, j + 1]) + 1, swap)
        before = now
        expected = cp.where(lengths == row + 1, now[:, columns], expected)
    ours, theirs = (bench.output(count, "int32") for _ in range(2))
    call = partial(
        edit_distance_kernel[-(-count * 32 // 128), 128],
        *map(bench.device.numba, (typed, codes, lengths, ours.array)),
    )
    tensors = [tensor(a) for a in (typed, codes, lengths, theirs.array)]

    def by_triton():
        edit_distance_triton_kernel[(triton.cdiv(count, 4),)](
            *tensors, columns, count, WIDTH=width, WORDS=4, num_warps=4
        )

    bench.compare(
        [Case("beyond-edit-distance", f"Edit distances to {count} words of up to 32, Numba",
              FOLDER + "nearest_word.py", call, ours)],
        Reference("Triton, tl.gather", by_triton, theirs), expected,
        size=count, dtype="int32", unit="ms", tolerance=0,
    )  # fmt: skip


def brackets(bench, count):
    """Time the stack alone: there is no Triton kernel to compare with, and NumPy has no loop."""
    length = 128
    half = cp.random.randint(0, 4, (count, length // 2)).astype(cp.uint8)
    openers, closers = (cp.array(list(kinds), dtype=cp.uint8) for kinds in (OPENERS, CLOSERS))
    text = cp.concatenate([openers[half], closers[half[:, ::-1]]], axis=1)  # all matched
    wrong = cp.arange(count) % 3 == 0
    text[wrong, length - 1] = ord("x")  # one is left open: the answer is the line's length
    starts = cp.arange(0, (count + 1) * length, length, dtype=cp.int32)
    out = cp.empty(count, cp.int32)
    call = partial(
        brackets_kernel[-(-count // 128), 128],
        *map(bench.device.numba, (text.reshape(-1), starts, openers, closers, out)),
    )
    call()
    expected = cp.where(wrong, length, -1)
    if not bool((out == expected).all()):
        raise ValueError(f"{int((out != expected).sum())} lines are wrong")
    bench.micro(
        "beyond-brackets",
        f"Brackets of {count} lines of {length}, a thread a line with a stack of 64, Numba",
        bench.samples({"brackets": call})["brackets"],
        unit="GB/s", amount=text.size, kernel=FOLDER + "brackets.py",
        method="CUDA events around one launch, cold L2; the bytes of the text",
    )  # fmt: skip


def transpose(bench, n):
    x = bench.random((n, n))
    ours, theirs = (bench.output((n, n)) for _ in range(2))
    t_x, t_out, t_theirs = (tensor(a) for a in (x, ours.array, theirs.array))
    grid = (triton.cdiv(n, 32), triton.cdiv(n, 32))
    bench.compare(
        [Case("beyond-gluon-transpose", f"Transpose of {n} x {n} float32, Gluon",
              "kernels/in_triton/in_gluon.py",
              lambda: transpose_gluon_kernel[grid](t_x, t_out, n, n, TILE=32, num_warps=4), ours)],
        Reference("torch, a copy of x.T", lambda: t_theirs.copy_(t_x.T), theirs), x.T,
        size=n, dtype="float32", unit="GB/s", tolerance=0, bytes=8 * n * n,
    )  # fmt: skip

"""What Triton says otherwise, or not at all: lanes, loops of their own, a stack, shared memory."""

# --8<-- [start:imports]
import torch
import triton
import triton.language as tl

# --8<-- [end:imports]


# --8<-- [start:collatz]
@triton.jit
def collatz_triton_kernel(first, steps, count, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    n = tl.where(i < count, first + i.to(tl.int64), 1)
    taken = tl.zeros((BLOCK,), tl.int32)
    while tl.max(n, axis=0) > 1:  # the whole block, until its last number is done
        going = n > 1
        n = tl.where(going, tl.where(n % 2 == 0, n // 2, 3 * n + 1), n)
        taken += going.to(tl.int32)
    tl.store(steps + i, taken, mask=i < count)


def collatz_triton(first, count, block=1024, warps=4):
    """Return the steps of ``count`` numbers from ``first`` on.

    --8<-- [start:collatz_example]
    >>> collatz_triton(1, 10).tolist()
    [0, 1, 7, 2, 5, 8, 16, 3, 19, 6]

    --8<-- [end:collatz_example]
    """
    steps = torch.empty(count, device="cuda", dtype=torch.int32)
    grid = (triton.cdiv(count, block),)
    collatz_triton_kernel[grid](first, steps, count, BLOCK=block, num_warps=warps)
    return steps


# --8<-- [end:collatz]


# --8<-- [start:map]
@triton.jit
def steps_of(n):
    taken = 0
    while n > 1:
        n = tl.where(n % 2 == 0, n // 2, 3 * n + 1)
        taken += 1
    return taken


@triton.jit
def collatz_map_kernel(first, steps, count, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    n = tl.where(i < count, first + i.to(tl.int64), 1)
    tl.store(steps + i, tl.map_elementwise(steps_of, n), mask=i < count)


def collatz_map(first, count, block=128, warps=4):
    """Return the steps of ``count`` numbers from ``first`` on, each element in a loop of its own.

    --8<-- [start:map_example]
    >>> collatz_map(1, 10).tolist()
    [0, 1, 7, 2, 5, 8, 16, 3, 19, 6]

    --8<-- [end:map_example]
    """
    steps = torch.empty(count, device="cuda", dtype=torch.int32)
    grid = (triton.cdiv(count, block),)
    collatz_map_kernel[grid](first, steps, count, BLOCK=block, num_warps=warps)
    return steps


# --8<-- [end:map]


# --8<-- [start:words]
@triton.jit
def edit_distance_triton_kernel(
    typed, words, lengths, out, columns, count, WIDTH: tl.constexpr, WORDS: tl.constexpr
):
    word = tl.program_id(0) * WORDS + tl.arange(0, WORDS)
    lane = tl.arange(0, 32)[None, :]
    mine = tl.load(typed + lane, mask=lane < columns, other=0)
    rows = tl.load(lengths + word, mask=word < count, other=0)
    here = tl.zeros((WORDS, 32), tl.int32) + lane + 1
    corner = tl.zeros((WORDS, 32), tl.int32) + lane
    neighbor = tl.zeros((WORDS, 32), tl.int32) + tl.maximum(lane - 1, 0)
    for step in range(tl.max(rows, axis=0) + columns - 1):
        row = step - lane
        left = tl.where(lane == 0, row + 1, tl.gather(here, neighbor, 1))
        inside = (row >= 0) & (row < rows[:, None])
        letter = tl.load(words + word[:, None] * WIDTH + row, mask=inside, other=0)
        swap = corner + (letter != mine).to(tl.int32)
        best = tl.minimum(tl.minimum(left, here) + 1, swap)
        here, corner = tl.where(inside, best, here), tl.where(inside, left, corner)
    found = tl.sum(tl.where(lane == columns - 1, here, 0), axis=1)
    tl.store(out + word, found, mask=word < count)


def edit_distances_triton(typed, words, lengths, block=4, warps=4):
    """Return the edit distances of ``typed``, as codes, to the rows of ``words``.

    --8<-- [start:words_example]
    >>> codes, lengths = (torch.as_tensor(x, device="cuda") for x in letters(words))
    >>> typed = torch.as_tensor(letters(["kernal"])[0][0, :6], device="cuda")
    >>> edit_distances_triton(typed, codes, lengths).tolist()
    [1, 5, 2, 4, 3, 6]

    --8<-- [end:words_example]
    """
    out = torch.empty(len(words), device="cuda", dtype=torch.int32)
    grid = (triton.cdiv(len(words), block),)
    edit_distance_triton_kernel[grid](
        typed, words, lengths, out, typed.numel(), len(words),
        WIDTH=words.shape[1], WORDS=block, num_warps=warps,
    )  # fmt: skip
    return out


# --8<-- [end:words]


# --8<-- [start:stack]
@triton.jit
def stack_kernel(text, out, length, DEPTH: tl.constexpr):
    stack = tl.zeros((DEPTH,), tl.int32)
    top = 0
    for i in range(length):
        stack[top] = tl.load(text + i)
        top += 1
    tl.store(out, stack[top - 1])


# --8<-- [end:stack]

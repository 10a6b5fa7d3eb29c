"""One kernel on several simulated GPUs at once: ranks in the stepper's own runtime.

    from simulator.ranks import Ranks

    ranks = Ranks(4)
    x = [ranks.array(rank, values) for rank in range(4)]
    ranks.launch(kernel, blocks, threads, [(x, rank) for rank in range(4)])

A rank is a launch: a Grid of the stepper with memory of its own, arguments of its own, and pointers
into the memory of the others. The blocks of all ranks advance in turns, as those of one launch do,
so a thread may spin on a flag that a thread of another rank will raise. Where every thread spins
and none will ever get on, ``Lost`` says which rank waits in which line.

    python -m simulator.ranks shots.py ring --ranks 4 --size 300

runs one all-reduce of a file: see ``all_reduce``.

``stored`` and ``loaded`` count the bytes that a launch moved, by (rank whose threads did it, rank
in whose memory): what ``kernels/many_gpus/peers.py`` puts times to.
"""

import argparse
import os
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np

from .stepper import KernelFault, Stepper
from .stepper.runtime import Block, Grid, namespace_of

SWEEPS = 200  # turns of all blocks without a change, until nobody will get on


class Lost(Exception):
    """Ranks that wait for ever."""


class Rank(Grid):
    """The launch of one rank."""

    def __init__(self, number, ranks, program, grid, block, settings):
        super().__init__(program, grid, block, 0, settings)
        self.number, self.ranks = number, ranks

    def observe(self, warp, place, active, ends):
        for _, array, _, _, before in self.log:
            owner = self.ranks.owner.get(id(array.memory))
            if owner is not None:
                kind = self.ranks.loaded if before is None else self.ranks.stored
                kind[self.number, owner] += array.dtype.size
        super().observe(warp, place, active, ends)


class Ranks:
    """Several simulated GPUs whose kernels reach each other's memory."""

    def __init__(self, ranks, stepper=None):
        self.ranks, self.stepper = ranks, stepper or Stepper()
        self.owner, self.kept = {}, []  # of memories, which must live as long as their ids count
        self.stored, self.loaded = Counter(), Counter()

    def array(self, rank, values):
        """Return a copy of an array in the memory of a rank."""
        made = self.stepper.cuda.to_device(values)
        self.owner[id(made._view.memory)] = rank
        self.kept.append(made._view.memory)
        return made

    def launch(self, kernel, blocks, threads, each, count=False):
        """Run a kernel on all ranks at once; ``each`` has the arguments of each, None: no launch.

        ``count``: add up in ``stored`` and ``loaded`` what moved, statement by statement. Raises
        Lost where ranks wait for ever, and a KernelFault as a launch on one GPU does.
        """
        settings = replace(self.stepper.settings, mode="check" if count else "run")
        self.stored.clear(), self.loaded.clear()
        active = []
        for rank, arguments in enumerate(each):
            if arguments is None:
                continue
            values, kinds, _ = kernel.arguments(arguments)
            program = kernel.program(kinds, count)
            if not program.generator:
                raise ValueError(f"{kernel.__name__} never waits: launch it on each GPU by itself")
            grid = Rank(rank, self, program, (blocks, 1, 1), (threads, 1, 1), settings)
            namespace = namespace_of(grid)
            exec(program.code, namespace)
            for number in range(blocks):
                block = Block(grid, number, (number, 0, 0))
                block.start(namespace["kernel"], values)
                active.append(block)
        turn, seen = 0, None
        while active:
            states = [self._advance(block) for block in active]
            active = [block for block, state in zip(active, states, strict=True) if state != "done"]
            turn += 1
            if turn % SWEEPS == 0 and active:
                now = len(active), [bytes(memory.bytes) for memory in self.kept]
                if now == seen:
                    missing = [rank for rank, arguments in enumerate(each) if arguments is None]
                    raise Lost(self._why(active, missing))
                seen = now

    @staticmethod
    def _advance(block):
        grid = block.grid
        try:
            state = block.advance()
            grid.progress()  # whether anybody gets on is counted over all ranks, here
        except (KernelFault, KeyboardInterrupt, MemoryError):
            raise
        except Exception as error:
            raise grid.error(error, grid.blame(error)) from error
        if state == "grid":
            raise ValueError("a barrier of the whole grid is not for several ranks")
        return state

    @staticmethod
    def _why(active, missing):
        """Say which rank waits where, and who was never launched."""
        words = {}
        for block in active:
            t = next(t for t in block.threads if t.at.__class__ is tuple and t.at[0] == "spin")
            line, rank = block.grid.sites[t.at[1]].line, block.grid.number
            file = os.path.basename(block.grid.program.kernel.source.filename)
            words.setdefault(rank, f"rank {rank} waits in line {line} of {file}")
        words = [words[rank] for rank in sorted(words)]
        return "; ".join(words + [f"rank {rank} was never launched" for rank in missing])


def all_reduce(
    file, name, ranks, size, without=(), patience=10**9, calls=1, count=False, blocks=2, threads=64
):
    """Run an all-reduce kernel of a file on simulated GPUs; return them, its sums, the right one.

    It gets what its parameters are called: ``xs`` and ``outs``, the arrays of all ranks; ``flags``,
    a number for each block and rank; ``boxes``, a word for each rank and element; ``rooms``, a part
    for each step; ``late``, 1 + the rank that never came. Ranks in ``without`` launch nothing.
    Raises TimeoutError where a kernel gave up after ``patience`` looks, and Lost where it never
    does.
    """
    stepper, names = Stepper(), {"__name__": Path(file).stem}
    stepper.execute(Path(file).read_text(encoding="utf-8"), names, str(file))
    kernel, group = names[name], Ranks(ranks, stepper)
    random = np.random.default_rng(ranks)
    sent = [random.integers(0, 99, size).astype(np.float32) for _ in range(ranks)]
    part = -(-size // ranks)
    made = {
        "xs": lambda rank: sent[rank],
        "outs": lambda rank: np.full(size, np.nan, np.float32),
        "flags": lambda rank: np.zeros((blocks, ranks), np.int32),
        "boxes": lambda rank: np.zeros((ranks, size), np.complex64),
        "rooms": lambda rank: np.zeros((max(1, ranks - 1), part), np.float32),
        "late": lambda rank: np.zeros(1, np.int32),
    }
    made = {k: tuple(group.array(r, make(r)) for r in range(ranks)) for k, make in made.items()}
    for call in range(1, calls + 1):
        each = []
        for rank in range(ranks):
            here = {"ranks": ranks, "rank": rank, "call": call, "patience": patience}
            here = made | here | {"late": made["late"][rank]}
            values = [here[parameter] for parameter in kernel.source.params]
            each.append(None if rank in without else values)
        group.launch(kernel, blocks, threads, each, count)
    for rank, flag in enumerate(made["late"]):
        if whom := int(flag.copy_to_host()[0]):
            raise TimeoutError(f"rank {rank} looked {patience} times for rank {whom - 1}")
    return group, [out.copy_to_host() for out in made["outs"]], sum(sent)


def main(words=None):
    """Run an all-reduce, and say whether it is right and what moved from GPU 0 to GPU 1."""
    parser = argparse.ArgumentParser(prog="python -m simulator.ranks", description=main.__doc__)
    parser.add_argument("file")
    parser.add_argument("kernel")
    parser.add_argument("--ranks", type=int, default=4)
    parser.add_argument("--size", type=int, default=300)
    parser.add_argument("--patience", type=int, default=10**9)
    parser.add_argument("--without", type=int, nargs="*", default=[])
    asked = parser.parse_args(words)
    try:
        group, sums, right = all_reduce(
            asked.file, asked.kernel, asked.ranks, asked.size, asked.without, asked.patience,
            count=True,
        )  # fmt: skip
    except (Lost, TimeoutError, KernelFault) as why:
        print(*str(why).split("; "), sep="\n")
        return 1
    same = sum(np.array_equal(found, right) for found in sums)
    print(f"{same} of {asked.ranks} ranks have the sum", end=", ")
    print(f"GPU 0 stores {group.stored[0, 1]} bytes into GPU 1, which loads", end=" ")
    print(f"{group.loaded[1, 0]}")
    return int(same < asked.ranks)


if __name__ == "__main__":
    sys.exit(main())

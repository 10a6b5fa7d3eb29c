"""One kernel on several simulated GPUs at once: ranks in the stepper's own runtime.

    from simulator.ranks import Ranks

    ranks = Ranks(4)
    x = [ranks.array(rank, values) for rank in range(4)]
    ranks.launch(kernel, blocks, threads, [(x, rank) for rank in range(4)])

A rank is a launch: a Grid of the stepper with memory of its own, arguments of its own, and pointers
into the memory of the others. The blocks of all ranks advance in turns, as those of one launch do,
so a thread may spin on a flag that a thread of another rank will raise. Where every thread spins
and none will ever get on, ``Lost`` says which rank waits in which line.

``stored`` and ``loaded`` count the bytes that a launch moved, by (rank whose threads did it, rank
in whose memory): what ``kernels/many_gpus/peers.py`` puts times to.
"""

import os
from collections import Counter
from dataclasses import replace

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

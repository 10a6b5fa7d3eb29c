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

runs one all-reduce of a file: see ``all_reduce``. In the page, a program says which GPU it means as
Numba has it, ``with cuda.gpus[rank]:``, and its launches there run together: see ``Machine``.

``stored`` and ``loaded`` count the bytes that a launch moved, by (rank whose threads did it, rank
in whose memory): what ``kernels/many_gpus/peers.py`` puts times to.
"""

import os
import sys
from collections import Counter
from dataclasses import replace

from .stepper import Finding, KernelFault, Launch, LimitReached, Stepper, Unsupported
from .stepper.checks import Checks
from .stepper.counts import Counts
from .stepper.host import (
    Device,
    DeviceArray,
    Devices,
    Kernel,
    np,  # NumPy, or in a browser a few pages of it
    three,
)
from .stepper.memory import Memory, View, global_address, packed, unit_of
from .stepper.runtime import Block, Grid, namespace_of
from .stepper.trace import Trace
from .stepper.types import as_dtype

SWEEPS = 200  # turns of all blocks without a change, until nobody will get on
GPUS = 8  # that a program of the page finds in its machine


class Lost(LimitReached):
    """Ranks that wait for ever."""

    def __str__(self):
        return self.finding.message


class Rank(Grid):
    """The launch of one rank."""

    def __init__(self, number, ranks, program, grid, block, settings, dynamic=0):
        super().__init__(program, grid, block, dynamic, settings)
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
        missing = [rank for rank, arguments in enumerate(each) if arguments is None]
        self.play(active, self.kept, missing)

    @classmethod
    def play(cls, active, memories, missing):
        """Let blocks of several launches go on in turns, until all are done."""
        turn, seen = 0, None
        while active:
            states = [cls._advance(block) for block in active]
            for block, state in zip(active, states, strict=True):
                if state == "done" and block.grid.counts:
                    block.grid.counts.end(block)
            active = [block for block, state in zip(active, states, strict=True) if state != "done"]
            turn += 1
            if turn % SWEEPS == 0 and active:
                now = len(active), [bytes(memory.bytes) for memory in memories]
                if now == seen:
                    raise Lost(cls._why(active, missing))
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
        """Return the finding: which rank waits where, and who was never launched."""
        words, lines = {}, {}
        for block in active:
            t = next(t for t in block.threads if t.at.__class__ is tuple and t.at[0] == "spin")
            line, rank = block.grid.sites[t.at[1]].line, block.grid.number
            file = os.path.basename(block.grid.program.kernel.source.filename)
            words.setdefault(rank, f"rank {rank} waits in line {line} of {file}")
            lines.setdefault(rank, (line, t.index, block.index, block.grid))
        words = [words[rank] for rank in sorted(words)]
        words += [f"rank {rank} was never launched" for rank in missing]
        line, thread, index, grid = lines[min(lines)]
        source = grid.program.kernel.source
        finding = Finding("endless", "; ".join(words), line, thread, index, kernel=source.name,
                          filename=source.filename)  # fmt: skip
        grid.findings["endless", line, None, None] = finding
        return finding


class Machine:
    """A Stepper's ``cuda`` with several GPUs, for programs that say ``with cuda.gpus[rank]:``.

    What is launched there waits, as on GPUs, until the host asks: ``cuda.synchronize()``, or a look
    at an array. Then the first launches of all GPUs run together, then the second ones. In the
    recording of a launch on several GPUs, the second number of a block is its GPU.
    """

    def __init__(self, stepper, most=GPUS):
        self.stepper, self.at, self.most = stepper, None, most
        self.owner = {}  # nobody counts what moves
        self.queues = {}  # GPU -> its launches that wait; those that a program enters are there
        cuda, self.plain = stepper.cuda, {}
        cuda.gpus = Devices(Gpu(self, number) for number in range(GPUS))
        cuda.list_devices = lambda: cuda.gpus
        cuda.select_device = self.select
        cuda.synchronize = self.synchronize
        for name in ("to_device", "device_array", "device_array_like"):
            setattr(cuda, name, self.made_by(getattr(cuda, name)))
        jit = cuda.jit

        def jit_on_several(func_or_sig=None, **options):
            made = jit(func_or_sig, **options)
            if isinstance(made, Kernel):
                return self.kernel(made)
            return lambda function: self.kernel(made(function))

        cuda.jit = jit_on_several

    def select(self, device_id=0):
        if device_id:
            raise Unsupported("cuda.select_device of another GPU: use `with cuda.gpus[...]:`")
        return self.stepper.cuda.gpus[0]

    def kernel(self, kernel):
        def launch(grid, block, dynamic, args):
            if self.at is None:
                return Kernel.launch(kernel, grid, block, dynamic, args)
            line = kernel.launch_line()
            grid, block = three(grid, "grid", kernel, line), three(block, "block", kernel, line)
            kernel.check_shape(grid, block, line)
            values, kinds, back = kernel.arguments(args)
            if back:
                raise Unsupported("a host array as an argument of a launch on one of several GPUs")
            if grid[1:] != (1, 1):
                raise Unsupported("blocks in more than one dimension on one of several GPUs")
            program = kernel.program(kinds, self.stepper.settings.mode != "run")
            self.queues[self.at].append((program, grid, block, dynamic, values, line))
            return None

        kernel.launch = launch  # of this kernel alone
        return kernel

    def made_by(self, make):
        def made(*args, **options):
            found = args and complex_array(*args) if make.__name__ == "device_array" else None
            found = found or make(*args, **options)
            if self.at is None or isinstance(found, Remote):
                return found
            return Remote(found._view, found.dtype, self)

        return made

    def synchronize(self):
        """Run what waits."""
        queues = {rank: queue for rank, queue in self.queues.items() if queue}
        missing = sorted(set(self.queues) - set(queues))
        self.queues = {rank: [] for rank in self.queues}
        for turn in range(max(map(len, queues.values()), default=0)):
            together = {rank: queue[turn] for rank, queue in queues.items() if turn < len(queue)}
            self.run(together, missing)

    def run(self, launches, missing):
        """Run one launch on each GPU, all at the same time."""
        settings, parts, active, memories = self.stepper.settings, {}, [], {}
        try:
            for rank, (program, grid, block, dynamic, values, line) in sorted(launches.items()):
                made = Rank(rank, self, program, grid, block, settings, dynamic)
                if program not in parts:
                    shape = grid[0], max(launches) + 1, 1
                    record = Launch(program.kernel.__name__, shape, block, line)
                    self.stepper.launches.append(record)
                    parts[program] = record, []
                    if settings.mode == "record":
                        record.trace = Trace(made)
                    if settings.mode != "run":
                        record.counts = Counts(made)
                record, grids = parts[program]
                grids.append(made)
                made.trace, made.counts = record.trace, record.counts
                if settings.mode != "run":
                    made.checks = Checks(made)
                namespace = namespace_of(made)
                exec(program.code, namespace)
                if not program.generator:  # never where it is recorded
                    made.run(values)
                    continue
                for number in range(grid[0]):
                    part = Block(made, number, (number, 0, 0))
                    part.start(namespace["kernel"], values)
                    if made.trace:
                        made.trace.begin(part)
                        made.trace.blocks[-1] = number, rank, 0
                    active.append(part)
                memories |= {id(memory): memory for memory in memories_of(values)}
            Ranks.play(active, list(memories.values()), missing)
        finally:
            for record, grids in parts.values():
                for made in grids:
                    found = list(made.findings.values())
                    found = made.checks.settle(found) if made.checks else found
                    for finding in found:
                        if finding.block is not None:
                            finding.block = finding.block[0], made.number, 0
                        if finding.kind != "endless":
                            finding.message = f"GPU {made.number}: {finding.message}"
                    record.findings += found
                    record.steps += made.used
                if record.trace:
                    record.trace.finish()


class Gpu(Device):
    """One of a machine's GPUs: ``with`` it, arrays and launches are its own."""

    def __init__(self, machine, number):
        self.machine, self.id, self.before = machine, number, []

    def __enter__(self):
        if self.id >= self.machine.most:
            raise Unsupported("a launch on several GPUs, where there is one")
        self.before.append(self.machine.at)
        self.machine.at = self.id
        self.machine.queues.setdefault(self.id, [])
        return self

    def __exit__(self, *error):
        self.machine.at = self.before.pop()


class Remote(DeviceArray):
    """An array of one GPU of several: whoever looks at it from the host waits for all launches."""

    def __init__(self, view, dtype, machine):
        super().__init__(view, dtype)
        self._machine = machine

    def _window(self):
        self._machine.synchronize()
        return super()._window()


def complex_array(shape, dtype=None, *_):
    """Memory for complex numbers where the stand-in for NumPy has none: kernels alone use it."""
    element = as_dtype(dtype) if dtype is not None and hasattr(np, "modules") else None
    if getattr(element, "kind", "") != "c":
        return None
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    nbytes = element.size
    for n in shape:
        nbytes *= n
    memory = Memory.empty(nbytes, "global", "", address=global_address(nbytes))
    return DeviceArray(View(memory, element, shape, packed(shape, unit_of(element))), element)


def memories_of(values):
    """The memories that arguments reach, those in tuples as well."""
    for value in values:
        if isinstance(value, tuple):
            yield from memories_of(value)
        elif isinstance(value, View):
            yield value.memory


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
    stepper, names = Stepper(), {"__name__": "shots"}
    with open(file, encoding="utf-8") as text:
        stepper.execute(text.read(), names, str(file))
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
    import argparse  # not for the page

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

"""More schedules: the same launch again and again, with threads interrupted at other places.

Threads run one after the other, each until it waits or ends. That is the schedule without an
interruption. The others interrupt it: after a certain access to memory that others use, too, or
before the first one, a certain other thread goes on instead. Every pair of place and thread is a
schedule, tried in turn up to a bound; then pairs of such interruptions, drawn with a fixed seed.
Musuvathi and Qadeer found that most errors of this kind need no more than two interruptions
(Iterative Context Bounding for Systematic Testing of Multithreaded Programs, PLDI 2007).

Each schedule runs with every check. A launch whose result differs between two schedules, beyond the
rounding of floats, depends on an order that nothing gives: an update that is lost though each
access is atomic, a flag that is read once. That is a finding of its own.
"""

import random
from itertools import islice, product

from .faults import Finding, KernelFault, who

MOST_THREADS = 256
CLOSE = 1e-4  # floats that differ by less, relative to the larger, may only be rounded otherwise


class Schedule:
    """Where threads are interrupted: {number of a visible step: thread that goes on}.

    The number -1 is the start: that thread runs first.
    """

    def __init__(self, switches=()):
        self.switches = dict(switches)
        self.visible = 0
        self.last = None  # (line, thread interrupted or None, thread that went on)


def explore(make, memories, count, reference):
    """Run a launch under up to ``count`` schedules.

    ``make()`` gives a fresh Grid with checks and a function that runs it under a Schedule;
    ``memories``: [(name, memory, dtype, bytes before, bytes written before)]; ``reference``: the
    bytes after the normal run. Returns (schedules tried, findings).
    """

    def attempt(schedule):
        for _, memory, _, before, written in memories:
            memory.bytes[:] = before  # as it was at the start
            if written is not None:
                memory.written[:] = written
        grid, run = make()
        fault = None
        try:
            run(schedule)
        except KernelFault as error:
            fault = error
        found = list(grid.findings.values())
        if grid.checks:
            found = grid.checks.settle(found)
        return grid, fault, found

    first = Schedule()
    grid, fault, found = attempt(first)
    tried = 1
    if found or fault:
        return tried, found
    result = differs(memories, reference)
    if result:
        return tried, [finding(grid, first, tried, result)]
    threads = grid.grid[0] * grid.grid[1] * grid.grid[2]
    threads *= grid.block[0] * grid.block[1] * grid.block[2]
    places = range(-1, first.visible)
    singles = ([pair] for pair in product(places, range(threads)))
    dice = random.Random(0)

    def doubles():
        while len(places) > 1 and threads > 1:
            at = sorted(dice.sample(places, 2))
            yield [(p, dice.randrange(threads)) for p in at]

    half = count // 2 if len(places) * threads > count else count
    for switches in (*islice(singles, half), *islice(doubles(), count - 1)):
        if tried >= count:
            break
        schedule = Schedule(switches)
        grid, fault, found = attempt(schedule)
        if schedule.last is None and not found:
            continue  # nobody was interrupted: the thread could not go on there
        tried += 1
        if found or fault:
            for f in found:
                f.message += f" (Seen under schedule {tried} of {count}: {told(schedule)}.)"
            return tried, found
        result = differs(memories, reference)
        if result:
            return tried, [finding(grid, schedule, tried, result)]
    return tried, []


def told(schedule):
    """A schedule's interruption in words."""
    if schedule.last is None:
        return "threads one after the other"
    line, t, u = schedule.last
    if t is None:
        return f"{who(u.index, u.block.index)} runs first"
    return (
        f"{who(u.index, u.block.index)} goes on after {who(t.index, t.block.index)} ran line {line}"
    )


def differs(memories, reference):
    """(array, index, value, value before) of the first element that differs, or None."""
    for (name, memory, dtype, _, _), after in zip(memories, reference, strict=True):
        if memory.bytes == after:
            continue
        size = len(after) // dtype.size * dtype.size
        new = memoryview(memory.bytes)[:size].cast(dtype.format)
        old = memoryview(after)[:size].cast(dtype.format)
        for k, (a, b) in enumerate(zip(new, old, strict=True)):
            close = dtype.kind in "fc" and abs(a - b) <= CLOSE * max(abs(a), abs(b))
            if a != b and not close and (a == a or b == b):
                return name, k, a, b
    return None


def finding(grid, schedule, tried, result):
    """The finding for a result that depends on the schedule."""
    name, k, value, other = result
    source = grid.program.kernel.source
    line, t = source.node.lineno, None
    if schedule.last and schedule.last[1]:
        line, t, _ = schedule.last
    return Finding(
        "order-dependent",
        f"the result depends on the order of the threads: element {k} of `{name}` is {value} under "
        f"one schedule and {other} under another ({told(schedule)}; schedule {tried}). Each access "
        "may be atomic, but what is done with it takes several: make it one atomic operation, or "
        "order the threads.",
        line,
        t and t.index,
        t and t.block.index,
        name,
        kernel=source.name,
        filename=source.filename,
    )


def run_scheduled(grid, function, args, schedule, blocks):
    """Run all blocks of a grid, one statement of one thread at a time."""
    threads = [t for block in blocks for t in block.threads]
    for block in blocks:
        block.start(function, args)
    position = {t: k for k, t in enumerate(threads)}
    current, first = None, schedule.switches.get(-1)
    if first:  # else it is what runs first anyway
        current = threads[first]
        schedule.last = None, None, current
    while True:
        ready = [t for t in threads if t.at.__class__ is not tuple and t.at is not None]
        if not ready:
            if not move_on(grid, blocks, threads):
                return
            current = None
            continue
        if current not in ready:
            current = min(ready, key=position.get)
        t = current
        if step(grid, t):
            target = schedule.switches.get(schedule.visible)
            schedule.visible += 1
            if target is not None and target < len(threads):
                other = threads[target]
                if other is not t and other.at is not None and other.at.__class__ is not tuple:
                    schedule.last = (grid.steps[int(grid.place)].line, t, other)
                    current = other


def step(grid, t):
    """Run one statement of one thread. Returns whether it touched memory that others may use."""
    place = grid.place = t.at
    warp = t.warp
    warp.ready.remove(t)
    kept, warp.ready = warp.ready, [t]
    before = len(grid.log)
    seen = []
    grid.watch = seen
    warp.step(grid)
    while warp.taken:
        warp.step(grid)
    grid.watch = None
    warp.ready = kept + warp.ready
    grid.place = place if place.__class__ is int else int(place) + 1
    return bool(seen) or before


def move_on(grid, blocks, threads):
    """Nobody can run: complete warp operations and barriers, let waiting loops look again."""
    moved = False
    for block in blocks:
        for warp in block.warps:
            moved |= warp.settle(grid)
    if moved:
        return True
    live = [t for t in threads if t.at is not None]
    if not live:
        return False
    for block in blocks:
        here = [t for t in block.threads if t.at is not None]
        if here and all(t.at[0].startswith("barrier") for t in here):
            block.barrier(here)
            moved = True
    if moved:
        return True
    spinning = [t for t in live if t.at[0] == "spin"]
    if spinning:
        grid.waste(live)
        for t in spinning:
            t.warp.release(grid, t, None)
        return True
    if all(t.at[0] == "grid" for t in live):
        grid.release_grid([[b, None] for b in blocks])
        return True
    block = next(b for b in blocks if any(t.at is not None for t in b.threads))
    block.barrier([t for t in block.threads if t.at is not None])
    return True

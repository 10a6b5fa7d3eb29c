"""A launch: blocks, warps and threads, and who may go on when.

A thread is a generator that yields what it waits for. A request is ``(operation, site, mask, x,
y)``. In instrumented code a thread also yields the number of each statement before it runs it, and
a warp steps together all lanes that stand at the same statement; among several it picks the
earliest in the program, so that lanes which went different ways meet again where the ways do. Since
the Volta generation a GPU lets every lane go its own way, and so does this: a lane that waits holds
nobody up but those who wait for it.

In plain code threads run from one wait to the next, one after the other. Blocks run one after the
other, and next to each other only where the kernel lets one wait for another.
"""

import gc
import math
import random
import struct
import time

from . import advice as mend
from . import ops
from .explore import run_scheduled
from .faults import Finding, KernelFault, Unsupported, fault, triple, who
from .memory import Memory, View, fresh, half_to_float, packed, unit_of
from .native import LONG, native
from .tally import Suspicious
from .types import Array, Nested, Record, float16, float32

WARP = 32
TURNS = 1024  # loop turns of one thread between two looks at the limits
YOUNG = 50_000  # objects made between two looks for garbage: a recording makes many, and keeps them
SOME = 10_000  # and so many with checks, which keep what they know of each cell
PATIENCE = 300_000  # turns of waiting loops with nobody getting on, until it counts as endless


class Thread:
    """One thread: where it is in the grid, and what it is doing."""

    __slots__ = ("tx", "ty", "tz", "kx", "ky", "kz", "lane", "number", "warp", "block", "fuel")
    __slots__ += ("go", "at", "result", "clock", "seen", "known", "fenced", "ended")

    def __init__(self, block, warp, number, index):
        self.block, self.warp, self.number, self.lane = block, warp, number, number % WARP
        self.tx, self.ty, self.tz = index
        self.kx, self.ky, self.kz = block.index
        self.fuel = TURNS
        # What it does: a number = the statement it will run next, a tuple = what it waits for,
        # None = finished. (Plain code: 0 = ready.)
        self.at = 0
        self.result = None  # what its request will return
        self.ended = None  # once it is finished: the statement that it ran last
        self.clock = 0  # the race checker's: see checks.py
        self.seen = self.known = self.fenced = None

    @property
    def index(self):
        return self.tx, self.ty, self.tz


class Warp:
    """32 threads of a block that a GPU runs together."""

    def __init__(self, block, number):
        self.block, self.number = block, number
        self.lanes = [None] * WARP  # thread by lane; None where the block has none
        self.ready = []  # threads that can run, in the order in which they will
        self.taken = []  # [(step, lanes)] that they have done already: see `Function.joined`
        self.astray = False  # whether a lane took a value from one outside of the mask

    # ------------------------------------------------------------ running

    def run(self):
        """Plain code: let every ready thread run until it waits. Returns whether any ran."""
        ready, self.ready = self.ready, []
        tally = self.block.grid.tally
        for t in ready:
            try:
                t.at = t.go(t.result)
            except StopIteration as end:
                t.at, t.ended = None, end.value  # of a kernel's own `return`, its line
            except ThreadEnd:
                t.at, t.ended = None, 0
            t.result = None
            if tally:
                tally.segment(t)
        return bool(ready)

    def step(self, grid):
        """Instrumented code: run one statement in the lanes that stand at the earliest one."""
        if self.taken:
            place, active = self.taken.pop(0)
            grid.observe(self, place, active, ())
            return True
        ready = self.ready
        if not ready:
            return False
        places = [t.at for t in ready]
        place = min(places)
        active = (
            ready if places.count(place) == len(places) else [t for t in ready if t.at == place]
        )
        log, ends = grid.log, []
        ended = ends.append
        chain = grid.program.chains.get(place)
        last = chain[-1] if chain else place
        whole = place.__class__ is int  # nobody is in the middle of a statement, with a result
        gone = False
        for t in active:
            try:
                t.at = at = t.go(None if whole else t.result)
                if at.__class__ is not int:
                    gone = True
            except StopIteration:
                t.at, t.ended, gone = None, last, True
            except ThreadEnd:
                t.at, t.ended, gone = None, None, True
            except Exception:
                grid.current = t
                if grid.trace:  # what the step did until then belongs to the recording
                    ends.append(len(log))
                    grid.trace.step(self, place, active[: len(ends)], ends, log)
                raise
            ended(len(log))
        if not whole:
            for t in active:
                t.result = None
        if gone:
            self.ready = [t for t in ready if t.at.__class__ is int or t.at.__class__ is float]
        grid.observe(self, place, active, ends)
        log.clear()
        if chain:
            if gone:  # without those that an exception has ended
                active = [t for t in active if t.at is not None or t.ended is not None]
            self.taken = [(place, active) for place in chain if active]
        return True

    # ------------------------------------------------------------ operations among lanes

    def settle(self, grid):
        """Complete the warp operations that can be; returns whether there was one."""
        waiting = {}
        for t in self.lanes:
            if t is not None and t.at.__class__ is tuple:
                op = t.at[0]
                if op == "activemask":
                    waiting.setdefault((op, t.at[1]), []).append(t)
                elif op in WARP_OPS:
                    waiting.setdefault((op, t.at[2]), []).append(t)
        done = False
        late = []
        for (op, mask), threads in waiting.items():
            if op == "activemask":
                late.append(threads)
                continue
            for t in threads:
                if not mask >> t.lane & 1:
                    grid.stop(
                        "warp-mask",
                        t,
                        t.at[1],
                        f"lane {t.lane} calls `{op}` with the mask {mask:#x}, which does not "
                        f"name lane {t.lane} itself. The mask must name all lanes that call.",
                    )
            here = {t.lane: t for t in threads}
            others = [
                t for t in self.lanes if t is not None and mask >> t.lane & 1 and t.at is not None
            ]
            if len(others) == len(here):
                if grid.instrumented:
                    self.skipped(grid, op, mask, here)
                elif grid.tally and mask.bit_count() > len(here):
                    raise Suspicious
                WARP_OPS[op](grid, self, mask, here)
                done = True
                for t in threads:
                    self.release(grid, t, t.result)
        if late and not done:
            # Nobody else can move, so whoever asks for the active mask from one place is together.
            for threads in late:
                mask = sum(1 << t.lane for t in threads)
                for t in threads:
                    self.release(grid, t, mask)
            done = True
        return done

    def skipped(self, grid, op, mask, here):
        """Report lanes that the mask names and that ended without coming to the operation.

        A lane that returned before it is let be, as CUDA lets it: the mask's "non-exited" threads
        must come. One that went around it, or left its loop, did not exit before.
        """
        t = here[min(here)]
        step = grid.sites[t.at[1]].step
        for lane, u in enumerate(self.lanes):
            if u is None or u.at is not None or not mask >> lane & 1 or u.ended is None:
                continue
            last = math.ceil(u.ended)
            if grid.steps[last].returns and last < step:
                continue
            grid.report(
                "warp-mask",
                t,
                t.at[1],
                f"lane {t.lane} calls `{op}` with the mask {mask:#x}, which names lane {lane}; but "
                f"lane {lane} went past it and ended (line {grid.steps[last].line}). The mask must "
                "name exactly the lanes that take part.",
                other_line=grid.steps[last].line,
                other_thread=u.index,
                other_block=self.block.index,
            )
            return

    def release(self, grid, t, result):
        """Let a waiting thread go on, with the result of its request."""
        t.result = result
        # Half a statement further than one that begins it: it runs first, and on its own.
        t.at = grid.sites[t.at[1]].step - 0.5 if grid.instrumented else 0
        self.ready.append(t)


class Block:
    """A block of threads with its shared memory."""

    def __init__(self, grid, number, index):
        self.grid, self.number, self.index = grid, number, index
        self.barriers = 0  # how many barriers the block has passed
        self.shared, self.views = [], {}
        at = 0
        for _, name, shape, dtype in sorted(grid.program.shared.values(), key=lambda s: s[0]):
            view = fresh(shape, dtype, "shared", name, address=at, block=self)
            at += -(-len(view.memory.bytes) // 128) * 128
            if grid.tally:
                view.marks = bytearray(b"\x01") * view.size
            self.shared.append(view)
        self.pool = Memory.empty(grid.dynamic_bytes, "shared", "dynamic", address=at, block=self)
        self.threads, self.warps = [], []
        bx, by, bz = grid.block
        n = bx * by * bz
        for number in range(n):
            if number % WARP == 0:
                self.warps.append(Warp(self, number // WARP))
            place = (number % bx, number // bx % by, number // (bx * by))
            self.threads.append(Thread(self, self.warps[-1], number, place))
        self.order = self.threads
        if grid.random:
            self.order = list(self.threads)
            grid.random.shuffle(self.order)
            grid.random.shuffle(self.warps)
        self.released = None

    def dynamic(self, dtype):
        """The dynamic shared memory, as an array of ``dtype``."""
        view = self.views.get(dtype)
        if view is None:
            count = len(self.pool.bytes) // dtype.size
            view = View(self.pool, dtype, (count,), packed((count,), unit_of(dtype)))
            self.views[dtype] = view
        return view

    def start(self, function, args):
        """Make every thread a generator."""
        for t in self.order:
            generator = function(t, *args)
            t.go = generator.send
            t.warp.lanes[t.lane] = t
            if self.grid.instrumented:
                # Runs nothing yet: stops before the first statement.
                t.at = next(generator, None)
            if t.at is not None:
                t.warp.ready.append(t)

    def advance(self):
        """Run until every thread is finished or waits for another block.

        Returns "done", "grid" (all wait for the grid) or "spin" (some wait in a loop).
        """
        grid = self.grid
        instrumented = grid.instrumented
        for t in self.threads:
            if t.at.__class__ is tuple and t.at[0] == "spin":
                t.warp.release(grid, t, None)
        while True:
            moved = False
            for warp in self.warps:
                if instrumented:
                    moved |= warp.step(grid)
                else:
                    moved |= warp.run()
            if moved:
                continue
            for warp in self.warps:
                moved |= warp.settle(grid)
            if moved:
                continue
            live = [t for t in self.threads if t.at is not None]
            if not live:
                return "done"
            kinds = {t.at[0] for t in live}
            if "spin" in kinds:
                grid.waste(live)
                return "spin"
            if kinds == {"grid"}:
                self.missing_at_grid(live)
                return "grid"
            self.barrier(live)

    def missing_at_grid(self, live):
        """Threads that have ended do not come to a grid's barrier: hardware lets them be."""
        if len(live) < len(self.threads) and self.grid.instrumented:
            gone = next(t for t in self.threads if t.at is None)
            t = live[0]
            self.grid.report(
                "divergent-barrier",
                t,
                t.at[1],
                f"{who(t.index, self.index)} waits at `this_grid().sync` (line "
                f"{self.grid.sites[t.at[1]].line}), but thread {triple(gone.index)} has already "
                "finished and will never come. Every thread of the grid must reach it, so a "
                "thread without work must not return before it.",
                other_thread=gone.index,
                other_block=self.index,
            )

    def barrier(self, live):
        """Release the block's barrier, or say why it can never be."""
        grid = self.grid
        stuck = [t for t in live if t.at[0] in WARP_OPS]
        if stuck:
            self.explain_mask(stuck[0])
        if len({t.at[1] for t in live}) > 1:
            self.explain_barrier(live)
        if len(live) < len(self.threads):
            self.missing_at_barrier(live)
        op = live[0].at[0]
        if op == "barrier":
            result = None
        else:
            votes = [t.at[3] != 0 for t in live]
            result = {"count": sum(votes), "and": int(all(votes)), "or": int(any(votes))}[op[8:]]
        self.barriers += 1
        grid.progress()
        if grid.checks:
            grid.checks.barrier(self)
        if grid.counts:
            grid.counts.barriers += 1
        if grid.trace:
            grid.trace.barrier(self, live[0].at[1])
        for t in self.order:
            if t.at is not None:
                t.warp.release(grid, t, result)

    def missing_at_barrier(self, live):
        """Threads have ended before a barrier: hardware waits only for those that have not.

        That is a finding, and the launch goes on. Threads that went around the barrier would have
        to come as well: there it ends.
        """
        grid, site = self.grid, self.grid.sites[live[0].at[1]]
        ended = [t.ended for t in self.threads if t.at is None]
        if grid.instrumented:
            last = [math.ceil(e) for e in ended if e is not None]
            early = all(grid.steps[e].returns and e < site.step for e in last)
        else:
            early = not grid.tally and all(e is not None and e < site.line for e in ended)
        if grid.instrumented or not early:
            self.explain_barrier(live, stop=not early)

    def explain_barrier(self, live, stop=True):
        grid = self.grid
        first = live[0]
        site = grid.sites[first.at[1]]
        name = OPERATIONS.get(first.at[0], first.at[0])
        finished = next((t for t in self.threads if t.at is None), None)
        text = f"{who(first.index, self.index)} waits at `{name}` (line {site.line})"
        other_line = other = None
        if finished is not None:
            other = finished
            text += (
                f", but thread {triple(finished.index)} has already finished and will never come. "
                "Every thread of a block must reach the same barrier, so a thread without work "
                "must not return before it."
            )
        else:
            other = next(t for t in live if t.at[1] != first.at[1])
            other_line = grid.sites[other.at[1]].line
            same = other_line == site.line  # in a function that both call
            where = "another call of the same line" if same else f"line {other_line}"
            text += (
                f", but thread {triple(other.index)} waits at "
                f"`{OPERATIONS.get(other.at[0], other.at[0])}` in {where}. "
                "Every thread of a block must reach the same barrier: do not put one into a "
                "branch that only some threads take."
            )
        better = mend.barrier(grid.program.kernel.source, site, other_line)
        (grid.stop if stop else grid.report)(
            "divergent-barrier",
            first,
            first.at[1],
            f"{text} {better}" if better else text,
            other_line=other_line,
            other_thread=other.index,
            other_block=self.index,
        )

    def explain_mask(self, t):
        grid = self.grid
        op, site, mask, *_ = t.at
        missing = next(
            o
            for o in t.warp.lanes
            if o is not None and mask >> o.lane & 1 and o.at is not None
            if o.at[:1] + o.at[2:3] != (op, mask)
        )
        where = grid.sites[missing.at[1]]
        there = OPERATIONS.get(missing.at[0], missing.at[0])
        how = f" with the mask {missing.at[2]:#x}" if missing.at[0] in WARP_OPS else ""
        grid.stop(
            "warp-mask",
            t,
            site,
            f"lane {t.lane} waits in `{op}` with the mask {mask:#x}, which names lane "
            f"{missing.lane}; but lane {missing.lane} waits at `{there}`{how} in line "
            f"{where.line}. The mask must name exactly the lanes that take part.",
            other_line=where.line,
            other_thread=missing.index,
            other_block=self.index,
        )


OPERATIONS = {
    "barrier": "syncthreads",
    "barrier_count": "syncthreads_count",
    "barrier_and": "syncthreads_and",
    "barrier_or": "syncthreads_or",
    "grid": "this_grid().sync",
}

# ---------------------------------------------------------------- what the lanes of a warp can do
# Each gets the grid, the warp, the mask and the threads that take part, by lane.


class Undefined(int):
    """An integer that no lane gave; what is computed from it stays one."""


def _stays(name):
    compute = getattr(int, name)

    def run(*args):
        made = compute(*args)
        return Undefined(made) if made.__class__ is int else made

    return run


for _name in ("add", "sub", "mul", "and", "or", "xor", "lshift", "rshift", "floordiv", "mod"):
    setattr(Undefined, f"__{_name}__", _stays(f"__{_name}__"))
    setattr(Undefined, f"__r{_name}__", _stays(f"__r{_name}__"))
for _name in ("neg", "invert", "abs"):
    setattr(Undefined, f"__{_name}__", _stays(f"__{_name}__"))


def undefined(value):
    """Whether a value is what a shuffle gives where no lane gave one."""
    return value.__class__ is Undefined or value != value


def _shuffle(source, keeps=None):
    """``keeps``: of the lanes, which one a sum of all ends in; None where each result is used."""

    def run(grid, warp, mask, here):
        first = keeps and keeps(here)
        for lane, t in here.items():
            k = source(lane, t.at[4])
            if k is None:
                t.result = t.at[3]
                continue
            if k in here:
                t.result = here[k].at[3]
                if lane != first or grid.tally or not grid.instrumented:
                    continue
                if not (warp.astray and undefined(t.result)) or undefined(t.at[3]):
                    continue
                how = f"lane {k}, which took it from a lane that does not take part"
            else:
                if grid.tally:
                    raise Suspicious
                size = grid.sites[t.at[1]].size
                most = (1 << 8 * size - 1) - 1
                t.result = math.nan if isinstance(t.at[3], float) else Undefined(most)
                how = f"lane {k}, which the mask {mask:#x} "
                if mask >> k & 1:
                    gone = "the block has no such thread" if warp.lanes[k] is None else "it ended"
                    how += f"names but which does not take part ({gone})"
                else:
                    warp.astray = True
                    if keeps and lane != first:
                        continue  # the lanes behind the last seldom use what they get
                    how += "does not name"
            grid.report(
                "warp-mask",
                t,
                t.at[1],
                f"lane {lane} takes a value from {how}. What arrives is undefined.",
            )

    return run


def _vote(combine):
    def run(grid, warp, mask, here):
        result = combine(here)
        for t in here.values():
            t.result = result

    return run


def _ballot(here):
    return ops.wrap32(sum(1 << lane for lane, t in here.items() if t.at[3]))


def _key(t):
    """A value's bits: match compares bits, so NaN equals NaN and 0.0 is not -0.0."""
    return struct.pack(t.at[4], t.at[3])


def _match_any(grid, warp, mask, here):
    groups = {}
    for lane, t in here.items():
        groups[_key(t)] = groups.get(_key(t), 0) | 1 << lane
    for t in here.values():
        t.result = ops.wrap32(groups[_key(t)])


def _match_all(grid, warp, mask, here):
    same = len({_key(t) for t in here.values()}) == 1
    found = ops.wrap32(sum(1 << lane for lane in here)) if same else 0
    for t in here.values():
        t.result = (found, same)


def _syncwarp(grid, warp, mask, here):
    for t in here.values():
        t.result = None
    if grid.checks:
        grid.checks.syncwarp(here)


WARP_OPS = {
    "shfl_sync": _shuffle(lambda lane, k: k & 31),
    "shfl_up_sync": _shuffle(lambda lane, k: lane - (k & 31) if lane >= (k & 31) else None, max),
    "shfl_down_sync": _shuffle(
        lambda lane, k: lane + (k & 31) if lane + (k & 31) < 32 else None, min
    ),
    "shfl_xor_sync": _shuffle(lambda lane, k: lane ^ (k & 31)),
    "all_sync": _vote(lambda here: all(t.at[3] for t in here.values())),
    "any_sync": _vote(lambda here: any(t.at[3] for t in here.values())),
    "eq_sync": _vote(lambda here: len({t.at[3] for t in here.values()}) == 1),
    "ballot_sync": _vote(_ballot),
    "match_any_sync": _match_any,
    "match_all_sync": _match_all,
    "syncwarp": _syncwarp,
}


class Grid:
    """One launch of a program.

    ``checks``, ``counts`` and ``trace`` are told of every step where they are not None, which needs
    an instrumented program.
    """

    def __init__(self, program, grid, block, dynamic_bytes, settings):
        self.program, self.grid, self.block = program, grid, block
        self.dynamic_bytes = dynamic_bytes
        self.instrumented = program.instrumented
        self.sites, self.steps = program.sites, program.steps
        self.settings = settings
        self.random = None if settings.seed is None else random.Random(settings.seed)
        self.checks = self.counts = self.trace = self.tally = None
        self.watch = self.place = None  # explore.py: what a step touched, and where it was
        self.findings = {}  # (kind, line, array, other line) -> Finding
        self.log = []  # (site, array, number of the element, value, value before) of this step
        self.current = None  # the thread that runs
        self.used = 0  # loop turns (plain) or statements (instrumented) of all threads
        self.wasted = 0
        self.began = time.monotonic()
        self.marked = 0

    # ------------------------------------------------------------ findings

    def report(self, kind, t, site, message, **other):
        """Note a finding of thread ``t`` at a site; the same one again is only counted.

        ``message``: the sentence, or a function that makes it where it takes long.
        """
        site = self.sites[site]
        source = self.program.kernel.source
        key = kind, site.line, site.array, other.get("other_line")
        found = self.findings.get(key)
        if found is not None:
            found.count += 1
            return found
        found = self.findings[key] = Finding(
            kind,
            message() if callable(message) else message,
            site.line,
            t.index,
            t.block.index,
            site.array or None,
            kernel=source.name,
            filename=source.filename,
            **other,
        )
        return found

    def stop(self, kind, t, site, message, **other):
        """Report, and end the launch."""
        raise fault(self.report(kind, t, site, message, **other))

    def error(self, error, t):
        """What Python raised in a thread's code, as a fault with the line of the source."""
        line, frame = None, error.__traceback__
        while frame is not None:
            if frame.tb_frame.f_code.co_filename == self.program.filename:
                line = self.program.lines.get(frame.tb_lineno, line)
            frame = frame.tb_next
        text = f"{type(error).__name__}: {error}"
        kind = "error"
        if isinstance(error, UnboundLocalError | NameError):
            name = str(error).split("'")[1][2:]
            text = f"the variable `{name}` is used before anything is assigned to it on this path."
        elif isinstance(error, TypeError) and "read-only" in str(error):
            kind, text = "read-only", "a constant array cannot be written by a kernel."
        source = self.program.kernel.source
        finding = Finding(
            kind,
            text,
            line,
            kernel=source.name,
            filename=source.filename,
        )
        if t is not None:
            finding.thread, finding.block = t.index, t.block.index
            finding.message = f"{who(t.index, t.block.index)}: {text}"
        self.findings[kind, line, None, None] = finding
        return fault(finding)

    # ------------------------------------------------------------ limits

    def spend(self, n, line=None, t=None):
        """Count ``n`` turns or statements; stop the launch at the limit."""
        self.used += n
        settings = self.settings
        late = settings.time_limit is not None and (
            time.monotonic() - self.began > settings.time_limit
        )
        if late or self.used > settings.max_steps:
            limit = f"{settings.time_limit} s" if late else f"{settings.max_steps} steps"
            self.endless(f"the launch reached its limit of {limit}", line, t)

    def endless(self, text, line, t):
        source = self.program.kernel.source
        if t is not None and line:
            text = f"{text} while {who(t.index, t.block.index)} was in the loop at line {line}. "
            if line in self.program.open:
                text += "The loop may never end."
            else:
                text += "The loop has an end: allow more (max_steps, time_limit), or launch less."
        else:
            threads = math.prod(self.grid) * math.prod(self.block)
            text += (
                f", and is not in a loop: it has {threads} threads. Launch fewer, or allow more "
            )
            text += "(max_steps, time_limit)."
        finding = Finding(
            "endless",
            text,
            line or source.node.lineno,
            t and t.index,
            t and t.block.index,
            kernel=source.name,
            filename=source.filename,
        )
        self.findings["endless", line, None, None] = finding
        raise fault(finding)

    def refuel(self, t, line):
        """A thread has used up its turns: count them and give it new ones."""
        self.spend(TURNS, line, t)
        return TURNS

    def waste(self, live):
        """Threads wait in loops: no harm, unless nobody ever gets on."""
        spinning = [t for t in live if t.at[0] == "spin"]
        self.wasted += len(spinning)
        self.spend(len(spinning), self.sites[spinning[0].at[1]].line, spinning[0])
        if self.wasted > PATIENCE:
            t = spinning[0]
            line = self.sites[t.at[1]].line
            self.endless("all threads that can still run wait for one another", line, t)

    def progress(self):
        """Something happened that waiting loops may have waited for."""
        self.wasted = 0

    # ------------------------------------------------------------ running

    def run(self, args):
        """Run the launch with the kernel's arguments."""
        namespace = namespace_of(self)
        exec(self.program.code, namespace)
        function = namespace["kernel"]
        gx, gy, gz = self.grid
        order = range(gx * gy * gz)
        if self.random:
            order = list(order)
            self.random.shuffle(order)
        indices = ((n, (n % gx, n // gx % gy, n // (gx * gy))) for n in order)
        usual = gc.get_threshold()
        young = YOUNG if self.trace else SOME if self.checks else 0
        gc.set_threshold(usual[0] and max(usual[0], young), *usual[1:])
        try:
            if self.program.generator:
                self.run_waiting(function, args, indices)
            else:
                for number, index in indices:
                    if self.runs_natively(args, number):
                        break
                    block = Block(self, number, index)
                    self.spend(len(block.order))
                    tally = self.tally
                    for t in block.order:
                        self.current = t
                        try:
                            function(t, *args)
                        except ThreadEnd:
                            pass
                        if tally:
                            tally.segment(t)
                    if tally:
                        tally.block_done()
        except KernelFault:
            raise
        except (KeyboardInterrupt, MemoryError, SystemExit):
            raise
        except Exception as error:
            raise self.error(error, self.blame(error)) from error
        finally:
            gc.set_threshold(*usual)
            self.program.spent += self.used
            if self.trace:
                self.trace.finish()

    def runs_natively(self, args, number):
        """Run the blocks from ``number`` on as compiled code, once a kernel has taken long."""
        program = self.program
        if program.native is None or program.spent + self.used < LONG:
            return False
        if self.settings.mode != "run" or not self.settings.fast or self.random:
            return False
        if program.native is True:
            program.native = native(program)
        if program.native is None or not program.native.run(self, args, number):
            program.native = None
            return False
        return True

    def run_schedule(self, args, schedule):
        """Run the launch under a schedule of explore.py."""
        namespace = namespace_of(self)
        namespace["PRINT"] = lambda *parts: None
        exec(self.program.code, namespace)
        gx, gy, gz = self.grid
        blocks = [
            Block(self, n, (n % gx, n // gx % gy, n // (gx * gy))) for n in range(gx * gy * gz)
        ]
        try:
            run_scheduled(self, namespace["kernel"], args, schedule, blocks)
        except KernelFault:
            raise
        except Exception as error:
            raise self.error(error, self.blame(error)) from error

    def blame(self, error):
        """The thread in whose code an error arose."""
        frame = error.__traceback__
        while frame is not None:
            t = frame.tb_frame.f_locals.get("T")
            if isinstance(t, Thread):
                return t
            frame = frame.tb_next
        return self.current

    def run_waiting(self, function, args, indices):
        """Run blocks whose threads wait for one another."""
        active = []
        together = self.program.grid_sync or self.program.spins
        pending = True
        while active or pending:
            if pending and (not active or together):
                number, index = next(indices, (None, None))
                pending = number is not None
                if pending:
                    block = Block(self, number, index)
                    self.spend(len(block.order))
                    block.start(function, args)
                    active.append([block, None])
                    if self.trace:
                        self.trace.begin(block)
            states = []
            for entry in active:
                if entry[1] != "grid":
                    entry[1] = entry[0].advance()
                states.append(entry[1])
            if "done" in states:
                self.progress()
                if self.counts:
                    for block, state in active:
                        if state == "done":
                            self.counts.end(block)
                if self.tally:
                    self.tally.block_done()
                active = [entry for entry in active if entry[1] != "done"]
            if active and not pending and all(state == "grid" for _, state in active):
                self.release_grid(active)

    def release_grid(self, active):
        self.progress()
        waiting = [t for block, _ in active for t in block.threads if t.at is not None]
        if len({t.at[1] for t in waiting}) > 1:
            self.explain_grid(active[0][0])
        if len(active) < self.grid[0] * self.grid[1] * self.grid[2]:
            self.explain_grid(active[0][0])
        if self.checks:
            self.checks.grid_barrier()
        for entry in active:
            entry[1] = None
            for t in entry[0].order:
                if t.at is not None:
                    t.warp.release(self, t, 0)

    def explain_grid(self, block):
        t = next(t for t in block.threads if t.at is not None)
        self.stop(
            "divergent-barrier",
            t,
            t.at[1],
            f"block {triple(block.index)} waits for the whole grid, but not every block comes to "
            "the same `this_grid().sync()`. Every thread of the grid must reach it.",
        )

    # ------------------------------------------------------------ watching

    def observe(self, warp, place, active, ends):
        """Instrumented code: a warp has run one statement in its ``active`` lanes."""
        if place.__class__ is int:  # else it goes on in the middle of a statement
            self.used += len(active)
        if self.used >= self.marked:
            self.marked = self.used + 4096
            step = self.steps[math.ceil(place)]
            self.spend(0, step.loop, active[0])
        log = self.log
        columns = columns_of(log, ends) if log else ()
        if self.trace:  # first: it notes what is not written yet, which the checks change
            self.trace.step(warp, place, active, ends, log, columns)
        if self.watch is not None:
            self.watch += [e for e in log if e[1].memory.space in ("global", "shared")]
        if log and self.checks:
            self.checks.step(active, ends, log, columns)
        if self.counts:
            self.counts.step(warp, place, active, ends, log, columns)


def columns_of(log, ends):
    """What the lanes of a step logged, by places in the source, where all lanes did the same.

    [(site, array, items, values, values before)], the last three with an entry for each lane; None
    where a lane did something of its own.
    """
    n = len(ends)
    each = ends[0]
    if len(log) != n * each or ends != list(range(each, n * each + 1, each)):
        return None
    if each == 1:  # mostly
        sites, arrays, items, values, before = zip(*log, strict=True)
        site, array = sites[0], arrays[0]
        if sites.count(site) != n or arrays.count(array) != n:
            return None
        return [(site, array, items, values, before)]
    columns, seen = [], set()
    for k in range(each):
        sites, arrays, items, values, before = zip(*log[k::each], strict=True)
        site, array = sites[0], arrays[0]
        if site in seen or sites.count(site) != n or arrays.count(array) != n:
            return None
        seen.add(site)
        columns.append((site, array, items, values, before))
    return columns


def namespace_of(grid):
    """Everything that the generated code of a launch refers to."""
    instrumented = grid.instrumented
    log = grid.log.append
    names = {f"C{k}": c for k, c in enumerate(grid.program.constants)}
    for k, d in enumerate("xyz"):
        names[f"BD{d}"], names[f"GD{d}"] = grid.block[k], grid.grid[k]
    names.update({f"M_{n}": f for n, f in (ops.MATH | ops.MATH2).items()})
    names.update({f"CM_{n}": f for n, f in ops.COMPLEX.items()})
    names.update(
        SI=ops.setitem, F32=ops.F32, R32=ops.round32, R16=ops.round16, BITS16=ops.bits16,
        W64=ops.wrap64, W32=ops.wrap32, WRAP=ops.wrap, F2I=ops.float_to_int, DIV=ops.divide,
        FDIV=ops.floor_divide, FMOD=ops.modulo, SHL=ops.shift_left, SHR=ops.shift_right,
        IPOW=ops.integer_power, CPOW=ops.constant_power, POW=ops.power, FMA=ops.fma,
        CBRT=ops.cbrt, POPC=ops.popcount, CLZ=ops.leading_zeros, FFS=ops.first_set,
        BREV=ops.reverse_bits, FMIN=ops.nan_min, FMAX=ops.nan_max, ROUND=ops.round_to_int,
        SIGN=ops.sign, SQRT=math.sqrt, INF=math.inf, NAN=math.nan, M_rint=ops.rint,
        M_isnan=math.isnan, M_isinf=math.isinf, M_isfinite=math.isfinite, M_modf=math.modf,
        M_ldexp=ops.quiet(math.ldexp), H2F=half_to_float() if uses_half(grid) else None,
        CLOAD=ops.load_complex, RC=ops.complex32, CDIV=ops.complex_divide,
        CPOWER=ops.complex_power, HYPOT=ops.magnitude, ROUNDTO=ops.round_to, NEXT=ops.next_after,
        M_frexp=math.frexp,
        IDIV=lambda a, b: a // b if b else 0, IMOD=lambda a, b: a % b if b else 0,
        NPMIN=lambda a, b: a if a != a or a < b else b,
        NPMAX=lambda a, b: a if a != a or a > b else b,
        REFUEL=grid.refuel, LOG=log,
        T=None,
    )  # fmt: skip

    def IDX(t, site, axis, index, size):
        """An index that is not in its axis: Numba counts a negative one from the end."""
        place = grid.sites[site]
        array = f"`{place.array}`"
        if -size <= index < 0:
            if grid.tally:
                raise Suspicious
            if instrumented:
                grid.report(
                    "negative-index",
                    t,
                    site,
                    f"{who(t.index, t.block.index)} uses the index {index} in {array}. A negative "
                    f"index counts from the end, so this is element {index + size}: seldom meant. "
                    "Test the index before.",
                )
            return index + size
        along = "" if axis is None else f" along axis {axis}"
        if place.array in grid.program.dynamic:
            grid.stop(
                "dynamic-shared",
                t,
                site,
                f"{who(t.index, t.block.index)} uses {array}[{index}], but the launch gave the "
                f"block only {grid.dynamic_bytes} bytes of dynamic shared memory, which is {size} "
                "elements. Its size in bytes is the fourth value in the launch's brackets.",
            )
        kind = "negative-index" if index < 0 else "out-of-bounds"
        last = f"0 to {size - 1}" if size else "none"
        grid.stop(
            kind,
            t,
            site,
            f"{who(t.index, t.block.index)} uses the index {index} in {array}, which is out of "
            f"bounds: there are {size} elements{along} ({last}). Guard it with an `if`, or launch "
            "fewer threads.",
        )

    def SUB(t, site, array, index):
        """A smaller array inside an array."""
        offset, shape, strides = array.offset, [], []
        for axis, part in enumerate(index):
            which = axis if len(array.shape) > 1 else None
            size, stride = array.shape[axis], array.strides[axis]
            if isinstance(part, slice):
                picked = range(size)[part]
                offset += (picked.start if len(picked) else 0) * stride
                shape.append(len(picked))
                strides.append(stride * picked.step)
            else:
                offset += (part if 0 <= part < size else IDX(t, site, which, part, size)) * stride
        shape, strides = tuple(shape), tuple(strides)
        if all(s >= 0 for s in strides):  # begin at item 0, which is what packed arrays rely on
            start, elements = array.start + offset * array.step, array.elements[offset:]
            made = View(array.memory, array.dtype, shape, strides, 0, start, elements=elements)
            if array.marks is not None:
                made.marks = memoryview(array.marks)[offset:]
            return made
        made = array.derive(shape, strides, offset)
        made.marks = array.marks
        return made

    def INNER(ref, offset):
        """The reference to a record within a record."""
        return ref[0], ref[1] + offset

    def NESTED(ref, made):
        """An array within a record."""
        array, at = ref
        dtype, shape, offset = made
        return array.of(dtype, shape, packed(shape, unit_of(dtype)), array.start + at + offset)

    def FIELDS(t, site, array, field):
        """One field of all records of an array."""
        kind, shape = field.type, ()
        if isinstance(kind, Nested):
            kind, shape = kind.dtype, kind.shape
        item = kind.size // unit_of(kind)  # bytes of one item of the new array's elements
        if any(s % item for s in array.strides):
            raise Unsupported(
                f"the field `{field.name}` of packed records as an array: {array.strides[-1]} "
                f"bytes are no multiple of its {item}",
                grid.sites[site].line,
            )
        strides = tuple(s // item for s in array.strides) + packed(shape, unit_of(kind))
        start = array.start + array.offset + field.offset
        return array.of(kind, (*array.shape, *shape), strides, start)

    def PARTS(array, made):
        """The real or the imaginary parts of a complex array."""
        dtype, which = made
        offset = array.offset + (which == "i")
        elements = array.elements
        return View(array.memory, dtype, array.shape, array.strides, offset, array.start, elements)

    def AS(t, site, array, dtype):
        """``array.view(dtype)``: the same bytes as elements of another type."""
        old, new = array.dtype.size, dtype.size
        shape = array.shape
        if old != new:
            if array.type.layout != "C" or not shape or shape[-1] * old % new:
                stop_view(t, site, array, dtype)
            shape = (*shape[:-1], shape[-1] * old // new)
            strides = packed(shape, unit_of(dtype))
        else:
            scale = array.step, dtype.size // unit_of(dtype)
            strides = tuple(s * scale[0] // scale[1] for s in array.strides)
        return array.of(dtype, shape, strides, array.start + array.offset * array.step)

    def stop_view(t, site, array, dtype):
        grid.stop(
            "error",
            t,
            site,
            f"{who(t.index, t.block.index)} views an array of shape {array.shape} and type "
            f"{array.dtype.name} as {dtype.name}, which its last axis does not allow.",
        )

    def SHAPE(t, site, array, shape):
        """``array.reshape(shape)`` of a packed array."""
        rest = math.prod(n for n in shape if n >= 0)
        if shape.count(-1) == 1 and rest:
            shape = tuple(array.size // rest if n < 0 else n for n in shape)
        if math.prod(shape) != array.size:
            grid.stop(
                "error",
                t,
                site,
                f"{who(t.index, t.block.index)} reshapes an array of {array.size} elements to "
                f"{shape}, which has {math.prod(shape)}.",
            )
        return array.derive(shape, packed(shape, unit_of(array.dtype)), array.offset)

    def element(array, item):
        """The value of item ``item`` of an array's elements."""
        dtype = array.dtype
        if dtype.kind == "c":
            return ops.load_complex(array.elements, item)
        value = array.elements[item]
        return half_to_float()[value] if dtype is float16 else value

    def write(site, array, item, value):
        """Put a stored value (a float16 as its bits) into an array, and log it."""
        old = element(array, item) if instrumented else None
        if array.dtype.kind == "c":
            array.elements[item], array.elements[item + 1] = value.real, value.imag
        else:
            array.elements[item] = value
        if instrumented:
            log((site, array, item, element(array, item), old))

    def FILL(t, site, array, value):
        """``array[...] = value`` for a number."""
        for item in array.items():
            write(site, array, item, value)

    def COPY(t, site, load, array, source, convert):
        """``array[...] = source``, repeated along axes of length 1, as in NumPy."""
        shape, strides = source.shape, source.strides
        missing = len(array.shape) - len(shape)
        shape, strides = (1,) * missing + shape, (0,) * missing + strides
        if any(n not in (1, m) for n, m in zip(shape, array.shape, strict=True)):
            grid.stop(
                "error",
                t,
                site,
                f"{who(t.index, t.block.index)} assigns an array of shape {source.shape} to a "
                f"part of shape {array.shape}.",
            )
        strides = tuple(0 if n == 1 else s for n, s in zip(shape, strides, strict=True))
        spread = source.derive(array.shape, strides, source.offset)
        for item, other in zip(array.items(), list(spread.items()), strict=True):
            value = element(source, other)
            if instrumented:
                log((load, source, other, value, None))
            write(site, array, item, convert(value))

    def SPREAD(t, site, array, values):
        """``array[...] = (a, b, c)``, or the row of the array where there are several."""
        if array.shape[-1] != len(values):
            grid.stop(
                "error",
                t,
                site,
                f"{who(t.index, t.block.index)} assigns {len(values)} values to a part of shape "
                f"{array.shape}.",
            )
        for k, item in enumerate(array.items()):
            write(site, array, item, values[k % len(values)])

    def COPYREC(t, made, ref, where):
        """Copy a record number by number."""
        fields, sites = made
        base = where
        for k, f in enumerate(fields):
            value = FIELD(t, sites[2 * k], ref, f)
            value = ops.bits16(value) if f.type is float16 else value
            SETFIELD(t, sites[2 * k + 1], base, f, value)

    def IN(t, site, x, array):
        """Whether an element equals ``x``."""
        found = False
        for item in array.items():
            value = element(array, item)
            if instrumented:
                log((site, array, item, value, None))
            found = found or value == x
        return found

    def REDUCE(t, site, name, array):
        """``array.sum()`` and its like, element after element in the array's own order."""
        dtype = array.dtype
        near = {2: ops.round16, 4: ops.round32}.get(dtype.size, float)
        if dtype.kind == "c":
            near = ops.complex32 if dtype.size == 8 else complex
        elif dtype.whole:
            near = ops.wrap64 if dtype.kind == "i" else lambda x: x & ops.M64
        values = []
        for item in array.items():
            values.append(element(array, item))
            if instrumented:
                log((site, array, item, values[-1], None))
        if name in ("any", "all"):
            return (any if name == "any" else all)(values)
        if name in ("sum", "mean", "prod"):
            total = 1 if name == "prod" else 0
            for v in values:
                total = near(total * v if name == "prod" else total + v)
            return total / len(values) if name == "mean" and values else total
        if not values:
            grid.stop(
                "error", t, site, f"{who(t.index, t.block.index)}: `.{name}()` of an empty array."
            )
        best = 0
        for k, v in enumerate(values):
            if values[best] != values[best]:
                break  # the first NaN stays
            if v != v or (v < values[best] if "min" in name else v > values[best]):
                best = k
        return best if name.startswith("arg") else values[best]

    def LOCAL(t, made):
        name, shape, dtype = made
        view = fresh(shape, dtype, "local", name)
        if grid.tally:
            view.marks = bytearray(b"\x01") * view.size
        return view

    def FIELD(t, site, ref, field):
        """Read one field of a record."""
        array, at = ref
        at += field.offset
        if field.type.kind == "c":
            value = complex(*struct.unpack_from("=2" + field.type.format, array.elements, at))
        else:
            value = struct.unpack_from("=" + field.type.format, array.elements, at)[0]
        if field.type is float16:
            value = half_to_float()[value]
        if instrumented:
            log((site, array, at - field.offset, value, None))
        return value

    def SETFIELD(t, site, ref, field, value):
        """Write one field of a record."""
        array, at = ref
        format, old = "=" + field.type.format, None
        if field.type is float32:
            value = ops.round32(value)
        parts = (value,)
        if field.type.kind == "c":
            format, parts = "=2" + field.type.format, (value.real, value.imag)
        if instrumented:
            old = struct.unpack_from(format, array.elements, at + field.offset)
            old = complex(*old) if field.type.kind == "c" else old[0]
        struct.pack_into(format, array.elements, at + field.offset, *parts)
        if instrumented:
            log((site, array, at, value, old))

    def RNG(t, sites, ref):
        """The next number of a xoroshiro128+ generator.

        Source of the algorithm: David Blackman and Sebastiano Vigna,
        https://prng.di.unimi.it/xoroshiro128plus.c (with the shifts 55, 14 and 36 of 2016).
        """
        fields = [f for n in ("s0", "s1") for f in ref[0].dtype.fields if f.name == n]
        s0 = FIELD(t, sites[0], ref, fields[0])
        s1 = FIELD(t, sites[1], ref, fields[1])
        result = (s0 + s1) & ops.M64
        new = next_state(s0, s1)
        SETFIELD(t, sites[2], ref, fields[0], new[0])
        SETFIELD(t, sites[3], ref, fields[1], new[1])
        return result

    def atomic(name):
        change = ops.ATOMICS[name]

        def run(t, site, array, flat, value):
            elements = array.elements
            old = elements[flat]
            new = change(old, value)
            dtype = array.dtype
            if dtype.whole and not dtype.lo <= new <= dtype.hi:
                new = ops.wrap(new, dtype.size, dtype.kind == "i")
            elements[flat] = new
            if new != old:
                grid.wasted = 0  # something that waiting loops may have waited for
            if instrumented:
                log((site, array, flat, elements[flat], old))
            return old

        return run

    def ATOM_cas(t, site, array, flat, old, value):
        elements = array.elements
        was = elements[flat]
        if was == old:
            elements[flat] = value
            grid.wasted = 0
        if instrumented:
            log((site, array, flat, elements[flat], was))
        return was

    def FENCE(t, scope):
        if grid.checks:
            grid.checks.fence(t, scope)

    def FAIL(t, line, kind, text):
        """An exception in a kernel: the host hears of it with debug=True, else nobody does."""
        program = grid.program
        debug = program.kernel.options.get("debug")
        if not debug and not instrumented:
            raise ThreadEnd
        source = program.kernel.source
        unheard = " Without debug=True the GPU ends the thread and says nothing."
        finding = Finding(
            "error",
            f"{who(t.index, t.block.index)}: {kind.__name__}: {text}{'' if debug else unheard}",
            line,
            t.index,
            t.block.index,
            kernel=source.name,
            filename=source.filename,
        )
        known = grid.findings.setdefault(("error", line, None, None), finding)
        if not debug:
            known.count += known is not finding
            raise ThreadEnd
        bases = (KernelFault,) if issubclass(KernelFault, kind) else (KernelFault, kind)
        raise type(kind.__name__, bases, {})(finding)

    def NORMAL(first, second, single):
        """Two random integers to one normal number, by the method of Box and Muller."""
        u1, u2 = (ops.round32((x >> 11) * 2.0**-53) for x in (first, second))
        f = ops.round32 if single else float
        root = ops.MATH["log"](u1)
        root = f(math.sqrt(f(-2.0 * f(root))))
        return f(root * f(math.cos(f(f(2 * math.pi) * u2))))

    names.update({f"ATOM_{n}": atomic(n) for n in ops.ATOMICS})
    for f in (IDX, SUB, LOCAL, FIELD, SETFIELD, RNG, ATOM_cas, FENCE, FAIL, NORMAL, INNER, NESTED):
        names[f.__name__] = f
    for f in (FIELDS, PARTS, AS, SHAPE, FILL, COPY, SPREAD, COPYREC, IN, REDUCE):
        names[f.__name__] = f
    names["PRINT"] = lambda *parts: print(*parts)
    if grid.tally:
        names.update(grid.tally.names())
    return names


class ThreadEnd(Exception):
    """A thread ends in the middle of its code, as on a GPU after an exception."""


def next_state(s0, s1):
    """The state of xoroshiro128+ after one step."""
    m = ops.M64
    s1 ^= s0
    return (
        ((s0 << 55 | s0 >> 9) ^ s1 ^ (s1 << 14)) & m,
        (s1 << 36 | s1 >> 28) & m,
    )


def uses_half(grid):
    """Whether any float16 array is in sight, so that the table of its values is needed."""
    types = [t.dtype for t in grid.program.argtypes if isinstance(t, Array)]
    types += [dtype for *_, dtype in grid.program.shared.values()]
    types += [c.dtype for c in grid.program.constants if isinstance(c, View)]
    types += [c[2] for c in grid.program.constants if isinstance(c, tuple) and len(c) == 3]
    fields = [f.type for t in types if isinstance(t, Record) for f in t.leaves()]
    return float16 in types or float16 in fields

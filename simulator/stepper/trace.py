"""A recording of a launch that can be played forwards and back.

A recording is plain data, fit for JSON. ``steps`` is a list; each step is

    [block, warp, statement, mask, accesses]

``mask`` has a bit for each lane that ran the statement. An access is what one place in the source
did in those lanes: ``[site, memory, lanes, items]`` for a read, ``[site, memory, lanes, items,
values, before]`` for a write or an atomic operation. ``lanes`` lists the lanes, or is 0 where they
are those of the mask, in order; ``items`` the number of the element for each. A read has no values:
it finds what the memory holds. A barrier is ``[block, -1, site, 0, []]``. Statements, sites, blocks
and memories are tables that the steps refer to by number.
"""

import math

from .memory import half_to_float
from .types import Record, float16

LIMIT = 2_000_000  # statements and accesses that a recording keeps; then it says that it is cut
SHOWN = 16_384  # elements of each memory whose contents are kept


class Trace:
    """The recording of one launch."""

    def __init__(self, grid):
        self.grid = grid
        self.steps = []
        self.memories = []  # what is shown of each memory: a dictionary, see `memory`
        self.blocks = []  # index of each block, in the order in which they began
        self.numbers = {}  # Block -> its number
        self.known = {}  # (memory, dtype) -> its number
        self.masks = {}  # lanes of a step -> their mask, and whether they are in order
        self.kept = 0
        self.cut = False

    def begin(self, block):
        """A block begins."""
        self.numbers[block] = len(self.blocks)
        self.blocks.append(block.index)

    def memory(self, array):
        """The number of the memory in which an array lies; a new one is taken down as it is."""
        memory, dtype = array.memory, array.dtype
        number = self.known.get((memory, dtype))
        if number is None:
            number = self.known[memory, dtype] = len(self.memories)
            size = len(memory.bytes)
            whole = array.size * dtype.size == size and array.type.layout == "C"
            written = memory.written
            if written is not None:  # True: nothing is written yet; else the items that are not
                missing = [k for k in range(0, size, array.step) if not written[k]]
                missing = len(missing) * array.step == size or [k // array.step for k in missing]
            self.memories.append(
                {
                    "name": memory.name,
                    "space": memory.space,
                    "dtype": dtype.name,
                    "shape": list(array.shape) if whole else [size // dtype.size],
                    "block": None if memory.block is None else list(memory.block.index),
                    "unwritten": [] if written is None else missing,
                    "initial": memory,  # replaced by the contents in `finish`
                }
            )
        return number

    def step(self, warp, place, active, ends, log, columns=None):
        """Record one statement that a warp ran. ``columns``: the log by places, or None."""
        if self.cut:
            return
        if columns is not None:
            lanes = tuple([t.lane for t in active])
            known = self.masks.get(lanes)
            if known is None:
                known = self.masks[lanes] = sum(1 << k for k in lanes), list(lanes) == sorted(lanes)
            mask, accesses = known[0], []
            for site, array, items, values, before in columns:
                skipped = array.start and array.start // array.step
                items = [item + skipped for item in items] if skipped else list(items)
                group = [site, self.memory(array), 0 if known[1] else list(lanes), items]
                if before[0] is not None:
                    group += [list(values), list(before)]
                accesses.append(group)
            self.keep(warp, place, mask, accesses, log)
            return
        mask, start, groups = 0, 0, {}
        last = -1  # lane before, or 99 once the lanes are not in order
        for t, end in zip(active, ends, strict=True):
            lane = t.lane
            mask |= 1 << lane
            last = lane if lane > last else 99
            for site, array, item, value, before in log[start:end]:
                if array.start:
                    item += array.start // array.step
                key = (site, array.memory, array.dtype)
                group = groups.get(key)
                if group is None:
                    group = groups[key] = [site, self.memory(array), [lane], [item]]
                    if before is not None:
                        group += [[value], [before]]
                else:
                    group[2].append(lane)
                    group[3].append(item)
                    if before is not None:
                        group[4].append(value)
                        group[5].append(before)
            start = end
        accesses = list(groups.values())
        for group in accesses:
            if len(group[2]) == len(active) and last != 99:
                group[2] = 0
        self.keep(warp, place, mask, accesses, log)

    def keep(self, warp, place, mask, accesses, log):
        """Put a step behind the others."""
        self.steps.append([self.numbers[warp.block], warp.number, math.ceil(place), mask, accesses])
        self.kept += len(log) + 1
        self.cut = self.kept > LIMIT

    def barrier(self, block, site):
        """All threads of a block have met at a barrier."""
        if not self.cut:
            self.steps.append([self.numbers[block], -1, site, 0, []])

    def finish(self):
        """Work out what every memory held at the start: undo all writes from the end."""
        before = [{} for _ in self.memories]
        for step in reversed(self.steps):
            for access in reversed(step[4]):
                if len(access) > 4:
                    _, memory, _, items, _, old = access
                    before[memory].update(zip(reversed(items), reversed(old), strict=True))
        for (memory, dtype), number in self.known.items():
            shown = self.memories[number]
            if isinstance(dtype, Record):
                shown["initial"] = []
                continue
            size = len(memory.bytes) // dtype.size
            items = memoryview(memory.bytes)[: size * dtype.size].cast(dtype.format)
            items = items[:SHOWN].tolist()
            if dtype is float16:
                items = [half_to_float()[v] for v in items]
            for item, value in before[number].items():
                if item < len(items):
                    items[item] = value
            shown["initial"] = [plain(v) for v in items]

    def as_dict(self):
        """The recording as plain data. NaN and infinities become text, which JSON lacks."""
        grid = self.grid
        statements = sorted({s[2] for s in self.steps if s[1] >= 0})
        sites = {a[0] for s in self.steps for a in s[4]} | {s[2] for s in self.steps if s[1] < 0}
        return {
            "kernel": grid.program.kernel.source.name,
            "grid": list(grid.grid),
            "block": list(grid.block),
            "statements": {
                str(n): {"line": s.line, "function": s.function, "depth": s.depth}
                for n in statements
                for s in [grid.steps[n]]
            },
            "sites": {
                str(n): {"line": s.line, "array": s.array, "kind": s.kind}
                for n in sorted(sites)
                for s in [grid.sites[n]]
            },
            "memories": self.memories,
            "blocks": [list(b) for b in self.blocks],
            "steps": [
                [
                    b,
                    w,
                    p,
                    m,
                    [[*a[:4], *([plain(v) for v in vs] for vs in a[4:])] for a in accesses],
                ]
                for b, w, p, m, accesses in self.steps
            ],
            "cut": self.cut,
        }


def plain(value):
    """A value that JSON can hold."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value


class Player:
    """Plays a recording (as made by ``Trace.as_dict``): one step forwards or back at a time.

    ``memory[m]`` holds what memory number m holds after ``position`` steps; ``lines`` the line that
    each thread ran last, by (block, warp, lane).
    """

    def __init__(self, recording):
        self.recording = recording
        self.memory = [list(m["initial"]) for m in recording["memories"]]
        self.position = 0
        self.lines = {}
        self.before = []  # what `lines` held before each step

    def forward(self):
        """Do the next step; returns it, or None at the end."""
        steps = self.recording["steps"]
        if self.position >= len(steps):
            return None
        step = steps[self.position]
        block, warp, place, mask, accesses = step
        for _, memory, _, items, *written in accesses:
            if written:
                self._write(memory, items, written[0])
        changed = {}
        for lane in range(32):
            if mask >> lane & 1:
                key = (block, warp, lane)
                changed[key] = self.lines.get(key)
                self.lines[key] = self.recording["statements"][str(place)]["line"]
        self.before.append(changed)
        self.position += 1
        return step

    def back(self):
        """Undo the last step; returns it, or None at the start."""
        if not self.position:
            return None
        self.position -= 1
        step = self.recording["steps"][self.position]
        for _, memory, _, items, *written in reversed(step[4]):
            if written:
                self._write(memory, reversed(items), reversed(written[1]))
        for key, line in self.before.pop().items():
            if line is None:
                del self.lines[key]
            else:
                self.lines[key] = line
        return step

    def _write(self, memory, items, values):
        """Put values into a memory, as far as its contents are shown."""
        contents = self.memory[memory]
        for item, value in zip(items, values, strict=True):
            if item < len(contents):
                contents[item] = value

    def seek(self, position):
        """Go to a position between 0 and the number of steps."""
        while self.position < position and self.forward():
            pass
        while self.position > position and self.back():
            pass

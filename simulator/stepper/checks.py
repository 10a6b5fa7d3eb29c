"""Is every access ordered? Races, missing syncwarp, and memory that nothing wrote.

Two accesses to one cell by different threads, of which at least one writes and not both are atomic,
are a race unless something orders them. What orders them:

* a barrier of the block, between two threads of the block: ``Block.barriers`` counts them, and an
  access made before the count rose is ordered before everything after;
* syncwarp, between the lanes that its mask names. Each thread has a clock that goes up at each
  synchronization, and knows up to which clock it has seen every other lane of its warp;
* grid sync, between all threads;
* a fence and an atomic operation, between blocks: threadfence takes a note of everything that is
  ordered before it, the next atomic operation leaves the note at its cell, and an atomic operation
  that comes to that cell later takes the note along. A barrier hands notes on to the whole block.

Two threads may write the same value without an order, as a flag that many set. Whichever comes
last, the result is the same: that is a note (``Launch.notes``) and no finding. A write of what the
element held before the launch is a write as any other: it is only this data that hides it. It is a
race where
each made the value of what the element held before, since then one of two updates is lost, and
where the values are the same only because the data is.

Shuffles and votes do not order memory (CUDA C++ Programming Guide, warp shuffle functions), and
neither does the order in which a warp happens to run.

A cell remembers its last write and up to four reads: the latest, the latest by another thread, by
another warp and by another block. A race with an older read than those can be missed.
"""

import ast
import operator
from typing import NamedTuple

from . import advice as mend
from .faults import Finding, triple, who
from .types import ATOMIC_TYPES, Record, wider

ORDERED_BY = {
    "shared": "Put `cuda.syncthreads()` between the two.",
    "global": "Threads of different blocks have no order within a launch: use atomic operations, "
    "or a second launch.",
    "warp": "Lanes of a warp need not run in step: put `cuda.syncwarp()` between the two.",
    "block": "Put `cuda.syncthreads()` between the two.",
}
UPDATE = (
    "Each writes what it made of the value that it read before, so that one of the two updates is "
    "lost: use an atomic operation, such as `cuda.atomic.add`."
)
# Of one line that reads, changes and writes: no barrier can stand in its middle.
ONE_STEP = (
    "The line reads the element, changes it and writes it, and between those steps the other "
    "thread's update is lost. An atomic operation does all three as one: `{}`."
)
# Of an update in two lines: (line that reads, line that writes, atomic operation).
TWO_STEPS = (
    "Line {0} reads the element and line {1} writes what was made of it, and between the two the "
    "other thread's update is lost. An atomic operation does both as one: write `{2}` in line "
    "{1} (it returns what the element held before)."
)
# Of an update in one line, and a read in another: lines, atomic operation.
BEFORE = (
    "Line {0} reads the element that line {1} updates. To have what it held before this thread's "
    "own update, take it from the update: `old = {2}` does both as one."
)
TWO_LINES = (
    "If both threads go on to write what they made of it, one of the two updates is lost: use an "
    "atomic operation, such as `cuda.atomic.add`. If only one does:"
)
# Of one line that reads what another thread writes in it, as `s[t] += s[t + 1]` does.
NEIGHBOR = (
    "Read the element into a variable, put `cuda.{}()` behind it where every thread comes, and "
    "write then; in a loop put another one between a turn's write and the next turn's read."
)
NEIGHBOR_BLOCK = (
    "Threads of different blocks have no order within a launch: write to another array than the "
    "one that is read."
)
# Of `if h[0] < x: h[0] = x`: lines, atomic operation.
TESTED = (
    "The element is compared in line {0} and written in line {1}, and between the two another "
    "thread may write it. One atomic operation does both: write `{2}` in place of `{3}` and what "
    "it guards."
)
# Of an element of a type that the atomic operation does not take.
NARROW = (
    "The update takes several steps, and between them another thread's is lost. "
    "`cuda.atomic.{0}` does all as one, but takes no {1}: {2}give each thread an element of its "
    "own, and put them together behind a barrier."
)
NO_ATOMIC = (
    "The line reads the element, changes it and writes it, and between those steps the other "
    "thread's update is lost. Give each thread an element of its own, or do it in a loop with "
    "`cuda.atomic.cas`."
)


class Checks:
    """The checks of one launch."""

    def __init__(self, grid):
        self.grid = grid
        self.grids = 0  # grid barriers passed
        # Stores of the same value without an order: (site, other site) -> what `race` needs, and
        # the arrays that were read, by their text, to say whether the values were equal only
        # because the data is.
        self.equal, self.read = {}, {}
        self.notes = []  # of those that stay so
        # block -> its last atomic operation on a cell: {id: (site, thread, barriers, fenced)}
        self.met = {}
        self.doubtful = any(site.sources for site in grid.sites)
        self.simple = True  # nothing but barriers has put threads in order yet
        self.patterns = {}  # what `cells_of` made of accesses to shared memory, which come again
        # Only some accesses are logged, of which a tally could not say that they are in order
        self.watched = grid.program.watched is not None
        self.unequal = False  # then: whether a store found another value since the last barrier
        self.behind = {}  # id -> the Cells of global memory with reads that are put off

    # ------------------------------------------------------------ accesses

    def step(self, active, ends, log, columns=None):
        """Look at every access that one step of a warp logged.

        ``columns``: the log by places in the source, or None. A place at which nothing can be wrong
        is looked at once for all lanes, see `at_once`.
        """
        block = active[0].block
        epoch = self.grids, block.barriers
        if columns and self.watched:
            if len(columns) == 1 and self.one_place(active, epoch, *columns[0]):
                return
        elif columns and len(columns) == 1:
            (column,) = columns
            if not self.flags(epoch, *column[:3]) and self.at_once(active, epoch, *column):
                return
            if self.one_place(active, epoch, *column):
                return
        elif columns:
            memories = [array.memory for _, array, *_ in columns]
            alone = len(columns) == 1 or len(set(memories)) == len(memories)
            if not alone:
                kinds = {self.grid.sites[number].kind for number, *_ in columns}
                alone = kinds == {"load"} or self.apart(columns)
            left, held = [], set()
            for column, memory in zip(columns, memories, strict=True):
                if not alone and memories.count(memory) > 1 or memory in held:
                    left.append(column)
                elif self.flags(epoch, *column[:3]) or not self.at_once(active, epoch, *column):
                    left.append(column)
                    held.add(memory)  # what the lanes do there next comes after this
            if not left or len(left) == 1 and self.one_place(active, epoch, *left[0]):
                return
            if alone and self.several_reads(active, epoch, left):
                return
            if len(left) < len(columns):  # what is left, as it was logged: lane after lane
                rows = [
                    [(site, array, *row) for row in zip(items, values, before, strict=True)]
                    for site, array, items, values, before in left
                ]
                log = [entry for lane in zip(*rows, strict=True) for entry in lane]
                ends = range(len(left), len(log) + 1, len(left))
        sites = self.grid.sites
        start = 0
        for t, end in zip(active, ends, strict=True):
            for site_number, array, item, value, before in log[start:end]:
                site = sites[site_number]
                memory = array.memory
                at = array.start + item * array.step + site.offset
                size = site.size
                kind = site.kind
                written = memory.written
                if written is not None:
                    if kind != "store" and not self.watched and written.find(0, at, at + size) >= 0:
                        self.unwritten(t, site, array, item, written)
                    if kind != "load":
                        written[at : at + size] = b"\x01" * size
                if memory.watcher is not self:
                    if memory.space == "local" or memory.space == "constant":
                        continue
                    memory.watcher, memory.cells = self, Cells()  # of this launch
                if self.doubtful and kind == "load" and site.array not in self.read:
                    self.read[site.array] = array
                # A store of what is there already, and is the same for all threads
                quiet = kind == "store" and value == before and not site.sources
                grain = memory.grain
                cell_number = at // grain
                cells = memory.cells
                if memory.space == "shared" and cells.epoch != epoch:
                    cells.begin(epoch)
                if not cells.direct or cells.late:
                    self.catch_up(cells)
                self.access(t, site, kind, array, item, value, cells, cell_number, quiet)
                for extra in range(cell_number + 1, (at + size - 1) // grain + 1):
                    self.access(t, site, kind, array, item, value, cells, extra, quiet)
            start = end

    # ------------------------------------------------------------ all lanes at once

    def pattern(self, number, array, items):
        """What `cells_of` says of one access of a warp."""
        site, memory = self.grid.sites[number], array.memory
        if memory.space != "shared":
            return cells_of(site, array, items)
        key = number, array.start, memory.grain, items
        found = self.patterns.get(key)
        if found is None:
            found = cells_of(site, array, items)
            if len(self.patterns) < MOST:
                self.patterns[key] = found
        return found

    def apart(self, columns):
        """Whether no two lanes touch one cell in a step, so that their order changes nothing."""
        parts = []
        for number, array, items, _, _ in columns:
            own = self.pattern(number, array, items).own
            if own is None:
                return False
            parts.append((array.memory, own))
        return all(
            m is not n or a == b or set(a).isdisjoint(b)
            for k, (m, a) in enumerate(parts)
            for n, b in parts[:k]
        )

    def at_once(self, active, epoch, number, array, items, values, before):
        """Look at the access of a warp's lanes at one place; False where each needs a look.

        Where it meets no other since the last barrier, it is put off: until one comes that does.
        Then `note` makes of it what `access` would have made. Most never are: after a barrier a
        read is of no interest, and the next write to the same cells takes a write's place.
        """
        site, memory = self.grid.sites[number], array.memory
        space, kind, written = memory.space, site.kind, memory.written
        if space == "constant":
            return True
        if kind == "atomic" or space == "local":
            return False
        if kind == "load" and space == "global" and written is None and memory.watcher is self:
            grain, cells = memory.grain, memory.cells
            if not cells.direct and len(cells.late) < LATE and site.size == grain == array.step:
                if (array.start + site.offset) % grain == 0:  # which cells: when it is of interest
                    self.behind[id(cells)] = cells
                    cells.late.append((active, (site, array, items, grain), None, site, *epoch))
                    if self.doubtful and site.array not in self.read:
                        self.read[site.array] = array
                    return True
        pattern = self.pattern(number, array, items)
        if kind == "load":
            if not pattern.touched:
                return False
            if written is not None and written.find(0, pattern.first, pattern.last) >= 0:
                return False
            values = None
        elif pattern.own is None or not site.sources and any(map(operator.eq, values, before)):
            return False  # a store that changes nothing stands behind the one that made the value
        if memory.watcher is not self:
            memory.watcher, memory.cells = self, Cells()  # of this launch
        cells = memory.cells
        if space == "shared":
            if cells.epoch != epoch:
                cells.begin(epoch)
            late = not cells.direct and cells.meets_none(pattern.cells, values)
        else:
            late = not cells.direct and values is None and len(cells.late) < LATE
            self.behind[id(cells)] = cells
        access = (active, pattern, values, site, *epoch)
        if late:
            cells.late.append(access)
        else:
            if not cells.direct or cells.late:
                self.catch_up(cells)
            if not self.clear(cells, *access):
                return False
            self.note(cells, *access)
        if values is None:
            if self.doubtful and site.array not in self.read:
                self.read[site.array] = array
        elif written is not None:
            if len(pattern.cells) * memory.grain == pattern.last - pattern.first:
                written[pattern.first : pattern.last] = b"\x01" * (pattern.last - pattern.first)
            else:
                size = memory.grain
                for cell in pattern.own:
                    written[cell * size : cell * size + size] = b"\x01" * size
        return True

    @staticmethod
    def clear(cells, active, pattern, values, site, grids, barriers):
        """Whether an access surely is in order with all that is known of its cells."""
        block = active[0].block
        for number, one, _, last in pattern.touched:
            cell = cells.get(number)
            if cell is None:
                continue
            t = active[one] if one == last else None
            for then in cell[:1] if values is None or cell[1] is None else cell[:5]:
                if then is not None and then[0] is not t and then[3] >= grids:
                    if then[0].block is not block or then[1] >= barriers:
                        return False
        return True

    def catch_up(self, cells):
        """Note the accesses that were put off."""
        late = [*cells.old.values(), *cells.late]
        cells.late, cells.old, cells.direct = [], {}, True
        for active, pattern, *rest in late:
            if pattern.__class__ is tuple:
                pattern = cells_of(*pattern)
            self.note(cells, active, pattern, *rest)

    def all_catch_up(self, block):
        """Note all that was put off, because clocks of the block are about to change."""
        memories = [*(view.memory for view in block.shared), block.pool]
        for cells in [*(m.cells for m in memories if m.watcher is self), *self.behind.values()]:
            if cells.late or cells.old:
                self.catch_up(cells)

    @staticmethod
    def note(cells, active, pattern, values, site, grids, barriers):
        """Leave an access of a warp's lanes in its cells as `access` does, lane after lane."""
        block = active[0].block
        passed = block.barriers - barriers  # since then; each has moved all clocks on by one
        if values is not None:
            for t, number, value in zip(active, pattern.own, values, strict=False):
                now = (t, barriers, t.clock - passed, grids, site, value)
                cell = cells.get(number)
                if cell is None:
                    cells[number] = [now, None, None, None, None, None]
                else:
                    cell[:5] = now, None, None, None, None
            return
        for number, one, before_last, last in pattern.touched:
            t = active[one]
            now = (t, barriers, t.clock - passed, grids, site, None)
            cell = cells.get(number)
            if cell is None:
                cell = cells[number] = [None, now, None, None, None, None]
            else:
                read = cell[1]
                if read is not None and (u := read[0]) is not t:
                    cell[2] = read
                    if u.warp is not t.warp:
                        cell[3] = read
                        if u.block is not block:
                            cell[4] = read
                cell[1] = now
            if last != one:
                if before_last != one:
                    t = active[before_last]
                    now = (t, barriers, t.clock - passed, grids, site, None)
                cell[2] = now
                t = active[last]
                cell[1] = (t, barriers, t.clock - passed, grids, site, None)

    # ------------------------------------------------------------ lane by lane

    def flags(self, epoch, number, array, items):
        """Whether an access is to memory in which something met already, as to flags."""
        if array.memory.watcher is not self:
            return False
        cells = array.memory.cells
        if not cells.direct or cells.epoch not in (None, epoch):
            return False
        return self.grid.sites[number].kind == "load" or items.count(items[0]) > 1

    def one_place(self, active, epoch, number, array, items, values, before):
        """Look at the access of a warp's lanes at one place, as `access` does lane after lane.

        False where each lane needs more than that. A flag is one element for all lanes: what races
        with it does so for each of them, and is looked at once.
        """
        site, memory = self.grid.sites[number], array.memory
        space, kind, grain, size = memory.space, site.kind, memory.grain, site.size
        base = array.start + site.offset
        if not self.plain(site, array):
            return False
        base, scale = base // grain, array.step // grain
        written, item = memory.written, items[0]
        one = items.count(item) == len(items)
        if written is not None and not self.watched:
            for other in (item,) if one else items:
                at = (base + other * scale) * grain
                if kind == "store":
                    written[at : at + size] = b"\x01" * size
                elif written.find(0, at, at + size) >= 0:
                    return False
        if memory.watcher is not self:
            memory.watcher, memory.cells = self, Cells()  # of this launch
        cells = memory.cells
        if space == "shared" and cells.epoch != epoch:
            cells.begin(epoch)
        if not cells.direct or cells.late:
            self.catch_up(cells)
        if kind == "load":
            if self.doubtful and site.array not in self.read:
                self.read[site.array] = array
            if one:
                self.one_read(active, epoch, site, array, item, cells, base + item * scale)
            else:
                self.reads(active, epoch, site, array, items, cells, base, scale)
            return True
        alike = (
            one and not site.sources and not site.update and values.count(values[0]) == len(values)
        )
        varied = bool(site.sources)
        for t, other, value, was in zip(active, items, values, before, strict=True):
            quiet = value == was and not varied
            self.access(t, site, kind, array, other, value, cells, base + other * scale, quiet)
            if alike:
                break
        if alike:  # all others store what is there now, and one store stands for all
            write = cells[base + item * scale][0]
            key = number, write[4].number
            if key not in self.equal:
                for t in active[1:]:
                    if t is not write[0] and not self.ordered(write, t):
                        self.equal[key] = t, site, array, item, write
                        break
        return True

    @staticmethod
    def plain(site, array):
        """Whether an access is a load or a store of whole cells that others can use."""
        memory = array.memory
        if site.kind == "atomic" or memory.space == "local" or memory.space == "constant":
            return False
        grain = memory.grain
        return not (site.size != grain or (array.start + site.offset) % grain or array.step % grain)

    def several_reads(self, active, epoch, columns):
        """`one_place` for the reads of one step, with findings in the order of the lanes."""
        sites, known = self.grid.sites, self.grid.findings
        if any(sites[number].kind != "load" for number, *_ in columns):
            return False
        if not all(self.flags(epoch, *column[:3]) for column in columns):
            return False
        if any(array.memory.written is not None for _, array, *_ in columns):
            return False
        if any(not self.plain(sites[number], array) for number, array, *_ in columns):
            return False
        before, new = len(known), []
        for column in columns:
            self.one_place(active, epoch, *column)
            new += [k for k in list(known)[before + len(new) :]]
        if len(new) > 1:
            lane = {t.index: k for k, t in enumerate(active)}
            for key in sorted(new, key=lambda k: lane[known[k].thread]):
                known[key] = known.pop(key)
        return True

    def one_read(self, active, epoch, site, array, item, cells, number):
        """All lanes read one cell."""
        cell, last = cells.get(number), len(active) - 1
        if cell is not None and (write := cell[0]) is not None:
            racing = active
            if self.simple:
                if write[3] < epoch[0] or write[0].block is active[0].block and write[1] < epoch[1]:
                    racing = ()
                elif write[0] in active:
                    racing = [t for t in active if t is not write[0]]
            else:
                racing = [t for t in active if t is not write[0] and not self.ordered(write, t)]
            if racing:
                self.race(racing[0], site, array, item, write, many=len(racing))
        touched = ((number, 0, max(last - 1, 0), last),)
        self.note(cells, active, Pattern(touched=touched), None, site, *epoch)

    def reads(self, active, epoch, site, array, items, cells, base, scale):
        """Each lane reads a cell."""
        grids, barriers = epoch
        block, warp = active[0].block, active[0].warp
        simple = self.simple
        for t, item in zip(active, items, strict=True):
            number = base + item * scale
            cell = cells.get(number)
            now = (t, barriers, t.clock, grids, site, None)
            if cell is None:
                cells[number] = [None, now, None, None, None, None]
                continue
            write = cell[0]
            if write is not None and (u := write[0]) is not t:
                if (
                    write[3] >= grids and (u.block is not block or write[1] >= barriers)
                    if simple
                    else not self.ordered(write, t)
                ):
                    self.race(t, site, array, item, write)
            last = cell[1]
            if last is not None and (u := last[0]) is not t:
                cell[2] = last
                if u.warp is not warp:
                    cell[3] = last
                    if u.block is not block:
                        cell[4] = last
            cell[1] = now

    def access(self, t, site, kind, array, item, value, cells, number, quiet=False):
        """One thread touches one cell: [last write, four reads, note left by atomics]."""
        now = (t, t.block.barriers, t.clock, self.grids, site, value)
        cell = cells.get(number)
        if cell is None:
            if kind == "load":
                cells[number] = [None, now, None, None, None, None]
            else:
                cells[number] = [now, None, None, None, None, None]
                if kind == "atomic":
                    self.pass_note(t, cells[number], site, array)
            return
        write = cell[0]
        if write is not None:
            own = write[0] is t
            if self.watched and value != write[5] and write[1] >= t.block.barriers:
                self.unequal = True  # of another block perhaps, and an earlier time: never mind
            same = (
                kind == "store" == write[4].kind
                and (value == write[5] or value != value and write[5] != write[5])
                and not (site.update and write[4].update)  # the same number, and one of them lost
            )
            both = kind == "atomic" == write[4].kind
            if not own and not both and not self.ordered(write, t):
                if same:
                    key = site.number, write[4].number
                    self.equal.setdefault(key, (t, site, array, item, write))
                else:
                    self.race(t, site, array, item, write)
            if same and quiet:
                return  # the write that made the value stands for both
        if kind == "load":
            last = cell[1]
            if last is None or last[0] is t:
                cell[1] = now
                return
            # Keep the latest read by this thread, another thread, another warp, another block.
            u = last[0]
            cell[2] = last
            if u.warp is not t.warp:
                cell[3] = last
                if u.block is not t.block:
                    cell[4] = last
            cell[1] = now
            return
        for k in (1, 2, 3, 4):
            read = cell[k]
            if read is not None and read[0] is not t and not self.ordered(read, t):
                self.race(t, site, array, item, read)
                break
        if kind == "atomic":
            self.pass_note(t, cell, site, array)
            # Earlier plain writes were looked at above, so only reads are forgotten.
        cell[0] = now
        cell[1] = cell[2] = cell[3] = cell[4] = None

    def ordered(self, then, t):
        """Whether an earlier access is ordered before what ``t`` does now."""
        u, barriers, clock, grids, _, _ = then
        if grids < self.grids:
            return True
        if u.block is t.block:
            if barriers < t.block.barriers:
                return True
            if u.warp is t.warp and t.seen is not None and t.seen[u.lane] >= clock:
                return True
        known = t.known
        if known:
            if known.get(u.block, -1) > barriers or known.get(u, -1) >= clock:
                return True
        return False

    # ------------------------------------------------------------ synchronization

    def barrier(self, block):
        """All threads of a block have met."""
        for t in block.threads:
            t.clock += 1
        self.share(block.threads)

    def share(self, threads):
        """Threads that have met know what any of them knew, and have fenced what any has."""
        notes, fenced = {}, {}
        for t in threads:
            if t.known:
                join(notes, t.known)
            if t.fenced:
                join(fenced.setdefault(t.fenced[0], {}), t.fenced[1])
        if notes:
            for t in threads:
                t.known = dict(notes)
        if fenced:
            widest = "device" if "device" in fenced else "block"
            for t in threads:
                t.fenced = (widest, fenced[widest])

    def grid_barrier(self):
        """All threads of the grid have met."""
        self.grids += 1

    def syncwarp(self, here):
        """The lanes ``here`` (by number) have met: each has seen what the others did."""
        self.all_catch_up(next(iter(here.values())).block)
        self.simple = False
        seen = [-1] * 32
        for other in {id(t.seen): t.seen for t in here.values()}.values():
            if other is not None:
                seen = [max(a, b) for a, b in zip(seen, other, strict=True)]
        for lane, t in here.items():
            seen[lane] = max(seen[lane], t.clock)
        for t in here.values():
            t.seen = seen
            t.clock += 1
        self.share(here.values())

    def fence(self, t, scope):
        """threadfence: note what is ordered before it."""
        self.all_catch_up(t.block)
        self.simple = False
        note = dict(t.known or {})
        note[t.block] = max(note.get(t.block, 0), t.block.barriers)
        note[t] = t.clock
        if t.seen is not None:
            for lane, clock in enumerate(t.seen):
                u = t.warp.lanes[lane]
                if u is not None and clock >= 0:
                    note[u] = max(note.get(u, -1), clock)
        t.fenced = (scope, note)
        t.clock += 1

    def pass_note(self, t, cell, site, array):
        """An atomic operation takes the note of its cell along, and leaves its own."""
        if array.memory.space == "global":
            self.met.setdefault(t.block, {})[id(cell)] = site, t, t.block.barriers, t.fenced
        left = cell[5]
        if left:
            t.known = t.known or {}
            for scope, block, note in left:
                if scope == "device" or block is t.block:
                    join(t.known, note)
        if t.fenced:
            scope, note = t.fenced
            cell[5] = (left or [])[-64:] + [(scope, t.block, note)]

    # ------------------------------------------------------------ findings

    def race(self, t, site, array, item, then, alike=(), many=1):
        """Report two accesses to one cell that nothing orders, the first of ``many`` alike."""
        u, other = then[0], then[4]
        if u.warp is t.warp:
            kind = "missing-syncwarp"
        else:
            kind = "shared-race" if array.memory.space == "shared" else "global-race"
        known = self.grid.findings.get((kind, site.line, site.array, other.line))
        if known is not None:
            known.count += many
            return known
        found = self.grid.report(
            kind,
            t,
            site.number,
            lambda: self.sentence(kind, t, site, array, item, then, alike),
            other_line=other.line,
            other_thread=u.index,
            other_block=u.block.index,
        )
        found.count += many - 1
        return found

    def sentence(self, kind, t, site, array, item, then, alike):
        """What a race is, and what would mend it."""
        u, other = then[0], then[4]
        verb = {"load": "reads", "store": "writes", "atomic": "atomically updates"}
        advice = (
            ORDERED_BY["warp"]
            if kind == "missing-syncwarp"
            else ORDERED_BY["block" if u.block is t.block else "global"]
        )
        remedy = site.remedy or other.remedy
        narrow = remedy and self.narrow(site if site.remedy else other, array)
        if tested := self.tested(site, other, remedy):
            advice = tested
        elif site.line == other.line and "atomic" not in (site.kind, other.kind):
            if site.kind != other.kind and not same_element(site, other):
                meet = "syncwarp" if kind == "missing-syncwarp" else "syncthreads"
                advice = NEIGHBOR.format(meet) if u.block is t.block else NEIGHBOR_BLOCK
            elif update := self.in_two_lines(site, other, remedy):
                advice = update
            elif read := site.update or other.update:
                advice = ONE_STEP.format(remedy) if remedy else UPDATE
                if not remedy and site.array == other.array and site.line in read:
                    advice = NO_ATOMIC
            elif site.kind == other.kind == "store":
                advice = (
                    "Both write the same element, and which comes last is open: let one thread "
                    "write it, or give each an element of its own."
                )
        elif update := self.in_two_lines(site, other, remedy):
            advice = update
        elif site.kind == other.kind == "store":
            if site.update and other.update:
                advice = ONE_STEP.format(remedy) if remedy else UPDATE
            else:
                advice = f"Both write the same element, and which comes last is open. {advice}"
        elif before := self.read_before(site, other, remedy):
            advice = before
        elif site.array == other.array and (site.line in other.update or other.line in site.update):
            advice = f"{TWO_LINES} {advice}"
        if narrow and remedy in advice:
            advice = narrow
        if "atomic" in (site.kind, other.kind) and site.kind != other.kind:
            plain = site if other.kind == "atomic" else other
            better = None
            if u.block is not t.block:  # else a barrier orders them
                floats = getattr(array.dtype, "kind", "V") in "fcV"
                better = mend.atomically(self.source, plain, floats)
            advice = (
                f"One access is atomic and the other (line {plain.line}) is not: only atomic "
                f"accesses of both kinds have an order of their own. {better or advice}"
            )
        elif array.memory.space == "global" and u.block is not t.block and not alike:
            told = self.told(then, t) if other.kind == "store" else []
            if told:
                first = min(told, key=lambda s: s.line)
                advice = mend.fence(self.source, first, triple(u.block.index))
        if alike:
            names = ", ".join(f"`{a}`" for a in alike)
            advice += (
                f" Here both wrote the same value, but only because all of {names} is one and the "
                "same number: with other data they differ."
            )
        place = "the same line" if other.line == site.line else f"line {other.line}"
        return (
            f"{who(t.index, t.block.index)} {verb[site.kind]} element {array.index_of(item)} of "
            f"`{site.array}`, which {who(u.index, u.block.index)} {verb[other.kind]} in {place}, "
            f"and nothing says which comes first. {advice}"
        )

    def tested(self, site, other, remedy):
        """What mends a store that a comparison with the element guards; None if it is no such."""
        store = site if site.kind == "store" else other
        lines = store.tests
        if not lines or not {site.line, other.line} <= lines | {store.line}:
            return None
        around = mend.statements(self.source, store)
        test = mend.head(around[-2]) if len(around) > 1 else "the test"
        return TESTED.format(max(lines), store.line, remedy, test)

    @staticmethod
    def narrow(site, array):
        """What to do where no atomic operation takes the element's type; None where one does."""
        dtype, op = array.dtype, site.remedy.split("(")[0].rpartition(".")[2]
        if isinstance(dtype, Record):
            dtype = next((f.type for f in dtype.leaves() if f.offset == site.offset), None)
        if dtype is None or dtype.name in ATOMIC_TYPES[op]:
            return None
        wide = wider(dtype, op)
        way = f"make it an array of {wide.name} and write `{site.remedy}`, or " if wide else ""
        return NARROW.format(op, dtype.name, way)

    def read_before(self, site, other, remedy):
        """What mends a read of an element that a line near it updates; None if it is no such."""
        store, load = (site, other) if site.kind == "store" else (other, site)
        if not remedy or store.kind != "store" or store.line not in store.update:
            return None
        if load.kind != "load" or not same_element(store, load) or load.line >= store.line:
            return None
        if not mend.statements(self.source, store) or not mend.statements(self.source, load):
            return None  # in a device function
        if mend.branches(self.source, store) != mend.branches(self.source, load):
            return None
        return BEFORE.format(load.line, store.line, remedy)

    def in_two_lines(self, site, other, remedy):
        """What mends an update that reads in one line and writes in a later one; None if none is.

        A thread that reads goes on to write: both lines lie in the same branches and loops.
        """
        store = site if site.kind == "store" else other
        if not remedy or store.kind != "store" or store.line in store.update or not store.update:
            return None
        read, load = max(store.update), site if store is other else other
        if load.kind == "store":
            if not load.update or load.line in load.update:
                return None
        elif load.line not in store.update or mend.branches(self.source, load) != mend.branches(
            self.source, store
        ):
            return None
        return TWO_STEPS.format(read, store.line, remedy)

    def told(self, then, t):
        """Where a write's block told ``t`` of it by an atomic operation, with no fence between."""
        u, barriers, clock, _, other, _ = then
        ours, sites = self.met.get(t.block, {}), []
        for cell, (site, teller, when, fenced) in self.met.get(u.block, {}).items():
            if cell not in ours or site.line <= other.line or teller is not u and when <= barriers:
                continue
            _, hearer, heard, _ = ours[cell]
            note = fenced[1] if fenced and fenced[0] == "device" else {}
            if note.get(u.block, -1) <= barriers and note.get(u, -1) < clock:
                if hearer is t or heard < t.block.barriers:
                    sites.append(site)
        return sites

    def settle(self, findings):
        """The findings without those that another one covers.

        A missing barrier shows between lanes of one warp as well: then the barrier is the remedy.
        """
        known = len(self.grid.findings)
        for t, site, array, item, write in self.equal.values():
            sources = site.sources | write[4].sources
            if sources and all(all_equal(self.read.get(name)) for name in sources):
                self.race(t, site, array, item, write, alike=sorted(sources))
            else:
                self.same_value(t, site, array, item, write)
        findings = findings + list(self.grid.findings.values())[known:]
        worse = [("missing-syncwarp", "shared-race", "global-race"), ("shared-race", "global-race")]
        unequal, races = (
            {(f.array, frozenset((f.line, f.other_line))) for f in findings if f.kind in kinds}
            for kinds in worse
        )
        # Values that were the same here and not there: it is a race, and no note.
        self.notes = [
            n for n in self.notes if (n.array, frozenset((n.line, n.other_line))) not in unequal
        ]
        return [
            f
            for f in findings
            if f.kind != "missing-syncwarp"
            or (f.array, frozenset((f.line, f.other_line))) not in races
        ]

    def same_value(self, t, site, array, item, then):
        """Several threads write one value to one element."""
        u, other = then[0], then[4]
        place = "in the same line" if other.line == site.line else f"in line {other.line}"
        self.notes.append(
            Finding(
                "same-value",
                f"{who(t.index, t.block.index)} writes element {array.index_of(item)} of "
                f"`{site.array}`, and {who(u.index, u.block.index)} {place}, with no order between "
                "the two. Both write the same value, so the result is the same whichever comes "
                "last. If that is meant, allow it by its name, same-value; if not, let one thread "
                "write.",
                site.line,
                t.index,
                t.block.index,
                site.array or None,
                other.line,
                u.index,
                u.block.index,
                kernel=self.source.name,
                filename=self.source.filename,
            )
        )

    @property
    def source(self):
        return self.grid.program.kernel.source

    def unwritten(self, t, site, array, item, written):
        space = {"shared": "shared memory", "local": "a local array"}.get(
            array.memory.space, "a device array"
        )
        self.grid.report(
            "uninitialized",
            t,
            site.number,
            lambda: (
                f"{who(t.index, t.block.index)} reads element {array.index_of(item)} of "
                f"`{site.array}`, which nothing has written: {space} begins with whatever was "
                "there before."
            ),
        )


MOST = 50_000  # patterns of accesses that are remembered
LATE = 4096  # reads of warps that are put off, for one global memory


class Cells(dict):
    """What is known of a memory's cells, by their number: see `Checks.access`.

    And what is put off, as the arguments of `Checks.note`: ``late`` since the last barrier, ``old``
    the last stores to the same cells before it. Shared memory alone is over with a barrier.
    """

    __slots__ = ("late", "old", "read", "wrote", "epoch", "direct")

    def __init__(self):
        self.late, self.old = [], {}
        self.epoch = None  # (grid barriers, barriers) passed
        self.read, self.wrote = set(), set()  # cells in ``late``
        self.direct = False  # nothing is put off anymore: until the next barrier

    def begin(self, epoch):
        """A barrier has passed since the last access."""
        for access in self.late:
            if access[2] is not None:
                own = access[1].own
                self.old.pop(own, None)
                self.old[own] = access
        self.late, self.read, self.wrote = [], set(), set()
        self.epoch, self.direct = epoch, False

    def meets_none(self, cells, values):
        """Whether no access since the last barrier makes a race of this one; then it is added."""
        if not self.wrote.isdisjoint(cells):
            return False
        if values is None:
            self.read |= cells
        elif self.read.isdisjoint(cells):
            self.wrote |= cells
        else:
            return False
        return True


class Pattern(NamedTuple):
    """Which cells the lanes of a warp access at one place."""

    first: int = 0  # first byte
    last: int = 0  # byte after the last
    touched: tuple = ()  # for each cell its number, and which lane is first, last but one and last
    cells: frozenset = frozenset()
    own: tuple | None = None  # the cell of each lane, if no two have the same


def cells_of(site, array, items, grain=0):
    """The Pattern of an access. It is empty where an element is no cell of its own."""
    grain, step = grain or array.memory.grain, array.step
    base = array.start + site.offset
    if site.size != grain:
        return Pattern()
    if base % grain == 0 and step == grain:
        base //= grain
        if len(items) > 1 and items.count(items[0]) == len(items):
            cell, n = base + items[0], len(items)
            return Pattern(
                cell * grain, (cell + 1) * grain, ((cell, 0, n - 2, n - 1),), frozenset((cell,))
            )
        own = tuple([base + item for item in items]) if base else items
    elif any((base + item * step) % grain for item in set(items)):
        return Pattern()
    else:
        own = tuple([(base + item * step) // grain for item in items])
    cells = frozenset(own)
    first, last = min(own) * grain, (max(own) + 1) * grain
    if len(cells) == len(own):
        touched = tuple([(cell, k, k, k) for k, cell in enumerate(own)])
        return Pattern(first, last, touched, cells, own)
    found = {}
    for lane, cell in enumerate(own):
        known = found.get(cell)
        if known is None:
            found[cell] = [cell, lane, lane, lane]
        else:
            known[2], known[3] = known[3], lane
    return Pattern(first, last, tuple(map(tuple, found.values())), cells)


def same_element(site, other):
    """Whether two accesses name the element they touch alike."""
    return ast.unparse(site.node) == ast.unparse(other.node)


def all_equal(array):
    """Whether an array of two elements or more holds the same number everywhere."""
    if array is None or isinstance(array.dtype, Record):
        return False
    items = [array.elements[item] for item in array.items()]
    return len(items) > 1 and items.count(items[0]) == len(items)


def join(known, note):
    """Add to ``known`` what ``note`` says."""
    for key, value in note.items():
        if known.get(key, -1) < value:
            known[key] = value

"""Check mode for kernels that turn out to be in order: threads run straight on, NumPy adds up.

Instrumented code steps the lanes of a warp one statement at a time, which is exact and slow. Most
launches have no fault, and for those the order of the threads changes nothing. So a launch runs in
*tallied* code first: plain code in which a thread notes each run of statements that it comes to,
with a key that is the same for all lanes of a warp that would run it together (the number of the
turn of each loop around it), and the element that each access touches. From those notes the counts
follow as they would from steps.

The notes also tell whether anything can be wrong: an element that one thread writes and another
uses between the same two barriers (or in another block), an element that nothing wrote, a
negative index, a mask that names a lane which has ended, an exception. This knows less than
`checks` and so suspects more than there is. Whatever it is, memory is put back as it was,
instrumented code runs the launch and says what is wrong.

One kind of launch would take too long so: a LONG one in which nothing is wrong but races, and only
barriers order anything. Its notes hold who used what between which barriers, which is all that
there is to know, so `races` tells from them: each pair of accesses that race, with the elements at
which they do, and no element more than once. Which of the two came first is that of the straight
run, and memory stays as that run leaves it.
"""

import builtins
import io
import itertools
from collections import Counter
from types import SimpleNamespace

from .checks import Checks
from .counts import TAGS, Access
from .types import Array

TURNS = 2048  # turns of a loop that may pass between two looks at their number, and more
FLUSH = 400_000  # notes that are kept before they are added up
LONG = 30_000  # statements of threads, from which on a racing launch is not stepped
MANY = 2_000  # statements of threads, from which on stores of one constant are not stepped
ORDERLY = ("load", "store", "atomic", "index", "barrier", "barrier_count", "barrier_and")
ORDERLY += ("barrier_or",)  # what a LONG launch may do
SECTOR_BITS = 42  # of the number of a sector
DENSE = 1 << 22  # tables up to so many entries are marked and not sorted


class Suspicious(Exception):
    """Something may be wrong: instrumented code has to look."""


class Tally:
    """The notes of one launch, and what they add up to in its Counts."""

    def __init__(self, grid, np, arguments):
        self.grid, self.np = grid, np
        program = grid.program
        self.arguments = dict(zip(program.kernel.source.params, arguments, strict=True))
        self.sites = [s for s in program.sites if s.root]
        self.runs = [[] for _ in range(program.runs)]
        self.items = {s.number: [] for s in self.sites}
        self.keys = {s.number: [] for s in self.sites if s.run < 0}
        self.tracked = [*self.runs, *self.keys.values()]
        self.segments, self.times, self.ends = [], [], []  # threads, barriers before, lengths
        self.per_block = grid.block[0] * grid.block[1] * grid.block[2]
        self.printed = io.StringIO()
        self.executed, self.active = Counter(), Counter()
        self.cells = {}  # id of global memory -> what is known of its cells over all blocks
        self.loads = []  # of loads from global memory: block and sector, as one number
        self.last, self.flushed = False, False  # the last block has ended; notes are forgotten
        self.orderly = all(s.kind in ORDERLY and len(s.root) < 3 for s in program.sites)
        self.pairs = []  # of accesses that race: see `pair`
        self.kinds = {}  # place -> the kinds of its accesses so far
        self.stored = set()  # places that race, but where nobody reads what races: see `replayed`
        self.alike = {}  # those of them where all stores store one constant -> its pairs
        self.writes = self.written_memories()

    def names(self):
        """What tallied code calls."""
        names = {f"B{k}": notes.append for k, notes in enumerate(self.runs)}
        names.update({f"E{k}": notes.extend for k, notes in enumerate(self.runs)})
        names.update({f"F{k}": notes.append for k, notes in self.items.items()})
        names.update({f"K{k}": notes.append for k, notes in self.keys.items()})

        def unwritten():
            raise Suspicious

        def say(*parts):
            builtins.print(*parts, file=self.printed)

        def short(turns, bits):
            if turns >= (1 << bits) - TURNS:
                raise Suspicious

        names.update(UNWRITTEN=unwritten, PRINT=say, SHORT=short)
        return names

    # ------------------------------------------------------------ where arrays lie

    def view(self, site):
        """The array of a site: of shared and local memory one that stands for all."""
        kind, which = site.root[:2]
        if kind == "param":
            return self.arguments[which]
        if kind == "constant":
            return self.grid.program.constants[int(which[1:])]
        if kind == "shared":
            return self.example.shared[which]
        return None

    def written_memories(self):
        """The places that a store or an atomic operation goes to."""
        found = set()
        for site in self.sites:
            if site.kind != "load":
                found.add(self.place(site))
        return found

    def place(self, site):
        """What tells one memory from another: for global memory the memory itself."""
        kind, which = site.root[:2]
        if kind in ("param", "constant"):
            view = self.arguments[which] if kind == "param" else self.view(site)
            return "global", id(view.memory)
        return kind, which

    # ------------------------------------------------------------ noting

    def segment(self, t):
        """A thread has run until it waits or ends."""
        self.segments.append(t)
        self.times.append(t.block.barriers)
        self.ends.extend(map(len, self.tracked))

    def block_done(self, last=False):
        """A block has ended: add up, if there is enough."""
        self.last = last
        if last or sum(self.ends[-len(self.tracked) :]) > FLUSH:
            self.flush()
            self.flushed = True

    def flush(self):
        """Add up the notes and forget them."""
        np = self.np
        if not self.segments:
            return
        self.example = self.segments[0].block
        block = np.array([t.block.number for t in self.segments], np.int64)
        number = np.array([t.number for t in self.segments], np.int64)
        times = np.array(self.times, np.int64)
        together = block * (int(times.max()) + 1) + times
        _, group = numbered(np, together)
        warps = -(-self.per_block // 32)
        ends = np.array(self.ends, np.int64).reshape(len(block), -1)
        lengths = np.diff(ends, axis=0, prepend=0)
        self.thread, self.block, self.group = block * self.per_block + number, block, group
        self.warp, self.lane = block * warps + number // 32, number % 32
        for notes in (self.segments, self.times, self.ends):
            notes.clear()
        found = {}
        for k, notes in enumerate(self.runs):
            if notes:
                found[k] = self.requests(self.taken(notes), lengths[:, k])
        for step in self.grid.program.steps:
            if step.run in found:
                place = step.number
                self.executed[place] += found[step.run].count
                self.active[place] += len(found[step.run].index)
        self.split(found)
        races = {}
        for site in self.sites:
            items = self.items[site.number]
            if not items:
                continue
            if site.run >= 0:
                where = found[site.run]
            else:
                column = len(self.runs) + list(self.keys).index(site.number)
                where = self.requests(self.taken(self.keys[site.number]), lengths[:, column])
            items = self.taken(items)
            if len(site.root) > 2 and (view := self.view(site)) is not None:
                items -= view.start // view.step
            if len(items) != len(where.index):
                raise Suspicious
            self.access(site, items, where)
            place = self.place(site)
            self.kinds.setdefault(place, set()).add(site.kind)
            if place in self.writes and place[0] in ("global", "shared"):
                races.setdefault(place, []).append((site, items, where.index))
        for place, parts in races.items():
            self.look(place, parts)
        self.fetched()
        for notes in (*self.tracked, *self.items.values()):
            notes.clear()

    def taken(self, notes):
        """The notes as an array, and forgotten."""
        found = self.np.fromiter(notes, self.np.int64, len(notes))
        notes.clear()
        return found

    def fetched(self):
        """Count the sectors that blocks have loaded, in each block once. They have ended."""
        if self.loads:
            self.grid.counts.fetched += len(grouped(self.np, self.np.concatenate(self.loads))[0])
            self.loads.clear()

    def requests(self, keys, lengths):
        """The warp-wide executions that the notes of one run belong to."""
        np = self.np
        index = np.repeat(np.arange(len(lengths)), lengths)
        warp = self.warp[index]
        low, high = int(keys.min()), int(keys.max())
        bits = self.grid.program.bits
        if high - low < 4 * len(keys):
            of, span = keys - low, high - low + 1
            key_of = lambda k: k + low  # noqa: E731
        else:
            # The turn of the inner loop, and that of the loop around it
            inner, outer = keys & (1 << bits) - 1, keys >> bits
            least, wide = int(inner.min()), int(inner.max()) - int(inner.min()) + 1
            around = low >> bits
            span = ((high >> bits) - around + 1) * wide
            if span < 4 * len(keys):
                of = (outer - around) * wide + inner - least
                key_of = lambda k: (k // wide + around << bits) + k % wide + least  # noqa: E731
            else:
                known, of = numbered(np, keys)
                span = len(known)
                key_of = known.__getitem__
        first = int(warp.min())
        pairs = (warp - first) * span + of
        size = (int(warp.max()) - first + 1) * span
        if size < DENSE:
            counts = np.bincount(pairs, minlength=size)
            there = np.flatnonzero(counts)
            lanes = counts[there]
            request = (np.cumsum(counts > 0) - 1)[pairs]
        else:
            there, request = numbered(np, pairs)
            lanes = np.bincount(request)
        return Requests(index, request, there // span + first, key_of(there % span), lanes)

    def different(self, numbers, size):
        """The different ones among numbers from 0 to ``size``, in order."""
        np = self.np
        if size >= min(DENSE, 32 * len(numbers)):
            return grouped(np, numbers)[0]
        there = np.zeros(size, bool)
        there[numbers] = True
        return np.flatnonzero(there)

    def split(self, found):
        """Branches at which the lanes of a warp went different ways."""
        np, split, bits = self.np, self.grid.counts.split, self.grid.program.bits
        for step, here, there, kind in self.grid.program.branches:
            if here not in found or there not in found:
                continue
            at, taken = found[here], found[there]
            scale, add = {"if": (1, 0), "turn": (1, 1), "first": (1 << bits, 1)}[kind]
            keys = at.key * scale + add
            if len(keys) == len(taken.key) and (keys == taken.key).all():  # mostly
                n = int(((taken.lanes < at.lanes) & (at.warp == taken.warp)).sum())
                same = (at.warp == taken.warp).all()
            else:
                same = False
            if not same:
                known = grouped(np, np.concatenate([keys, taken.key]))[0]
                here_at = at.warp * len(known) + np.searchsorted(known, keys)
                there_at = taken.warp * len(known) + np.searchsorted(known, taken.key)
                place = np.searchsorted(there_at, here_at)  # both are in order
                place[place == len(there_at)] = 0
                n = int(((there_at[place] == here_at) & (taken.lanes[place] < at.lanes)).sum())
            if n:
                split[step] += n

    # ------------------------------------------------------------ accesses

    def access(self, site, items, where):
        """Add the accesses of one site to the counts."""
        np, counts = self.np, self.grid.counts
        view = self.view(site)
        if view is None:  # of a thread's own: at the same address in each
            space, addresses = "local", items * site.size
        else:
            space = view.memory.space
            addresses = view.memory.address + view.start + items * view.step
        access = counts.accesses.get((site.number, space))
        if access is None:
            access = counts.accesses[site.number, space] = Access(site, space)
        access.requests += where.count
        access.lanes += len(items)
        request, size = where.request, site.size
        if site.kind == "atomic":
            low = int(addresses.min())
            span = int(addresses.max()) - low + 1
            _, _, same = grouped(np, request * span + (addresses - low))
            access.contention = max(access.contention, int(same.max()))
        if space in ("global", "local"):
            low = int(addresses.min()) >> 5
            span = (int(addresses.max()) + size >> 5) - low + 1
            sectors = (addresses >> 5) - low
            pairs = request * span + sectors
            if ((addresses + size - 1 >> 5) - low != sectors).any():
                pairs = np.concatenate([pairs, request * span + (addresses + size - 1 >> 5) - low])
            pairs = self.different(pairs, where.count * span)
            access.sectors += len(pairs)
            requests = pairs // span
            sectors = pairs - requests * span + low
            room = span // 4 + 2
            lines = requests * room + (sectors >> 2) - (low >> 2)  # in order, as the sectors are
            lines = lines[begins(np, lines)]
            access.lines += len(lines)
            if space == "global" and site.kind != "atomic":
                turns = -(-np.bincount(lines // room, minlength=where.count) // TAGS)
                # Of one lane each word is in a bank of its own.
                several = where.lanes > 1
                if several.all():
                    turns = np.maximum(turns, self.turns(addresses, where, size)[0])
                elif several.any():
                    found = self.turns(addresses, where, size, several)[0]
                    turns[several] = np.maximum(turns[several], found)
                access.wavefronts += int(turns.sum())
            if space == "global" and site.kind == "load":
                block = where.warp[requests] // -(-self.per_block // 32)
                self.loads.append(block << SECTOR_BITS | sectors)
                counts.loaded.update((self.different(sectors - low, span) + low).tolist())
            elif space == "global":
                into = counts.stored if site.kind == "store" else counts.updated
                into.update((self.different(sectors - low, span) + low).tolist())
        elif space == "shared":
            turns, parts, ways = self.turns(addresses, where, size)
            access.wavefronts += int(turns.sum())
            access.conflicts += int(turns.sum()) - parts
            for n, _, times in zip(*grouped(np, ways), strict=True):
                access.ways[int(n)] += int(times)

    def turns(self, addresses, where, size, of=None):
        """(turns, parts of all, turns of the worst part), the first and the last of each request.

        Of some requests only, if ``of`` marks them. See `counts.wavefronts`.
        """
        np = self.np
        request, part, count = where.request, 0, where.count
        lane = self.lane[where.index] if size > 4 else None
        if of is not None:
            there = of[request]
            addresses, count = addresses[there], int(of.sum())
            request = (np.cumsum(of) - 1)[request[there]]
            lane = lane[there] if size > 4 else None
        if size > 4:
            part = lane * size // 128
            if size == 16:
                at = np.full((count, 32), -1)
                at[request, lane] = addresses
                shared = np.zeros(count, bool)
                for k in (1, 2):
                    other = at[:, np.arange(32) ^ k]
                    shared |= ((at == other) | (at < 0) | (other < 0)).all(axis=1)
                part = np.where(shared[request], part // 2, part)
        addresses = addresses - (int(addresses.min()) & -128)  # whose bank is the first
        if size <= 4 and not (addresses & (size - 1)).any():  # mostly: one part, a word each lane
            words = addresses >> 2
            span = int(words.max()) + 1
            pairs = self.different(request * span + words, count * span)
            requests = pairs // span
            bank = requests * 32 + (pairs - requests * span & 31)
            if count * 32 <= 16 * len(bank) + DENSE // 64:
                most = np.bincount(bank, minlength=count * 32).reshape(-1, 32).max(axis=1)
            else:
                banks, _, turns = grouped(np, bank)
                most = np.maximum.reduceat(turns, grouped(np, banks // 32)[1])
            return most, count, most
        request_part = request * 4 + part
        words = addresses >> 2
        span = int(words.max()) + size // 4 + 2
        pairs = [request_part * span + words + k for k in range(max(1, size // 4))]
        if size > 1 and (addresses & (min(size, 4) - 1)).any():  # a field of a packed record
            pairs.append(request_part * span + (addresses + size - 1 >> 2))
        pairs = self.different(np.concatenate(pairs), count * 4 * span)
        bank = pairs // span * 32 + (pairs % span & 31)
        banks, _, turns = grouped(np, bank)
        parts, first, _ = grouped(np, banks // 32)
        most = np.maximum.reduceat(turns, first)
        _, first, _ = grouped(np, parts // 4)
        return np.add.reduceat(most, first), len(parts), np.maximum.reduceat(most, first)

    # ------------------------------------------------------------ can anything be wrong?

    def look(self, place, parts):
        """Find where two threads use one cell without an order, as far as one can see.

        Raise Suspicious if it is somewhere, and instrumented code has to tell.
        """
        np = self.np
        view, sites = self.view(parts[0][0]), [site for site, _, _ in parts]
        if any(site.size != view.memory.grain for site, _, _ in parts):
            raise Suspicious
        grain = view.memory.grain
        groups = int(self.group.max()) + 1
        size = len(view.memory.bytes) // grain + 1
        uses = []  # (kind, cell, cell and group, thread)
        for site, items, index in parts:
            own = self.view(site)
            cell = (own.start + items * own.step) // grain
            uses.append((site.kind, cell, cell * groups + self.group[index], self.thread[index]))
        together, which = np.concatenate([u[2] for u in uses]), None
        if size * groups >= DENSE:  # number those that occur
            which, together = numbered(np, together)
        room = int(together.max()) + 1
        parts = np.split(together, np.cumsum([len(u[2]) for u in uses])[:-1])
        threads = np.concatenate([u[3] for u in uses])
        # One thread of each cell and time; where another is not it, there are two.
        one, two = np.zeros(room, np.int64), np.zeros(room, bool)
        one[together] = threads
        two[together[one[together] != threads]] = True
        racing = self.compare(place, [(u[0], p) for u, p in zip(uses, parts, strict=True)], two)
        pairs = self.pairs_of(place, racing)
        if pairs is not None:
            lanes = [self.extremes(p, u[3], room) for u, p in zip(uses, parts, strict=True)]
            cell_of = lambda k: (k if which is None else which[k]) // groups  # noqa: E731
            self.pair(pairs, sites, lanes, 1, cell_of)
        if place[0] != "global":
            return
        # The same over blocks, which nothing orders, for all that was noted so far.
        known = self.cells.get(place)
        if known is None:
            known = self.cells[place] = (
                np.full(size, -1), np.zeros(size, bool), {k: np.zeros(size, bool) for k in KINDS}
            )  # fmt: skip
        for kind, cell, _, thread in uses:
            block = thread // self.per_block
            new = known[0][cell] < 0
            known[0][cell[new]] = block[new]
            known[1][cell[known[0][cell] != block]] = True
            known[2][kind][cell] = True
        racing = self.compare(place, known[2].items(), known[1])
        pairs = self.pairs_of(place, racing)
        if pairs is not None:
            lanes = [self.extremes(cell, thread, size) for _, cell, _, thread in uses]
            self.pair(pairs, sites, lanes, self.per_block, int)

    def pairs_of(self, place, racing):
        """Where the pairs of accesses that race at a place are kept; None where none are wanted."""
        if racing != "stores":
            return self.pairs if racing else None
        stores = [s for s in self.sites if s.kind == "store" and self.place(s) == place]
        if any(s.update or s.constant is None or s.constant != stores[0].constant for s in stores):
            return None
        return self.alike.setdefault(place, [])

    def compare(self, place, uses, two):
        """Whether something that several threads use is written, or is not always atomic.

        "races" or "stores" if it is, "" if not. Raises Suspicious but where `replayed`, `races` or
        `one_value` can tell.
        """
        np = self.np
        by = {kind: np.zeros(len(two), bool) for kind in KINDS}
        for kind, cells in uses:
            if cells.dtype == bool:
                by[kind] |= cells
            else:
                by[kind][cells] = True
        racing = two & (by["store"] | by["load"] & by["atomic"])
        if not racing.any():
            return ""
        if not (racing & (by["load"] | by["atomic"])).any():
            self.stored.add(place)
            return "stores"
        long = sum(self.active.values()) >= LONG and self.last and not self.flushed
        if not (long and self.orderly):
            raise Suspicious
        return "races"

    # ------------------------------------------------------------ the races of a long launch

    def extremes(self, keys, threads, room):
        """The lowest and the highest thread of each key; -1 as the highest where there is none."""
        np = self.np
        low, high = np.full(room, np.iinfo(np.int64).max), np.full(room, -1)
        np.minimum.at(low, keys, threads)
        np.maximum.at(high, keys, threads)
        return low, high

    def warp_of(self, threads):
        per_block = self.per_block
        return threads // per_block * -(-per_block // 32) + threads % per_block // 32

    def pair(self, pairs, sites, lanes, unit, cell_of):
        """Note in ``pairs`` which two of the sites race.

        Each: (how many cells, two (site, thread), cell, apart).

        ``lanes``: of each site the lowest and the highest thread at each key. ``unit``: 1 where
        threads have no order, and the threads of a block where only blocks have none. ``apart``:
        the two threads are of two warps, or all that race are of one.
        """
        np = self.np
        for a, b in itertools.combinations_with_replacement(range(len(sites)), 2):
            kinds = {sites[a].kind, sites[b].kind}
            if kinds == {"load"} or kinds == {"atomic"}:
                continue
            (low, high), (other_low, other_high) = lanes[a], lanes[b]
            there = np.flatnonzero((high >= 0) & (other_high >= 0))
            ends = np.array([(low[there], other_high[there]), (high[there], other_low[there])])
            differ = ends[:, 0] // unit != ends[:, 1] // unit
            if not differ.any():
                continue
            apart = differ & (self.warp_of(ends[:, 0]) != self.warp_of(ends[:, 1]))
            best = apart if apart.any() else differ
            way, k = (int(n) for n in np.argwhere(best)[0])
            one, other = (int(n) for n in ends[way, :, k])
            many, cell = int(differ.any(axis=0).sum()), cell_of(int(there[k]))
            pairs.append((many, (sites[a], one), (sites[b], other), cell, best is apart))

    def people(self):
        """A function that makes of a thread's number what `Checks` asks of a thread."""
        people, grid = {}, self.grid

        def thread(number):
            block, place = divmod(number, self.per_block)
            (bx, by, _), (gx, gy, _) = grid.block, grid.grid
            at = people.setdefault(block, SimpleNamespace(
                index=(block % gx, block // gx % gy, block // (gx * gy))
            ))  # fmt: skip
            warp = people.setdefault((block, place // 32), SimpleNamespace())
            index = place % bx, place // bx % by, place // (bx * by)
            return SimpleNamespace(index=index, block=at, warp=warp)

        return thread

    def one_value(self):
        """Whether all that races is MANY stores of one constant; then it is noted.

        No replay: it could only show another two of the threads.
        """
        if self.stored != self.alike.keys() or self.pairs or sum(self.active.values()) < MANY:
            return False
        checks, thread = Checks(self.grid), self.people()
        for pairs in self.alike.values():
            for _, first, second, cell, _ in pairs:
                (other, before), (site, after) = sorted((first, second), key=lambda row: row[1])
                array = self.view(site)
                item = (cell * array.memory.grain - array.start) // array.step
                then = (thread(before), 0, 0, 0, other, None)
                key = site.number, other.number
                checks.equal.setdefault(key, (thread(after), site, array, item, then))
        self.grid.checks = checks
        return True

    def races(self):
        """Report the pairs of accesses that race. Raises Suspicious where values have to be known.

        Stores of one value by several threads are no race, unless each is an update, and neither
        is a store of what is there already.
        """
        grid, told = self.grid, set()
        checks, thread = Checks(grid), self.people()

        def stores(row):
            return row[1][0].kind == row[2][0].kind == "store"

        rank = lambda row: (stores(row), not row[4], row[1][0].line + row[2][0].line)  # noqa: E731
        for many, first, second, cell, apart in sorted(self.pairs, key=rank):
            (other, before), (site, after) = sorted((first, second), key=lambda row: row[1])
            lines = site.array, other.array, frozenset((site.line, other.line))
            both = [s for s in (site, other) if s.kind == "store"]
            if any(not s.update and not s.sources for s in both):
                raise Suspicious  # it may store what is there already
            if len(both) == 2 and not (site.update and other.update):
                if (*lines, apart) not in told:
                    raise Suspicious
            told |= {(*lines, apart), (*lines, False)}
            array = self.view(site)
            item = (cell * array.memory.grain - array.start) // array.step
            then = (thread(before), 0, 0, 0, other, None)
            checks.race(thread(after), site, array, item, then).count += many - 1
        grid.findings = dict(enumerate(checks.settle(list(grid.findings.values()))))

    # ------------------------------------------------------------ flags that are only set

    def watched(self):
        """What `replayed` looks at: stores that race, and reads that say how they differ."""
        stores = [s for s in self.sites if s.kind == "store" and self.place(s) in self.stored]
        sources = {name for s in stores for name in s.sources}
        found = {("store", s.line, s.array) for s in stores}
        found |= {("load", s.line, s.array) for s in self.sites if s.array in sources}
        return frozenset(found)


def replayed(grid, tally, values, before):
    """Tell what is wrong with stores that race, where nothing reads what they write.

    No thread goes another way for them, so all else stays as the tally has it: the counts, and that
    it is in order. Only which store comes first is open, so the launch is stepped with nothing
    logged but these. Where something reads them later, behind a barrier, they must have stored one
    value. Raises Suspicious where it is not the same launch after all.
    """
    if tally.printed.getvalue() or tally.pairs:
        raise Suspicious
    for memory, data, _ in before:
        memory.bytes[:] = data
    kernel = grid.program.kernel
    program = kernel.program(grid.program.argtypes, True, None, tally.watched())
    again = grid.__class__(program, grid.grid, grid.block, grid.dynamic_bytes, grid.settings)
    again.checks = Checks(again)
    again.run(values)
    read = any(tally.kinds[place] != {"store"} for place in tally.stored)
    if again.used != grid.used or read and again.checks.unequal:
        raise Suspicious
    grid.findings, grid.checks = again.findings, again.checks


KINDS = ("load", "store", "atomic")


class Requests:
    """Notes of one run: ``index`` (segment) and ``request`` of each; of each request its warp, its
    key and how many lanes it has.
    """

    def __init__(self, index, request, warp, key, lanes):
        self.index, self.request = index, request.reshape(-1)
        self.warp, self.key, self.lanes = warp, key, lanes
        self.count = len(lanes)


def begins(np, ordered):
    """Where in numbers that are in order a different one begins."""
    new = np.ones(len(ordered), bool)
    np.not_equal(ordered[1:], ordered[:-1], out=new[1:])
    return new


def grouped(np, numbers):
    """The different ones among numbers, in order; where each begins when sorted, and how many.

    np.unique does so too, but it loads numpy.ma, which takes more memory than most launches.
    """
    ordered = np.sort(numbers)
    begin = np.flatnonzero(begins(np, ordered))
    return ordered[begin], begin, np.diff(begin, append=len(ordered))


def numbered(np, numbers):
    """The different ones among numbers, in order, and of each number which one of them it is."""
    order = np.argsort(numbers, kind="stable")
    ordered = numbers[order]
    new = begins(np, ordered)
    which = np.empty(len(numbers), np.int64)
    which[order] = np.cumsum(new) - 1
    return ordered[new], which


def attempt(grid, np, values):
    """Run a launch in tallied code. Returns whether it did, and whether it was in order.

    If not, memory is as it was before.
    """
    program = grid.program
    views = [v for v, t in zip(values, program.argtypes, strict=True) if isinstance(t, Array)]
    memories = {id(v.memory): v.memory for v in views}.values()
    before = [
        (m, bytes(m.bytes), None if m.written is None else bytes(m.written)) for m in memories
    ]
    marked = []
    for name, v in zip(program.kernel.source.params, values, strict=True):
        if name in program.tally:
            if len(v.memory.bytes) != v.size * v.dtype.size or v.step != v.dtype.size:
                return False
            if any(v.memory is other.memory for _, other in marked):
                return False
            v.marks = bytearray(0 if w else 1 for w in v.memory.written[:: v.dtype.size])
            marked.append((name, v))
    try:
        grid.tally = tally = Tally(grid, np, values)
        grid.run(values)
        if grid.findings:
            raise Suspicious
        tally.block_done(last=True)
        threads = grid.grid[0] * grid.grid[1] * grid.grid[2] * tally.per_block
        grid.used = threads + sum(tally.active.values())
        if tally.stored and not tally.one_value():
            replayed(grid, tally, values, before)
        elif tally.pairs:
            tally.races()
    except Exception:
        for memory, data, written in before:
            memory.bytes[:] = data
            if written is not None:
                memory.written[:] = written
        return False
    finally:
        grid.tally = None
    for _, v in marked:
        size, written = v.dtype.size, v.memory.written
        for k, left in enumerate(v.marks):
            if not left:
                written[k * size : (k + 1) * size] = b"\x01" * size
    grid.counts.executed, grid.counts.active = tally.executed, tally.active
    text = tally.printed.getvalue()
    if text:
        builtins.print(text, end="")
    return True

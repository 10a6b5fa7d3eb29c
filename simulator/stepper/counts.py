"""What a launch asks of the hardware, counted: memory traffic, bank conflicts, divergence, work.

The definitions follow Nsight Compute, so that the numbers can be held against the hardware's:

* A request is one warp-wide load, store or atomic instruction. ``sectors`` are the different
  32-byte pieces of memory that its active lanes touch, ``lines`` the different 128-byte cache
  lines. Sectors per request is l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum divided by
  l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum (``_op_st`` for stores): 4 for 32 lanes that read
  neighboring float32, 32 where each lane has a sector of its own.
* Shared memory has 32 banks of 4 bytes. Lanes that touch different words of one bank take turns;
  the same word is one turn. ``wavefronts`` are those turns, ``conflicts`` the turns above what the
  request needs at least: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum. Words of 8 bytes
  go by half warps, words of 16 bytes by quarters, or by half warps where all neighbors (lanes n and
  n ^ 1, or n and n ^ 2) want the same word.
* Global memory is read and written through the same data pipe, by the same banks: its
  ``wavefronts`` are the turns of the busiest bank too, and at least a quarter of its ``lines``,
  since four lines are looked up in a cycle. Together they are l1tex__data_pipe_lsu_wavefronts.sum.
* A branch is one execution of an if, a while or a for by a warp; it is uniform if all active lanes
  take the same way: smsp__sass_average_branch_targets_threads_uniform.pct. The compiler turns short
  branches into predicated instructions and unrolls loops, so that the hardware has fewer of them.
* ``lanes`` is the number of active lanes per statement executed by a warp, as in
  smsp__thread_inst_executed_per_inst_executed.

* ``shared_cycles`` are the wavefronts of shared memory, loads and stores together, and
  ``pipe_cycles`` those of global memory as well: each takes the data pipe of a multiprocessor for
  one cycle.
* ``instructions_issued`` are warp-wide instructions as the source has them: each operation of a
  statement once for each time that a warp runs it. A compiler has fewer, where it fuses a product
  and a sum or keeps an address, and more, where it computes one.

* ``l2`` are the sectors that reach the second-level cache. ``reads`` are those of loads as far as
  the first-level cache has not got them: it is empty when a block begins, and then keeps all that
  the block has read (lts__t_sectors_srcunit_tex_op_read.sum). Fewer come where several blocks read
  the same, more where they read more than fits. ``writes`` are all sectors of stores, which the
  first level passes on (lts__t_sectors_srcunit_tex_op_write.sum); fewer come where stores to one
  sector are put together on the way. ``atomics`` are all of atomic operations. ``least`` is what
  nothing can save: each sector that is loaded or stored, once, and those of atomic operations.

``ceilings`` are the least times, in microseconds, that the parts of an H200 need for a launch that
fills it: to issue the instructions, to move wavefronts through the data pipe of the first-level
cache and shared memory (``L1``), to serve the second-level cache and HBM. The longest is the
launch's ``limit``. To issue counts what no compiler leaves out (LEAST): arithmetic of floats, a
product and a sum as one, memory, and operations among threads; arrays of a thread's own are
registers. The second-level cache serves the ``least`` of its sectors, and HBM each sector that the
launch touches, once.

Flops are floating-point operations: 1 for + - * / sqrt and each function, 2 for fma. The bytes of
the model are those of global memory: ``requested`` is what the lanes ask for, ``moved`` is 32 bytes
for each sector of each request, ``touched`` is 32 bytes for each sector that the launch uses at
all, which is the least that any cache can bring it down to.
"""

from collections import Counter

FLOPS = {"fp16": 1, "fp32": 1, "fp64": 1, "divide": 1, "sqrt": 1, "special": 1}
FLOPS |= {"fma32": 2, "fma64": 2, "fma16": 2}


# Instructions of a warp that are left where a compiler unrolls loops and fuses products and sums.
LEAST = {"fp16": 0.25, "fp32": 0.5, "fp64": 0.5, "fma16": 0.5, "fma32": 1, "fma64": 1}
LEAST |= dict.fromkeys(("divide", "sqrt", "special", "load", "store", "atomic", "warp"), 1)
LEAST |= {"barrier": 1}

# An H200 SXM: multiprocessors, clock, schedulers that issue one warp instruction a cycle each, and
# bytes a second. Sources: NVIDIA, H200 product page (4.8 TB/s) and H100 architecture paper (132
# multiprocessors of 4 schedulers, boost to 1.98 GHz). A slice of the cache gives 64 bytes a cycle,
# and there are 96 (Chips and Cheese, Nvidia's H100).
MULTIPROCESSORS, CLOCK, SCHEDULERS = 132, 1.98e9, 4
ISSUED = MULTIPROCESSORS * SCHEDULERS * CLOCK  # instructions of warps a second, at most
PIPE = MULTIPROCESSORS * CLOCK  # wavefronts of the data pipes a second, at most
# Lines that a multiprocessor looks up in a cycle (Greg Smith of NVIDIA, of Volta:
# https://forums.developer.nvidia.com/t/pascal-l1-cache/49571/14).
TAGS = 4
L2_BANDWIDTH, HBM_BANDWIDTH = 96 * 64 * CLOCK, 4.8e12


MOST = 50_000  # requests whose turns are remembered


class Access:
    """The requests of one place in the source: a load, a store or an atomic operation."""

    __slots__ = ("line", "array", "kind", "space", "size", "requests", "lanes", "sectors", "lines")
    __slots__ += ("wavefronts", "conflicts", "ways", "contention", "function")

    def __init__(self, site, space):
        self.line, self.array, self.kind = site.line, site.array, site.kind
        self.space, self.size, self.function = space, site.size, site.function
        self.requests = self.lanes = self.sectors = self.lines = 0
        self.wavefronts = self.conflicts = self.contention = 0
        self.ways = Counter()  # turns of the worst bank -> how many requests had so many

    def as_dict(self):
        """The numbers as plain data."""
        data = {name: getattr(self, name) for name in self.__slots__ if name != "ways"}
        data["ways"] = dict(sorted(self.ways.items()))
        return data

    @property
    def sectors_per_request(self):
        return self.sectors / self.requests if self.requests else 0.0


class Counts:
    """The counts of one launch."""

    def __init__(self, grid):
        self.grid = grid
        self.executed = Counter()  # statement -> times that a warp ran it
        self.active = Counter()  # statement -> lanes that ran it
        self.split = Counter()  # branch -> times that the lanes went different ways
        self.accesses = {}  # (site, space) -> Access
        # Sectors of global memory, by what was done
        self.loaded, self.stored, self.updated = set(), set(), set()
        self.fetched = 0  # sectors that blocks have loaded, in each block once: of those that ended
        self.open = {}  # block -> sectors that it has loaded until now
        self.turns = {}  # what `wavefronts` found of requests that come again and again
        self.barriers = 0

    def step(self, warp, place, active, ends, log, columns=None):
        """Count one statement that a warp ran. ``columns``: the log by places, or None."""
        if place.__class__ is int:
            self.executed[place] += 1
            self.active[place] += len(active)
            if self.grid.steps[place].branch:
                next_places = [t.at for t in active]
                if next_places.count(next_places[0]) != len(next_places):
                    self.split[place] += 1
        if not log:
            return
        if columns is not None:
            lanes, block = None, warp.block
            for site, array, items, _, _ in columns:
                memory = array.memory
                base, step, space = memory.address + array.start, array.step, memory.space
                if space != "shared" and self.elsewhere(
                    site, space, base, step, items, block, active
                ):
                    continue
                lanes = lanes or tuple([t.lane for t in active])
                self.column(site, space, base, step, lanes, items, block)
            return
        groups, start = {}, 0  # (site, space) -> [(lane, address)]
        for t, end in zip(active, ends, strict=True):
            for site, array, item, _, _ in log[start:end]:
                memory = array.memory
                where = (t.lane, memory.address + array.start + item * array.step)
                group = groups.get((site, memory.space))
                if group is None:
                    groups[site, memory.space] = [where]
                else:
                    group.append(where)
            start = end
        for (site, space), group in groups.items():
            self.request(site, space, group, warp.block)

    def end(self, block):
        """A block has ended: what the first-level cache holds of it is of no use to others."""
        self.fetched += len(self.open.pop(block, ()))

    def column(self, number, space, base, step, lanes, items, block):
        """One warp-wide access to one array. Those to shared memory come again and again."""
        key = number, base, step, lanes, items
        known = self.turns.get(key) if space == "shared" else None
        if known is None:
            group = [(lane, base + item * step) for lane, item in zip(lanes, items, strict=True)]
            known = self.request(number, space, group, block)
            if known and len(self.turns) < MOST:
                self.turns[key] = known
            return
        access = self.accesses[number, "shared"]
        access.requests += 1
        access.lanes += len(items)
        access.wavefronts += known[0]
        access.conflicts += known[0] - known[1]
        access.ways[known[2]] += 1

    def elsewhere(self, number, space, base, step, items, block, active):
        """`request` for a load or a store of another space; False where that has to look."""
        access, site = self.accesses.get((number, space)), self.grid.sites[number]
        if access is None or site.kind == "atomic":
            return False
        access.requests += 1
        access.lanes += len(items)
        if space == "constant":
            return True
        base += site.offset
        size = site.size
        if step == size == 4 and not base & 3:  # most are of 4 bytes
            at = base >> 2
            low, high = min(items), max(items)
            if high - low < 32:  # neighbors: each word is in a bank of its own
                sectors = {at + item >> 3 for item in items} if high > low else {at + low >> 3}
                lines = (at + high >> 5) - (at + low >> 5) + 1
                turns = 1
            else:
                words = {at + item for item in items}
                sectors = {word >> 3 for word in words}
                lines = len({sector >> 2 for sector in sectors})
                turns = max(_most([word & 31 for word in words]), -(-lines // TAGS))
        elif step == size == 8 and not base & 7:  # half of a warp at a time, two banks an element
            at = base >> 3
            sectors = {at + item >> 2 for item in items}
            lines = len({sector >> 2 for sector in sectors})
            first = {at + item for t, item in zip(active, items, strict=True) if t.lane < 16}
            other = {at + item for t, item in zip(active, items, strict=True) if t.lane >= 16}
            turns = sum([_most([e & 15 for e in half]) for half in (first, other) if half])
            turns = max(turns, -(-lines // TAGS))
        else:
            sectors = {base + item * step >> 5 for item in items}
            if size > 1 and (step % size or base % size):
                last = base + size - 1
                sectors.update([last + item * step >> 5 for item in items])
            lines = len({sector >> 2 for sector in sectors})
            turns = 1
            if space == "global" and (lines > 1 or size > 4):  # words of a line: banks of their own
                group = [
                    (t.lane, base + item * step) for t, item in zip(active, items, strict=True)
                ]
                turns = moved(group, 0, size, lines)
        access.sectors += len(sectors)
        access.lines += lines
        if space == "global":
            access.wavefronts += turns
        if space == "global" and site.kind == "load":
            self.loaded |= sectors
            known = self.open.get(block)
            if known is None:
                known = self.open[block] = set()
            known |= sectors
        elif space == "global":
            self.stored |= sectors
        return True

    def request(self, number, space, group, block):
        """One warp-wide access: where each of its lanes goes, as [(lane, address)].

        Returns the turns of shared memory, where those are all that there is to it.
        """
        site = self.grid.sites[number]
        access = self.accesses.get((number, space))
        if access is None:
            access = self.accesses[number, space] = Access(site, space)
        offset, size = site.offset, site.size
        addresses = [a + offset for _, a in group]
        access.requests += 1
        access.lanes += len(addresses)
        if site.kind == "atomic":
            most = max(Counter(addresses).values())
            access.contention = max(access.contention, most)
        if space == "global" or space == "local":
            sectors = {a >> 5 for a in addresses}
            if size > 1:  # a field of a packed record can reach into the next sector
                sectors.update([(a + size - 1) >> 5 for a in addresses])
            access.sectors += len(sectors)
            lines = len({s >> 2 for s in sectors})
            access.lines += lines
            if space == "global" and site.kind != "atomic":
                access.wavefronts += moved(group, offset, size, lines)
            if space == "global" and site.kind == "load":
                self.loaded |= sectors
                self.open.setdefault(block, set()).update(sectors)
            elif space == "global":
                into = self.stored if site.kind == "store" else self.updated
                into |= sectors
        elif space == "shared":
            turns, least, ways = wavefronts(group, offset, size)
            access.wavefronts += turns
            access.conflicts += turns - least
            access.ways[ways] += 1
            return None if site.kind == "atomic" else (turns, least, ways)
        return None

    # ------------------------------------------------------------ results

    def by_line(self):
        """{line: {"executed", "lanes", "branches", "split", "accesses", "instructions"}}."""
        table = {}
        for number, times in self.executed.items():
            step = self.grid.steps[number]
            row = table.setdefault(
                step.line,
                {
                    "executed": 0,
                    "lanes": 0,
                    "branches": 0,
                    "split": 0,
                    "instructions": Counter(),
                    "accesses": [],
                },
            )
            row["executed"] += times
            row["lanes"] += self.active[number]
            if step.branch:
                row["branches"] += times
                row["split"] += self.split[number]
            for kind, n in step.ops.items():
                row["instructions"][kind] += n * self.active[number]
        for access in self.merged():
            row = table.get(access.line)
            if row is None:  # an expression that goes over several lines
                row = table[access.line] = {
                    **{"executed": 0, "lanes": 0, "branches": 0, "split": 0, "accesses": []},
                    "instructions": Counter(),
                }
            row["accesses"].append(access)
        return dict(sorted(table.items()))

    def merged(self):
        """The accesses, those of one place in the source put together."""
        table = {}
        for access in self.accesses.values():
            key = (access.line, access.array, access.kind, access.space, access.size)
            into = table.get(key)
            if into is None:
                table[key] = into = Access(access, access.space)
                into.function = access.function
            for name in ("requests", "lanes", "sectors", "lines", "wavefronts", "conflicts"):
                setattr(into, name, getattr(into, name) + getattr(access, name))
            into.contention = max(into.contention, access.contention)
            into.ways.update(access.ways)
        return sorted(table.values(), key=lambda a: (a.line, a.kind, a.array))

    def instructions(self):
        """How many instructions of each kind all threads ran: {kind: number}."""
        total = Counter()
        for number, lanes in self.active.items():
            for kind, n in self.grid.steps[number].ops.items():
                total[kind] += n * lanes
        return total

    def issued(self, weights):
        """How many instructions all warps ran, each kind with its weight."""
        return sum(
            weights.get(kind, 0) * n * times
            for number, times in self.executed.items()
            for kind, n in self.grid.steps[number].ops.items()
        )

    def total(self, name, space="global", kind=None):
        """The sum of one number of all accesses in a space: ``total("sectors", kind="load")``."""
        return sum(
            getattr(a, name)
            for a in self.accesses.values()
            if a.space == space and kind in (None, a.kind)
        )

    def l2(self):
        """Sectors that reach the second-level cache: {"reads", "writes", "atomics", "least"}."""
        writes, atomics = (self.total("sectors", kind=kind) for kind in ("store", "atomic"))
        return {
            "reads": self.fetched + sum(map(len, self.open.values())),
            "writes": writes,
            "atomics": atomics,
            "least": len(self.loaded | self.stored) + atomics,
        }

    def metrics(self):
        """Nsight Compute's metrics by their names, as far as they are counted here."""
        branches = sum(n for k, n in self.executed.items() if self.grid.steps[k].branch)
        split = sum(self.split.values())
        executed = sum(self.executed.values())
        m = {}
        for op, kind in (("ld", "load"), ("st", "store")):
            m[f"l1tex__t_requests_pipe_lsu_mem_global_op_{op}.sum"] = self.total(
                "requests", kind=kind
            )
            m[f"l1tex__t_sectors_pipe_lsu_mem_global_op_{op}.sum"] = self.total(
                "sectors", kind=kind
            )
            m[f"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{op}.sum"] = self.total(
                "conflicts", "shared", kind
            )
            m[f"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{op}.sum"] = self.total(
                "wavefronts", "shared", kind
            )
        uniform = 100.0 * (branches - split) / branches if branches else 100.0
        m["smsp__sass_average_branch_targets_threads_uniform.pct"] = uniform
        lanes = sum(self.active.values()) / executed if executed else 0.0
        m["smsp__thread_inst_executed_per_inst_executed.ratio"] = lanes
        return m

    def summary(self):
        """The launch in numbers, as plain data."""
        instructions = self.instructions()
        flops = sum(FLOPS.get(kind, 0) * n for kind, n in instructions.items())
        accesses = [a for a in self.accesses.values() if a.space == "global"]
        requested = sum(a.lanes * a.size for a in accesses)
        moved = 32 * sum(a.sectors for a in accesses)
        touched = 32 * len(self.loaded | self.stored | self.updated)
        l2 = self.l2()
        issued = self.issued(dict.fromkeys(instructions, 1))
        cycles = self.total("wavefronts", "shared")
        pipe = cycles + self.total("wavefronts")
        ceilings = {
            "issue": 1e6 * (self.issued(LEAST) - self.total("requests", "local")) / ISSUED,
            "L1": 1e6 * pipe / PIPE,
            "L2": 1e6 * 32 * l2["least"] / L2_BANDWIDTH,
            "HBM": 1e6 * touched / HBM_BANDWIDTH,
        }
        return {
            "instructions": dict(instructions),
            "instructions_issued": issued,
            "shared_cycles": cycles,
            "pipe_cycles": pipe,
            "ceilings": ceilings,
            "limit": max(ceilings, key=ceilings.get) if any(ceilings.values()) else "none",
            "flops": flops,
            "bytes_requested": requested,
            "bytes_moved": moved,
            "bytes_touched": touched,
            "l2": l2,
            "intensity": flops / touched if touched else 0.0,
            "intensity_uncached": flops / moved if moved else 0.0,
            "shared_bytes": self.grid.program.static_bytes + self.grid.dynamic_bytes,
            "barriers": self.barriers,
            "metrics": self.metrics(),
        }


def wavefronts(group, offset, size):
    """(turns, least turns, turns of the worst part) of one request to shared memory.

    ``group``: [(lane, address)]. Lanes that read the same word share a turn; different words of one
    bank take turns. Lanes with 8-byte elements go in two parts, with 16-byte elements in four, or
    in two where all neighbors read one place.
    """
    if size <= 4:
        words = {(address + offset) >> 2 for _, address in group}
        if size == 1 or all([(address + offset) % size == 0 for _, address in group]):
            ways = _most([word & 31 for word in words]) if len(words) > 1 else 1
            return ways, 1, ways
    parts, wide = {}, 128
    if size == 16:
        at = dict(group)
        if any(all(at.get(n ^ k, a) == a for n, a in group) for k in (1, 2)):
            wide = 256
    for lane, address in group:
        words = parts.setdefault(lane * size // wide if size > 4 else 0, set())
        address += offset
        words.update(range(address >> 2, (address + size + 3) >> 2))
    turns = [_most([word & 31 for word in words]) for words in parts.values()]
    return sum(turns), len(turns), max(turns)


def moved(group, offset, size, lines):
    """Wavefronts of one request to global memory that touches so many lines."""
    return max(wavefronts(group, offset, size)[0], -(-lines // TAGS))


def _most(banks):
    """How many different words the busiest bank has to give, from the bank of each."""
    return 1 if len(set(banks)) == len(banks) else max(Counter(banks).values())

"""A model of Metal's host side, and the traps that it shows."""

# --8<-- [start:model]
import threading
import time

import numpy as np


class CommandBuffer:
    """Records dispatches. ``commit`` starts them in a thread, as a GPU would work beside you.

    ``tracked=False`` is Metal 4: between two barriers, dispatches may run in any order.
    """

    def __init__(self, tracked=True):
        self.tracked, self.stages, self.seconds = tracked, [[]], None

    def dispatch_threads(self, kernel, threads, group, *buffers):
        if group > kernel.limit:
            raise ValueError(f"{group} threads in a group, and {kernel.limit} is the most")
        self.stages[-1].append(lambda: [kernel.body(i, *buffers) for i in range(threads)])
        if self.tracked:
            self.barrier()

    def dispatch_threadgroups(self, kernel, groups, group, *buffers):
        self.dispatch_threads(kernel, groups * group, group, *buffers)

    def barrier(self):
        self.stages.append([])

    def commit(self):
        self.gpu = threading.Thread(target=self._run)
        self.gpu.start()

    def wait_until_completed(self):
        self.gpu.join()

    def _run(self):
        time.sleep(0.05)  # it has other things to do first
        start = time.perf_counter()
        for stage in self.stages:
            for work in reversed(stage):  # any order: let it be the one that hurts
                work()
        self.seconds = time.perf_counter() - start


class Pipeline:
    """A kernel: what one thread does, and how many threads may be in a group."""

    def __init__(self, body, limit=1024):
        self.body, self.limit = body, limit


def add_one(i, x):
    if i < x.size:
        x[i] += 1


def double(i, x):
    if i < x.size:
        x[i] *= 2


ADD_ONE, DOUBLE = Pipeline(add_one), Pipeline(double)
# --8<-- [end:model]

# --8<-- [start:groups-falls]
x = np.zeros(1000)
commands = CommandBuffer()
commands.dispatch_threads(ADD_ONE, 4, 256, x)  # as in CUDA: 4 blocks of 256
commands.commit()
commands.wait_until_completed()
assert x.sum() == 4  # and 996 elements were never touched
# --8<-- [end:groups-falls]

# --8<-- [start:groups-stands]
x = np.zeros(1000)
commands = CommandBuffer()
commands.dispatch_threads(ADD_ONE, x.size, 256, x)  # all threads
commands.commit()
commands.wait_until_completed()
assert x.sum() == 1000
# --8<-- [end:groups-stands]

# --8<-- [start:commit-falls]
x = np.zeros(1000)
commands = CommandBuffer()
commands.dispatch_threads(ADD_ONE, x.size, 256, x)
time.sleep(0.2)  # wait as long as you like
assert x.sum() == 0
# --8<-- [end:commit-falls]

# --8<-- [start:commit-stands]
commands.commit()
commands.wait_until_completed()
assert x.sum() == 1000
# --8<-- [end:commit-stands]

# --8<-- [start:wait-falls]
x = np.zeros(1000)
commands = CommandBuffer()
commands.dispatch_threads(ADD_ONE, x.size, 256, x)
commands.commit()
too_early = x.sum()  # no copy, so nothing waits
# --8<-- [end:wait-falls]

# --8<-- [start:wait-stands]
commands.wait_until_completed()
assert too_early == 0 and x.sum() == 1000
# --8<-- [end:wait-stands]

# --8<-- [start:limit-falls]
hungry = Pipeline(add_one, limit=448)  # a kernel with many registers
refused = False
try:
    CommandBuffer().dispatch_threads(hungry, 1000, 1024, x)
except ValueError:
    refused = True
assert refused
# --8<-- [end:limit-falls]

# --8<-- [start:limit-stands]
group = hungry.limit // 32 * 32  # as many whole SIMD-groups as fit
CommandBuffer().dispatch_threads(hungry, 1000, group, x)
# --8<-- [end:limit-stands]

# --8<-- [start:time-falls]
x = np.zeros(1000)
both = CommandBuffer()
both.dispatch_threads(ADD_ONE, x.size, 256, x)
both.dispatch_threads(DOUBLE, x.size, 256, x)
both.commit()
both.wait_until_completed()
assert both.seconds > 0  # of which kernel?
# --8<-- [end:time-falls]

# --8<-- [start:time-stands]
seconds = {}
for kernel in (ADD_ONE, DOUBLE):
    commands = CommandBuffer()
    commands.dispatch_threads(kernel, x.size, 256, x)
    commands.commit()
    commands.wait_until_completed()
    seconds[kernel.body.__name__] = commands.seconds
assert set(seconds) == {"add_one", "double"}
# --8<-- [end:time-stands]

# --8<-- [start:hazard-falls]
x = np.zeros(1000)
commands = CommandBuffer(tracked=False)
commands.dispatch_threads(ADD_ONE, x.size, 256, x)
commands.dispatch_threads(DOUBLE, x.size, 256, x)
commands.commit()
commands.wait_until_completed()
assert x[0] == 1  # doubled first, and (0 + 1) * 2 was meant
# --8<-- [end:hazard-falls]

# --8<-- [start:hazard-stands]
x = np.zeros(1000)
commands = CommandBuffer(tracked=False)
commands.dispatch_threads(ADD_ONE, x.size, 256, x)
commands.barrier()
commands.dispatch_threads(DOUBLE, x.size, 256, x)
commands.commit()
commands.wait_until_completed()
assert x[0] == 2
# --8<-- [end:hazard-stands]

# --8<-- [start:layout-falls]
# In Metal, struct Wide takes 32 bytes: 16 for the position, 4 for the mass, and 12 to round up.
host = np.zeros(3, dtype=[("position", "f4", 3), ("mass", "f4")])  # 16 bytes each
host["mass"] = 1, 2, 3
seen = np.frombuffer(host.tobytes() + bytes(48), dtype=np.float32).reshape(3, 8)
assert seen[:, 4].tolist() != [1, 2, 3]  # where Metal looks for the masses
# --8<-- [end:layout-falls]

# --8<-- [start:layout-stands]
# struct Packed has the host's layout: 12 bytes, then 4.
seen = np.frombuffer(host.tobytes(), dtype=np.float32).reshape(3, 4)
assert seen[:, 3].tolist() == [1, 2, 3]
# --8<-- [end:layout-stands]


# --8<-- [start:tile-falls]
def bytes_of_tiles(side, tiles=2, size=4):
    """Return the bytes of shared memory that square tiles take, for a float of ``size`` bytes."""
    return tiles * side * side * size


assert bytes_of_tiles(96) == 73_728  # two tiles of 96 x 96 floats: fine for an H200's 227 KB
# --8<-- [end:tile-falls]

# --8<-- [start:tile-stands]
LIMIT = 32 * 1024  # maxThreadgroupMemoryLength of every Apple GPU
side = max(s for s in range(8, 97, 8) if bytes_of_tiles(s) <= LIMIT)
assert side == 64
# --8<-- [end:tile-stands]


# --8<-- [start:math-falls]
def masked_softmax(scores, visible):
    """Return weights that add up to 1 over what is visible; -inf stands for the rest."""
    scores = np.where(visible, scores, -np.inf)
    powers = np.exp(scores - scores.max())
    return powers / powers.sum()


# --8<-- [end:math-falls]


# --8<-- [start:math-stands]
def masked_softmax_finite(scores, visible):
    """Return the same, with no infinity anywhere."""
    highest = scores[visible].max()
    powers = np.where(visible, np.exp(np.minimum(scores - highest, 0)), 0)
    return powers / powers.sum()


scores, visible = np.array([1.0, 5.0, 2.0]), np.array([True, False, True])
np.testing.assert_allclose(
    masked_softmax_finite(scores, visible), masked_softmax(scores, visible), rtol=1e-12
)
# --8<-- [end:math-stands]

"""All-reduces of our own, by peer pointers: one process, one stream for each GPU.

The kernels are snippets/multi_gpu/one_shot.cu and peers.cu.
"""

import cupy as cp
import numpy as np

from kernels.multi_gpu.peers import on_each

# --8<-- [start:structs]
MOST = 8  # ranks
PEERS = np.dtype([(name, np.uint64, MOST) for name in ("x", "out", "room", "flags")])
GROUP = np.dtype(
    [("rank", np.int32), ("ranks", np.int32)]
    + [(name, np.uint64) for name in ("calls", "late", "patience")]
)


def struct(dtype, **fields):
    """Return a C struct, to be given to a kernel by value."""
    made = np.zeros(1, dtype)
    for name, value in fields.items():
        value = [int(p) for p in value] if isinstance(value, list) else int(value)
        if isinstance(value, list):
            made[name][0, : len(value)] = value
        else:
            made[name] = value
    return made


assert struct(PEERS, x=[7, 8])["x"].tolist() == [[7, 8, 0, 0, 0, 0, 0, 0]]
assert struct(GROUP, rank=1, ranks=2).nbytes == GROUP.itemsize == 32  # as in C
# --8<-- [end:structs]


# --8<-- [start:ranks]
class Ranks:
    """GPUs of one process that add up arrays through each other's memory.

    ``most`` elements at most; a rank that waits ``patience`` seconds for another gives up.
    ``blocks`` of ``threads`` must fit each GPU at once, with all ranks that it has.
    """

    SMALL = 2**16  # elements at most, in one shot
    FEW = 32  # blocks of one shot, always: a thread has the same elements in every call

    def __init__(self, devices, most, patience=2.0, blocks=264, threads=512, folder="."):
        self.devices, self.patience, self.shape = devices, patience, (blocks, threads)
        n = len(devices)
        if not 2 <= n <= MOST:
            raise ValueError(f"2 to {MOST} ranks, not {n}")
        files = {"one_shot": "one_shot.cu"} | dict.fromkeys(
            ("read_all", "two_shot", "ring"), "peers.cu"
        )
        self.kernels = {}
        for name, file in files.items():
            with open(f"{folder}/{file}") as source:
                module = cp.RawModule(code=source.read(), options=("-std=c++17",))
            self.kernels[name] = module.get_function(name)

        def zeros(size, dtype):
            return on_each(lambda rank: cp.zeros(size, dtype), devices)

        self.streams = on_each(lambda rank: cp.cuda.Stream(), devices)
        self.flags, self.late = zeros(8 * blocks, np.uint32), zeros(1, np.int32)
        self.calls = {"boxes": zeros(self.FEW, np.uint32), "peers": zeros(blocks, np.uint32)}
        self.boxes = zeros(2 * n * self.SMALL, np.uint64)
        self.room = zeros(4 * -(-most // (4 * n)) * max(1, n - 1), np.float32)
        for rank in range(n):  # load every kernel now: loading waits for a GPU that is at work
            alone = struct(PEERS, flags=[self.flags[rank].data.ptr])
            for name in files:
                self._queue(name, rank, self._arguments(name, 0, 1, rank, alone, 0, 0, 0))
            self.streams[rank].synchronize()
            with cp.cuda.Device(devices[rank]):
                for array in (self.flags[rank], *(calls[rank] for calls in self.calls.values())):
                    array.fill(0)
                cp.cuda.get_current_stream().synchronize()

    def _arguments(self, name, rank, ranks, mine, peers, size, x, out):
        patience = np.uint64(self.patience * 1e9)
        if name == "one_shot":
            boxes = struct([("of", np.uint64, MOST)], of=[b.data.ptr for b in self.boxes])
            counts = self.calls["boxes"][mine], self.late[mine], patience
            sizes = np.int32(self.SMALL), np.int32(rank), np.int32(ranks)
            return np.uint64(x), np.uint64(out), np.int32(size), boxes, *sizes, *counts
        calls, late = self.calls["peers"][mine].data.ptr, self.late[mine].data.ptr
        group = struct(GROUP, rank=rank, ranks=ranks, calls=calls, late=late, patience=patience)
        return peers, group, np.uint64(size // 4)

    def _queue(self, name, rank, arguments):
        blocks, threads = (self.FEW, 512) if name == "one_shot" else self.shape
        with cp.cuda.Device(self.devices[rank]), self.streams[rank]:
            self.kernels[name]((blocks,), (threads,), arguments)

    def prepare(self, name, x, out):
        """Return a function that queues an all-reduce of x into out, one array for each rank.

        ``name`` is one_shot, read_all, two_shot or ring; ``only`` some ranks is for the tests.
        """
        size = x[0].size
        if {array.size for array in [*x, *out]} != {size}:
            raise ValueError(f"one size for all, not {[array.size for array in [*x, *out]]}")
        if name == "one_shot" and size > self.SMALL:
            raise ValueError(f"one shot takes {self.SMALL} elements at most, not {size}")
        if name != "one_shot" and size % 4:
            raise ValueError(f"{size} elements are no multiple of 4: add zeros, or use one_shot")
        pointers = {"x": x, "out": out, "room": self.room, "flags": self.flags}
        peers = struct(PEERS, **{k: [a.data.ptr for a in v] for k, v in pointers.items()})
        ranks = range(len(self.devices))
        arguments = [
            self._arguments(name, r, len(ranks), r, peers, size, x[r].data.ptr, out[r].data.ptr)
            for r in ranks
        ]

        def queue(only=ranks):
            for rank in only:
                self._queue(name, rank, arguments[rank])

        return queue

    def wait(self):
        """Wait for all ranks. Raises TimeoutError where one waited for another in vain."""
        for stream in self.streams:
            stream.synchronize()
        for rank, late in enumerate(self.late):
            if whom := int(late.get()[0]):
                raise TimeoutError(
                    f"rank {rank} waited {self.patience:g} s for rank {whom - 1}; make a new group"
                )


# --8<-- [end:ranks]

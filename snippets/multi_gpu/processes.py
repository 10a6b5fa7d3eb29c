import multiprocessing
import os
import queue
import signal
import sys
import time
from multiprocessing.connection import wait

import cupy as cp
import numpy as np

RANKS, BLOCKS, THREADS, MOST = 2, 264, 512, 2**26
PATIENCE, START = 1.0, 60.0  # seconds: for a rank at work, and for one that starts
PEERS = np.dtype([(name, np.uint64, 8) for name in ("x", "out", "room", "flags")])
GROUP = np.dtype(
    [("rank", np.int32), ("ranks", np.int32)]
    + [(name, np.uint64) for name in ("calls", "late", "patience")]
)


def layout(elements):
    """Return where each array begins in what a rank shares, and how large that is."""
    sizes = {"x": 4 * elements, "out": 4 * elements, "flags": 32 * BLOCKS, "calls": 4 * BLOCKS}
    places, end = {}, 0
    for name, size in (sizes | {"late": 4}).items():
        places[name], end = end, end + -(-size // 256) * 256
    return places, -(-end // 2**21) * 2**21  # whole pages of the GPU: nobody else is in them


class Rank:
    def __init__(self, rank, mail):
        self.rank, count = rank, cp.cuda.runtime.getDeviceCount()
        cp.cuda.Device(rank % count).use()
        with open("peers.cu") as source:
            self.kernel = cp.RawModule(code=source.read()).get_function("two_shot")
        self.places, size = layout(MOST)
        self.memory = cp.cuda.Memory(size)  # cudaMalloc: a block of a pool has no handle of its own
        for name in ("flags", "calls", "late"):
            self.array(name, BLOCKS * 8 if name == "flags" else 1, np.uint32).fill(0)
        self.array("calls", BLOCKS, np.uint32).fill(0)
        cp.cuda.runtime.deviceSynchronize()  # zeros before anybody gets the address
        handle = cp.cuda.runtime.ipcGetMemHandle(self.memory.ptr)  # 64 bytes, good on this machine
        for box in mail:
            box.put((rank, handle))
        self.bases = [self.memory.ptr] * RANKS
        for _ in range(RANKS):
            try:
                other, handle = mail[rank].get(timeout=START)
            except queue.Empty:
                raise TimeoutError(f"rank {rank}: not all ranks started in {START:g} s") from None
            if other != rank:
                self.bases[other] = cp.cuda.runtime.ipcOpenMemHandle(handle)

    def array(self, name, size, dtype=np.float32):
        place = cp.cuda.MemoryPointer(self.memory, self.places[name])
        return cp.ndarray((size,), dtype, place)

    def all_reduce(self, elements):
        """Queue the sum over all ranks of the first elements of x, into everybody's out."""
        peers, group = np.zeros(1, PEERS), np.zeros(1, GROUP)
        for name in ("x", "out", "flags"):
            peers[name][0, :RANKS] = [base + self.places[name] for base in self.bases]
        mine = (self.memory.ptr + self.places[name] for name in ("calls", "late"))
        group[0] = (self.rank, RANKS, *mine, int(PATIENCE * 1e9))
        self.kernel((BLOCKS,), (THREADS,), (peers, group, np.uint64(elements // 4)))

    def wait(self):
        cp.cuda.get_current_stream().synchronize()
        if whom := int(self.array("late", 1, np.int32).get()[0]):
            raise TimeoutError(f"waited {PATIENCE:g} s for rank {whom - 1}")


def work(number, mail, doomed):
    rank = Rank(number, mail)
    for mib in (1, 16, 256):
        n = mib * 2**18
        x, out = rank.array("x", n), rank.array("out", n)
        sent = [cp.random.default_rng(mib + r).random(n, dtype=cp.float32) for r in range(RANKS)]
        x[:] = sent[number]
        out.fill(cp.nan)
        if number == doomed and mib == 16:
            os.kill(os.getpid(), signal.SIGKILL)  # no cleaning up, no good-bye
        rank.all_reduce(n)
        rank.wait()
        assert bool((out == sum(sent)).all()), f"rank {number}, {mib} MiB: another sum"
        times = []
        for _ in range(7):
            events = cp.cuda.Event(), cp.cuda.Event()
            rank.all_reduce(n)  # so that both ranks begin together
            events[0].record()
            for _ in range(10):
                rank.all_reduce(n)
            events[1].record()
            rank.wait()
            times.append(cp.cuda.get_elapsed_time(*events) / 1e4)
        if number == 0:
            rate = 4 * n * 2 * (RANKS - 1) / RANKS / sorted(times)[3] / 1e9
            print(f"{mib:>4} MiB between processes: {rate:6.1f} GB/s", flush=True)


def run(number, mail, doomed):
    try:
        work(number, mail, doomed)
    except Exception as error:
        print(f"rank {number}: {type(error).__name__}: {error}", flush=True)
        raise SystemExit(1) from None


if __name__ == "__main__":
    spawn = multiprocessing.get_context("spawn")  # a forked process cannot use its parent's CUDA
    mail = [spawn.Queue() for _ in range(RANKS)]
    doomed = RANKS - 1 if "kill" in sys.argv else None
    group = [spawn.Process(target=run, args=(r, mail, doomed)) for r in range(RANKS)]
    for process in group:
        process.start()
    wait([process.sentinel for process in group], timeout=2 * START)
    began = time.monotonic()  # one has ended: the others must end soon, too
    for process in group:
        process.join(max(0, began + PATIENCE + 4 - time.monotonic()))
    for number, process in enumerate(group):
        if process.exitcode is None:
            process.kill()
            print(f"rank {number} did not end, and was killed")
        elif process.exitcode < 0:
            print(f"rank {number} was ended by {signal.Signals(-process.exitcode).name}")
    if doomed is not None:
        print(f"all ranks had ended {time.monotonic() - began:.0f} s after the first")
    else:
        assert not any(process.exitcode for process in group), "a rank failed"

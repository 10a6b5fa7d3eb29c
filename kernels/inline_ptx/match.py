"""Warp-wide instructions that Numba has no name for: redux.sync, and match.any for a tally."""

# --8<-- [start:imports]
import numpy as np
from numba import cuda, int32, uint32

# --8<-- [end:imports]
from kernels.tensor_cores.ptx import ptx

# --8<-- [start:instructions]
warp_add = ptx("redux.sync.add.u32 %0, %1, 0xffffffff;", "=r r")
match_any = ptx("match.any.sync.b32 %0, %1, 0xffffffff;", "=r r")


@cuda.jit(device=True)
def warp_add_by_shuffles(value):
    for step in (16, 8, 4, 2, 1):
        value += uint32(cuda.shfl_xor_sync(0xFFFFFFFF, int32(value), step))
    return value


# --8<-- [end:instructions]


# --8<-- [start:tally]
NOBODY = np.uint32(0xFFFFFFFF)


@cuda.jit
def tally_kernel(votes, counts):
    """counts[v] is how many of the votes are v: one atomic for each vote."""
    for i in range(cuda.grid(1), votes.size, cuda.gridsize(1)):
        cuda.atomic.add(counts, votes[i], uint32(1))


@cuda.jit
def tally_match_kernel(votes, counts):
    """The same, with one atomic for all lanes of a warp that hold the same vote."""
    lane = cuda.threadIdx.x % 32
    rounds = (votes.size + cuda.gridsize(1) - 1) // cuda.gridsize(1)
    for turn in range(rounds):  # all lanes of a warp take part in every turn
        i = turn * cuda.gridsize(1) + cuda.grid(1)
        vote = votes[i] if i < votes.size else NOBODY
        peers = match_any(vote)  # a bit for each lane with this vote
        if lane == cuda.ffs(peers) - 1 and vote != NOBODY:
            cuda.atomic.add(counts, vote, uint32(cuda.popc(peers)))


# --8<-- [end:tally]


# --8<-- [start:host]
def tally(votes, candidates, kernel=tally_match_kernel):
    """Return how many votes each candidate has.

    --8<-- [start:example]
    >>> random = np.random.default_rng(seed=1)
    >>> votes = np.minimum(random.geometric(0.3, size=100_003), 10).astype(np.uint32)
    >>> right = np.bincount(votes, minlength=11)
    >>> for kernel in (tally_kernel, tally_match_kernel):
    ...     print(bool((tally(votes, 11, kernel) == right).all()))
    True
    True

    --8<-- [end:example]
    """
    counts = cuda.to_device(np.zeros(candidates, np.uint32))
    kernel[64, 256](cuda.to_device(votes), counts)
    return counts.copy_to_host()


# --8<-- [end:host]


# --8<-- [start:sums]
def make_sums(add=warp_add):
    """Return a kernel (out, turns) that adds up a warp's lanes, ``turns`` times in a row."""

    @cuda.jit
    def sums_kernel(out, turns):
        value = uint32(cuda.grid(1))
        for _ in range(turns):
            value = add(value) ^ uint32(cuda.threadIdx.x)
        out[cuda.grid(1)] = value

    return sums_kernel


# --8<-- [end:sums]


def _sums():
    """
    --8<-- [start:sums_example]
    >>> got = []
    >>> for add in (warp_add, warp_add_by_shuffles):
    ...     out = cuda.device_array(64, np.uint32)
    ...     make_sums(add)[2, 32](out, 3)
    ...     got.append(out.copy_to_host())
    >>> bool((got[0] == got[1]).all())
    True

    --8<-- [end:sums_example]
    """


def make_tally_ballots(bits):
    """Return a kernel like ``tally_match_kernel`` for votes of so many bits, by ballots."""

    @cuda.jit
    def tally_ballots_kernel(votes, counts):
        lane = cuda.threadIdx.x % 32
        rounds = (votes.size + cuda.gridsize(1) - 1) // cuda.gridsize(1)
        for turn in range(rounds):
            i = turn * cuda.gridsize(1) + cuda.grid(1)
            vote = votes[i] if i < votes.size else NOBODY
            peers = uint32(0xFFFFFFFF)
            for bit in range(bits):
                mine = vote >> uint32(bit) & uint32(1)
                ones = uint32(cuda.ballot_sync(0xFFFFFFFF, mine))
                peers &= ones if mine else ~ones
            real = uint32(cuda.ballot_sync(0xFFFFFFFF, vote != NOBODY))
            peers &= real
            if vote != NOBODY and lane == cuda.ffs(peers) - 1:
                cuda.atomic.add(counts, vote, uint32(cuda.popc(peers)))

    return tally_ballots_kernel

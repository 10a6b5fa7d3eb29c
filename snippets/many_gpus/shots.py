"""The all-reduces of one_shot.cu and peers.cu in Numba: peer pointers, flags, and nothing else."""

from numba import complex64, cuda, float32


@cuda.jit(device=True)
def told(flags, block, who, number, patience):
    """Wait for a flag of mine to reach a number. False: it did not within so many looks."""
    looks = 0
    while flags[block, who] < number:
        looks += 1
        if looks > patience:
            return False
        cuda.nanosleep(100)
    return True


@cuda.jit(device=True)
def meet(flags, rank, ranks, number, patience, late):
    """A barrier between block b of all ranks: thread r tells rank r, then waits for rank r."""
    block, r = cuda.blockIdx.x, cuda.threadIdx.x
    cuda.threadfence_system()
    cuda.syncthreads()
    here = 1
    if r < ranks:
        flags[r][block, rank] = number
        if not told(flags[rank], block, r, number, patience):
            late[0] = 1 + r
            here = 0
    return cuda.syncthreads_and(here) != 0


@cuda.jit
def one_shot(xs, outs, boxes, rank, ranks, call, patience, late):
    """A value and the number of the call travel as one 64-bit word, into a box on every rank."""
    x, out = xs[rank], outs[rank]
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        for other in range(1, ranks):
            boxes[(rank + other) % ranks][rank, i] = complex64(complex(x[i], call))
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        total = float32(0)
        for source in range(ranks):
            value = x[i]
            if source != rank:
                looks = 0
                while boxes[rank][source, i].imag != call:
                    looks += 1
                    if looks > patience:
                        late[0] = 1 + source
                        return
                    cuda.nanosleep(100)
                value = boxes[rank][source, i].real
            total += value
        out[i] = total


@cuda.jit
def two_shot(xs, outs, flags, rank, ranks, call, patience, late):
    """Rank r adds up part r of all arrays, and writes the sums to everybody."""
    n = outs[rank].size
    part = (n + ranks - 1) // ranks
    end = min(n, (rank + 1) * part)
    if not meet(flags, rank, ranks, 2 * call - 1, patience, late):  # all inputs are there
        return
    for i in range(rank * part + cuda.grid(1), end, cuda.gridsize(1)):
        total = float32(0)
        for source in range(ranks):
            total += xs[source][i]
        for other in range(ranks):
            outs[(rank + other) % ranks][i] = total
    if not meet(flags, rank, ranks, 2 * call, patience, late):  # all parts have arrived
        return


@cuda.jit
def ring(xs, outs, rooms, flags, rank, ranks, call, patience, late):
    """Block b has its own stretch of each part, and talks to block b of its neighbors only."""
    right, left, steps = (rank + 1) % ranks, (rank + ranks - 1) % ranks, 2 * (ranks - 1)
    block, n = cuda.blockIdx.x, outs[rank].size
    part = (n + ranks - 1) // ranks
    stretch = (part + cuda.gridDim.x - 1) // cuda.gridDim.x
    start, stop = block * stretch, min(part, (block + 1) * stretch)
    number = call * (steps + 1) - steps
    if not meet(flags, rank, ranks, number, patience, late):  # neighbors are done with the last
        return
    for step in range(steps):
        gather, finished = step >= ranks - 1, step == ranks - 1
        q = (rank - step + 2 * ranks) % ranks  # the part that came last
        for i in range(start + cuda.threadIdx.x, min(stop, n - q * part), cuda.blockDim.x):
            place = q * part + i
            if gather and not finished:
                outs[right][place] = outs[rank][place]
            else:
                value = xs[rank][place]
                if step > 0:
                    value += rooms[rank][step - 1, i]
                if finished:
                    outs[rank][place] = value
                    outs[right][place] = value
                else:
                    rooms[right][step, i] = value
        cuda.threadfence_system()
        cuda.syncthreads()
        here = 1
        if cuda.threadIdx.x == 0:
            flags[right][block, rank] = number + 1 + step
            if not told(flags[rank], block, left, number + 1 + step, patience):
                late[0] = 1 + left
                here = 0
        if cuda.syncthreads_and(here) == 0:
            return

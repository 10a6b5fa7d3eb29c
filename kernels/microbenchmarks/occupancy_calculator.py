"""How many blocks one multiprocessor of compute capability 9.0 holds at a time."""

# --8<-- [start:host]
WARP = 32
MOST_WARPS, MOST_BLOCKS = 64, 32
REGISTERS = 65_536  # each of 32 bits
REGISTER_UNIT = 256  # a warp gets registers by so many
WARP_UNIT = 4  # one for each of the four parts that a multiprocessor has
SHARED = 228 * 1024
SHARED_BLOCK = 227 * 1024  # the most that one block may have
SHARED_UNIT = 128
SHARED_RESERVED = 1024  # what the system keeps of it for each block


def up(number, unit):
    """Round up to a multiple of ``unit``."""
    return -(-number // unit) * unit


def resident_blocks(threads, registers, shared):
    """Return how many blocks fit, by the scarcest of four things; 0 if not even one does.

    Args: threads of a block, registers of a thread, bytes of shared memory of a block.
    The units are those of the occupancy calculator of Nsight Compute; a benchmark compares the
    result with the driver's.
    """
    warps = -(-threads // WARP)
    if not 0 < threads <= 1024 or registers > 255 or shared > SHARED_BLOCK:
        return 0
    by_warps = MOST_WARPS // warps
    held = REGISTERS // up(max(registers, 1) * WARP, REGISTER_UNIT)  # warps
    by_registers = held // WARP_UNIT * WARP_UNIT // warps
    by_shared = SHARED // up(shared + SHARED_RESERVED, SHARED_UNIT)
    return min(MOST_BLOCKS, by_warps, by_registers, by_shared)


# --8<-- [end:host]


def blocks():
    """Show one launch for each limit.

    --8<-- [start:example]
    >>> resident_blocks(threads=256, registers=32, shared=0)  # 8 blocks are 64 warps: all slots
    8
    >>> resident_blocks(threads=256, registers=40, shared=0)  # registers
    6
    >>> resident_blocks(threads=64, registers=32, shared=12 * 1024)  # shared memory
    17

    --8<-- [end:example]
    """

"""How many blocks fit on one multiprocessor: the arithmetic of occupancy."""


# --8<-- [start:host]
def resident(threads, registers, slots=64, most_blocks=32, register_file=65_536):
    """Return (blocks, occupancy) of one multiprocessor.

    ``threads`` in a block, ``registers`` in a thread, of which hardware gives eight at a time; the
    limits are those of compute capability 9.0.
    """
    warps = -(-threads // 32)  # a warp is never shared by two blocks
    by_slots = slots // warps
    by_registers = register_file // (-(-registers // 8) * 8 * 32 * warps)
    blocks = min(most_blocks, by_slots, by_registers)
    return blocks, blocks * warps / slots


# --8<-- [end:host]


def table():
    """Show one launch for each limit.

    --8<-- [start:example]
    >>> resident(threads=256, registers=32)  # everything fits
    (8, 1.0)
    >>> resident(threads=32, registers=32)  # 32 blocks of one warp: half of the slots
    (32, 0.5)
    >>> resident(threads=768, registers=32)  # a third block would need 72 slots
    (2, 0.75)
    >>> resident(threads=1024, registers=33)  # one register more than 32
    (1, 0.5)
    >>> resident(threads=33, registers=32)  # two warps for 33 threads
    (32, 1.0)

    --8<-- [end:example]
    """

"""Two limits of an inner loop: instructions that it issues, and wavefronts that it moves."""


# --8<-- [start:function]
def limits(multiply_adds, instructions, wavefronts, multiprocessors=132, clock=1.98e9):
    """Return the TFLOP/s that issue slots allow, and those that the data pipe of L1 allows.

    The counts are those of one trip of a warp's inner loop. A multiprocessor issues four
    instructions of a warp in a cycle. The data pipe, of L1 and shared memory alike, moves one
    wavefront in a cycle: a read of 4 bytes a lane without conflicts is one, of 16 bytes is four, or
    two where every two neighbors read the same 16 bytes. A read of 32 different lines is 8 where
    they lie in 32 banks, and 32 in one bank. A multiply-add of a warp is 64 operations.
    """
    operations = 64 * multiply_adds * multiprocessors * clock / 1e12
    return round(operations / (instructions / 4), 1), round(operations / wavefronts, 1)


# --8<-- [end:function]


def ladder():
    """Count the first rungs.

    --8<-- [start:swapped]
    >>> limits(multiply_adds=4, instructions=144, wavefronts=4 * 33)  # x down a column
    (1.9, 0.5)
    >>> limits(4, 144, wavefronts=4 * 2)  # x along a row
    (1.9, 8.4)
    >>> limits(16, 73, wavefronts=16 * 2)  # x along a row, CUDA C++
    (14.7, 8.4)

    --8<-- [end:swapped]

    --8<-- [start:example]
    >>> limits(4, 144, wavefronts=8)  # naive, Numba
    (1.9, 8.4)
    >>> limits(16, 93, wavefronts=30)  # tiled, Numba
    (11.5, 8.9)
    >>> limits(16, 73, wavefronts=32)  # naive, CUDA C++
    (14.7, 8.4)
    >>> limits(16, 69, wavefronts=32.5)  # tiled, CUDA C++, counted by a profiler
    (15.5, 8.2)

    --8<-- [end:example]

    --8<-- [start:registers]
    >>> limits(16, 52, wavefronts=18.25)  # a column of 16
    (20.6, 14.7)
    >>> limits(64, 99, wavefronts=19.5)  # 8 x 8
    (43.3, 54.9)

    --8<-- [end:registers]
    """

"""A schedule for a CPU in which a strip of B stays in the cache."""

from tvm.s_tir import Schedule


# --8<-- [start:blocked]
def blocked(function, rows=4, depth=64, lanes=8):
    s = Schedule(function)
    block = s.get_sblock("C")
    i, j, r = s.get_loops(block)
    i0, i1 = s.split(i, [None, rows])
    j0, lane = s.split(j, [None, lanes])
    r0, r1 = s.split(r, [None, depth])
    s.reorder(r0, i0, j0, r1, i1, lane)
    s.vectorize(lane)
    s.unroll(i1)
    s.parallel(i0)  # not r0: its rounds add to the same elements
    s.decompose_reduction(block, r0)
    return s


# --8<-- [end:blocked]

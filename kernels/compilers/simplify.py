"""A pass that a reader writes: what can be dropped without changing a single bit."""

from kernels.compilers.fuse import keep

# --8<-- [start:simplify]
NEUTRAL = {"multiply": 1, "divide": 1, "subtract": 0}  # not add: -0.0 + 0.0 is 0.0


def simplify(ops):
    """Replace x * 1, 1 * x, x / 1 and x - 0 by x."""
    new, moved = [], []
    for op in ops:
        op = op._replace(args=tuple(moved[a] for a in op.args))
        moved.append(len(new))
        if op.name in NEUTRAL:
            x, y = op.args
            if op.name == "multiply" and new[x].name == "const":
                x, y = y, x
            same = (new[x].dtype, new[x].shape) == (op.dtype, op.shape)
            value = op.dtype.type(NEUTRAL[op.name]).tobytes()
            if new[y].name == "const" and new[y].value.tobytes() == value and same:
                moved[-1] = x
                continue
        new.append(op)
    return keep(new, moved[-1])


# --8<-- [end:simplify]

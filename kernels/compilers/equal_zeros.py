"""A wrong pass: it takes two constants that are equal for one and the same."""


# --8<-- [start:share]
def share_equal(ops):
    new, known, moved = [], {}, []
    for op in ops:
        op = op._replace(args=tuple(moved[a] for a in op.args))
        if op not in known:  # the op with its value, compared by ==
            known[op] = len(new)
            new.append(op)
        moved.append(known[op])
    return new


# --8<-- [end:share]

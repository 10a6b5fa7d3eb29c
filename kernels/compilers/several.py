"""The same back end, with several elements for a thread and indices that have no sign."""

# --8<-- [start:imports]
import re

# --8<-- [end:imports]
from kernels.compilers.fuse import CODE, index


# --8<-- [start:generate]
def place(shape, out, k, kind):
    """Return where an argument has the value for the thread's element k, all in one type."""
    typed = re.sub(r"\d+", rf"{kind}(\g<0>)", index(shape, out))
    return re.sub(r"\bi\b", f"i{k}", typed)


def generate_several(ops, each=4, kind="uint32"):
    """Return the source of a kernel in which a thread computes ``each`` elements, 256 apart.

    ``kind`` is the type of the indices: with uint32 the result has fewer than 2**32 elements.
    Launch it with ``-(-size // (256 * each))`` blocks of 256 threads.
    """
    names = [op.value for op in ops if op.name == "load"]
    lines = [f"def fused({', '.join([*names, 'out'])}):"]
    lines += [f"    first = {kind}(cuda.blockIdx.x * {256 * each} + cuda.threadIdx.x)"]
    lines += [f"    last = {kind}(out.size - 1)"]
    # A thread past the end computes the last element once more, and stores nothing.
    lines += [f"    i{k} = min({kind}(first + {kind}({256 * k})), last)" for k in range(each)]
    # An operation for all elements, then the next one: so every load stands before every store.
    # Were it the other way, no load could pass the store above it, since they might overlap.
    for at, op in enumerate(ops):
        for k in range(each):
            if op.name == "load":
                code = f"{op.value}[{place(op.shape, ops[-1].shape, k, kind)}]"
            elif op.name == "const":
                code = f"{op.dtype}({op.value.item()!r})"
            else:
                code = CODE[op.name].format(*(f"v{a}_{k}" for a in op.args))
                code = f"{op.dtype}({code})"
            lines.append(f"    v{at}_{k} = {code}")
    for k in range(each):
        lines += [f"    if first + {256 * k} < out.size:"]
        lines += [f"        out[i{k}] = v{len(ops) - 1}_{k}"]
    return "\n".join(lines)


# --8<-- [end:generate]

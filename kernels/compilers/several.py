"""The same back end, with several elements for a thread: their loads are all on the way at once."""

from kernels.compilers.fuse import CODE, index

# --8<-- [start:generate]
THREADS = 256


def generate_several(ops, each=4):
    """Return the source of a kernel in which a thread computes ``each`` elements, 256 apart.

    Launch it with ``-(-size // (256 * each))`` blocks of 256 threads.
    """
    names = [op.value for op in ops if op.name == "load"]
    lines = [f"def fused({', '.join([*names, 'out'])}):"]
    lines += [f"    first = cuda.blockIdx.x * {THREADS * each} + cuda.threadIdx.x"]
    # A thread past the end computes the last element once more, and stores nothing.
    lines += [f"    i{k} = min(first + {THREADS * k}, out.size - 1)" for k in range(each)]
    # An operation for all elements, then the next one: so every load stands before every store.
    # Were it the other way, no load could pass the store above it, since they might overlap.
    for at, op in enumerate(ops):
        for k in range(each):
            if op.name == "load":
                code = f"{op.value}[{index(op.shape, ops[-1].shape).replace('i', f'i{k}')}]"
            elif op.name == "const":
                code = f"{op.dtype}({op.value.item()!r})"
            else:
                code = CODE[op.name].format(*(f"v{a}_{k}" for a in op.args))
                code = f"{op.dtype}({code})"
            lines.append(f"    v{at}_{k} = {code}")
    for k in range(each):
        lines += [f"    if first + {THREADS * k} < out.size:"]
        lines += [f"        out[i{k}] = v{len(ops) - 1}_{k}"]
    return "\n".join(lines)


# --8<-- [end:generate]

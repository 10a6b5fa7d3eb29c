"""The types that Numba gives to what a launch settles.

A launch makes constants of a kernel's integer arguments, so a branch may be settled and a loop be
written out, and what is not written has no types. Numba compiles for all launches: there a
variable has, after ``if flag: v = 1.5``, the one type that holds both of its numbers, whichever of
them it has. The stepper types kernels so. It is asked for the types wherever paths meet in it.
"""

from types import SimpleNamespace

from ..stepper import compiler as stepper
from ..stepper import host
from ..stepper.faults import KernelFault, Unsupported
from ..stepper.types import Array, Known, Scalar, Tuple


class Outside:
    """A kernel, as the stepper asks for it when it compiles."""

    def __init__(self, source):
        self.source, self.options, self.__name__ = source, {}, source.name

    def constant_array(self, fc, array, name, node):
        if not hasattr(array, "__cuda_array_interface__"):
            array = host.DeviceArray.of(host.np.asarray(array))
        else:
            array = host.as_cuda_array(array)
        return stepper.Value(array._view.type, fc.program.constant(array), atom=True)


class Noting(stepper.Function):
    """A function of the stepper that notes the types where paths meet.

    ``joins``: (kind of place, its place in the source) -> what is known of the variables there, or
    the type of a value.
    """

    made = None  # where the functions that are compiled are put

    def compile(self):
        self.joins = {}
        self.made.append(self)
        super().compile()

    def visit_If(self, node):
        super().visit_If(node)
        self.joins["if", place_of(node)] = dict(self.env or {})

    def visit_IfExp(self, node):
        return self.noted_value(super().visit_IfExp(node), node)

    def visit_BoolOp(self, node):
        return self.noted_value(super().visit_BoolOp(node), node)

    def noted_value(self, value, node):
        self.joins["value", place_of(node)] = value.type
        return value

    def loop(self, write):
        node = self.node

        def noted(loop):
            self.joins["head", place_of(node)] = dict(loop.head)
            write(loop)

        super().loop(noted)
        self.joins["exit", place_of(node)] = dict(self.env or {})


def place_of(node):
    """Where a node stands in its file."""
    return node.lineno, node.col_offset, node.end_lineno, node.end_col_offset


def functions(source, kinds):
    """The functions of a kernel for arguments of these types, as the stepper types them."""
    plain, made = stepper.Function, []
    stepper.Function = type("Noting", (Noting,), {"made": made})  # that which Program makes
    try:
        stepper.Program(Outside(source), tuple(kinds), False)
    except (Unsupported, KernelFault, TypeError):
        return []  # nor will the stepper launch it
    finally:
        stepper.Function = plain
    return made


def typed(found, source, values):
    """That of the functions ``found`` which is ``source`` for arguments as ``values``, or None."""
    for f in found:
        if f.source.function is source.function and len(f.argtypes) == len(values):
            if all(map(alike, f.argtypes, values)):
                return f
    return None


def alike(kind, value):
    """Whether an argument has the type that the stepper has compiled a function for."""
    if isinstance(kind, Known):
        return not isinstance(value.type, Scalar) or value.const == kind.const
    if isinstance(kind, Array):
        t = value.type
        return isinstance(t, Array) and (t.dtype, t.ndim) == (kind.dtype, kind.ndim)
    if isinstance(kind, Tuple):
        items = value.items if isinstance(value.type, Tuple) else ()
        return len(items) == len(kind.items) and all(map(alike, kind.items, items))
    return kind is value.type or not isinstance(kind, Scalar)


NOTHING = SimpleNamespace(joins={}, returns_type=None)

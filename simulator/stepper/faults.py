"""What can be wrong with a kernel, in words: findings, faults and refusals."""

from dataclasses import asdict, dataclass


class Unsupported(Exception):
    """The stepper cannot run this, and says so by name and line instead of running it wrong."""

    def __init__(self, what, line=None, filename=None):
        self.what, self.line, self.filename = what, line, filename
        place = f" (line {line})" if line else ""
        super().__init__(f"the stepper cannot run {what}{place}")


class TypeRefused(Unsupported):
    """Numba would refuse this as well: the types do not allow it."""

    def __init__(self, what, line=None, filename=None):
        super().__init__(what, line, filename)
        place = f"line {line}: " if line else ""
        self.args = (f"{place}{what}",)


class MissingName(Unsupported, ImportError):
    """A script imports a name that the stepper does not have."""

    def __init__(self, module, name, line=None, filename=None):
        super().__init__(f"`from {module} import {name}`: it has no `{name}`", line, filename)
        self.name = name


class MissingModule(Unsupported, ModuleNotFoundError):
    """A script imports a module of numba.cuda or NumPy that the stepper does not have."""

    def __init__(self, name):
        super().__init__(f"`import {name}`: it has no such module")
        self.name = name


class MissingAttribute(Unsupported, AttributeError):
    """A script asks an object on the host for a name that the stepper does not have.

    Also an AttributeError, so that ``hasattr`` and ``getattr`` answer as ever.
    """

    def __init__(self, text, owner):
        super().__init__(f"{text}: {owner} has no such name here")


@dataclass
class Finding:
    """One thing that is wrong in one launch.

    ``kind`` is one of KINDS. ``thread`` and ``block`` are (x, y, z), or None where the launch as
    a whole is at fault; ``other_thread``, ``other_block`` and ``other_line`` tell the second party
    of a race. ``line`` is the line in the script's own file.
    """

    kind: str
    message: str
    line: int | None = None
    thread: tuple | None = None
    block: tuple | None = None
    array: str | None = None
    other_line: int | None = None
    other_thread: tuple | None = None
    other_block: tuple | None = None
    kernel: str | None = None
    filename: str | None = None
    count: int = 1  # how often the same thing happened
    launches: int = 1  # and in how many launches, where several are told as one

    def as_dict(self):
        """The finding as plain data, for JSON."""
        return asdict(self)

    @classmethod
    def of(cls, data):
        """A finding from ``as_dict``, also after JSON, which has lists for tuples."""
        return cls(**{k: tuple(v) if isinstance(v, list) else v for k, v in data.items()})

    def __str__(self):
        place = f"line {self.line}: " if self.line else ""
        return place + self.message


KINDS = {
    "out-of-bounds": "an index is past the end of its array",
    "negative-index": "an index is below zero",
    "uninitialized": "memory is read that nothing wrote",
    "divergent-barrier": "not all threads of a block reach the same barrier",
    "shared-race": "two threads of a block use one shared element with no barrier between them",
    "global-race": "two threads use one global element with no order between them",
    "missing-syncwarp": "two lanes of a warp use one element with no syncwarp between them",
    "warp-mask": "the mask of a warp operation does not match the lanes that take part",
    "dynamic-shared": "the launch gave too little dynamic shared memory",
    "launch-limit": "the launch asks for more than the GPU allows",
    "read-only": "a constant array is written",
    "endless": "the step or time limit was reached",
    "order-dependent": "the result depends on the order in which threads happen to run",
    "same-value": "several threads write the same value to one element (a note, and no fault)",
    "error": "the kernel's code failed",
}


class KernelFault(Exception):
    """A finding that stopped the launch, or that was raised at its end."""

    def __init__(self, finding):
        self.finding = finding
        super().__init__(str(finding))


class OutOfBounds(KernelFault, IndexError):
    """An index outside its array (also an IndexError, as in Numba's simulator)."""


class LaunchError(KernelFault, ValueError):
    """A launch beyond the limits of the GPU."""


class LimitReached(KernelFault):
    """The step or time limit was reached; the loop may be endless."""


def fault(finding):
    """The exception for a finding."""
    return {
        "out-of-bounds": OutOfBounds,
        "negative-index": OutOfBounds,
        "dynamic-shared": OutOfBounds,
        "launch-limit": LaunchError,
        "endless": LimitReached,
    }.get(finding.kind, KernelFault)(finding)


def triple(xyz):
    """``(3, 0, 0)`` as text, without trailing zeros that say nothing: ``3``, ``(3, 1)``."""
    x, y, z = xyz
    return f"({x}, {y}, {z})" if z else f"({x}, {y})" if y else f"{x}"


def who(thread, block):
    """``thread 5 of block 2``."""
    return f"thread {triple(thread)} of block {triple(block)}"

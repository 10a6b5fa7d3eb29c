"""A foreign kernel, and one launch of it with what it must leave. ``kernels.py`` runs them."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np


@dataclass
class Launch:
    """One launch of a foreign kernel, and what it must leave."""

    grid: tuple | int
    block: tuple | int
    arguments: list | dict
    expected: dict[int, np.ndarray]  # argument -> what it holds after; then come textures 1, 2, ...
    tolerance: float = 0.0  # relative to the largest value; 0: the same bits
    options: dict = field(default_factory=dict)
    read: Callable[[np.ndarray], np.ndarray] = np.asarray  # of both, before they are compared
    notes: list[str] = field(default_factory=list)  # what the host said of it


@dataclass
class Case:
    """A kernel in a public repository."""

    repository: str
    commit: str
    path: str
    kernel: str  # a template's with its arguments; in Metal, the name under which it is made
    launch: Callable[[], Launch]
    include: tuple[str, ...] = ()  # folders of its repository
    defines: dict[str, str] = field(default_factory=dict)
    # A data race that the kernel has, read in its source: why it is one, and the two "file:line".
    race: tuple[str, ...] = ()


def compared(made: Launch) -> tuple[str, str]:
    held = made.arguments + [t for k, t in sorted(made.options.get("textures", {}).items()) if k]
    for index, wanted in made.expected.items():
        got = made.read(held[index])
        wanted = made.read(wanted)
        if got.shape != wanted.shape:
            return "wrong", f"argument {index} has the shape {got.shape}, and not {wanted.shape}"
        if made.tolerance:
            scale = max(float(np.abs(wanted).max()), 1e-30)
            wide = np.complex128 if wanted.dtype.kind == "c" else np.float64
            off = float(np.abs(got.astype(wide) - wanted.astype(wide)).max()) / scale
            if not off <= made.tolerance:
                return "wrong", f"argument {index} is off by {off:.2g} of its largest value"
        elif not np.array_equal(got, wanted):
            where = int(np.flatnonzero(got.ravel() != wanted.ravel())[0])
            return "wrong", (
                f"argument {index} has {got.ravel()[where]} at {where}, not {wanted.ravel()[where]}"
            )
    return "right", ""

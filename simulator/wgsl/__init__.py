"""Numba kernels on any GPU of a browser: a kernel and the arguments of a launch, as WGSL.

    from simulator.wgsl import captured

    with Stepper().installed(), captured([]) as launches:
        exec(program)
    print(launches[0].shader.wgsl)

It types as the stepper does and depends on nothing else, so it runs in the reader's browser. What
it cannot compile is refused by name and line (``Refused``), never compiled wrong.
"""

from .launch import Captured, Config, Shader, as_json, captured, compile, unlike, wanted
from .values import Refused

__all__ = [
    "Captured",
    "Config",
    "Refused",
    "Shader",
    "as_json",
    "captured",
    "compile",
    "unlike",
    "wanted",
]

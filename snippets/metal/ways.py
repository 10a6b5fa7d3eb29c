"""Which ways to a Mac's GPU this machine has."""

# --8<-- [start:imports]
import platform
from importlib.util import find_spec

# --8<-- [end:imports]


# --8<-- [start:ways]
def ways():
    """Return the ways from Python to the GPU of this machine, the easiest first."""
    on_mac = platform.system() == "Darwin" and platform.machine() == "arm64"
    packages = {"torch": "PyTorch on mps", "mlx": "MLX", "Metal": "Metal, by PyObjC"}
    found = [name for package, name in packages.items() if on_mac and find_spec(package)]
    return [*found, "the CPU"]


print(", ".join(ways()))
assert ways()[-1] == "the CPU"
# --8<-- [end:ways]

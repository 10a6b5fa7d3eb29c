"""To the driver a kernel is text: assemble PTX and launch it, whoever wrote it."""

# --8<-- [start:imports]
from pathlib import Path

from cuda.core import Program, ProgramOptions

# --8<-- [end:imports]

# --8<-- [start:assemble]
ptx = Path("mix.ptx").read_text()
for arch in ("sm_75", "sm_90"):
    program = Program(ptx, "ptx", ProgramOptions(arch=arch))
    assert program.compile("cubin").code[:4] == b"\x7fELF"  # machine code of that GPU
# --8<-- [end:assemble]

from pathlib import Path

import cupy

PTX = """
.version 8.0
.target sm_75
.address_size 64
.visible .entry nothing() { ret; }
"""


def right():
    Path("nothing.ptx").write_text(PTX)
    cupy.RawModule(path="nothing.ptx").get_function("nothing")


def wrong():
    cupy.RawModule(path="nothing.cubin").get_function("nothing")

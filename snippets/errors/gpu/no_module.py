import cupy

PTX = b"""
.version 8.0
.target sm_75
.address_size 64
.visible .entry nothing() { ret; }
"""


def load(ptx):
    cupy.zeros(1)  # makes the context
    module = cupy.cuda.function.Module()
    module.load(ptx)


def right():
    load(PTX)


def wrong():
    load(b"\x7fELF" + PTX)

"""Memory of the simulated GPU: allocations, and the arrays that kernels see in them."""

import math
import weakref
from bisect import bisect_right
from itertools import product

from .types import Record, array_type, unit_of

POISON = 0xFF  # the bytes of memory that nothing wrote: NaN as a float, -1 as a signed integer
SEGMENT = 512  # allocations in global memory start at multiples of this many bytes, as cudaMalloc's


class Memory:
    """A run of bytes in one memory space.

    ``space``: "global", "shared", "local" or "constant". ``written`` holds one byte for each byte,
    0 until something is written there, or is None where everything counts as written (memory that
    was copied from the host). ``cells`` is what the race checker ``watcher`` knows of it.
    """

    __slots__ = ("bytes", "space", "name", "address", "written", "grain", "block")
    __slots__ += ("cells", "watcher", "__weakref__")

    def __init__(self, data, space, name="", written=None, address=0, block=None):
        self.bytes = data
        self.space = space
        self.name = name
        self.written = written
        self.address = address
        self.cells = self.watcher = None
        self.grain = 0  # bytes of one cell: the smallest element that any view of it has
        self.block = block  # the block that owns shared memory, else None
        if space == "global" and address:
            _live[address] = self

    @classmethod
    def empty(cls, nbytes, space, name="", **kw):
        """Memory that nothing has written yet."""
        return cls(bytearray([POISON]) * nbytes, space, name, bytearray(nbytes), **kw)

    @staticmethod
    def at(address):
        """The allocation in global memory that an address lies in, or None."""
        known = sorted(_live)
        k = bisect_right(known, address) - 1
        memory = _live.get(known[k]) if k >= 0 else None
        if memory is None or address >= memory.address + max(len(memory.bytes), 1):
            return None
        return memory


_next = 0x7F0000000000
_live = weakref.WeakValueDictionary()  # address -> Memory, of global memory


def global_address(nbytes):
    """Reserve ``nbytes`` of global address space; addresses are never used twice."""
    global _next
    at, _next = _next, _next + -(-max(nbytes, 1) // SEGMENT) * SEGMENT
    return at


class View:
    """An array in some Memory, as a kernel handles it.

    ``pieces`` is what generated code unpacks: (elements, offset, sizes..., strides...), offset and
    strides counted in items of the memoryview ``elements`` (for records: in bytes).
    """

    __slots__ = ("memory", "type", "elements", "offset", "shape", "strides", "start", "pieces")
    __slots__ += ("size", "step", "marks")

    def __init__(self, memory, dtype, shape, strides, offset=0, start=0, elements=None):
        self.memory = memory
        self.shape, self.strides, self.offset = shape, strides, offset
        self.start = start  # byte of ``memory`` where item 0 of ``elements`` lies
        self.type = array_type(dtype, shape, strides)
        if elements is None:
            whole = memoryview(memory.bytes)[start:]
            elements = whole[: len(whole) // dtype.size * dtype.size].cast(dtype.format)
        self.elements = elements
        self.step = dtype.size // unit_of(dtype)  # bytes of one item
        self.size = math.prod(shape)
        self.marks = None  # tallied code: one byte an element, 1 where nothing is written
        self.pieces = (elements, offset, *shape, *strides)
        if isinstance(dtype, Record):
            smallest = min(f.type.size for f in dtype.leaves())
        else:
            smallest = dtype.size
        memory.grain = min(memory.grain or smallest, smallest)

    @property
    def dtype(self):
        return self.type.dtype

    def derive(self, shape, strides, offset):
        """Another view of the same elements."""
        return View(
            self.memory, self.dtype, shape, strides, offset, self.start, elements=self.elements
        )

    def of(self, dtype, shape, strides, start):
        """Elements of another type in the same memory, ``start`` bytes into it."""
        return View(self.memory, dtype, shape, strides, 0, start)

    def T(self):
        return self.derive(self.shape[::-1], self.strides[::-1], self.offset)

    def items(self):
        """The number in ``elements`` of each array element, row by row."""
        for key in product(*(range(n) for n in self.shape)):
            yield self.offset + sum(k * s for k, s in zip(key, self.strides, strict=True))

    def index_of(self, item):
        """The index, as text, of the element that is number ``item`` of ``elements``."""
        rest, parts = item - self.offset, []
        record = isinstance(self.dtype, Record)
        order = sorted(range(len(self.shape)), key=lambda d: -abs(self.strides[d]))
        index = dict.fromkeys(order, 0)
        for d in order:
            if self.strides[d] > 0 and self.shape[d] > 1:
                index[d] = min(rest // self.strides[d], self.shape[d] - 1)
                rest -= index[d] * self.strides[d]
        parts = [str(index[d]) for d in range(len(self.shape))]
        return "[" + ", ".join(parts) + "]" if not record or parts else ""


def packed(shape, unit=1):
    """Strides of an array that is packed row by row."""
    strides = []
    for n in reversed(shape):
        strides.append(unit)
        unit *= n
    return tuple(reversed(strides))


def fresh(shape, dtype, space, name, **kw):
    """A new packed array of memory that nothing has written."""
    memory = Memory.empty(math.prod(shape) * dtype.size, space, name, **kw)
    return View(memory, dtype, shape, packed(shape, unit_of(dtype)))


def half_to_float():
    """The value of each of the 65536 float16 bit patterns, made once when first asked for."""
    if not _HALVES:
        import struct

        _HALVES.extend(struct.unpack("<65536e", struct.pack("<65536H", *range(65536))))
    return _HALVES


_HALVES = []

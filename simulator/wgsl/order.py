"""The order in which a statement does things: Python's, whatever the text of an expression is.

A value's text is evaluated where it is written down, which may be later than Python evaluates the
expression. So no text writes: the result of a call that writes is a variable, assigned by a line of
its own (a deed). And before an operand emits a line that changes what the text of an earlier
operand reads, a buffer or a variable, the earlier one is held in a variable.

In the finished lines a deed is put back into the expression that alone uses it, where nothing that
comes before it there would tell the difference: ``let old = atomicAdd(&n, 1);``.
"""

import copy
import re
from dataclasses import replace

from ..stepper.types import Scalar, Tuple
from .names import WORD
from .values import ATOM

BY_ATOMIC = re.compile(r"\batomic(?!Load)[A-Z]\w*\(&(\w+)")
BY_LINE = re.compile(r"(\w+)\[.*\] = .*;$|(\w+) = .*;$", re.DOTALL)
REPEATS = re.compile(r"\s*(for|while) \(")


def of_text(module, text):
    """The buffers that an expression reads, and those that it writes."""
    buffers = {b.name for b in module.buffers}
    reads, writes = set(), set(BY_ATOMIC.findall(text))
    for word in WORD.findall(text):
        if word in buffers:
            reads.add(word)
        elif word in module.touched:
            more = module.touched[word]
            reads, writes = reads | more[0], writes | more[1]
    return reads, writes


def touched(module, lines):
    """The buffers that lines read, and those that they write."""
    reads, writes = set(), set()
    buffers = {b.name for b in module.buffers}
    for x in lines:
        text = x.text
        if isinstance(text, tuple):  # a return whose type is not known yet
            text = " ".join(v.code for v in scalars(text[1]))
        more = of_text(module, text)
        reads, writes = reads | more[0], writes | more[1]
        if x.name is None and (found := BY_LINE.match(text)):
            writes |= {found[1] or found[2]} & buffers
    return reads, writes - {"trap"}  # which all that write it set to 1


def changes(module, lines, text):
    """Whether lines assign or write what a text reads."""
    words = set(WORD.findall(text))
    if not words:
        return False
    if any(x.name in words for x in lines):
        return True
    return bool(of_text(module, text)[0] & touched(module, lines)[1])


def scalars(value):
    """The numbers of a value: of a tuple, those of its items, of an array, where it begins."""
    if isinstance(value.type, Tuple):
        return [v for item in value.items for v in scalars(item)]
    return [value.view.offset] if value.view is not None else [value]


def fits(module, deed, text):
    """``text`` with the deed itself in place of its result; or None, where it came too late."""
    parts = re.split(rf"(?<![.\w]){deed.name}(?!\w)", text)
    if len(parts) != 2 or "&&" in parts[0] or "||" in parts[0]:
        return None
    (reads, writes), (own_reads, own_writes) = of_text(module, parts[0]), of_text(module, deed.text)
    if own_writes & (reads | writes) or own_reads & writes:
        return None
    alone = not any(parts) or re.search(r"[(,] ?$", parts[0]) and re.match(r"[,)]", parts[1])
    return (deed.text if alone or deed.deed == ATOM else f"({deed.text})").join(parts)


def fold(lines, module):
    """The lines of a function, its deeds where their results are used, as far as they may be."""
    uses = {}
    for x in lines:
        for word in WORD.findall(x.text):
            uses[word] = uses.get(word, 0) + 1
    done = []  # from the last to the first
    for x in reversed(lines):
        if x.deed is not None and done and uses.get(x.name) == 1:
            y = done[-1]
            here = (x.indent, x.predicate) == (y.indent, y.predicate)
            text = fits(module, x, y.text) if here and not REPEATS.match(y.text) else None
            if text is not None:
                done[-1] = copy.copy(y)
                done[-1].text = text
                continue
        done.append(x)
    return done[::-1]


class Order:
    """The part of a function's compiler that keeps the order of what operands do."""

    def deed(self, value):
        """The value of a call that writes, in a variable that a line of its own assigns."""
        self.deeds += 1
        name = self.inside(f"result{self.deeds}")
        self.results.add(name)
        self.emit(value.code, name, value.rep).deed = value.prec
        return value.but(code=name, prec=ATOM)

    def folded(self, mark, value):
        """A value with the deeds from line ``mark`` on in its text, as far as they may be."""
        while isinstance(value.type, Scalar) and len(self.lines) > mark:
            last = self.lines[-1]
            text = None if last.deed is None else fits(self.module, last, value.code)
            if text is None:
                break
            self.lines.pop()
            value = value.but(code=text, prec=last.deed if value.code == last.name else value.prec)
        return value

    def writes(self, lines):
        """The buffers that lines write."""
        return touched(self.module, lines)[1]

    def before(self, mark, value, waits=False):
        """``value`` as it was before line ``mark``: in a variable, if what follows may change it.

        ``waits``: also if more than deeds follow, at which a thread may have waited for others.
        """
        later = self.lines[mark:]
        if not later:
            return value
        if isinstance(value.type, Tuple):
            items = tuple(self.before(mark, v, waits) for v in value.items)
            return value if items == value.items else value.but(items=items)
        if value.view is not None:
            offset = self.before(mark, value.view.offset)
            view = value.view
            return value if offset is view.offset else value.but(view=replace(view, offset=offset))
        if not isinstance(value.type, Scalar) or value.known:
            return value
        waited = waits and any(c in value.code for c in "[(") and any(x.deed is None for x in later)
        if waited or changes(self.module, later, value.code):
            del self.lines[mark:]
            value = self.copied(value)
            self.lines += later
        return value

    def ordered(self, nodes, waits=True):
        """The values of several expressions. What a later one does comes after the earlier."""
        places = sorted(range(len(nodes)), key=lambda k: position(nodes[k]))  # f(b=..., a=...)
        values, marks = [None] * len(nodes), [0] * len(nodes)
        for k in places:
            values[k] = self.expr(nodes[k])
            marks[k] = len(self.lines)
        for k in places[-2::-1]:
            values[k] = self.before(marks[k], values[k], waits)
        return values


def position(node):
    return getattr(node, "lineno", 0), getattr(node, "col_offset", 0)

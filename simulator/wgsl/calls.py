"""Device functions: a WGSL function for each set of arguments, or statements in place."""

import ast
import re
from dataclasses import replace

from ..stepper.types import NONE, STATIC, Scalar, Tuple
from .order import changes, scalars, touched
from .values import MODES, Value

ACTS = re.compile(
    r"\batomic|\b(?:loop|for|while|trap|checked_i32)\b|\]\s*(?:[-+*/%&|^]|<<|>>)?=(?!=)"
)
NOTHING = "<nothing>"  # in a text, for the type that a function is found to return


class Calls:
    """The part of a function's compiler that calls others."""

    # ------------------------------------------------------------ device functions

    rep, signature, done = "", (), False

    def call_device(self, source, values, node):
        """Call another function: a WGSL function of its own, or its statements in place."""
        module = self.module
        if source.function in module.stack:
            self.refuse(f"`{source.name}` calling itself (recursion)", node)
        inner = type(self)(module, source, source.name)
        if inner.collective(source.node.body):
            return self.inline(source, values, node)
        key = source.function, tuple(shape_of(v) for v in values)
        f = module.functions.get(key)
        if f is None:
            f = inner
            f.name = module.fresh(source.name)
            module.stack.append(source.function)
            f.body(values)
            module.stack.pop()
            module.functions[key] = f
            if f.acts():
                module.acting.add(f.name)
            module.touched[f.name] = touched(module, f.lines)
        given = [v.code for v in passed(values)]
        for group in ("threadIdx", "blockIdx"):
            if group in f.uses:
                self.uses.add(group)
                given.append(group)
        self.uses |= f.uses
        code = f"{f.name}({', '.join(given)})"
        result = f.returns
        if result.type is NONE:
            self.emit(f"{code};")
            return Value(NONE)
        if isinstance(result.type, Tuple):
            name = self.temp()
            self.emit(code, name, f.rep)
            items = tuple(v.but(code=f"{name}.{v.code}") for v in result.items)
            return result.but(items=items)
        result = result.but(code=code, uniform=False)
        return self.deed(result) if module.touched[f.name][1] else result

    def body(self, values):
        """A device function for these arguments."""
        assigned = {n.id for n in ast.walk(self.node)
                    if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}  # fmt: skip
        signature = []
        self.given = values

        def parameter(name, v):
            """What the function sees of an argument."""
            if isinstance(v.type, Tuple):
                return v.but(
                    items=tuple(parameter(f"{name}.{k}", i) for k, i in enumerate(v.items))
                )
            if v.view is not None:
                offset = v.view.offset
                if not offset.known:
                    offset = parameter(f"{name}.offset", offset)
                return v.but(view=replace(v.view, offset=offset))
            if isinstance(v.type, Scalar) and v.known and self.owned(v.code):
                return self.plain(v)
            if not isinstance(v.type, Scalar) or v.known:
                return v
            again = name.partition(".")[0] in assigned
            place = self.wname(f"{name}.given" if again else name, v.rep)
            signature.append(f"{place}: {v.rep}")
            return v.but(code=place, prec=9, uniform=False, span=None)

        given = [parameter(n, v) for n, v in zip(self.source.params, values, strict=True)]
        for name, v in zip(self.source.params, given, strict=True):
            self.env[name] = v
            if name in assigned and isinstance(v.type, Scalar):
                self.assign(name, v)
        self.flow = [False]
        self.block(self.node.body)
        some = any(v.type is not NONE for v in self.returned)
        widened = self.module.single or MODES["emulated"]
        if some and widened and any(v.type is NONE for v in self.returned):
            self.without_none()
        elif self.env is not None and some:
            self.refuse("a device function that returns a number on some paths alone")
        self.finish()
        self.signature = signature + [
            f"{g}: vec3u" for g in ("threadIdx", "blockIdx") if g in self.uses
        ]
        self.done = True

    def acts(self):
        """Whether a call does more than return a number: it writes, or may not end."""
        texts = [x.text for x in self.lines if isinstance(x.text, str)]
        return any(ACTS.search(text) for text in texts) or self.module.acts_in(" ".join(texts))

    def owned(self, code):
        """Whether a text is a variable of the function that calls, which this one does not see."""
        return code.isidentifier() and code not in self.module.constants and (
            code not in ("true", "false"))  # fmt: skip

    def without_none(self):
        """None beside numbers, which Numba lets a kernel compute with: a None is noted."""
        if self.env is not None:
            self.emit("return;")
        self.module.trapped()
        for x in self.lines:
            x.text = f"trap[0] = 1u; return {NOTHING}();" if x.text == "return;" else x.text
        self.returned = [v for v in self.returned if v.type is not NONE]

    def finish(self):
        """The one type that all returns have, and the lines that return it."""
        result = self.met(self.returned)
        if self.as_typed(result, self.types.returns_type) is not result:  # a return is settled
            for x in self.lines:
                if isinstance(x.text, tuple):
                    x.text = x.text[0], self.as_typed(x.text[1], self.types.returns_type)
            result = self.met([x.text[1] for x in self.lines if isinstance(x.text, tuple)])
        if result.type == "conflict":
            self.refuse("returns values of types that do not mix", self.source.node)
        lines = [x for x in self.lines if isinstance(x.text, tuple)]
        traps = [x for x in self.lines if NOTHING in x.text]
        if isinstance(result.type, Tuple):
            if any(not isinstance(v.type, Scalar) for v in result.items):
                self.refuse("returns a tuple of something else than numbers", self.source.node)
            self.rep = self.module.fresh(f"{self.name}_result")
            fields = [f"item{k}: {v.rep}" for k, v in enumerate(result.items)]
            self.module.structs[self.rep] = f"struct {self.rep} {{ {', '.join(fields)} }}"
            for x in lines:
                items = zip(x.text[1].items, result.items, strict=True)
                codes = ", ".join(self.returning(a, b) for a, b in items)
                x.text = f"return {self.rep}({codes});"
            for x in traps:
                x.text = x.text.replace(NOTHING, self.rep)
            items = tuple(v.but(code=f"item{k}", const=None, prec=9, uniform=False)
                          for k, v in enumerate(result.items))  # fmt: skip
            self.returns = result.but(items=items)
            return
        if result.type is NONE:
            self.returns = result
            return
        self.rep = result.rep
        for x in traps:
            x.text = x.text.replace(NOTHING, self.rep)
        for x in lines:
            x.text = f"return {self.returning(x.text[1], result)};"
        self.returns = result.but(const=None, prec=9, uniform=False)

    def met(self, values):
        """What is known of one of several values."""
        result = values[0] if values else Value(NONE)
        for v in values[1:]:
            result = self.meet(result, v, "result")
        return result

    def returning(self, value, result):
        value = self.cast(value, result.type) if value.type.kind != result.type.kind else value
        return self.to_rep(value, result.rep).code

    def inline(self, source, values, node):
        """The statements of a function that waits at a barrier, in place."""
        if self.maybe:
            self.refuse(f"`{source.name}`, which waits at a barrier, in a condition", node)
        kept = self.env, self.source, self.within, self.returned, self.rest, self.node
        types = self.given, self.known_types
        self.given, self.known_types = values, None
        sums, trips, private = self.sums, self.trips, self.private
        self.sums, self.trips, self.private = {}, [], frozenset()  # its names are its own
        self.module.stack.append(source.function)
        self.within = (*self.within, (source.name, source.function))
        self.inlined.append((self.indent, len(self.loops)))
        self.source = source
        stored = {n.id for n in ast.walk(source.node)
                  if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}  # fmt: skip
        start = len(self.lines)
        for attempt in range(2):
            self.env, self.returned, asides, clash = {}, [], [], False
            values = [self.copied(v) for v in values] if attempt else values
            for name, v in zip(source.params, values, strict=True):
                loose = isinstance(v.type, Scalar) and not v.known and v.prec < 9
                bound = self.lines[start:]
                clash = clash or any(changes(self.module, bound, w.code) for w in scalars(v))
                if name in stored or loose:
                    self.assign(name, v)
                else:
                    self.env[name] = v
                    asides += scalars(v)
            mark = len(self.lines)
            self.block(source.node.body)
            done = self.lines[mark:]
            if attempt or not (clash or any(changes(self.module, done, v.code) for v in asides)):
                break
            del self.lines[start:]  # it writes what an argument reads: that is read before
        result = self.returned[-1] if self.returned else Value(NONE)
        result = self.as_typed(result, self.types.returns_type)
        self.given, self.known_types = types
        self.inlined.pop()
        self.module.stack.pop()
        self.env, self.source, self.within, self.returned, self.rest, self.node = kept
        self.sums, self.trips, self.private = sums, trips, private
        return result


def shape_of(v):
    """What a device function is compiled for, of an argument."""
    if isinstance(v.type, Tuple):
        return tuple(shape_of(i) for i in v.items)
    if v.view is not None:
        offset = shape_of(v.view.offset)
        shape = tuple(n.const for n in v.view.shape)
        return id(v.view.buffer), shape, v.view.strides, offset, v.view.pair
    if v.type is STATIC:
        return id(v.const)
    if not isinstance(v.type, Scalar):
        return v.type
    return v.type.name, v.rep, v.lo, v.hi, v.state, v.const, v.code if v.known else ""


def passed(values):
    """The arguments that a WGSL function gets: numbers that are not known."""
    for v in values:
        if isinstance(v.type, Tuple):
            yield from passed(v.items)
        elif v.view is not None:
            if not v.view.offset.known:
                yield v.view.offset
        elif isinstance(v.type, Scalar) and not v.known:
            yield v

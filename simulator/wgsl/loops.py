"""Loops of a kernel as WGSL: walked until what is known of their variables settles."""

import ast

from ..stepper.compiler import is_literal_unroll, own_jumps, with_index, without_else
from ..stepper.types import NONE, STATIC, Scalar, Tuple, int32, int64, uint64
from .names import spelled
from .values import (
    ATOM,
    I32,
    MODES,
    PLUS,
    TIMES,
    U32,
    WIDE,
    Value,
    literal,
    number,
    rep_of,
)

FOUR = 4  # turns of a loop that are written one after the other


class Loop:
    """A loop being written: what is known at its head and its exits, and whether all threads of a
    workgroup make the same turns."""

    def __init__(self, head, predicate):
        self.head, self.exit, self.breaks, self.continues = head, None, [], []
        self.end, self.predicate = None, predicate
        self.uniform, self.leaves = True, []  # of each break and return: whether all take it


class Sum:
    """A variable that a loop only adds to. ``bounds``: those of its value, once known."""

    def __init__(self, depth):
        self.depth, self.bounds, self.lo, self.hi, self.tries = depth, None, 0, 0, 0


class Loops:
    """The part of a function's compiler that is about loops."""

    # ------------------------------------------------------------ loops

    def loop(self, node, write, turns=None):
        """Write a loop until what is known at its head no longer changes."""
        entry, head = self.env, dict(self.env)
        outer, own = self.sums, {}
        for name in only_added(node):
            v = entry.get(name)
            if v is None or not isinstance(v.type, Scalar) or v.type.kind not in "iu":
                continue
            if name in outer:
                if outer[name].bounds is not None:
                    lo, hi = outer[name].bounds
                    head[name] = v.but(lo=min(lo, v.lo), hi=max(hi, v.hi), const=None)
            elif v.state == "fits" and turns is not None:
                own[name] = Sum(len(self.trips) + 1)
                own[name].entry = v
        self.sums = outer | own
        self.trips.append(turns)
        mark, temps, taken = len(self.lines), self.temps, set(self.taken)
        deeds = self.deeds
        waits = self.collective([*node.body, *([node.test] if hasattr(node, "test") else [])])
        narrowed = 0
        widened = False
        for attempt in range(24):
            del self.lines[mark:]
            self.temps, self.taken = temps, set(taken) | self.variables()
            self.deeds = deeds
            place = self.emit("")
            loop = Loop(head, self.predicate)
            self.loops.append(loop)
            self.env = dict(head)
            self.flow.append(self.flow[-1])
            for known in own.values():
                known.lo = known.hi = 0
            write(loop)
            self.flow.pop()
            self.loops.pop()
            back = self.merge(self.env, *(env for _, env in loop.continues))
            new = self.merge(entry, back)
            new = {n: new[n] for n in head} if back is not None else dict(entry)
            new = {n: steady(head[n], v) for n, v in new.items()}
            if self.summed(own, turns, head, new):
                continue
            if new == head:
                break
            if widened and narrowed < 4 and all(within(new[n], head[n]) for n in head):
                narrowed += 1
                head = new
                continue
            hull = {n: self.meet(head[n], new[n], n) for n in head}
            if hull == head:
                if all(within(new[n], head[n]) for n in head):
                    break
            if attempt > 1:
                hull, widened = {n: widen(head[n], v, self, n) for n, v in hull.items()}, True
            if hull == head:
                break
            head = hull
        else:
            self.refuse("a loop whose variables change type at every turn", node)
        self.sums = outer
        self.trips.pop()
        self.fill(place, entry, head)
        for line, env in [*loop.continues, (loop.end, self.env)]:
            self.fill(line, env, head)
        exit = self.merge(loop.exit, *(env for _, env in loop.breaks))
        for line, env in loop.breaks:
            self.fill(line, env, exit)
        if loop.exit is not None and exit is not None:
            made = self.convert(loop.exit, exit)
            if made and loop.breaks:
                self.refuse("a variable whose type differs where a loop is left by `break`", node)
            self.lines += made
        if not loop.uniform and exit is not None:
            self.unlike(entry, exit)
        if waits and not loop.uniform:
            self.refuse(
                f"a barrier in the loop `{ast.unparse(node).splitlines()[0]}`: its threads may not "
                "all make the same turns", node, "barrier",
            )  # fmt: skip
        if jumps(node.body, ast.Return) and not loop.uniform:
            self.flow[-1] = False
        self.env = exit

    def summed(self, own, turns, head, new):
        """Give sums the bounds that the loop's turns leave them; whether that changed ``head``."""
        changed = False
        for name, known in own.items():
            v = known.entry
            if known.lo is None or known.bounds == "none":
                known.bounds = None
                continue
            lo, hi = v.lo + turns * known.lo, v.hi + turns * known.hi
            if not (v.type.lo <= lo and hi <= v.type.hi) or not (
                I32[0] <= lo and hi <= I32[1] or lo >= 0 and hi <= U32[1]
            ):
                known.bounds = None
                continue
            if known.bounds is None or not (known.bounds[0] <= lo and hi <= known.bounds[1]):
                if known.tries > 3:
                    known.bounds = None
                    continue
                known.tries += 1
                known.bounds = lo, hi
                met = self.meet(v, new[name], name)
                if not isinstance(met.type, Scalar) or not met.type.whole:
                    known.bounds = None
                    continue
                rep, state = rep_of(met.type, lo, hi, v.rep)
                code = self.wname(name, rep)
                head[name] = met.but(lo=lo, hi=hi, rep=rep, state=state, code=code, const=None)
                changed = True
        return changed

    def visit_While(self, node):
        if node.orelse:
            return self.block(without_else(node))
        spins(self, node)

        def write(loop):
            self.node = node
            waits = self.collective([*node.body, node.test])
            emit = self.control if waits else self.emit
            mark = len(self.lines)
            test = self.folded(mark, self.condition(node.test))
            lines = self.lines[mark:]
            del self.lines[mark:]
            loop.uniform = test.uniform and (self.predicate is None or waits) and self.flow[-1]
            always = test.known and bool(test.const)
            if always and not lines:
                emit("loop {")
            elif not lines:
                emit(f"while ({test.code}) {{")
            else:
                emit("loop {")
                for line in lines:
                    line.indent += 1
                self.lines += lines
                self.indent += 1
                if not always:
                    emit(f"if (!({test.code})) {{ break; }}")
                self.indent -= 1
            loop.exit = None if always else self.refined(self.env, node.test, False)
            self.env = dict(self.refined(self.env, node.test, True))
            self.turn(loop, node, emit)

        self.loop(node, write)
        self.settle("exit", node)

    def turn(self, loop, node, emit):
        """A loop's body and its end."""
        self.indent += 1
        if not loop.uniform:
            self.flow[-1] = False
        self.block(node.body)
        loop.end = self.emit("") if self.env is not None else None
        self.indent -= 1
        emit("}")
        if not all(loop.leaves):
            loop.uniform = False

    def visit_For(self, node):
        if node.orelse:
            return self.block(without_else(node))
        call, function = node.iter, None
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name | ast.Attribute):
            if isinstance(call.func, ast.Name) or "literal_unroll" in ast.unparse(call.func):
                function = self.expr(call.func).const
            elif isinstance(call.func, ast.Attribute):
                found = self.expr(call.func).const
                function = found if found is range else None
        if is_literal_unroll(function) and len(call.args) == 1:
            call, function = call.args[0], None
        if function is not range:
            return self.over(node, call, function)
        if not isinstance(node.target, ast.Name):
            self.refuse("range() gives one number", node.target)
        args = [self.number(v, node) for v in self.ordered(call.args)]
        if any(v.type.kind == "f" for v in args):  # Numba cuts off what is behind the point
            whole = [v.type for v in args if v.type.whole]
            to = int32 if all(t.size < 4 or t is int32 for t in whole) else int64
            args = [v if v.type.whole else self.cast(v, to, node) for v in args]
        args = [self.integer(v, node) for v in args]
        start, stop, step = (
            (number(int64, 0), args[0], number(int64, 1))
            if len(args) == 1
            else (*args, number(int64, 1))[:3]
        )
        if all(a.type.kind == "u" for a in args):
            kind = uint64
        else:
            kind = int32 if all(a.type.size < 4 or a.type is int32 for a in args) else int64
        if MODES["pairs"]:
            start, stop, step = (
                v if v.rep not in WIDE or not (I32[0] <= v.lo and v.hi <= I32[1])
                else self.to_rep(v, "i32") for v in (start, stop, step)
            )  # fmt: skip
        for v in (start, stop, step):
            if v.state != "fits" or v.rep in WIDE:
                self.refuse(
                    f"`{ast.unparse(node.iter)}`: the bounds may not fit 32 bits", node, "int64"
                )
        if step.lo <= 0 <= step.hi:
            self.refuse(f"`{ast.unparse(node.iter)}`: a step that may be 0 or below", node)
        if all(v.known for v in (start, stop, step)):
            turns = len(range(start.const, stop.const, step.const))
            size = sum(1 for n in ast.walk(node) if isinstance(n, ast.stmt))
            if turns * size <= self.module.unroll and not own_jumps(node.body):
                for j in range(start.const, stop.const, step.const):
                    self.settle("head", node)
                    self.env[node.target.id] = number(kind, j)
                    self.block(node.body)
                    if self.env is None:
                        break
                return self.settle("exit", node)
        self.counted(node, start, stop, step, kind)
        return self.settle("exit", node)

    def counted(self, node, start, stop, step, kind):
        """A loop over range()."""
        up = step.lo > 0
        lo, hi = (start.lo, stop.hi - 1) if up else (stop.lo + 1, start.hi)
        last = max(hi, lo) + (step.hi if up else 0), min(lo, hi) + (0 if up else step.lo)
        rep = "u32" if start.rep == stop.rep == step.rep == "u32" and up else "i32"
        if rep == "i32" and (last[0] > I32[1] or last[1] < I32[0]) or (
            rep == "u32" and last[0] >= 1 << 32):  # fmt: skip
            self.refuse(
                f"`{ast.unparse(node.iter)}`: its last number may leave 32 bits", node, "int64"
            )
        name = node.target.id
        waits = self.collective(node.body)
        emit = self.control if waits else self.emit
        outer, self.predicate = self.predicate, None if waits else self.predicate
        assigned = {n.id for s in node.body for n in ast.walk(s) if isinstance(n, ast.Name)
                    and isinstance(n.ctx, ast.Store)}  # fmt: skip
        changed = {v.code for n, v in self.env.items() if n in assigned | {name}}
        # Python asks for the bounds once, WGSL at every turn.
        stop, step = (v.but(code=literal(v.rep, v.const)) if v.known and v.code in changed else v
                      for v in (stop, step))  # fmt: skip
        stop = self.to_rep(stop, rep) if stop.known else self.hold(self.to_rep(stop, rep), "stop")
        step = self.to_rep(self.hold(step, "step"), rep)
        stop, step = (self.copied(v) if v.code in changed else v for v in (stop, step))
        start = self.to_rep(start, rep)
        self.predicate = outer
        known = self.module.outside
        if id(node) not in known:
            known[id(node)] = node, lives_outside(self.source.node, node, name)
        own = known[id(node)][1] or self.within
        kept = name in self.env or own
        stem = spelled(name.strip("_"), "turn")
        counter = self.temp(f"{stem}_") if kept else self.wname(name, rep)
        item = Value(kind, counter, rep, max(lo, -(1 << 31)), min(max(lo, hi), (1 << 32) - 1),
                     "fits", None, False)  # fmt: skip
        sign = "<" if up else ">"
        if step.known and abs(step.const) == 1:
            change = f"{counter}{'++' if up else '--'}"
        elif step.known and not up and rep == "i32":
            change = f"{counter} -= {-step.const}"
        else:
            change = f"{counter} += {step.code}"
        bounds = start.uniform and stop.uniform and step.uniform
        far = (hi - lo if up else hi - lo) + 1
        least = step.lo if up else -step.hi
        turns = max(0, -(-far // max(least, 1)))
        if up and not kept and self.strides(node, start, stop, step, rep):
            return self.in_fours(node, start, stop, step, item.but(code=name), turns)

        def write(loop):
            self.node = node
            loop.uniform = bounds and self.flow[-1] and (self.predicate is None or waits)
            head = f"for (var {counter} = {start.code}; {counter} {sign} {stop.code}; {change}) {{"
            if start.known:
                head = head.replace(f"var {counter} =", f"var {counter}: {rep} =", 1)
            emit(head)
            self.indent += 1
            made = item.but(uniform=loop.uniform)
            if kept:
                self.private = self.private | ({name} if not own else set())
                self.assign(name, made)
            else:
                self.env[name] = made
            self.indent -= 1
            self.turn(loop, node, emit)
            after = self.merge(self.env, *(env for _, env in loop.continues))
            loop.exit = {**(after or {}), **loop.head}
            if not kept:
                loop.exit.pop(name, None)
                for _, env in [*loop.breaks, *loop.continues]:
                    env.pop(name, None)
                if self.env is not None:
                    self.env.pop(name, None)

        self.loop(node, write, turns)

    def strides(self, node, start, stop, step, rep):
        """Whether a loop is written in steps of four: it reads arrays, and is left at its end."""
        size = sum(1 for n in ast.walk(node) if isinstance(n, ast.stmt)) - 1
        inside = [n for s in node.body for n in ast.walk(s)]
        if FOUR * size > self.module.unroll or self.predicate is not None:
            return False
        if any(isinstance(n, ast.For | ast.While | ast.Return) for n in inside):
            return False
        if own_jumps(node.body) or self.collective(node.body):
            return False
        if not any(isinstance(n, ast.Subscript) for n in inside):
            return False
        least, most = (0, U32[1]) if rep == "u32" else I32
        ahead = (FOUR - 1) * step.hi
        return stop.lo - ahead >= least and stop.hi + ahead + step.hi <= most

    def in_fours(self, node, start, stop, step, item, turns):
        """``for i in range(start, stop, step)``: four turns at once, and then what is left.

        The loads of four turns are under way together, where a driver leaves a loop as it is.
        """
        name, rep = node.target.id, item.rep
        stem = name.strip("_")
        counter = self.temp(f"{stem and spelled(stem)}_")
        uniform = start.uniform and stop.uniform and step.uniform
        self.emit(f"var {counter}: {rep} = {start.code};")

        def times(n):
            """n steps, as a text."""
            return literal(rep, n * step.const) if step.known else f"{n} * {step.at(TIMES)}"

        def write(loop, turns):
            self.node = node
            loop.uniform = uniform and self.flow[-1]
            end = stop.code
            if turns > 1 and stop.known and step.known:
                end = literal(rep, stop.const - (turns - 1) * step.const)
            elif turns > 1:
                end = f"{stop.at(PLUS)} - {times(turns - 1)}"
            self.emit(f"for (; {counter} < {end}; {counter} += {times(turns)}) {{")
            self.indent += 1
            if not loop.uniform:
                self.flow[-1] = False
            for k in range(turns):
                if k:
                    self.settle("head", node)
                code = f"{counter} + {times(k)}" if k else counter
                prec = PLUS if k else ATOM
                self.assign(name, item.but(code=code, prec=prec, uniform=loop.uniform))
                self.block(node.body)
            loop.end = self.emit("")
            self.indent -= 1
            self.emit("}")
            loop.exit = {**self.env, **loop.head}
            for env in (loop.exit, self.env):
                env.pop(name, None)

        self.loop(node, lambda loop: write(loop, FOUR), -(-turns // FOUR))
        self.loop(node, lambda loop: write(loop, 1), min(turns, FOUR - 1))

    def over(self, node, call, function):
        """A loop over a tuple, an array, enumerate() or zip()."""
        if function not in (enumerate, zip):
            mark = len(self.lines)
            value = self.expr(call)
            if isinstance(value.type, Tuple):
                if own_jumps(node.body):
                    self.refuse("`break` or `continue` in a loop over a tuple", node)
                items = list(value.items)
                while items:
                    item, mark = items.pop(0), len(self.lines)
                    self.settle("head", node)
                    if isinstance(node.target, ast.Name) and item.known:
                        self.env[node.target.id] = item
                    else:
                        self.store(node.target, item)
                    self.block(node.body)
                    items = [self.before(mark, v) for v in items]
                    if self.env is None:
                        return
                return self.settle("exit", node)
            del self.lines[mark:]
            if value.view is None:
                self.refuse(f"a loop over `{ast.unparse(call)}`", node)
        return self.block(with_index(node, call, function))

    def visit_Break(self, node):
        self.leave(node, "break", self.loops[-1].breaks)

    def visit_Continue(self, node):
        self.leave(node, "continue", self.loops[-1].continues)

    def leave(self, node, word, where):
        loop = self.loops[-1]
        if self.predicate is not None and self.predicate != loop.predicate:
            self.refuse(f"`{word}` in a branch that waits at a barrier", node, "barrier")
        loop.leaves.append(self.flow[-1])
        where.append((self.emit(""), dict(self.env)))
        self.emit(f"{word};")
        self.env = None

    def visit_Return(self, node):
        empty = node.value is None or (
            isinstance(node.value, ast.Constant) and node.value.value is None
        )
        if self.inlined:
            if self.indent != self.inlined[-1][0] or self.loops[self.inlined[-1][1] :]:
                self.refuse("a return inside a branch of a function that waits", node, "barrier")
            self.returned.append(Value(NONE) if empty else self.hold(self.expr(node.value)))
            self.env = None
            return
        for loop in self.loops:
            loop.leaves.append(self.flow[-1])
        if empty:
            if not self.flow[-1] and self.waits_after(node):
                self.refuse("a return that only some threads take, before a barrier", node,
                            "barrier")  # fmt: skip
            if not (self.entry and self.indent == 1):
                self.emit("return;")
            self.returned.append(Value(NONE))
        else:
            if self.entry:
                self.refuse("a kernel cannot return a value", node)
            value = self.expr(node.value)
            if value.view is not None or value.type is STATIC:
                self.refuse("a device function that returns an array", node)
            self.returned.append(value)
            self.emit(("return", value))
        self.env = None

    def waits_after(self, node):
        """Whether something after this statement, or in a loop around it, is done together."""
        if self.loops:
            return self.collective(self.source.node.body)
        last = node.end_lineno
        return any(
            s.lineno > last and self.collective(s)
            for s in ast.walk(self.source.node)
            if isinstance(s, ast.stmt) and not isinstance(s, ast.FunctionDef)
        )

    def visit_Assert(self, node):
        self.refuse("`assert`: WGSL has no exceptions", node)

    def visit_Raise(self, node):
        self.refuse("`raise`: WGSL has no exceptions", node)


def jumps(body, kind):
    return any(isinstance(n, kind) for s in body for n in ast.walk(s))


def only_added(loop):
    """The variables that a loop changes by += and -= alone."""
    added, others = set(), set()
    for s in loop.body:
        for n in ast.walk(s):
            if isinstance(n, ast.AugAssign) and isinstance(n.target, ast.Name):
                good = isinstance(n.op, ast.Add | ast.Sub)
                (added if good else others).add(n.target.id)
            elif isinstance(n, ast.Assign | ast.AnnAssign | ast.For | ast.NamedExpr):
                for t in n.targets if isinstance(n, ast.Assign) else [n.target]:
                    others |= {m.id for m in ast.walk(t) if isinstance(m, ast.Name)}
    return added - others


def steady(old, new):
    """``new``, without what is known of floats and changes from turn to turn."""
    if isinstance(new.type, Tuple) and isinstance(old.type, Tuple):
        items = tuple(steady(a, b) for a, b in zip(old.items, new.items, strict=True))
        return new.but(items=items)
    return new if old.span == new.span else new.but(span=None)


def within(a, b):
    """Whether what is known by ``a`` is known by ``b`` as well, or less."""
    if a == b:
        return True
    if isinstance(a.type, Tuple) and isinstance(b.type, Tuple):
        return all(within(x, y) for x, y in zip(a.items, b.items, strict=True))
    if a.view is not None and b.view is not None:
        return a.but(view=None) == b.but(view=None) and within(a.view.offset, b.view.offset)
    if not (isinstance(a.type, Scalar) and a.type is b.type and a.rep == b.rep):
        return False
    if a.code != b.code or a.state != b.state or (b.uniform and not a.uniform):
        return False
    if b.known and a.const != b.const or b.span and a.span != b.span:
        return False
    return not a.type.whole or b.lo <= a.lo and a.hi <= b.hi


def widen(old, new, fc, name):
    """``new``, with an interval that still grows opened to all of its type."""
    if isinstance(new.type, Tuple) and isinstance(old.type, Tuple):
        pairs = zip(old.items, new.items, strict=True)
        return new.but(
            items=tuple(widen(a, b, fc, f"{name}.{k}") for k, (a, b) in enumerate(pairs))
        )
    if not isinstance(new.type, Scalar) or new.type.kind not in "iu" or old == new:
        return new
    if (old.lo, old.hi) == (new.lo, new.hi):
        return new
    # First to the ends of 32 bits: the loop's own test often brings it back from there.
    lows, highs = (0, I32[0], new.type.lo), (I32[1], U32[1], new.type.hi)
    if new.lo < 0:
        highs = I32[1], new.type.hi
    lo = new.lo if new.lo >= old.lo else max(n for n in lows if n <= new.lo)
    hi = new.hi if new.hi <= old.hi else min(n for n in highs if n >= new.hi)
    rep, state = rep_of(new.type, lo, hi, new.rep)
    if MODES["pairs"] and rep != new.rep and new.state == "fits":
        return new.but(lo=lo, hi=hi, rep=rep, code=fc.wname(name, rep))
    if state == "fits" and new.state != "fits":
        state = new.state
    if new.state in ("sat", "index"):
        state = new.state
    return new.but(lo=lo, hi=hi, rep=new.rep, state=state)


def lives_outside(function, loop, name):
    """Whether a loop's variable is used where the loop is not, or assigned in it."""
    if any(isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Store)
           for s in loop.body for n in ast.walk(s)):  # fmt: skip
        return True
    inside = set()
    for n in ast.walk(function):
        if isinstance(n, ast.For) and isinstance(n.target, ast.Name) and n.target.id == name:
            inside |= {id(m) for m in ast.walk(n)}
    return any(isinstance(n, ast.Name) and n.id == name and id(n) not in inside
               for n in ast.walk(function))  # fmt: skip


def spins(fc, node):
    """Refuse a loop that waits for another thread: WGSL does not promise that it ever runs."""
    for part in ast.walk(node.test):
        if isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute):
            if part.func.attr in ("cas", "compare_and_swap", "exch", "nanosleep"):
                fc.refuse(
                    f"`while {ast.unparse(node.test)}`: a thread that waits for another, and WGSL "
                    "does not promise that the other runs", node, "waiting",
                )  # fmt: skip

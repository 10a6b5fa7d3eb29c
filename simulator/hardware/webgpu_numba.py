"""A launch that the stepper made, made again by Numba: on a GPU, what its WGSL is compared with.

Each kernel is compiled by Numba and runs in one of several processes, on the arrays that the
stepper's launch began with, at the same strides in the same memory.
"""

import contextlib
import importlib
import linecache
import multiprocessing
import os
from concurrent.futures import ProcessPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from simulator.stepper import types
from simulator.wgsl.launch import Packed

ROOT = Path(__file__).resolve().parents[2]
WORKERS, PATIENCE = 12, 150  # processes, and seconds for all launches together
STORED = {"i": np.int32, "u": np.uint32, "b": np.uint32, "f": np.float32}  # as a GPU keeps them


class Unlaunched(Exception):
    """Why Numba cannot be asked."""


@dataclass
class Launch:
    """What another process needs: everything can be pickled."""

    module: str  # of the kernel, or the text of a program
    kernel: str
    grid: tuple
    block: tuple
    dynamic: int
    memories: list  # arrays of one dimension
    arguments: list  # numbers, tuples, and Window of a memory
    bindings: dict  # name -> the memories of a buffer that the kernel writes


@dataclass
class Window:
    memory: int
    dtype: str
    start: int
    shape: tuple
    strides: tuple  # in elements


def job(record, program=None):
    """A captured launch as Numba takes it. ``program``: the text that its kernel stands in.

    Raises Unlaunched for a kernel that no module names, or arguments that are not arrays and
    numbers.
    """
    config, values, kinds = record.shader.launch
    found = Launch(program or module_of(record), record.kernel, config.grid, config.block,
                   config.dynamic, [], [], {})  # fmt: skip
    places, before = {}, {}
    for b in record.shader.bindings:
        parts = b.memory.parts if isinstance(b.memory, Packed) else [b.memory]
        kept = np.float16 if b.half else b.dtype.name if b.wide else STORED[b.dtype.kind]
        data = np.frombuffer(record.before[b.name], kept)
        at = 0
        for memory in parts:
            count = len(memory.bytes) // b.dtype.size
            before[id(memory)] = data[at : at + count].astype(b.dtype.name)
            at += count

    def given(v, kind):
        if isinstance(kind, types.Array) and isinstance(kind.dtype, types.Scalar):
            key, dtype = id(v.memory), kind.dtype
            if key not in places:
                places[key] = len(found.memories)
                # An array whose values the compiler knew: the shader does not bind it.
                known = np.frombuffer(bytes(v.memory.bytes), dtype.name)
                found.memories.append(before.get(key, known))
            start = v.start // dtype.size + v.offset
            return Window(places[key], dtype.name, start, tuple(v.shape), tuple(v.strides))
        if isinstance(kind, types.Tuple) and not kind.names:
            return tuple(given(x, t) for x, t in zip(v, kind.items, strict=True))
        if kind is types.NONE:
            return None
        if isinstance(kind, types.Scalar) and kind.kind != "c":
            return np.dtype(kind.name).type(v)
        raise Unlaunched(f"an argument of the type {kind.name}")

    found.arguments = [given(v, t) for v, t in zip(values, kinds, strict=True)]
    for b in record.shader.bindings:
        if b.written and id(b.memory) in places:
            found.bindings[b.name] = places[id(b.memory)]
    if not found.bindings:
        raise Unlaunched("nothing of an array is written")
    return found


def module_of(record):
    file = Path(record.filename)
    if not file.is_relative_to(ROOT):
        raise Unlaunched("its file is none of this repository")
    return file.relative_to(ROOT).with_suffix("").as_posix().replace("/", ".")


def kernel_of(found):
    """Numba's kernel of a launch."""
    if "\n" in found.module:
        name = f"<generated {found.kernel}>"
        linecache.cache[name] = len(found.module), None, found.module.splitlines(True), name
        space = {"__name__": "generated"}
        exec(compile(found.module, name, "exec"), space)
    else:
        space = vars(importlib.import_module(found.module))
    if found.kernel in space:
        return space[found.kernel]
    for thing in space.values():
        if getattr(getattr(thing, "py_func", None), "__name__", "") == found.kernel:
            return thing
    raise Unlaunched("a function makes it")


def launch(found, xp):
    """Run it by Numba; return {binding: array}. ``xp``: CuPy, or NumPy with Numba's simulator."""
    kernel = kernel_of(found)
    memories = [xp.array(m) for m in found.memories]

    def real(a):
        if isinstance(a, tuple):
            return tuple(map(real, a))
        if not isinstance(a, Window):
            return a
        base = memories[a.memory].view(a.dtype)[a.start :]
        if 0 in a.shape:
            return xp.zeros(a.shape, a.dtype)
        strides = [n * base.itemsize for n in a.strides]
        return xp.lib.stride_tricks.as_strided(base, a.shape, strides)

    kernel[found.grid, found.block, 0, found.dynamic](*map(real, found.arguments))
    return {name: getattr(memories[k], "get", memories[k].copy)()
            for name, k in found.bindings.items()}  # fmt: skip


def on_gpu(found):
    """In a process of its own: what came out, or in words why nothing did."""
    import cupy

    try:
        with contextlib.redirect_stdout(None):
            return launch(found, cupy)
    except Unlaunched as why:
        return str(why)
    except Exception as error:
        return f"{type(error).__name__}: {error}"[:300]


def asked(rows, program=None):
    """Return what Numba's kernels left of launches: {binding: array} each, or why nothing."""
    jobs = []
    for record in rows:
        try:
            jobs.append(job(record, program))
        except Unlaunched as why:
            jobs.append(str(why))
    came = iter(results([j for j in jobs if not isinstance(j, str)]))
    return [j if isinstance(j, str) else next(came) for j in jobs]


def results(jobs):
    """Return what Numba's kernels left, in the order of ``jobs``: arrays, or words."""
    workers = min(WORKERS, os.cpu_count() or 1)
    context = multiprocessing.get_context("spawn")  # CUDA does not live through a fork
    pool = ProcessPoolExecutor(workers, context)
    futures = [pool.submit(on_gpu, j) for j in jobs]
    _, late = wait(futures, PATIENCE)
    pool.shutdown(wait=False, cancel_futures=True)
    if late:  # a kernel that does not end keeps its process
        for child in multiprocessing.active_children():
            child.kill()
    return [said(f) for f in futures]


def said(future):
    if not future.done() or future.cancelled():
        return f"it did not end within {PATIENCE} s"
    # A process that ended takes others along: all are told.
    error = future.exception()
    return future.result() if error is None else f"the process ended: {error}"[:300]

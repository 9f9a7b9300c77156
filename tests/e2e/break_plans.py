"""Entries whose new code goes straight to a break, for tests of drive."""
from __future__ import annotations

import traceback

from new_code import VERSION, Assembler, entry, find, frame, framegate, instructions, plan, region, testing


def call_of(name):
    """The operands of a call without arguments, as the interpreter stacks them."""
    return ["null", name] if VERSION < (3, 13) else [name, "null"]


def breaks(function, values, break_plan, links=(), prepare=lambda code: None, owner=None):
    """Compiles `function` to new code that goes straight to a break. `values`: names of locals, frame by frame, without the root's
    function; `links`: further locals that hold these objects, given to the new code by a graph call."""
    given = dict(links)
    code = Assembler(function, ["function", "drive", "null", "graph", *given])
    code.at(break_plan["frames"][0]["offset"])
    if given:
        code.call("graph").unpack(len(given)) if len(given) > 1 else code.call("graph")
        for name in given:
            code.store(name)
    prepare(code)
    code.call("drive", "function", *values).ret()
    where = {"drive": ("drive", 0), "null": ("null",), "graph": ("graph",)}
    keep = f"(registers 1 0)\n(take o0 function 0)\n(keep o0 {code.slot('function')})\n(pass)\n"
    owner = owner or region()
    objects = tuple(given.values())
    testing.install(owner, function, entry(code, where, [break_plan]), keep, lambda: objects if len(objects) > 1 else objects[0])
    return framegate.Optimized(owner, function)


def at_call(function, number=0, depth=0):
    """Plan for the number-th call of `stop` without arguments, `depth` cells below its operands."""
    offset, after = find(function, "CALL", number)
    return plan("instruction", frame(function, offset, after, depth=depth + 2, pops=2, pushes=1))


def lines_of(error, *functions):
    """(name, line within the function) of every traceback entry of these functions."""
    first = {f.__code__.co_name: f.__code__.co_firstlineno for f in functions}
    return [(e.name, e.lineno - first[e.name]) for e in traceback.extract_tb(error.__traceback__) if e.name in first]


def at_call_named(function, name, depth=0):
    """Plan for the call whose callable was loaded last before it under this name."""
    loaded = None
    for begin, op, argument, after in instructions(function):
        if op.startswith("LOAD_") and isinstance(argument, str):
            loaded = argument
        elif op == "CALL" and loaded == name:
            return plan("instruction", frame(function, begin, after, depth=depth + 2, pops=2, pushes=1))
    raise LookupError(name)


def inner_plan(outer, inner, resume="push", number=0, inner_depth=0, outer_depth=0, kind="instruction", **how):
    """`outer` waits at its number-th call, `inner` breaks at its first one."""
    offset, after = find(outer, "CALL", number)
    inner_offset, inner_after = find(inner, "CALL")
    return plan(kind, frame(outer, offset, after, depth=outer_depth, resume=resume, **how),
                frame(inner, inner_offset, inner_after, depth=inner_depth + 2, pops=2, pushes=1))


def fail():
    raise ValueError("from outside")

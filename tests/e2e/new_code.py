"""Entries written by hand, for tests of the client without a daemon: an assembler of new code for the running Python and the text form of nouns.

    code = Assembler(function, ["kept", "drive"])        # the function's parameters keep their slots; further locals by name
    code.call("drive", "x", "kept").ret()
    entry(code, links={"drive": ("drive", 0)}, plans=[...])
"""
from __future__ import annotations

import dis
import opcode
import os
import sys
import types

os.environ["FRAMEGATE_DAEMON"] = "off"

if path := os.environ.get("FRAMEGATE_EXTENSION"):      # a build tree's module, not the installed one
    import importlib.machinery
    import importlib.util
    loader = importlib.machinery.ExtensionFileLoader("framegate._framegate", path)
    framegate = importlib.util.module_from_spec(importlib.util.spec_from_loader("framegate._framegate", loader))
    sys.modules["framegate._framegate"] = framegate
    loader.exec_module(framegate)
else:
    from framegate import _framegate as framegate

testing = framegate._testing
NOWHERE = 2**32 - 1
VERSION = sys.version_info[:2]


class Word(str):
    """A bare word of the text form: an enumerator or a hash."""


def text(value) -> str:
    """The text form (base/text.h): dicts are nouns, whose fields are left out where they are None."""
    if isinstance(value, Word):
        return str(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, str):
        value = value.encode()
    if isinstance(value, bytes):
        return '"' + "".join(chr(b) if 32 <= b < 127 and b not in b'"\\' else f"\\x{b:02x}" for b in value) + '"'
    if isinstance(value, dict):
        return "(" + " ".join(f"({name} {text(field)})" for name, field in value.items() if field is not None) + ")"
    return "(" + " ".join(map(text, value)) + ")"


def constant(value) -> dict:
    if value is None or isinstance(value, bool):
        return {"kind": Word(value)}
    if isinstance(value, int):
        return {"kind": Word("int"), "integer": value}
    if isinstance(value, str):
        return {"kind": Word("str"), "text": value}
    if isinstance(value, tuple):
        return {"kind": Word("tuple"), "items": [constant(item) for item in value]}
    raise TypeError(value)


def caches(op: int) -> int:
    if VERSION >= (3, 13):
        return opcode._inline_cache_entries.get(opcode.opname[op], 0)
    return opcode._inline_cache_entries[op]


class Assembler:
    """New code for `function`, or for a continuation (`function` None: `locals` are all its slots)."""

    def __init__(self, function, locals, origin=NOWHERE):
        code = function.__code__ if function else None
        self.arguments = code.co_argcount + code.co_kwonlyargcount + bool(code.co_flags & 4) + bool(code.co_flags & 8) if code else 0
        self.counts = (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount) if code else (0, 0, 0)
        self.flags = (code.co_flags & 12 if code else 0) | 3
        self.locals = [*(code.co_varnames[:self.arguments] if code else ()), *locals]
        self.consts, self.bytes, self.origins, self.origin, self.depth, self.most = [], bytearray(), [], origin, 0, 1
        self.emit("RESUME", 0, 0)

    def emit(self, name, arg, effect):
        op = opcode.opmap[name]
        units = [(opcode.opmap["EXTENDED_ARG"], arg >> shift & 255) for shift in (24, 16, 8) if arg >> shift] + [(op, arg & 255)]
        units += [(0, 0)] * caches(op)
        for unit in units:
            self.bytes += bytes(unit)
            self.origins.append(self.origin)
        self.depth += effect
        self.most = max(self.most, self.depth)
        return self

    def at(self, origin):
        self.origin = origin
        return self

    def load(self, name):
        return self.emit("LOAD_FAST", self.locals.index(name), 1)

    def store(self, name):
        return self.emit("STORE_FAST", self.locals.index(name), -1)

    def const(self, value):
        self.consts.append(value)
        return self.emit("LOAD_CONST", len(self.consts) - 1, 1)

    def add(self):
        return self.emit("BINARY_OP", 0, -1)

    def tuple(self, count):
        return self.emit("BUILD_TUPLE", count, 1 - count)

    def unpack(self, count):
        return self.emit("UNPACK_SEQUENCE", count, count - 1)

    def pop(self):
        return self.emit("POP_TOP", 0, -1)

    def call(self, callee, *arguments):
        if VERSION < (3, 13):
            self.emit("PUSH_NULL", 0, 1)
        self.load(callee)
        if VERSION >= (3, 13):
            self.emit("PUSH_NULL", 0, 1)
        for argument in arguments:
            self.load(argument) if isinstance(argument, str) else self.const(argument[0])
        if VERSION == (3, 11):
            self.emit("PRECALL", len(arguments), 0)
        return self.emit("CALL", len(arguments), -1 - len(arguments))

    def ret(self):
        return self.emit("RETURN_VALUE", 0, -1)

    def slot(self, name):
        return self.locals.index(name)

    def noun(self):
        argcount, posonly, kwonly = self.counts
        units = len(self.bytes) // 2
        lines = bytes(0xf8 | min(units - at, 8) - 1 for at in range(0, units, 8))      # nowhere
        image = {"version": Word("%d.%d" % VERSION), "name": "new", "qualname": "new", "argcount": argcount, "posonlyargcount": posonly,
                 "kwonlyargcount": kwonly, "flags": self.flags, "stacksize": self.most, "code": bytes(self.bytes),
                 "consts": [constant(c) for c in self.consts], "localsplusnames": self.locals,
                 "localspluskinds": b"\x20" * len(self.locals), "firstlineno": 1, "linetable": lines}
        return {"image": image, "origins": self.origins}


def entry(code=None, links=None, plans=(), **fields) -> str:
    """`links`: local -> (kind, index or name)."""
    slots = []
    for name, (kind, *what) in (links or {}).items():
        slot = {"kind": Word(kind), "local": code.slot(name)}
        if what:
            slot["name" if isinstance(what[0], str) else "index"] = what[0]
        slots.append(slot)
    return text({"original": True if code is None else None, "code": code.noun() if code else None, "links": slots, "plans": list(plans),
                 **fields})


PASS = "(registers 0 0)\n(pass)\n"


def keeps(**slots) -> str:
    """A program that keeps parameters: slot of the new code = (frame, slot)."""
    lines = [f"(registers {len(slots)} 0)"]
    for i, (target, (number, source)) in enumerate(slots.items()):
        lines += [f"(take o{i} slot {number} {source})", f"(keep o{i} {target.removeprefix('to_')})"]
    return "\n".join([*lines, "(pass)"]) + "\n"


def equals(slot, value) -> str:
    """A program that passes where an argument is this int."""
    return f"(registers 1 0)\n(take o0 slot 0 {slot})\n(is o0 value ((kind int) (integer {value})))\n(pass)\n"


def frame(function, offset, next=None, *, depth=0, pops=0, pushes=0, resume="innermost", jump=0, jump_if=None, keep_on_jump=None) -> dict:
    """A PendingFrame. `offset` and `next` are byte offsets of `dis`."""
    code = function.__code__
    return {"code": Word(testing.code_id(code)), "resume": Word(resume), "offset": offset // 2, "next": (offset if next is None else next) // 2,
            "jump": jump // 2, "jump_if": jump_if, "keep_on_jump": keep_on_jump, "slots": slots_of(code), "depth": depth, "pops": pops,
            "pushes": pushes}


def plan(kind, *frames, reason="explicit_break") -> dict:
    return {"kind": Word(kind), "reason": Word(reason), "detail": "test", "filename": __file__, "line": 1, "frames": list(frames)}


def slots_of(code: types.CodeType) -> int:
    names = 0
    while True:
        try:
            code._varname_from_oparg(names)
        except (IndexError, ValueError):
            return names
        names += 1


def instructions(function):
    """[(byte offset of the instruction with its prefixes, its name, its argument, byte offset of the next one)], caches skipped."""
    prefix, out = None, []
    listed = [i for i in dis.get_instructions(function)]
    for i, instruction in enumerate(listed):
        begin = instruction.offset if prefix is None else prefix
        if instruction.opname in ("EXTENDED_ARG", "KW_NAMES", "PRECALL"):
            prefix = begin
            continue
        prefix = None
        after = listed[i + 1].offset if i + 1 < len(listed) else len(function.__code__.co_code)
        out.append((begin, instruction.opname, instruction.argval, after))
    return out


def find(function, name, number=0, argument=None):
    """(offset, next) of the number-th instruction of that name."""
    found = [(begin, after) for begin, op, value, after in instructions(function) if op == name and (argument is None or value == argument)]
    return found[number]


def region(**options):
    return framegate.Region({"name": "test", **options})


def fresh(function):
    """The same function on a code object of its own."""
    return types.FunctionType(function.__code__.replace(), function.__globals__, function.__name__, function.__defaults__,
                              function.__closure__)


def original(a, b=2):
    return ("original", a, b)


def swapped(function, code, program=PASS, links=None, graph=None):
    """(Optimized, Region) with one entry."""
    owner = region()
    testing.install(owner, function, entry(code, links), program, graph)
    return framegate.Optimized(owner, function), owner


def added(function):
    return Assembler(function, []).load("a").load("b").add().ret()

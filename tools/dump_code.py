#!/usr/bin/env python3
"""Writes code objects of the interpreter that runs it as code images, in the byte encoding of base/fields.h.

    <python> tools/dump_code.py OUT [--every N] [FILE.py ...]

Files that do not exist are looked up in that interpreter's standard library; without any, the whole library is taken. Sources are
compiled, never imported. OUT gets, for each code
object (nested ones count by themselves), a 4-byte little-endian length and the encoding of a model::CodeImage. --every N takes each
Nth code object only.
"""
import argparse
import struct
import sys
import sysconfig
import types
import warnings
from pathlib import Path

NONE, FALSE, TRUE, ELLIPSIS = range(4)
INT, BIGINT, FLOAT, COMPLEX, STR, BYTES, TUPLE, FROZENSET, SLICE, CODE = 5, 6, 7, 8, 9, 10, 11, 12, 13, 14


def varint(number: int) -> bytes:
    out = bytearray()
    while number >= 0x80:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def signed(number: int) -> bytes:
    return varint(number << 1 if number >= 0 else (-number << 1) - 1)


def text(value: str | bytes) -> bytes:
    raw = value.encode("utf-8", "surrogatepass") if isinstance(value, str) else value
    return varint(len(raw)) + raw


def vector(encoded: list[bytes]) -> bytes:
    return varint(len(encoded)) + b"".join(encoded)


def constant(value) -> bytes:
    """model::Constant: kind, integer, real, imaginary, text, items, code."""
    kind, integer, real, imaginary, string, items, code = NONE, 0, 0.0, 0.0, b"", [], []
    if value is None or value is False or value is True or value is ...:
        kind = {None: NONE, False: FALSE, True: TRUE, ...: ELLIPSIS}[value]
    elif type(value) is int and -(1 << 63) <= value < 1 << 63:
        kind, integer = INT, value
    elif type(value) is int:
        # Far beyond int-to-str's limit of digits only in tests of that limit; hexadecimal digits stand for them here.
        kind, string = BIGINT, hex(value).encode()
    elif type(value) is float:
        kind, real = FLOAT, value
    elif type(value) is complex:
        kind, real, imaginary = COMPLEX, value.real, value.imag
    elif type(value) is str:
        kind, string = STR, value
    elif type(value) is bytes:
        kind, string = BYTES, value
    elif type(value) is tuple:
        kind, items = TUPLE, [constant(item) for item in value]
    elif type(value) is frozenset:
        kind, items = FROZENSET, sorted(constant(item) for item in value)
    elif isinstance(value, types.CodeType):
        kind, code = CODE, [code_image(value)]
    else:
        raise TypeError(f"no constant: {value!r}")
    numbers = struct.pack("<dd", real, imaginary)
    return varint(kind) + signed(integer) + numbers + text(string) + vector(items) + vector(code)


def slots(code: types.CodeType) -> tuple[list[str], bytes]:
    """Names and kinds of co_localsplus, which no attribute of a code object gives: locals, cells that are no locals, free variables."""
    names = list(code.co_varnames)
    names += [name for name in code.co_cellvars if name not in code.co_varnames]
    kinds = [0x20 | (0x40 if name in code.co_cellvars else 0) for name in code.co_varnames]
    kinds += [0x40] * (len(names) - len(kinds)) + [0x80] * len(code.co_freevars)
    return names + list(code.co_freevars), bytes(kinds)


def code_image(code: types.CodeType) -> bytes:
    """model::CodeImage, in the order of its VisitFields."""
    names, kinds = slots(code)
    return b"".join([
        varint(sys.version_info[1]), text(code.co_name), text(code.co_qualname), varint(code.co_argcount),
        varint(code.co_posonlyargcount), varint(code.co_kwonlyargcount), varint(code.co_flags), varint(code.co_stacksize),
        text(code.co_code), vector([constant(item) for item in code.co_consts]), vector([text(name) for name in code.co_names]),
        vector([text(name) for name in names]), text(kinds), text(code.co_exceptiontable), text(code.co_filename),
        signed(code.co_firstlineno), text(code.co_linetable)])


def code_objects(code: types.CodeType):
    yield code
    for item in code.co_consts:
        if isinstance(item, types.CodeType):
            yield from code_objects(item)


def sources(files: list[Path]) -> list[Path]:
    root = Path(sysconfig.get_paths()["stdlib"])
    if files:
        return [path if path.exists() else root / path for path in files]
    return sorted(path for path in root.rglob("*.py") if "site-packages" not in path.parts)


def compiled(paths: list[Path]):
    """Code objects of the files that compile; the library holds some that are bad on purpose."""
    warnings.simplefilter("ignore")
    for path in paths:
        try:
            module = compile(path.read_bytes(), str(path), "exec", dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError):
            continue
        yield from code_objects(module)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("files", type=Path, nargs="*")
    parser.add_argument("--every", type=int, default=1)
    options = parser.parse_args()
    with options.out.open("wb") as out:
        for index, code in enumerate(compiled(sources(options.files))):
            if index % options.every == 0:
                image = code_image(code)
                out.write(struct.pack("<I", len(image)) + image)


if __name__ == "__main__":
    main()
